#include "fake_member.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include "pollux/proto/message_batch.h"

namespace pollux::testing {

FakeMember::FakeMember(std::string endpoint, std::shared_ptr<FakeState> state, std::uint8_t run)
    : endpoint_(std::move(endpoint)), state_(std::move(state)), context_(zmq_ctx_new()) {
  run_.bytes[0] = run;
  socket_ = zmq_socket(context_, ZMQ_ROUTER);
  const int zero = 0;
  const int one = 1;
  zmq_setsockopt(socket_, ZMQ_LINGER, &zero, sizeof zero);
  zmq_setsockopt(socket_, ZMQ_ROUTER_MANDATORY, &one, sizeof one);
  EXPECT_EQ(zmq_bind(socket_, endpoint_.c_str()), 0) << zmq_strerror(zmq_errno());
  thread_ = std::thread([this] { loop(); });
}

FakeMember::~FakeMember() {
  stop_ = true;
  thread_.join();
  zmq_close(socket_);
  zmq_ctx_term(context_);
}

void FakeMember::serve(Epoch epoch) {
  const std::lock_guard lock(mutex_);
  serving_ = true;
  epoch_ = epoch;
  primary_ = run_;
  news_wanted_ = true;
}

void FakeMember::retire(Epoch epoch, std::optional<RunId> primary) {
  const std::lock_guard lock(mutex_);
  serving_ = false;
  epoch_ = epoch;
  primary_ = primary;
}

void FakeMember::override_with(Override override) {
  const std::lock_guard lock(mutex_);
  override_ = std::move(override);
}

void FakeMember::send_raw(std::string bytes) {
  const std::lock_guard lock(mutex_);
  raw_.push_back(std::move(bytes));
}

bool FakeMember::wait_for(const std::function<bool(const std::vector<Received>&)>& enough,
                          std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return enough(received_); });
}

std::vector<Request> FakeMember::requests() {
  const std::lock_guard lock(mutex_);
  std::vector<Request> requests;
  for (const Received& received : received_) {
    if (const auto* request = std::get_if<Request>(&received.message.body)) requests.push_back(*request);
  }
  return requests;
}

RequesterReply FakeMember::who_serves() {
  RequesterReply reply;
  reply.epoch = epoch_;
  reply.primary = primary_;
  reply.serving = serving_;
  return reply;
}

RequesterReply FakeMember::reply(const Received& received, Code code, std::string payload) {
  RequesterReply reply = who_serves();
  reply.number = received.message.number;
  reply.code = code;
  reply.payload = std::move(payload);
  return reply;
}

std::optional<RequesterReply> FakeMember::answer_normally(const Received& received) {
  const RequesterBody& body = received.message.body;
  if (std::holds_alternative<RequesterHello>(body)) return reply(received, Code::ok);
  if (!serving_) return reply(received, Code::not_primary, "this member is not primary");
  const std::lock_guard lock(state_->mutex);
  const auto is_open = [&](const SessionId& session) {
    return std::find(state_->open.begin(), state_->open.end(), session) != state_->open.end();
  };
  if (std::holds_alternative<OpenSession>(body)) {
    RequesterReply opened = reply(received, Code::ok);
    ++state_->sessions;
    opened.session.bytes[15] = static_cast<std::uint8_t>(state_->sessions);
    opened.session.bytes[0] = 0x5e;
    state_->open.push_back(opened.session);
    return opened;
  }
  if (const auto* close = std::get_if<CloseSession>(&body)) {
    std::erase(state_->open, close->session);
    return reply(received, Code::ok);
  }
  if (const auto* request = std::get_if<Request>(&body)) {
    if (!is_open(request->sync.session)) return reply(received, Code::session_expired, "unknown session");
    if (request->ack_below > request->sync.seq)
      return reply(received, Code::malformed, "ack_below above seq");
    const auto [at, is_new] = state_->executed.try_emplace(request->sync, "done " + request->payload);
    if (is_new) ++state_->executions[request->payload];
    return reply(received, Code::ok, at->second);
  }
  if (const auto* query = std::get_if<Query>(&body))
    return reply(received, Code::ok, "read " + query->payload);
  const auto& ask = std::get<OutcomeAsk>(body);
  if (!is_open(ask.sync.session)) return reply(received, Code::session_expired, "unknown session");
  const auto found = state_->executed.find(ask.sync);
  if (found == state_->executed.end()) return reply(received, Code::tombstone, "never executed");
  return reply(received, Code::ok, found->second);
}

void FakeMember::take(Received received) {
  std::optional<RequesterReply> answer;
  {
    const std::lock_guard lock(mutex_);
    if (std::find(known_.begin(), known_.end(), received.from) == known_.end())
      known_.push_back(received.from);
    std::optional<std::optional<RequesterReply>> overridden;
    if (override_) overridden = override_(received);
    answer = overridden ? *overridden : answer_normally(received);
    received_.push_back(received);
    changed_.notify_all();
  }
  if (answer) send(received.from, encode(*answer));
}

void FakeMember::send(const std::string& to, const std::string& bytes) {
  if (zmq_send(socket_, to.data(), to.size(), ZMQ_SNDMORE) >= 0)
    zmq_send(socket_, bytes.data(), bytes.size(), 0);
}

void FakeMember::loop() {
  while (!stop_) {
    {
      std::unique_lock lock(mutex_);
      const std::vector<std::string> raw = std::exchange(raw_, {});
      const bool news = std::exchange(news_wanted_, false);
      const std::vector<std::string> known = known_;
      const std::string bytes = encode(who_serves());
      lock.unlock();
      for (const std::string& to : known) {
        if (news) send(to, bytes);
        for (const std::string& each : raw) send(to, each);
      }
    }
    zmq_pollitem_t item{socket_, 0, ZMQ_POLLIN, 0};
    zmq_poll(&item, 1, 2);
    for (int count = 0; count < 1000; ++count) {
      zmq_msg_t id, frame;
      zmq_msg_init(&id);
      zmq_msg_init(&frame);
      const bool got = zmq_msg_recv(&id, socket_, ZMQ_DONTWAIT) >= 0 && zmq_msg_recv(&frame, socket_, 0) >= 0;
      if (got) {
        const std::string_view bytes(static_cast<const char*>(zmq_msg_data(&frame)), zmq_msg_size(&frame));
        const std::string from(static_cast<const char*>(zmq_msg_data(&id)), zmq_msg_size(&id));
        const auto messages = for_each_message(bytes, [&](std::string_view one) {
          auto message = decode_requester(one);
          EXPECT_TRUE(message.has_value()) << message.error().text;
          if (message) take({std::move(*message), from});
        });
        EXPECT_TRUE(messages.has_value()) << messages.error().text;
      }
      zmq_msg_close(&id);
      zmq_msg_close(&frame);
      if (!got) break;
    }
  }
}

}  // namespace pollux::testing
