// The requester's thread: sends calls to the primary, sends them again, follows takeovers, counts sequence
// numbers. Everything but `push` and `counters` belongs to that thread.
//
// Calls go only to a member that says of itself that it serves. Who does is learnt from the answers to hellos
// (on connection, and every second), from news after a takeover, and from every other answer. So a call that
// found no primary was certainly not executed, and one that a member refused neither, unless another copy of
// it is still on its way (`Call::copies_out`): what callers are told rests on that count.
#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "call.h"
#include "call_inbox.h"
#include "member_link.h"
#include "pollux/core/requester_messages.h"
#include "pollux/ipc/requester.h"
#include "session_window.h"
#include "zmq_watch.h"

namespace pollux {

class Requester::Loop {
 public:
  static Result<std::unique_ptr<Loop>> start(const PairAddress& address, const RequesterOptions& options);
  ~Loop();

  void push(std::unique_ptr<Call> call);
  [[nodiscard]] Counters counters() const;
  [[nodiscard]] const RequesterOptions& options() const { return options_; }
  [[nodiscard]] bool on_its_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  struct AtomicCounters {
    std::atomic<std::uint64_t> sent{0}, answered{0}, retries{0}, takeovers_followed{0}, in_doubt{0}, busy{0},
        malformed{0};
  };

  Loop(const PairAddress& address, const RequesterOptions& options);

  // The loop (requester_loop.cc).
  void run();
  bool take_calls();
  bool receive_answers();
  bool send_queued();
  void on_time();
  bool unblock_links();
  void wait();
  void stop_all();

  // Calls (requester_loop.cc).
  void admit(std::unique_ptr<Call> call);
  void place(Call& call, int link);  ///< queues it for a member; -1: none is known
  void place_all();                  ///< all of them for the primary, in order
  void retry(Call& call);
  bool send_batch(int link);
  std::string bytes_of(Call& call);
  void was_sent(Call& call);
  RequesterMessage& message_for(Call& call);
  void due_by(SteadyTime time) { next_due_ = std::min(next_due_, time); }

  // Sessions (requester_session.cc).
  void assign_sync_ids();
  void want_session();
  void on_session(Call& call, RequesterReply&& reply);
  void lose_session(const SessionId& session);
  void close_session();
  void send_close(int link, const SessionId& session);

  // Answers (requester_answers.cc).
  void on_bytes(int link, std::string_view bytes);
  void on_malformed(int link, const Error& error);
  void on_answer(int link, RequesterReply&& reply);
  void learn(int link, const RequesterReply& reply);
  void on_primary(int link, const RequesterReply& reply);
  void ask_who_serves(int link);
  void ask_the_others();
  void refused(Call& call, RequesterReply&& reply, std::chrono::milliseconds pause);
  void on_session_expired(Call& call, RequesterReply&& reply);
  void on_deadline(Call& call);
  [[nodiscard]] Code no_primary_code() const;
  [[nodiscard]] std::string no_primary_text() const;

  // The end of a call: `call` is gone afterwards.
  void finish(Call& call, CallResult result);
  void fail_call(Call& call, Code code, std::string text, bool with_sync = false);

  const PairAddress address_;
  const RequesterOptions options_;
  CallInbox inbox_;
  AtomicCounters counters_;
  std::atomic<bool> stopping_{false};

  ZmqContext context_;
  std::vector<MemberLink> links_;
  ZmqWatch watch_;             ///< of each link the dealer and then the monitor
  bool just_waited_ = false;   ///< and so there is no need to ask for news
  std::string hello_;  ///< encoded once

  boost::unordered_flat_map<std::uint64_t, std::unique_ptr<Call>> calls_;
  Call* first_ = nullptr;  ///< all calls by number
  Call* last_ = nullptr;
  std::uint64_t last_number_ = 0;
  std::set<std::uint64_t> unnumbered_;  ///< requests that wait for a session or for room in its window
  SteadyTime now_;
  SteadyTime next_due_ = SteadyTime::max();
  RequesterMessage message_;    ///< reused
  std::vector<Call*> sending_;  ///< reused

  SessionId session_;  ///< none: not open
  bool had_session_ = false;
  std::uint64_t opening_ = 0;  ///< number of the OpenSession under way, 0 if none
  SessionWindow window_;

  int primary_ = -1;  ///< the member that serves, -1 if unknown
  int last_primary_ = -1;
  std::optional<RunId> run_;  ///< of the last primary
  Epoch epoch_;
  SteadyTime primary_heard_{};
  std::string problem_;  ///< the last refusal that belongs to no call

  std::thread thread_;
};

}  // namespace pollux
