// Who serves, and how far it has committed: a page of memory that both members and the readers of one host map
// (DESIGN section 4, I7). A member writes its own slot only.
//
// A reader takes the slot of the highest epoch. Why that is enough: a new primary fills its slot before it serves,
// and each primary raises `committed` there before anything beyond can be seen. So whatever slot a reader finds
// highest after its read began, no answer given before has shown more than that slot's `committed`. What a member has
// told is taken back by saying that it committed more than anybody can have applied. Its epoch stays: without it, a
// reader would go on with what the other member told in an earlier one.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

class ServingPage {
 public:
  /// What a member says of itself.
  struct Told {
    std::size_t member = 0;  ///< 0: "a", 1: "b"
    Epoch epoch;
    Lsn committed;
  };

  /// Maps the file, makes it if it is missing.
  static Result<ServingPage> open(const std::filesystem::path& file);
  ServingPage(ServingPage&& other) noexcept;
  ServingPage& operator=(ServingPage&& other) noexcept;
  ~ServingPage();

  // ---- a member ----

  /// What `member` has told, in this boot of the host or in an earlier one, is not to be relied on.
  void take_back(std::size_t member, const BootId& boot);
  /// By one thread of one process for each member.
  void tell(const Told& told);

  // ---- a reader ----

  /// The slot of the highest epoch; none if nobody has told anything since the host was started.
  [[nodiscard]] std::optional<Told> read(const BootId& boot) const;

  /// The file is still what its name stands for: otherwise others read and write another page.
  [[nodiscard]] bool is_current() const;
  /// The file has still a name. Cheap: for every read.
  [[nodiscard]] bool has_name() const;

 private:
  struct Page;
  ServingPage(std::filesystem::path file, int fd, Page* page) : file_(std::move(file)), fd_(fd), page_(page) {}

  std::filesystem::path file_;
  int fd_ = -1;
  Page* page_ = nullptr;
};

}  // namespace pollux
