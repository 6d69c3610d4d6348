#include "member_process.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "clocks.h"
#include "pollux/core/check.h"
#include "pollux/services/member.h"
#include "text.h"
#include "thread_name.h"

namespace pollux {
namespace {

/// After core has stopped by order, the other threads have this long to end.
constexpr std::chrono::milliseconds end_limit{5000};
/// What is left to be logged before a process ends whose disk failed.
constexpr std::chrono::milliseconds last_words_limit{500};
/// Core's thread goes round every few milliseconds; never shorter than the limit of an execution, so that core
/// itself gets to say what hangs.
constexpr std::chrono::milliseconds core_progress_limit_min{2000};
constexpr std::string_view ipc_scheme = "ipc://";

/// No two members may bind one ipc endpoint: ZeroMQ would take it over from the first without a word.
Result<std::optional<ProcessLock>> lock_endpoint(const std::string& endpoint, RunId run, BootId boot) {
  if (!endpoint.starts_with(ipc_scheme)) return std::nullopt;  // a TCP port refuses the second by itself
  const std::string path = endpoint.substr(ipc_scheme.size());
  if (path.size() > control_path_bytes_max) {
    return fail(Code::bad_config, cat("the endpoint's path has ", path.size(), " bytes, and the system allows ",
                                      control_path_bytes_max, ": ", endpoint, "; choose a shorter directory"));
  }
  auto lock = ProcessLock::take_file(path + ".lock", cat("the endpoint ", endpoint), run, boot);
  if (!lock) return std::unexpected(lock.error());
  return std::optional(*std::move(lock));
}

}  // namespace

Result<std::unique_ptr<MemberProcess>> MemberProcess::start(const Config& config, const PairConfig& pair,
                                                            const MemberConfig& member,
                                                            const ServiceFactory& service) {
  std::unique_ptr<MemberProcess> made(new MemberProcess);
  if (auto opened = made->open_files(config, pair, member); !opened) return std::unexpected(opened.error());
  made->service_ = service();
  if (!made->service_) {
    return fail(Code::bad_config, cat("there is no service \"", pair.service, "\" in this program"));
  }
  auto recovery = made->open_and_recover();
  if (!recovery) return std::unexpected(recovery.error());
  made->state_ = std::make_unique<SharedState>(*made->tables_);
  made->state_->note_time(recovery->newest);
  if (auto opened = made->open_sockets(pair, member); !opened) return std::unexpected(opened.error());
  made->make_threads(pair);
  made->start_threads(*std::move(recovery));
  auto control = ControlServer::open(member.control, [raw = made.get()](const std::string& command,
                                                                        const ControlServer::Reply& reply) {
    answer_control(*raw, command, reply);
  });
  if (!control) {
    made->order_stop(true);
    made->wait();
    return std::unexpected(control.error());
  }
  made->control_ = *std::move(control);
  return made;
}

Result<void> MemberProcess::open_files(const Config& config, const PairConfig& pair, const MemberConfig& member) {
  const auto boot = read_boot_id();
  if (!boot) return std::unexpected(boot.error());
  const Now now = read_clocks();
  identity_ = {.pair = pair.name,
               .member = member.name,
               .service = pair.service,
               .run = random_id<RunId>(),
               .boot = *boot,
               .incarnation = {},
               .started = now.wall,
               .started_steady = now.steady,
               .directory = member.directory};
  auto lock = ProcessLock::take(member.directory, identity_.run, *boot);
  if (!lock) return std::unexpected(lock.error());
  locks_.push_back(*std::move(lock));
  if (auto claimed = claim_directory(member.directory, {config.cluster, pair.name, member.name}); !claimed) {
    return claimed;
  }
  for (const std::string& endpoint : {member.listen, member.listen_heartbeat}) {
    auto locked = lock_endpoint(endpoint, identity_.run, *boot);
    if (!locked) return std::unexpected(locked.error());
    if (*locked) locks_.push_back(**std::move(locked));
  }
  auto log = MemberLog::open({.directory = member.directory, .name = cat(pair.name, ".", member.name)});
  if (!log) return std::unexpected(log.error());
  log_ = *std::move(log);

  auto quarantine = Quarantine::open(member.directory);
  if (!quarantine) return std::unexpected(quarantine.error());
  quarantine_ = *std::move(quarantine);
  auto mark = ExecutingMark::open(member.directory, *boot);
  if (!mark) return std::unexpected(mark.error());
  mark_.emplace(*std::move(mark));
  if (const auto& found = mark_->found()) {
    if (auto added = quarantine_->add(*found); !added) return added;
    log_->warning(cat("an earlier run died while it executed the request ", found->sync.seq, " of session ",
                      short_name(found->sync.session),
                      found->guilty ? ": it is quarantined" : "; if that happens again, it is quarantined"));
  }

  auto teller = ServingTeller::open(config, pair, member.name, *boot);
  if (!teller) return std::unexpected(teller.error());
  serving_teller_.emplace(*std::move(teller));

  options_ = pair.options;
  options_.cluster = config.cluster;
  options_.pair = pair.name;
  options_.boot = *boot;
  options_.me.run = identity_.run;
  options_.may_found = pair.members.front().name == member.name;
  return {};
}

Result<Recovery> MemberProcess::open_and_recover() {
  for (bool again = false;; again = true) {
    auto trail = open_lmdb_trail({.directory = identity_.directory / "trail"});
    if (!trail) return std::unexpected(trail.error());
    trail_ = *std::move(trail);
    auto tables = open_lmdb_tables({.directory = identity_.directory / "tables"});
    if (!tables) return std::unexpected(tables.error());
    tables_ = *std::move(tables);
    auto state = load_or_found_state(*trail_);
    if (!state) return std::unexpected(state.error());
    identity_.incarnation = options_.me.incarnation = state->incarnation;

    auto recovery = recover(*trail_, *tables_, *quarantine_, *state, *log_);
    if (recovery || again || recovery.error().code != Code::damaged) return recovery;
    if (!peer_has_everything(*state)) {
      return fail(Code::damaged, cat(recovery.error().text, " (no other member has what this one holds, so nothing is "
                                     "changed: restore ", identity_.directory, " from a copy)"));
    }
    if (auto aside = set_files_aside(recovery.error()); !aside) return std::unexpected(aside.error());
  }
}

/// The files are kept, and the member begins anew: with a new incarnation it is nobody until the peer has brought
/// it in sync (I3), so nothing can be lost by it.
Result<void> MemberProcess::set_files_aside(const Error& why) {
  const auto aside = identity_.directory / "aside" / cat("damaged-", read_clocks().wall.us);
  log_->error(cat(why.text, "; trail and tables are kept in ", aside, ", and this member is made anew from its peer"));
  tables_.reset();
  trail_.reset();
  std::error_code error;
  std::filesystem::create_directories(aside, error);
  for (const char* name : {"trail", "tables"}) {
    if (!error) std::filesystem::rename(identity_.directory / name, aside / name, error);
  }
  if (error) return fail(code_of_errno(error.value()), cat("can't set damaged files aside: ", error.message()));
  return sync_names_in(identity_.directory);
}

Result<void> MemberProcess::open_sockets(const PairConfig& pair, const MemberConfig& member) {
  auto sign = DeathSign::create(identity_.directory, identity_.run, identity_.boot);
  if (!sign) return std::unexpected(sign.error());
  death_sign_.emplace(*std::move(sign));
  std::error_code error;
  options_.death_sign = std::filesystem::absolute(death_sign_->file(), error).string();
  if (auto checked = check(options_); !checked) return checked;

  auto witness = open_file_witness(pair.witness);
  if (!witness) return std::unexpected(witness.error());
  witness_ = *std::move(witness);

  const auto peer = std::ranges::find_if(pair.members, [&](const MemberConfig& each) { return each.name != member.name; });
  POLLUX_CHECK_WHY(peer != pair.members.end(), "load_config refuses a pair without two members");
  auto socket = MemberSocket::open({.listen = member.listen,
                                    .listen_heartbeat = member.listen_heartbeat,
                                    .peer = peer->listen,
                                    .peer_heartbeat = peer->listen_heartbeat});
  if (!socket) return std::unexpected(socket.error());
  socket_ = *std::move(socket);
  return {};
}

void MemberProcess::make_threads(const PairConfig& pair) {
  const Duration execute_limit = options_.execute_limit;
  executor_.emplace(Executor::Parts{.service = *service_,
                                    .state = *state_,
                                    .mark = *mark_,
                                    .inbox = inbox_,
                                    .counters = counters_,
                                    .solo = [this] { return board_.solo(); }},
                    ExecutorOptions{.reply_bytes_max = options_.reply_bytes_max});
  applier_.emplace(Applier::Parts{*trail_, *state_, *quarantine_, inbox_, counters_, *log_},
                   Applier::Options{.records_max = pair.apply_records_max,
                                    .every = std::chrono::milliseconds(pair.apply_every_ms)});
  forcer_.emplace(Forcer::Parts{*trail_, *state_, *applier_, inbox_, counters_, *log_}, identity_.directory / "aside");
  queries_.emplace(Queries::Parts{.service = *service_,
                                  .state = *state_,
                                  .inbox = inbox_,
                                  .counters = counters_,
                                  .log = *log_,
                                  .solo = [this] { return board_.solo(); }},
                   Queries::Options{.run = identity_.run,
                                    .threads = std::max<std::size_t>(pair.query_threads, 1),
                                    .waiting_max = options_.queue_reads_max,
                                    .reply_bytes_max = options_.reply_bytes_max,
                                    .busy_retry_ms = options_.busy_retry_ms});
  disk_reader_.emplace(DiskReader::Parts{*trail_, *state_, inbox_, counters_, *log_});
  witness_thread_.emplace(WitnessThread::Parts{*witness_, inbox_, counters_, *log_});
  death_watch_.emplace(
      identity_.boot,
      [this](const RunId& run, const BootId& boot) { report_death(run, boot); },
      [this](const std::string& line) { log_->warning(line); });
  RetentionOptions retention = pair.retention;
  if (!retention.archive_directory.empty()) retention.archive_directory /= identity_.member;
  housekeeper_.emplace(Housekeeper::Parts{*trail_, *state_, *forcer_, inbox_, counters_, *log_},
                       Housekeeper::Options{.directory = identity_.directory,
                                            .warn_percent = pair.disk_warn_percent,
                                            .full_percent = pair.disk_full_percent,
                                            .stop_percent = pair.disk_stop_percent,
                                            .retention = std::move(retention)});
  watchdog_.emplace(progress_,
                    Watchdog::Options{.limit = std::max(core_progress_limit_min,
                                                        std::chrono::ceil<std::chrono::milliseconds>(execute_limit))},
                    [this, execute_limit](int code, const char* why) {
                      // No log here: its thread may be what hangs.
                      const std::string line = cat("pollux: ", identity_.pair, ".", identity_.member, ": ", why, "\n");
                      static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
                      static_cast<void>(mark_->give_up(execute_limit));
                      ::_exit(code);
                    });
  core_loop_.emplace(CoreLoop::Parts{.service = *service_,
                                     .socket = *socket_,
                                     .inbox = inbox_,
                                     .state = *state_,
                                     .executor = *executor_,
                                     .forcer = *forcer_,
                                     .applier = *applier_,
                                     .queries = *queries_,
                                     .disk_reader = *disk_reader_,
                                     .witness = *witness_thread_,
                                     .death_watch = *death_watch_,
                                     .serving_teller = *serving_teller_,
                                     .orders = orders_,
                                     .board = board_,
                                     .counters = counters_,
                                     .progress = progress_,
                                     .log = *log_},
                     options_);
}

void MemberProcess::start_threads(Recovery recovery) {
  log_->info(cat("member ", identity_.member, " of pair ", identity_.pair, " starts: run ", short_name(identity_.run),
                 ", incarnation ", short_name(identity_.incarnation), ", pid ", ::getpid(), ", trail to LSN ",
                 recovery.event.trail_last.lsn, ", tables to LSN ", recovery.event.applied));
  executor_->start();
  applier_->start();
  forcer_->start();
  queries_->start();
  disk_reader_->start();
  witness_thread_->start();
  death_watch_->start();
  for (const Lsn lsn : recovery.damaged) inbox_.post(Event{DamageFound{lsn}});
  core_thread_ = std::thread([this, recovered = std::move(recovery.event)]() mutable {
    name_this_thread("core");
    death_sign_->hold();
    stop_ = core_loop_->run(std::move(recovered));
    // The end of this thread is this run's death sign: nothing is sent any more.
  });
  housekeeper_->start();
  watchdog_->start();
}

void MemberProcess::order_stop(bool alone) { inbox_.post(Event{StopOrdered{.alone = alone}}); }

void MemberProcess::report_death(const RunId& run, const BootId& boot) {
  inbox_.post(Event{DeathReported{run, boot}});
}

Error MemberProcess::order(const std::function<Event(std::uint64_t)>& make, std::chrono::milliseconds patience) {
  const std::uint64_t ticket = orders_.open();
  inbox_.post(make(ticket));
  if (auto answer = orders_.wait(ticket, patience)) return *std::move(answer);
  return {Code::in_doubt, "the member gave no answer in time, or stopped; ask for the status to see what happened"};
}

int MemberProcess::wait() {
  if (core_thread_.joinable()) core_thread_.join();
  POLLUX_CHECK(stop_.has_value());
  if (stop_->abort || stop_->reason.code != Code::ok) end_now(*stop_);
  watchdog_->end_within(end_limit, MemberExit::stopped);
  end_threads();
  log_->info(cat("member ", identity_.member, " of pair ", identity_.pair, " has stopped: ", stop_->reason.text));
  return MemberExit::stopped;
}

/// The disk failed or a thread hangs: no thread is waited for.
void MemberProcess::end_now(const Stop& stop) {
  const bool executor_hangs = mark_->give_up(options_.execute_limit);
  const int code = stop.abort && executor_hangs ? MemberExit::hung : MemberExit::storage_failed;
  watchdog_->end_within(last_words_limit, code);
  log_->error(cat("member ", identity_.member, " of pair ", identity_.pair, " stops: ", stop.reason.text));
  log_.reset();
  ::_exit(code);
}

void MemberProcess::end_threads() {
  orders_.close();
  control_.reset();
  housekeeper_->stop();
  queries_->stop();
  executor_->stop();
  disk_reader_->stop();
  witness_thread_->stop();
  death_watch_->stop();
  forcer_->stop();
  applier_->stop();
  watchdog_->stop();
}

MemberProcess::~MemberProcess() { POLLUX_CHECK_WHY(!core_thread_.joinable(), "wait() comes first"); }

}  // namespace pollux
