#include "lmdb_pages.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"
#include "files.h"

namespace pollux {
namespace {

// LMDB 0.9's layout on a 64-bit little-endian host (mdb.c: MDB_page, MDB_node, MDB_db, MDB_meta).
constexpr std::size_t page_header = 16;
constexpr std::size_t node_header = 8;
constexpr std::uint16_t is_branch = 0x01, is_leaf = 0x02, is_overflow = 0x04, is_meta = 0x08;
constexpr std::uint16_t kind_mask = 0x6f;
constexpr std::uint16_t node_big = 0x01, node_sub = 0x02, node_dup = 0x04;
constexpr std::uint64_t no_page = ~0ULL;
constexpr std::size_t tree_bytes = 48;
constexpr std::size_t meta_bytes = 24 + 2 * tree_bytes + 16;
constexpr std::uint32_t magic = 0xBEEFC0DE;
constexpr int depth_max = 32;  // of LMDB's cursor stack
constexpr std::size_t key_bytes_max = 511;

struct Tree {
  std::uint16_t flags = 0;
  std::uint16_t depth = 0;
  std::uint64_t entries = 0;
  std::uint64_t root = no_page;
};
Tree read_tree(std::string_view bytes) {
  return {.flags = get_number<std::uint16_t>(bytes, 4),
          .depth = get_number<std::uint16_t>(bytes, 6),
          .entries = get_number<std::uint64_t>(bytes, 32),
          .root = get_number<std::uint64_t>(bytes, 40)};
}

struct Meta {
  std::uint64_t page_bytes = 0;
  Tree free, main;
  std::uint64_t last_page = 0;
  std::uint64_t transaction = 0;
};

class Checker {
 public:
  explicit Checker(std::string_view file) : file_(file) {}

  /// Empty if all is well.
  std::string run() {
    if (file_.size() < 2 * page_header + meta_bytes) return "it is too short to be one";
    std::optional<Meta> metas[2];
    page_bytes_ = get_number<std::uint32_t>(file_, page_header + 24);
    if (page_bytes_ < 512 || page_bytes_ > 65536 || (page_bytes_ & (page_bytes_ - 1)) != 0 ||
        file_.size() < 2 * page_bytes_) {
      return "its first page names an impossible page size";
    }
    for (std::uint64_t i = 0; i < 2; ++i) {
      metas[i] = read_meta(i);
      if (!metas[i]) return "its meta page " + std::to_string(i) + " is not one";
    }
    // Transaction n writes meta page n mod 2. A newest meta page whose number flipped would otherwise look
    // older than the other one, and LMDB would go back by one transaction without a word.
    const auto a = metas[0]->transaction;
    const auto b = metas[1]->transaction;
    const bool fresh = a == 0 && b == 0;
    if (!fresh && ((a & 1) != 0 || (b & 1) != 1 || (a > b ? a - b : b - a) != 1)) {
      return "the transaction numbers of its two meta pages do not fit each other";
    }
    const Meta& newest = *metas[a > b ? 0 : 1];
    if (newest.last_page == no_page || newest.last_page >= file_.size() / page_bytes_) {
      return "it ends before its last page " + std::to_string(newest.last_page) + ": it was cut off";
    }
    pages_ = newest.last_page + 1;
    used_.assign(pages_, false);
    used_[0] = used_[1] = true;
    if (!walk_tree(newest.main, true, false)) return fault_;
    if (!walk_tree(newest.free, false, true)) return fault_;
    return fault_;
  }

 private:
  std::optional<Meta> read_meta(std::uint64_t page) {
    const auto bytes = file_.substr(page * page_bytes_, page_bytes_);
    if (get_number<std::uint64_t>(bytes) != page || (get_number<std::uint16_t>(bytes, 10) & is_meta) == 0)
      return {};
    const auto meta = bytes.substr(page_header, meta_bytes);
    if (get_number<std::uint32_t>(meta) != magic || get_number<std::uint32_t>(meta, 4) != 1) return {};
    if (get_number<std::uint32_t>(meta, 24) != page_bytes_) return {};
    const Tree free = read_tree(meta.substr(24));
    const Tree main = read_tree(meta.substr(24 + tree_bytes));
    // Our databases' flags: integer keys for the free list, none for the main tree; others would make LMDB
    // read the pages in another way.
    if ((free.flags & (MDB_REVERSEKEY | MDB_DUPSORT | MDB_INTEGERKEY | MDB_DUPFIXED | MDB_INTEGERDUP |
                       MDB_REVERSEDUP)) != MDB_INTEGERKEY ||
        main.flags != 0) {
      return {};
    }
    return Meta{.page_bytes = page_bytes_,
                .free = free,
                .main = main,
                .last_page = get_number<std::uint64_t>(meta, 24 + 2 * tree_bytes),
                .transaction = get_number<std::uint64_t>(meta, 32 + 2 * tree_bytes)};
  }

  bool fail_at(std::uint64_t page, std::string_view why) {
    fault_ = "page " + std::to_string(page) + " " + std::string(why);
    return false;
  }

  /// Marks pages as used; false if one is outside or taken.
  bool take(std::uint64_t page, std::uint64_t count) {
    if (page < 2 || page >= pages_ || count > pages_ - page) return fail_at(page, "lies outside the file");
    for (std::uint64_t i = page; i < page + count; ++i) {
      if (used_[i]) return fail_at(i, "is used twice");
      used_[i] = true;
    }
    return true;
  }

  bool walk_tree(const Tree& tree, bool holds_trees, bool free_list) {
    if (tree.root == no_page) {
      if (tree.entries == 0) return true;
      fault_ = "a tree with entries has no pages";
      return false;
    }
    if (tree.depth == 0 || tree.depth > depth_max)
      return fail_at(tree.root, "is the root of a tree of impossible depth");
    Walk walk{.holds_trees = holds_trees,
              .free_list = free_list,
              .number_keys = (tree.flags & MDB_INTEGERKEY) != 0};
    if (!walk_page(tree.root, tree.depth, walk)) return false;
    if (walk.entries != tree.entries) {
      return fail_at(tree.root, "is the root of " + std::to_string(tree.entries) + " entries, of which " +
                                    std::to_string(walk.entries) + " are there");
    }
    return true;
  }

  struct Walk {
    bool holds_trees, free_list, number_keys;
    std::uint64_t entries = 0;
    std::optional<std::string_view> last_key;
    std::optional<std::string_view> bound;  // separator: the next key is not below it
  };

  static int compare(const Walk& walk, std::string_view a, std::string_view b) {
    if (!walk.number_keys) return a.compare(b);
    const auto x = get_number<std::uint64_t>(a);
    const auto y = get_number<std::uint64_t>(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }

  bool walk_page(std::uint64_t number, int levels, Walk& walk) {
    if (!take(number, 1)) return false;
    const auto page = file_.substr(number * page_bytes_, page_bytes_);
    if (get_number<std::uint64_t>(page) != number) return fail_at(number, "bears another page's number");
    const auto kind = get_number<std::uint16_t>(page, 10) & kind_mask;
    if (kind != (levels > 1 ? is_branch : is_leaf)) return fail_at(number, "is of the wrong kind");
    const std::size_t lower = get_number<std::uint16_t>(page, 12);
    const std::size_t upper = get_number<std::uint16_t>(page, 14);
    if (lower < page_header || lower > upper || upper > page_bytes_ || (lower & 1) != 0) {
      return fail_at(number, "has impossible bounds");
    }
    const std::size_t nodes = (lower - page_header) / 2;
    if (nodes == 0) return fail_at(number, "has too few entries");
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t at = get_number<std::uint16_t>(page, page_header + 2 * i);
      if (at < upper || at + node_header > page_bytes_)
        return fail_at(number, "has a pointer outside itself");
      const auto node = page.substr(at);
      const auto flags = get_number<std::uint16_t>(node, 4);
      const std::size_t key_bytes = get_number<std::uint16_t>(node, 6);
      if (node_header + key_bytes > node.size()) return fail_at(number, "has a key that goes beyond it");
      const auto key = node.substr(node_header, key_bytes);
      const std::uint64_t low = get_number<std::uint32_t>(node);
      if (levels > 1) {
        if (i > 0 && !check_separator(number, key, walk)) return false;
        if (!walk_page(low | static_cast<std::uint64_t>(flags) << 32, levels - 1, walk)) return false;
      } else if (!check_entry(number, node, flags, key, low, walk)) {
        return false;
      }
    }
    return true;
  }

  bool check_key(std::uint64_t number, std::string_view key, const Walk& walk) {
    if (key.empty() || key.size() > key_bytes_max || (walk.number_keys && key.size() != 8)) {
      return fail_at(number, "has a key of impossible size");
    }
    return true;
  }

  bool check_separator(std::uint64_t number, std::string_view key, Walk& walk) {
    if (!check_key(number, key, walk)) return false;
    if (walk.last_key && compare(walk, key, *walk.last_key) <= 0)
      return fail_at(number, "has keys out of order");
    walk.bound = key;
    return true;
  }

  bool check_entry(std::uint64_t number, std::string_view node, std::uint16_t flags, std::string_view key,
                   std::uint64_t data_bytes, Walk& walk) {
    if (!check_key(number, key, walk)) return false;
    if (walk.last_key && compare(walk, key, *walk.last_key) <= 0)
      return fail_at(number, "has keys out of order");
    if (walk.bound && compare(walk, key, *walk.bound) < 0) return fail_at(number, "has keys out of order");
    walk.bound.reset();
    walk.last_key = key;
    ++walk.entries;
    if ((flags & ~(node_big | node_sub)) != 0 || (flags & node_dup) != 0 ||
        ((flags & node_sub) != 0) != walk.holds_trees) {
      return fail_at(number, "has an entry of unknown kind");
    }
    auto data = node.substr(node_header + key.size());
    if ((flags & node_big) != 0) {
      if (data.size() < 8) return fail_at(number, "has an entry that goes beyond it");
      const auto first = get_number<std::uint64_t>(data);
      const std::uint64_t count = (page_header - 1 + data_bytes) / page_bytes_ + 1;
      if (!take(first, count)) return false;
      const auto page = file_.substr(first * page_bytes_, page_header);
      if (get_number<std::uint64_t>(page) != first ||
          (get_number<std::uint16_t>(page, 10) & kind_mask) != is_overflow ||
          get_number<std::uint32_t>(page, 12) != count) {
        return fail_at(first, "is not the start of the large value it should be");
      }
      data = file_.substr(first * page_bytes_ + page_header);
    }
    if (data.size() < data_bytes) return fail_at(number, "has an entry that goes beyond it");
    data = data.substr(0, data_bytes);
    if (walk.free_list) return check_free(number, data);
    if (!walk.holds_trees) return true;
    if (data.size() != tree_bytes) return fail_at(number, "has an entry of unknown kind");
    const Tree tree = read_tree(data);
    if ((tree.flags & ~MDB_INTEGERKEY) != 0) return fail_at(number, "has a database of unknown kind");
    return walk_tree(tree, false, false);
  }

  bool check_free(std::uint64_t number, std::string_view list) {
    const auto count = list.size() < 8 ? 0 : get_number<std::uint64_t>(list);
    if (list.size() < 8 || count > list.size() / 8 - 1)
      return fail_at(number, "has a broken list of free pages");
    for (std::uint64_t i = 1; i <= count; ++i) {
      const auto page = get_number<std::uint64_t>(list, i * 8);
      // LMDB merges these lists and needs them in descending order.
      if (i > 1 && page >= get_number<std::uint64_t>(list, (i - 1) * 8)) {
        return fail_at(number, "has a list of free pages out of order");
      }
      if (!take(page, 1)) return false;
    }
    return true;
  }

  std::string_view file_;
  std::uint64_t page_bytes_ = 0;
  std::uint64_t pages_ = 0;
  std::vector<bool> used_;
  std::string fault_;
};

}  // namespace

Result<void> check_lmdb_pages(const std::filesystem::path& data_file) {
  const Fd fd(::open(data_file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return {};
  struct stat found{};
  if (!fd || ::fstat(fd.get(), &found) != 0) {
    return std::unexpected(system_error("cannot open " + data_file.string(), errno));
  }
  if (found.st_size == 0) return {};
  const auto size = static_cast<std::size_t>(found.st_size);
  void* const map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (map == MAP_FAILED) return std::unexpected(system_error("cannot map " + data_file.string(), errno));
  const auto fault = Checker({static_cast<const char*>(map), size}).run();
  ::munmap(map, size);
  if (!fault.empty()) return fail(Code::damaged, fault);
  return {};
}

}  // namespace pollux
