// How a method answers: with a response, or with one question to the pair and what to do with its reply.
//
// Methods are functions of the request; they know neither sockets nor threads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "dav/path.h"
#include "http/limits.h"
#include "http/message.h"
#include "http/pair_client.h"

namespace pollux {

struct Ask;
struct Read;
struct Work;
using Outcome = std::variant<HttpResponse, Ask, Read, Work>;

/// Ask the pair, then go on with its reply.
struct Ask {
  bool change = false;  ///< execute; otherwise query
  std::string payload;
  std::move_only_function<Outcome(PairReply)> then;
  bool may_be_large = false;  ///< a query whose answer is better read on another thread than a lane's
};
/// Read the state if it is at hand; if it is not, or there is no answer in it, go on otherwise.
struct Read {
  std::move_only_function<std::optional<Outcome>(ReadTxn&)> from_state;
  std::move_only_function<Outcome()> otherwise;
};
/// Something that takes long: done on another thread.
struct Work {
  std::move_only_function<Outcome()> run;
};

/// A request whose sender is known. It outlives its outcome: continuations may refer to it.
struct DavRequest {
  const HttpRequest& http;
  const DavPath& path;
  Caller caller;
  const GatewayLimits& limits;
};

template <class Request>
Ask ask_change(const Request& request, std::move_only_function<Outcome(PairReply)> then) {
  return {true, encode(GroupwareRequest(request)), std::move(then)};
}

/// So many items by name are read as quickly as one request is answered.
inline constexpr std::size_t names_read_at_once = 100;

template <class Query>
bool may_be_large(const Query& /*query*/) {
  return true;
}
inline bool may_be_large(const GetItem& /*query*/) { return false; }
inline bool may_be_large(const GetPrincipal& /*query*/) { return false; }
inline bool may_be_large(const ListResources& query) { return query.depth != 0; }
inline bool may_be_large(const GetItems& query) { return query.names.size() > names_read_at_once; }
inline bool may_be_large(const ListChanges& query) { return query.collection == 0; }  // from the beginning

template <class Query>
Ask ask_query(const Query& query, std::move_only_function<Outcome(PairReply)> then) {
  return {false, encode(GroupwareQuery(query)), std::move(then), may_be_large(query)};
}

}  // namespace pollux
