// A member's side of the page that says who serves (serving_page.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "pollux/core/actions.h"
#include "pollux/core/result.h"
#include "pollux/services/config.h"
#include "serving_page.h"

namespace pollux {

/// Both members listen on Unix sockets, so that neither can be on another host.
bool on_one_host(const PairConfig& pair);
/// `<run>/<pair>.<cluster>.serving`: a new cluster at the same place begins with epoch 1 again.
std::filesystem::path serving_file(const Config& config, const PairConfig& pair);
std::filesystem::path tables_directory(const MemberConfig& member);

/// For core's thread. A member without its page must not serve: readers would go on with its predecessor's tables.
class ServingTeller {
 public:
  /// Takes back what an earlier run of this member has told. A pair that is not on one host tells nothing.
  static Result<ServingTeller> open(const Config& config, const PairConfig& pair, std::string_view member,
                                    const BootId& boot);

  /// An error if the page is not where readers look for it, and can't be put there.
  Result<void> tell(const TellReaders& told);
  /// This member ends: what it told is not to be relied on any more.
  void take_back();

 private:
  ServingTeller() = default;
  Result<void> map();

  std::filesystem::path file_;  ///< empty: nothing is told
  std::size_t member_ = 0;
  BootId boot_;
  Epoch epoch_;  ///< told last
  std::optional<ServingPage> page_;
};

}  // namespace pollux
