#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "peer/channel.h"

namespace pollux {

namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::uint32_t ring_bytes = 4u << 20;  // power of two; larger messages pass through in parts
constexpr int spins_before_sleep = 4000;        // some 10 us to 40 us: about what a wake-up costs

// One direction. Positions only grow, and wrap at 2^32, a multiple of ring_bytes. Each side's word is in a
// cache line of its own.
struct Ring {
  alignas(line_bytes) std::atomic<std::uint32_t> written;
  std::atomic<std::uint32_t> reader_sleeps;
  alignas(line_bytes) std::atomic<std::uint32_t> read;
  std::atomic<std::uint32_t> writer_sleeps;
  alignas(line_bytes) std::byte bytes[ring_bytes];
};
struct Shared {
  Ring to_server, to_client;
  alignas(line_bytes) std::atomic<std::uint32_t> closed;  // by either end
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Not private: the other process sleeps and wakes on the same word.
// With an end: a close may come between the last look and the sleep.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  const timespec at_most{.tv_sec = 0, .tv_nsec = 100'000'000};
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value,
                 operation == FUTEX_WAIT ? &at_most : nullptr, nullptr, 0);
}

class RingChannel : public Channel {
 public:
  RingChannel(Shared* shared, Side side, RingWait wait, StallGuard& guard)
      : shared_(shared),
        out_(side == Side::client ? shared->to_server : shared->to_client),
        in_(side == Side::client ? shared->to_client : shared->to_server),
        wait_(wait),
        guard_(guard) {}
  ~RingChannel() override {
    // There is no kernel that would tell the other end.
    shared_->closed.store(1, std::memory_order_seq_cst);
    for (auto* word : {&out_.written, &in_.read}) futex(*word, FUTEX_WAKE, 1);
    munmap(shared_, sizeof *shared_);
  }
  RingChannel(const RingChannel&) = delete;
  RingChannel& operator=(const RingChannel&) = delete;

  bool send(ConstBytes message) override {
    while (!message.empty()) {
      const auto written = out_.written.load(std::memory_order_relaxed);
      const auto full = written - ring_bytes;
      if (!wait_while(out_.read, full, out_.writer_sleeps)) return false;
      const auto room = ring_bytes - (written - out_.read.load(std::memory_order_acquire));
      const auto at = written % ring_bytes;
      const auto part = std::min({message.size(), std::size_t{room}, std::size_t{ring_bytes - at}});
      std::memcpy(out_.bytes + at, message.data(), part);
      publish(out_.written, written + static_cast<std::uint32_t>(part), out_.reader_sleeps);
      message = message.subspan(part);
    }
    guard_.progress();
    return true;
  }

  bool receive(Bytes message) override {
    while (!message.empty()) {
      const auto read = in_.read.load(std::memory_order_relaxed);
      if (!wait_while(in_.written, read, in_.reader_sleeps)) return false;
      const auto there = in_.written.load(std::memory_order_acquire) - read;
      const auto at = read % ring_bytes;
      const auto part = std::min({message.size(), std::size_t{there}, std::size_t{ring_bytes - at}});
      std::memcpy(message.data(), in_.bytes + at, part);
      publish(in_.read, read + static_cast<std::uint32_t>(part), in_.writer_sleeps);
      message = message.subspan(part);
    }
    guard_.progress();
    return true;
  }

 private:
  // Until `word` is something else than `value`.
  bool wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::atomic<std::uint32_t>& sleeps) {
    int spins = wait_ == RingWait::blocking ? 0 : spins_before_sleep;
    while (word.load(std::memory_order_acquire) == value) {
      if (guard_.given_up()) return fail_with("the other end did not answer in time");
      if (shared_->closed.load(std::memory_order_relaxed) != 0)
        return fail_with("the other end closed the connection");
      if (wait_ == RingWait::busy || spins-- > 0) {
        pause_briefly();
        continue;
      }
      // Tell first, then look again: whoever publishes after the look sees that we sleep.
      sleeps.store(1, std::memory_order_seq_cst);
      if (word.load(std::memory_order_seq_cst) == value &&
          shared_->closed.load(std::memory_order_seq_cst) == 0) {
        futex(word, FUTEX_WAIT, value);
      }
      sleeps.store(0, std::memory_order_relaxed);
    }
    return true;
  }

  static void publish(std::atomic<std::uint32_t>& word, std::uint32_t value,
                      std::atomic<std::uint32_t>& sleeps) {
    word.store(value, std::memory_order_seq_cst);
    if (sleeps.load(std::memory_order_seq_cst) != 0) futex(word, FUTEX_WAKE, 1);
  }

  Shared* const shared_;
  Ring &out_, &in_;
  const RingWait wait_;
  StallGuard& guard_;
};

}  // namespace

Result<int> make_ring_memory() {
  const int fd = memfd_create("pollux-bench-ring", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, sizeof(Shared)) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    return fail(Code::io_error, std::string("can't make shared memory: ") + std::strerror(error));
  }
  return fd;
}

std::unique_ptr<Channel> ring_channel(int memory_fd, Side side, RingWait wait, StallGuard& guard,
                                      std::string& why_not) {
  // MAP_POPULATE: page faults are not what is measured.
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory_fd, 0);
  close(memory_fd);
  if (memory == MAP_FAILED) {
    why_not = std::string("can't map shared memory: ") + std::strerror(errno);
    return nullptr;
  }
  // A fresh memfd is zero: empty rings.
  return std::make_unique<RingChannel>(static_cast<Shared*>(memory), side, wait, guard);
}

}  // namespace pollux
