#include "simulation/requester.h"

#include <algorithm>

#include "pollux/core/check.h"
#include "simulation/world.h"

namespace pollux::testing {

using std::chrono::milliseconds;

namespace {
constexpr Duration retry_after = milliseconds(150);
constexpr std::size_t old_max = 8;
}  // namespace

Requester::Requester(World& world, std::uint32_t index, Random random)
    : world_(world), index_(index), random_(random) {}

void Requester::begin() { think(); }

const Operation* Requester::operation(std::uint64_t number) const {
  const auto found = operation_of_.find(number);
  return found == operation_of_.end() ? nullptr : &world_.history()[found->second];
}

Duration Requester::patience() const { return retry_after; }

void Requester::think() {
  Duration pause = random_.about(world_.plan().think);
  if (random_.chance(world_.plan().sleeps)) pause += world_.plan().options.session_idle * 3 / 2;
  world_.schedule().after(pause, [this] {
    if (finishing_) return;
    begin_operation();
    think();
  });
}

std::size_t Requester::requests_under_way() const {
  return static_cast<std::size_t>(std::ranges::count_if(calls_, [](const auto& call) {
    return call.second.kind == Kind::request || call.second.kind == Kind::ask;
  }));
}

std::uint64_t Requester::ack_below() const {
  std::uint64_t below = next_seq_;
  for (const auto& [number, call] : calls_) {
    if (call.sync.seq != 0) below = std::min(below, call.sync.seq);
  }
  return below;
}

void Requester::open_session() { send(add(Kind::open, OpenSession{})); }

void Requester::begin_operation() {
  const Plan& plan = world_.plan();
  if (random_.chance(plan.resends_old) && !old_.empty()) {
    world_.network().to_member(index_, static_cast<int>(random_.below(2)), old_[random_.below(old_.size())]);
  }
  if (!session_) {
    const bool opening = std::ranges::any_of(calls_, [](const auto& call) { return call.second.kind == Kind::open; });
    if (!opening) open_session();
    return;
  }
  const bool closing = std::ranges::any_of(calls_, [](const auto& call) { return call.second.kind == Kind::close; });
  if (closing) return;
  const std::size_t under_way = requests_under_way();
  if (under_way == 0 && random_.chance(plan.closes)) {
    send(add(Kind::close, CloseSession{*session_}));
    return;
  }
  if (under_way >= plan.outstanding_max) return;

  RegisterRequest request;
  request.key = static_cast<std::uint32_t>(random_.below(plan.keys));
  const bool query = random_.chance(plan.queries);
  if (!query) {
    const double dice = random_.unit();
    request.verb = dice < 0.5 ? Verb::put : dice < 0.7 ? Verb::cas : dice < 0.8 ? Verb::get : dice < 0.9 ? Verb::erase
                                                                                                     : Verb::abort;
    if (plan.only_queries_and_puts) request.verb = Verb::put;
    if (random_.chance(plan.poison)) request.verb = random_.chance(0.7) ? Verb::kill : Verb::hang;
    if (request.verb == Verb::cas) request.expected = world_.last_seen(request.key);
    if (random_.chance(plan.big)) request.padding = 200 + random_.below(3000);
  }
  call(request, query);
}

std::uint64_t Requester::call(const RegisterRequest& wanted, bool query) {
  RegisterRequest request = wanted;
  const std::size_t index = world_.history().size();
  request.value = query ? 0 : world_.next_value();
  Operation operation{.requester = index_, .query = query, .request = request, .sync = {}};
  operation.invoked = world_.tick_order();
  operation.invoked_at = world_.schedule().now();
  if (query) {
    world_.history().push_back(operation);
    Call& call = add(Kind::query, Query{.trace = 0, .deadline = std::chrono::seconds(1), .payload = request.payload()});
    call.operation = index;
    operation_of_[call.number] = index;
    const std::uint64_t number = call.number;
    const double beside = world_.plan().reads_beside;
    if (beside > 0 && random_.chance(beside)) {
      read_beside(call);
    } else {
      send(call);
    }
    return number;
  }
  POLLUX_CHECK(session_.has_value());
  operation.sync = {*session_, next_seq_++};
  world_.history().push_back(operation);
  Request body{.sync = operation.sync, .ack_below = 0, .trace = index, .deadline = {}, .payload = request.payload()};
  body.deadline = random_.between(milliseconds(300), std::chrono::seconds(5));
  Call& call = add(Kind::request, body);
  call.sync = operation.sync;
  call.operation = index;
  operation_of_[call.number] = index;
  if (random_.chance(world_.plan().gives_up)) {
    call.gives_up_at = world_.schedule().now() + random_.about(milliseconds(400));
  }
  send(call);
  return call.number;
}

void Requester::read_beside(Call& call) {
  const Member& a = world_.member(0);
  const Member& b = world_.member(1);
  const Member& source = a.told.epoch < b.told.epoch ? b : a;
  if (source.told.epoch.value == 0) return send(call);
  const auto look = [this, &source, told = source.told, number = call.number] {
    Call& asking = calls_.at(number);
    const SimTables& tables = source.disk.tables;
    const bool found = !tables.incomplete && tables.applied.lsn >= told.committed;
    world_.observe([&](Observer& observer) { observer.on_read_beside(found); });
    if (!found) return send(asking);
    const auto result = execute_register(
        world_.history()[*asking.operation].request, [&tables](const std::string& key) -> std::optional<std::string> {
          const auto row = tables.rows.find(key);
          return row == tables.rows.end() ? std::nullopt : std::optional(row->second);
        });
    RequesterReply reply;
    reply.code = result.code;
    reply.payload = result.reply;
    settle(asking, reply, true);
  };
  world_.schedule().after(random_.about(world_.plan().execute), look);
}

Requester::Call& Requester::add(Kind kind, RequesterBody body) {
  const std::uint64_t number = next_number_++;
  Call& call = calls_[number];
  call.kind = kind;
  call.number = number;
  call.body = std::move(body);
  return call;
}

void Requester::send(Call& call) {
  if (auto* request = std::get_if<Request>(&call.body)) request->ack_below = ack_below();
  const RequesterMessage message{.cluster = world_.plan().options.cluster, .pair = world_.plan().options.pair,
                                 .number = call.number, .body = call.body};
  world_.network().to_member(index_, target_, message);
  retry_in(call, patience());
}

void Requester::retry_in(Call& call, Duration delay) {
  ++call.attempt;
  world_.schedule().after(delay + random_.about(delay / 4),
                          [this, number = call.number, attempt = call.attempt] { retry(number, attempt); });
}

void Requester::retry(std::uint64_t number, std::uint64_t attempt) {
  const auto found = calls_.find(number);
  if (found == calls_.end() || found->second.attempt != attempt) return;
  Call& call = found->second;
  if (random_.chance(0.5)) target_ = 1 - target_;  // silence: the other member may be primary by now
  if (call.kind == Kind::request && !finishing_ && world_.schedule().now() >= call.gives_up_at) {
    ask(call);
    return;
  }
  send(call);
}

void Requester::ask(std::uint64_t number) {
  const auto found = calls_.find(number);
  if (found != calls_.end() && found->second.kind == Kind::request) ask(found->second);
}

void Requester::ask(Call& call) {
  Call question = call;
  calls_.erase(call.number);
  Call& asked = add(Kind::ask, OutcomeAsk{question.sync});
  asked.sync = question.sync;
  asked.operation = question.operation;
  operation_of_[asked.number] = *question.operation;
  asks_.insert(asked.number);
  send(asked);
}

void Requester::settle(Call& call, const RequesterReply& reply, bool known) {
  if (call.operation) {
    Operation& operation = world_.history()[*call.operation];
    operation.returned = world_.tick_order();
    operation.known = known;
    operation.code = reply.code;
    operation.reply = reply.payload;
    operation.lsn = reply.lsn;
    if (known && !operation.query) world_.saw(operation);
    if (known && operation.query && reply.code == Code::ok) world_.saw(operation);
    const bool silly = operation.request.verb == Verb::kill || operation.request.verb == Verb::hang;
    if (const auto* request = std::get_if<Request>(&call.body); request != nullptr && !silly) {
      if (old_.size() >= old_max) old_.erase(old_.begin());
      old_.push_back({.cluster = world_.plan().options.cluster, .pair = world_.plan().options.pair,
                      .number = call.number, .body = *request});
    }
  }
  calls_.erase(call.number);
}

void Requester::lose_session() {
  // What became of the requests under way can't be found out any more.
  session_.reset();
  RequesterReply unknown;
  unknown.code = Code::session_expired;
  for (auto call = calls_.begin(); call != calls_.end();) {
    Call& lost = (call++)->second;
    if (lost.kind == Kind::request || lost.kind == Kind::ask) settle(lost, unknown, false);
    else if (lost.kind == Kind::close) calls_.erase(lost.number);
  }
  next_seq_ = 1;
}

void Requester::hear(int member, const RequesterReply& reply) {
  if (reply.number == 0) {
    if (reply.serving && target_ != member) {
      target_ = member;
      for (auto& [number, call] : calls_) send(call);
    }
    return;
  }
  const auto found = calls_.find(reply.number);
  if (found == calls_.end()) return;
  Call& call = found->second;
  switch (reply.code) {
    case Code::busy:
    case Code::full:
    case Code::window_exceeded: retry_in(call, milliseconds(std::max(reply.retry_after_ms, 5u))); return;
    case Code::not_primary:
    case Code::stopping:
    case Code::unreachable:
      if (target_ == member) target_ = 1 - target_;
      retry_in(call, milliseconds(20));
      return;
    case Code::session_expired:
      if (call.kind == Kind::close) break;
      if (call.kind != Kind::request && call.kind != Kind::ask) {
        throw Violation("a call without a session is told that its session expired");
      }
      lose_session();
      return;
    case Code::deadline_exceeded:
      if (reply.lsn.value != 0) break;
      retry_in(call, milliseconds(5));
      return;
    case Code::sync_id_too_old: throw Violation("a request under way is answered sync_id_too_old");
    case Code::malformed:
    case Code::wrong_cluster:
    case Code::unknown_pair:
    case Code::wrong_version: throw Violation("a good request is refused: " + reply.payload);
    default: break;
  }
  switch (call.kind) {
    case Kind::open:
      if (reply.code == Code::ok) {
        session_ = reply.session;
        next_seq_ = 1;
      }
      calls_.erase(call.number);
      return;
    case Kind::close:
      session_.reset();
      calls_.erase(call.number);
      return;
    case Kind::query: settle(call, reply, true); return;
    case Kind::request:
    case Kind::ask:
      if (reply.lsn.value == 0 && reply.code != Code::too_large) {
        throw Violation("a final answer without a record: " + std::string(to_string(reply.code)));
      }
      settle(call, reply, true);
      return;
  }
}

std::string Requester::describe_calls() const {
  std::string text;
  for (const auto& [number, call] : calls_) {
    text += " #" + std::to_string(number) + " kind " + std::to_string(static_cast<int>(call.kind)) + " seq " +
            std::to_string(call.sync.seq) + " to " + (target_ == 0 ? "A" : "B");
  }
  return text;
}

}  // namespace pollux::testing
