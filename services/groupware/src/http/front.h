// One request's way through the gateway, without sockets: who sends it, which method answers, what the pair
// is asked, and what to do when a login has become stale.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "http/outcome.h"
#include "http/work_thread.h"
#include "users/login_desk.h"

namespace pollux {

/// A request on its way. Everything in it belongs to the connection's thread.
struct Exchange {
  HttpRequest http;
  DavPath path;
  std::optional<DavRequest> dav;  ///< once its sender is known
  std::string client;             ///< its network, as wrong passwords are counted (`client_network`)
  bool login_retried = false;
  bool homes_made = false;
  /// Runs something on the connection's thread; may be called from any.
  std::function<void(std::move_only_function<void()>)> post;
};
using ExchangePtr = std::shared_ptr<Exchange>;

class Front {
 public:
  using Admitted = std::move_only_function<void(std::optional<HttpResponse> refusal)>;
  using Answered = std::move_only_function<void(HttpResponse)>;

  Front(PairClient& pair, const GatewayLimits& limits);

  /// With the headers known, before the body is read: a refusal, or none to go on.
  void admit(const ExchangePtr& exchange, Admitted done);
  /// With the body known. `done` is called on the connection's thread, as above.
  void answer(const ExchangePtr& exchange, Answered done);
  /// Ends the threads; what they had not begun is dropped.
  void stop();

 private:
  void authenticate(const ExchangePtr& exchange, Admitted done);
  void proceed(const ExchangePtr& exchange, Outcome outcome, Answered done);
  void send(const ExchangePtr& exchange, HttpResponse response, Answered done);
  void ask(const ExchangePtr& exchange, Ask question, Answered done);
  Outcome read(Read at_hand);
  void work(const ExchangePtr& exchange, Work todo, Answered done);
  void login_again(const ExchangePtr& exchange, Answered done);
  void make_homes(const ExchangePtr& exchange, PairReply reply, Answered done);

  PairClient& pair_;
  const GatewayLimits& limits_;
  LoginDesk desk_;
  WorkThread checks_;
  WorkThread compressions_;
};

}  // namespace pollux
