#include "http/front.h"

#include <utility>

#include "dav/errors.h"
#include "dav/methods.h"
#include "http/compression.h"
#include "web/pages.h"

namespace pollux {
namespace {

HttpResponse challenge(std::string_view sentence) {
  return std::move(
      plain_response(401, sentence).add("WWW-Authenticate", R"(Basic realm="Pollux", charset="UTF-8")"));
}

HttpResponse login_response(const LoginFailure& failure, const GatewayLimits& limits) {
  switch (failure.why) {
    case LoginRefusal::wrong:
      return challenge("The user name or the password is wrong.");
    case LoginRefusal::busy:
      return unavailable_response("Too many logins are being verified just now: try again.",
                                  limits.retry_after_s);
    case LoginRefusal::throttled:  // RFC 6585, 4
      return std::move(plain_response(429,
                                      "Too many wrong passwords for this user from your address: wait, "
                                      "then try again.")
                           .add("Retry-After", std::to_string(failure.retry_after_s)));
    case LoginRefusal::unavailable:
      break;
  }
  return unavailable_response("The pair can't be reached just now: try again.", limits.retry_after_s);
}

}  // namespace

Front::Front(PairClient& pair, const GatewayLimits& limits)
    : pair_(pair),
      limits_(limits),
      desk_(pair, limits),
      checks_(limits.work_queue_max),
      compressions_(limits.gzip_queue_max) {}

void Front::stop() {
  desk_.stop();
  checks_.stop();
  compressions_.stop();
}

void Front::admit(const ExchangePtr& exchange, Admitted done) {
  if (auto page = web_page(exchange->http)) return done(std::move(*page));
  const bool whole_server =
      exchange->http.target == "*" && exchange->http.method == "OPTIONS";  // RFC 9110, 9.3.7
  auto path = parse_target(whole_server ? "/" : exchange->http.target);
  if (!path) return done(plain_response(400, path.error().text));
  exchange->path = std::move(*path);
  if (!is_known_method(exchange->http.method)) {
    return done(std::move(plain_response(501, "This server doesn't know that method.")
                              .add("Allow", allowed_methods(exchange->path))));
  }
  if (exchange->path.kind == DavPathKind::well_known) {
    return done(std::move(plain_response(301, "CalDAV and CardDAV are at /dav/.").add("Location", "/dav/")));
  }
  if (exchange->http.method == "OPTIONS") {  // clients ask this before they log in
    exchange->dav.emplace(exchange->http, exchange->path, Caller{}, limits_);
    return done(std::nullopt);
  }
  authenticate(exchange, std::move(done));
}

void Front::authenticate(const ExchangePtr& exchange, Admitted done) {
  const auto authorization = exchange->http.header("Authorization");
  if (!authorization) return done(challenge("Log in with your user name and password."));
  if (auto caller = desk_.known(*authorization)) {
    exchange->dav.emplace(exchange->http, exchange->path, std::move(*caller), limits_);
    return done(std::nullopt);
  }
  desk_.verify(
      *authorization, exchange->client, [this, exchange, done = std::move(done)](LoginResult result) mutable {
        exchange->post([this, exchange, done = std::move(done), result = std::move(result)]() mutable {
          if (!result) return done(login_response(result.error(), limits_));
          exchange->dav.emplace(exchange->http, exchange->path, std::move(*result), limits_);
          done(std::nullopt);
        });
      });
}

void Front::answer(const ExchangePtr& exchange, Answered done) {
  proceed(exchange, handle(*exchange->dav), std::move(done));
}

void Front::proceed(const ExchangePtr& exchange, Outcome outcome, Answered done) {
  while (auto* at_hand = std::get_if<Read>(&outcome)) outcome = read(std::move(*at_hand));
  if (auto* question = std::get_if<Ask>(&outcome))
    return ask(exchange, std::move(*question), std::move(done));
  if (auto* todo = std::get_if<Work>(&outcome)) return work(exchange, std::move(*todo), std::move(done));
  send(exchange, std::move(std::get<HttpResponse>(outcome)), std::move(done));
}

void Front::send(const ExchangePtr& exchange, HttpResponse response, Answered done) {
  if (!is_compressible(response, limits_)) return done(std::move(response));
  response.add("Vary", "Accept-Encoding");
  if (!accepts_gzip(exchange->http)) return done(std::move(response));
  if (response.body.size() <= limits_.gzip_inline_bytes_max) {
    compress(response);
    return done(std::move(response));
  }
  struct Pending {
    HttpResponse response;
    Answered done;
  };
  auto pending = std::make_shared<Pending>(std::move(response), std::move(done));
  const bool taken = compressions_.push([exchange, pending] {
    compress(pending->response);
    exchange->post([pending] { pending->done(std::move(pending->response)); });
  });
  if (!taken) pending->done(std::move(pending->response));
}

void Front::ask(const ExchangePtr& exchange, Ask question, Answered done) {
  struct Pending {
    std::move_only_function<Outcome(PairReply)> then;
    Answered done;
  };
  auto pending = std::make_shared<Pending>(std::move(question.then), std::move(done));
  PairDone on_reply = [this, exchange, pending](PairReply reply) {
    exchange->post([this, exchange, pending, reply = std::move(reply)]() mutable {
      if (is_stale_login(reply)) return login_again(exchange, std::move(pending->done));
      if (lacks_homes(reply)) return make_homes(exchange, std::move(reply), std::move(pending->done));
      proceed(exchange, pending->then(std::move(reply)), std::move(pending->done));
    });
  };
  if (question.change) {
    pair_.execute(std::move(question.payload), std::move(on_reply));
    return;
  }
  if (!question.may_be_large) return pair_.query(std::move(question.payload), std::move(on_reply));
  // The pair's client may read it itself, which would hold up a lane's other connections.
  auto read = std::make_shared<std::pair<std::string, PairDone>>(std::move(question.payload), std::move(on_reply));
  const auto run = [this, read] { pair_.query(std::move(read->first), std::move(read->second)); };
  if (!checks_.push(run)) run();
}

Outcome Front::read(Read at_hand) {
  std::optional<Outcome> found;
  const bool ran = pair_.read([&](ReadTxn& txn) { found = at_hand.from_state(txn); });
  return ran && found ? std::move(*found) : at_hand.otherwise();
}

void Front::work(const ExchangePtr& exchange, Work todo, Answered done) {
  struct Pending {
    std::move_only_function<Outcome()> run;
    Answered done;
  };
  auto pending = std::make_shared<Pending>(std::move(todo.run), std::move(done));
  const bool taken = checks_.push([this, exchange, pending] {
    exchange->post([this, exchange, pending, outcome = pending->run()]() mutable {
      proceed(exchange, std::move(outcome), std::move(pending->done));
    });
  });
  if (!taken) {
    pending->done(unavailable_response("Too many large files are being checked just now: try again.",
                                       limits_.retry_after_s));
  }
}

// A user that an older version has added: nothing was done yet, so that the request can be answered anew once
// the homes are there.
void Front::make_homes(const ExchangePtr& exchange, PairReply reply, Answered done) {
  if (std::exchange(exchange->homes_made, true)) return done(refusal_response(reply, *exchange->dav));
  Ask question = ask_change(MakeHomes{exchange->dav->caller}, [exchange](const PairReply& made) -> Outcome {
    if (made.code != Code::ok) return refusal_response(made, *exchange->dav);
    return handle(*exchange->dav);
  });
  ask(exchange, std::move(question), std::move(done));
}

// The pair has done nothing: the request can be answered anew with the login verified again.
void Front::login_again(const ExchangePtr& exchange, Answered done) {
  desk_.forget(exchange->http.header("Authorization").value_or(""));
  if (std::exchange(exchange->login_retried, true))
    return done(login_response({LoginRefusal::wrong}, limits_));
  authenticate(exchange,
               [this, exchange, done = std::move(done)](std::optional<HttpResponse> refusal) mutable {
                 if (refusal) return done(std::move(*refusal));
                 answer(exchange, std::move(done));
               });
}

}  // namespace pollux
