// The service that simulated pairs run: a few registers, and requests that abort, kill or hang their member.
//
// Each writing request stores its own number, which no other request has, so that every value read tells
// which request wrote it. The payload is text: "put k3 17", "get k3", "cas k3 12 17", "erase k3 17",
// "abort k3 17", "kill k3 17", "hang k3 17"; what follows after the numbers pads it to a size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/core/record.h"
#include "pollux/core/result.h"

namespace pollux::testing {

enum class Verb : std::uint8_t { get, put, cas, erase, abort, kill, hang };
std::string_view to_string(Verb verb);

struct RegisterRequest {
  Verb verb = Verb::get;
  std::uint32_t key = 0;
  std::uint64_t expected = 0;  ///< of cas
  std::uint64_t value = 0;     ///< the request's own number; 0 in a query
  std::size_t padding = 0;     ///< bytes added to the payload, and to the stored value

  [[nodiscard]] std::string payload() const;
  static std::optional<RegisterRequest> parse(std::string_view payload);
};

/// Reads the row of a key in the state that the request is to see.
using RowReader = std::function<std::optional<std::string>(const std::string& key)>;

struct RegisterResult {
  Code code = Code::ok;
  std::string reply;            ///< the number the register held before; 0: none
  std::vector<Change> changes;
};
std::string register_key(std::uint32_t key);
/// Never called with kill or hang: those end the member before they end themselves.
RegisterResult execute_register(const RegisterRequest& request, const RowReader& row);

}  // namespace pollux::testing
