#include <utility>

#include "pollux/ipc/requester.h"

namespace pollux {
namespace {

class StaticDirectory : public Directory {
 public:
  explicit StaticDirectory(std::vector<PairAddress> addresses) : addresses_(std::move(addresses)) {}

  [[nodiscard]] Result<PairAddress> find(std::string_view pair) const override {
    std::string known;
    for (const PairAddress& address : addresses_) {
      if (address.pair == pair) return address;
      known += (known.empty() ? "'" : ", '") + address.pair + "'";
    }
    return fail(Code::unknown_pair, "no pair is named '" + std::string(pair) + "'; " +
                                        (known.empty() ? "none is configured" : "there is " + known));
  }

 private:
  const std::vector<PairAddress> addresses_;
};

}  // namespace

std::unique_ptr<Directory> make_static_directory(std::vector<PairAddress> addresses) {
  return std::make_unique<StaticDirectory>(std::move(addresses));
}

}  // namespace pollux
