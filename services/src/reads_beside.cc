#include "pollux/services/reads_beside.h"

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "clocks.h"
#include "pollux/audit/tables.h"
#include "serving_page.h"
#include "serving_teller.h"

namespace pollux {
namespace {

/// What could not be opened is tried again after so long.
constexpr Duration open_again_after = std::chrono::seconds(1);
/// Far shorter than the start of a member.
constexpr Duration look_for_name_every = std::chrono::milliseconds(1);

class TablesTxn final : public ReadTxn {
 public:
  explicit TablesTxn(TablesView& view) : view_(view) {}
  std::optional<std::string> get(std::string_view key) override {
    auto value = view_.get(key);
    if (!value) throw ServiceStorageError(value.error());
    return std::move(*value);
  }
  void scan(std::string_view from, std::string_view to,
            const std::function<bool(std::string_view, std::string_view)>& row) override {
    if (auto scanned = view_.scan(from, to, row); !scanned) throw ServiceStorageError(scanned.error());
  }

 private:
  TablesView& view_;
};

class PageReads final : public ReadsBeside {
 public:
  PageReads(std::filesystem::path file, const PairConfig& pair, BootId boot) : file_(std::move(file)), boot_(boot) {
    for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].directory = tables_directory(pair.members[i]);
  }

  bool read(const std::function<void(ReadTxn&)>& read) override {
    for (int tries = 0; tries < 2; ++tries) {
      {
        const std::shared_lock lock(mutex_);
        if (page_ && has_name()) {
          const auto told = page_->read(boot_);
          if (!told) return false;
          const Source& source = sources_[told->member];
          if (source.epoch == told->epoch) return source.tables && look(*source.tables, told->committed, read);
        }
      }
      if (!open()) return false;
    }
    return false;
  }

 private:
  struct Source {
    std::filesystem::path directory;
    std::unique_ptr<TablesBeside> tables;
    Epoch epoch;  ///< in which they were opened: a member may have begun anew since an earlier one
  };

  static bool look(const TablesBeside& tables, Lsn committed, const std::function<void(ReadTxn&)>& read) {
    auto view = tables.view();
    if (!view || (*view)->applied() < committed) return false;
    TablesTxn txn(**view);
    try {
      read(txn);
      return true;
    } catch (const std::exception&) {
      return false;  // a damaged row has a better copy on the other member
    }
  }

  /// Asked of the system now and then only: a member that finds the file removed takes back what was told in the page
  /// that is still mapped here, so that only members started later can be missing in it.
  bool has_name() {
    const Duration now = steady_now().time_since_epoch();
    if (now.count() < named_until_.load(std::memory_order_relaxed)) return true;
    if (!page_->has_name()) return false;
    named_until_.store((now + look_for_name_every).count(), std::memory_order_relaxed);
    return true;
  }

  /// Maps the page and opens the tables of who serves, if that is new. False: not now.
  bool open() {
    const std::unique_lock lock(mutex_);
    const Instant now = steady_now();
    if (now < open_not_before_) return false;
    if (!page_ || !page_->has_name()) {
      page_.reset();
      named_until_ = 0;
      auto page = ServingPage::open(file_);
      if (!page) return later(now);
      page_.emplace(std::move(*page));
    }
    const auto told = page_->read(boot_);
    if (!told) return false;
    Source& source = sources_[told->member];
    if (source.epoch == told->epoch) return source.tables != nullptr;
    source.tables.reset();  // first: the same files must not be open twice
    auto tables = open_lmdb_tables_beside(source.directory);
    if (!tables) return later(now);
    source.tables = std::move(*tables);
    source.epoch = told->epoch;
    return true;
  }
  bool later(Instant now) {
    open_not_before_ = now + open_again_after;
    return false;
  }

  const std::filesystem::path file_;
  const BootId boot_;
  std::shared_mutex mutex_;
  std::optional<ServingPage> page_;
  std::array<Source, 2> sources_;
  Instant open_not_before_{};
  std::atomic<Duration::rep> named_until_{0};
};

}  // namespace

std::unique_ptr<ReadsBeside> make_reads_beside(const Config& config, const PairConfig& pair) {
  const auto boot = read_boot_id();
  if (!boot || !on_one_host(pair)) return nullptr;
  return std::make_unique<PageReads>(serving_file(config, pair), pair, *boot);
}

}  // namespace pollux
