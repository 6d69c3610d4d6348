#include "serving_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "file_io.h"
#include "text.h"

namespace pollux {
namespace {

constexpr std::size_t members = 2;
constexpr std::size_t page_bytes = 4096;

using BootWords = std::array<std::uint64_t, 2>;
BootWords words_of(const BootId& boot) {
  BootWords words{};
  static_assert(sizeof words == sizeof boot.bytes);
  std::memcpy(words.data(), boot.bytes.data(), sizeof words);
  return words;
}

}  // namespace

struct ServingPage::Page {
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> epoch;  ///< 0: nothing is told
    std::atomic<std::uint64_t> committed;
    std::array<std::atomic<std::uint64_t>, 2> boot;  ///< after a power loss the file may be an old one
  };
  std::array<Slot, members> slots;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "it is shared between processes");

Result<ServingPage> ServingPage::open(const std::filesystem::path& file) {
  static_assert(sizeof(Page) <= page_bytes);
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return fail_errno(cat("can't open ", file), errno);
  ServingPage made(file, fd, nullptr);
  if (::ftruncate(fd, page_bytes) != 0) return fail_errno(cat("can't make room in ", file), errno);
  void* const memory = ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return fail_errno(cat("can't map ", file), errno);
  made.page_ = static_cast<Page*>(memory);
  return made;
}

ServingPage::ServingPage(ServingPage&& other) noexcept
    : file_(std::move(other.file_)),
      fd_(std::exchange(other.fd_, -1)),
      page_(std::exchange(other.page_, nullptr)) {}

ServingPage& ServingPage::operator=(ServingPage&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(fd_, other.fd_);
  std::swap(page_, other.page_);
  return *this;
}

ServingPage::~ServingPage() {
  if (page_ != nullptr) ::munmap(page_, page_bytes);
  if (fd_ >= 0) ::close(fd_);
}

void ServingPage::take_back(std::size_t member, const BootId& boot) {
  Page::Slot& slot = page_->slots.at(member);
  slot.committed = std::numeric_limits<std::uint64_t>::max();
  const BootWords words = words_of(boot);
  for (std::size_t i = 0; i < words.size(); ++i) slot.boot[i] = words[i];
}

void ServingPage::tell(const Told& told) {
  Page::Slot& slot = page_->slots.at(told.member);
  // In this order: a reader that sees the new epoch sees what was committed in it, too.
  slot.committed = told.committed.value;
  slot.epoch = told.epoch.value;
}

std::optional<ServingPage::Told> ServingPage::read(const BootId& boot) const {
  const BootWords now = words_of(boot);
  std::optional<Told> newest;
  for (std::size_t member = 0; member < members; ++member) {
    const Page::Slot& slot = page_->slots[member];
    const Epoch epoch{slot.epoch.load()};
    const Told told{.member = member, .epoch = epoch, .committed = {slot.committed.load()}};
    if (epoch.value == 0) continue;
    if (slot.boot[0].load() != now[0] || slot.boot[1].load() != now[1]) continue;
    if (!newest || newest->epoch < told.epoch) newest = told;
  }
  return newest;
}

bool ServingPage::is_current() const {
  struct stat named{};
  struct stat mapped{};
  return ::stat(file_.c_str(), &named) == 0 && ::fstat(fd_, &mapped) == 0 && named.st_ino == mapped.st_ino &&
         named.st_dev == mapped.st_dev;
}

bool ServingPage::has_name() const {
  struct stat mapped{};
  return ::fstat(fd_, &mapped) == 0 && mapped.st_nlink > 0;
}

}  // namespace pollux
