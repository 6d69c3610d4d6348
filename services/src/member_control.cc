// What a member's control socket answers: one function a command. The lines are documented in control.h.
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "clocks.h"
#include "member_process.h"
#include "pollux/audit/archive.h"
#include "text.h"

#ifndef POLLUX_VERSION
#define POLLUX_VERSION "unknown"
#endif

namespace pollux {
namespace {

namespace json = boost::json;

constexpr std::size_t audit_read_bytes = 1u << 20;
/// How often a follower looks for new records, and whether its caller is still there.
constexpr std::chrono::milliseconds follow_every{50};
/// An operator's order is answered within this time beyond the pair's own limits.
constexpr std::chrono::milliseconds order_margin{3000};

struct Command {
  MemberProcess& member;
  const json::object& arguments;
  const ControlServer::Reply& reply;
};

bool send(const ControlServer::Reply& reply, const json::object& line) { return reply(json::serialize(line)); }

/// An argument that is a whole number >= 0; `fallback` if it is missing.
Result<std::uint64_t> number_argument(const json::object& arguments, const char* name, std::uint64_t fallback) {
  const json::value* value = arguments.if_contains(name);
  if (value == nullptr || value->is_null()) return fallback;
  json::error_code error;
  const auto number = value->to_number<std::uint64_t>(error);
  if (error) return fail(Code::malformed, cat("\"", name, "\" must be a whole number, 0 or more"));
  return number;
}

Result<bool> flag_argument(const json::object& arguments, const char* name) {
  const json::value* value = arguments.if_contains(name);
  if (value == nullptr || value->is_null()) return false;
  if (!value->is_bool()) return fail(Code::malformed, cat("\"", name, "\" must be true or false"));
  return value->as_bool();
}

template <class Id>
Result<Id> id_argument(const json::object& arguments, const char* name) {
  const json::value* value = arguments.if_contains(name);
  Id id;
  if (value == nullptr || !value->is_string() || !parse_id(std::string_view(value->as_string()), &id)) {
    return fail(Code::malformed, cat("\"", name, "\" must be an id of 32 hexadecimal digits"));
  }
  return id;
}

json::object position_json(const Position& position) {
  return {{"lsn", position.lsn.value}, {"hash", to_string(position.hash)}};
}

json::object member_json(const MemberId& id) {
  return {{"incarnation", to_string(id.incarnation)}, {"run", to_string(id.run)}};
}

// ---- status ----------------------------------------------------------------------------------------------------------

json::object trail_json(const Trail& trail) {
  const TrailStats stats = trail.stats();
  return {{"base", position_json(stats.base)},
          {"last", position_json(stats.last)},
          {"records", stats.records},
          {"bytes_used", stats.bytes_used},
          {"oldest", stats.records == 0 ? json::value(nullptr) : json::value(iso_time(stats.oldest))},
          {"newest", stats.records == 0 ? json::value(nullptr) : json::value(iso_time(stats.newest))}};
}

json::object tables_json(const Tables& tables) {
  const TablesStats stats = tables.stats();
  return {{"applied", position_json(stats.applied)},
          {"rows", stats.rows},
          {"sessions", stats.sessions},
          {"bytes_used", stats.bytes_used},
          {"incomplete", tables.incomplete()}};
}

json::object disk_json(const std::filesystem::path& directory) {
  const auto use = disk_use(directory);
  if (!use) return {{"error", use.error().text}};
  return {{"bytes_total", use->bytes_total}, {"bytes_free", use->bytes_free}, {"percent", use->percent}};
}

/// Memory of this process as the kernel counts it: VmRSS and RssAnon of /proc/self/status.
json::object memory_json() {
  json::object memory;
  std::FILE* file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return memory;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long long kib = 0;
    if (std::sscanf(line, "RssAnon: %llu kB", &kib) == 1) memory["rss_anon_bytes"] = kib * 1024;
    if (std::sscanf(line, "VmRSS: %llu kB", &kib) == 1) memory["rss_bytes"] = kib * 1024;
  }
  std::fclose(file);
  return memory;
}

json::object counters_json(const MemberCounters& counters, const MemberSocketCounters& socket) {
  return {{"executed", counters.executed.load()},
          {"aborted", counters.aborted.load()},
          {"forces", counters.forces.load()},
          {"records_forced", counters.records_forced.load()},
          {"force_us", counters.force_us.load()},
          {"applies", counters.applies.load()},
          {"records_applied", counters.records_applied.load()},
          {"apply_us", counters.apply_us.load()},
          {"queries", counters.queries.load()},
          {"queries_refused", counters.queries_refused.load()},
          {"witness_calls", counters.witness_calls.load()},
          {"records_scrubbed", counters.records_scrubbed.load()},
          {"damage_found", counters.damage_found.load()},
          {"records_repaired", counters.records_repaired.load()},
          {"retention_steps", counters.retention_steps.load()},
          {"role_changes", counters.role_changes.load()},
          {"stages", counters.stages.load()},
          {"stage_execute_ns", counters.stage_execute_ns.load()},
          {"stage_force_ns", counters.stage_force_ns.load()},
          {"stage_checkpoint_ns", counters.stage_checkpoint_ns.load()},
          {"stage_both_ns", counters.stage_both_ns.load()},
          {"stage_reply_ns", counters.stage_reply_ns.load()},
          {"messages_received", socket.received},
          {"messages_malformed", socket.malformed},
          {"messages_wrong_version", socket.wrong_version},
          {"messages_unroutable", socket.unroutable},
          {"messages_dropped", socket.dropped}};
}

void add_roles(const PairStatus& pair, json::object& line) {
  line["role"] = to_string(pair.role);
  line["serving"] = pair.serving;
  line["solo"] = pair.solo;
  line["joining"] = pair.joining;
  line["epoch"] = pair.configuration.epoch.value;
  line["generation"] = pair.configuration.generation.value;
  const bool led = pair.configuration.epoch.value > 0;
  line["primary"] = led ? json::value(member_json(pair.configuration.primary)) : json::value(nullptr);
  line["backup"] = pair.configuration.backup ? json::value(member_json(*pair.configuration.backup)) : json::value(nullptr);
  line["floor"] = position_json(pair.configuration.floor);
  line["reason"] = pair.reason;
  line["role_since"] = iso_time(pair.role_since);
  line["waiting_for"] = pair.waiting_for;
  line["witness_refused"] = pair.witness_refused;
  line["disk_full"] = pair.disk_full;
  line["disk_exhausted"] = pair.disk_exhausted;
  json::object peer{{"heard", pair.peer_heard}};
  if (pair.peer) {
    peer = member_json(*pair.peer);
    peer["heard"] = pair.peer_heard;
    peer["durable"] = position_json(pair.peer_durable);
    peer["applied"] = pair.peer_applied.value;
  }
  line["peer"] = std::move(peer);
}

void add_progress(const PairStatus& pair, json::object& line) {
  line["executed"] = position_json(pair.executed);
  line["durable"] = position_json(pair.durable);
  line["committed"] = position_json(pair.committed);
  line["applied"] = pair.applied.value;
  line["sessions"] = pair.sessions;
  line["queued"] = pair.queued;
  line["executing"] = pair.executing;
  line["uncommitted"] = pair.uncommitted;
  line["reads_waiting"] = pair.reads_waiting;
  line["takeovers"] = pair.takeovers;
  line["switchovers"] = pair.switchovers;
}

void answer_status(const Command& command) {
  const auto& identity = command.member.identity();
  const StatusBoard::Notice notice = command.member.status();
  const Instant now = steady_now();
  json::object line{{"pair", identity.pair},
                    {"member", identity.member},
                    {"service", identity.service},
                    {"pid", ::getpid()},
                    {"run", to_string(identity.run)},
                    {"incarnation", to_string(identity.incarnation)},
                    {"boot", to_string(identity.boot)},
                    {"started", iso_time(identity.started)},
                    {"uptime_s", std::chrono::duration_cast<std::chrono::seconds>(now - identity.started_steady).count()},
                    {"version", POLLUX_VERSION}};
  const bool published = notice.at != Instant{};
  line["age_ms"] = published ? std::chrono::duration_cast<std::chrono::milliseconds>(now - notice.at).count() : 0;
  add_roles(notice.pair, line);
  add_progress(notice.pair, line);
  line["counters"] = counters_json(command.member.counters(), notice.socket);
  line["trail"] = trail_json(command.member.trail());
  line["tables"] = tables_json(command.member.tables());
  line["disk"] = disk_json(identity.directory);
  line["memory"] = memory_json();
  json::array quarantined;
  for (const SyncId& sync : command.member.quarantine().quarantined()) {
    quarantined.push_back(json::object{{"session", to_string(sync.session)}, {"seq", sync.seq}});
  }
  line["quarantined"] = std::move(quarantined);
  line["done"] = true;
  send(command.reply, line);
}

// ---- orders ------------------------------------------------------------------------------------------------------------

void answer_order(const Command& command, const std::function<Event(std::uint64_t)>& make) {
  const auto& options = command.member.pair_options();
  const Duration longest = std::max(3 * options.switch_limit, options.adopt_limit);
  const auto patience = std::chrono::ceil<std::chrono::milliseconds>(longest) + order_margin;
  const Error answer = command.member.order(make, patience);
  if (answer.code != Code::ok) {
    command.reply(control_error_line(answer));
  } else {
    send(command.reply, {{"text", answer.text}, {"done", true}});
  }
}

void answer_switch(const Command& command) {
  answer_order(command, [](std::uint64_t ticket) { return Event{SwitchOrdered{ticket}}; });
}
void answer_takeover(const Command& command) {
  answer_order(command, [](std::uint64_t ticket) { return Event{TakeoverOrdered{ticket}}; });
}
void answer_witness_adopt(const Command& command) {
  answer_order(command, [](std::uint64_t ticket) { return Event{WitnessAdoptOrdered{ticket}}; });
}

void answer_stop(const Command& command) {
  command.member.order_stop(true);
  send(command.reply, {{"text", "the member stops"}, {"done", true}});
}

void answer_death_report(const Command& command) {
  const auto run = id_argument<RunId>(command.arguments, "run");
  const auto boot = id_argument<BootId>(command.arguments, "boot");
  if (!run || !boot) {
    command.reply(control_error_line(!run ? run.error() : boot.error()));
    return;
  }
  command.member.report_death(*run, *boot);
  send(command.reply, {{"text", "reported"}, {"done", true}});
}

// ---- audit -------------------------------------------------------------------------------------------------------------

std::string_view kind_name(RecordKind kind) {
  switch (kind) {
    case RecordKind::request: return "request";
    case RecordKind::session_opened: return "session opened";
    case RecordKind::session_closed: return "session closed";
    case RecordKind::tombstone: return "tombstone";
    case RecordKind::leads: return "leads";
  }
  return "unknown";
}

/// A key or value as JSON can hold it: text as it is if it is printable ASCII, else base64 with a mark.
json::value bytes_json(std::string_view bytes) {
  const bool printable = std::ranges::all_of(bytes, [](char c) { return c >= 0x20 && c < 0x7f; });
  if (printable) return json::string(bytes);
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) text.push_back(k <= count ? digits[group >> (18 - 6 * k) & 63] : '=');
  }
  return json::object{{"base64", text}};
}

json::object record_json(const SealedRecord& sealed, bool committed, bool payload) {
  const RecordView& record = sealed.record;
  std::size_t change_bytes = 0;
  for (const ChangeView& change : record.changes) {
    change_bytes += change.key.size() + (change.value ? change.value->size() : 0);
  }
  json::object line{{"lsn", record.lsn.value},
                    {"epoch", record.epoch.value},
                    {"time", iso_time(record.time)},
                    {"kind", kind_name(record.kind)},
                    {"session", to_string(record.sync.session)},
                    {"seq", record.sync.seq},
                    {"trace", record.trace},
                    {"code", to_string(record.code)},
                    {"changes", record.changes.size()},
                    {"change_bytes", change_bytes},
                    {"reply_bytes", record.reply.size()},
                    {"hash", to_string(sealed.hash)},
                    {"committed", committed}};
  // The reply of what was not executed, or aborted, is a sentence for people.
  const bool sentence = record.code == Code::aborted || record.code == Code::quarantined ||
                        record.code == Code::tombstone || record.code == Code::deadline_exceeded;
  if (sentence) line["reply_text"] = bytes_json(record.reply);
  if (record.leads) {
    line["leads"] = json::object{
        {"epoch", record.leads->epoch.value},
        {"primary", member_json(record.leads->primary)},
        {"backup", record.leads->backup ? json::value(member_json(*record.leads->backup)) : json::value(nullptr)},
        {"commit_base", position_json(record.leads->commit_base)},
        {"reason", record.leads->reason}};
  }
  if (!payload) return line;
  json::array rows;
  for (const ChangeView& change : record.changes) {
    rows.push_back(json::object{{"key", bytes_json(change.key)},
                                {"value", change.value ? bytes_json(*change.value) : json::value(nullptr)}});
  }
  line["rows"] = std::move(rows);
  line["reply"] = bytes_json(record.reply);
  return line;
}

void answer_audit_read(const Command& command) {
  const auto first = number_argument(command.arguments, "after", 0);
  const auto count = number_argument(command.arguments, "count", UINT64_MAX);
  const auto follow = flag_argument(command.arguments, "follow");
  const auto payload = flag_argument(command.arguments, "payload");
  for (const Error* error : {first ? nullptr : &first.error(), count ? nullptr : &count.error(),
                             follow ? nullptr : &follow.error(), payload ? nullptr : &payload.error()}) {
    if (error == nullptr) continue;
    command.reply(control_error_line(*error));
    return;
  }
  const Trail& trail = command.member.trail();
  Lsn after{std::max(*first, trail.base().lsn.value)};
  const Lsn there = trail.last().lsn;  // what is there now is told now, committed or not
  std::uint64_t left = *count;
  while (left > 0) {
    const Lsn committed = command.member.state().committed();
    const Lsn end = std::min(std::max(there, committed), trail.last().lsn);
    if (after >= end) {
      if (!*follow) break;
      if (!command.reply("")) return;
      std::this_thread::sleep_for(follow_every);
      continue;
    }
    auto records = trail.read_after(after, audit_read_bytes);
    if (!records) {
      command.reply(control_error_line(records.error()));
      return;
    }
    for (const RecordPtr& record : *records) {
      if (record->record.lsn > end || left == 0) break;
      if (!send(command.reply, record_json(*record, record->record.lsn <= committed, *payload))) return;
      after = record->record.lsn;
      --left;
    }
  }
  send(command.reply, {{"after", after.value}, {"done", true}});
}

void answer_audit_stats(const Command& command) {
  send(command.reply, {{"trail", trail_json(command.member.trail())},
                       {"tables", tables_json(command.member.tables())},
                       {"disk", disk_json(command.member.identity().directory)},
                       {"done", true}});
}

void answer_audit_verify(const Command& command) {
  const auto report = verify(command.member.trail(), [&](std::uint64_t records, std::uint64_t total) {
    send(command.reply, {{"progress", {{"records", records}, {"total", total}}}});
  });
  if (!report) {
    command.reply(control_error_line(report.error()));
    return;
  }
  json::array faults;
  for (const Error& fault : report->faults) faults.push_back(json::string(fault.text));
  send(command.reply, {{"base", position_json(report->base)},
                       {"last", position_json(report->last)},
                       {"records", report->records},
                       {"faults", std::move(faults)},
                       {"done", true}});
}

void answer_digest(const Command& command) {
  const auto digest = command.member.tables().digest();
  if (!digest) {
    command.reply(control_error_line(digest.error()));
    return;
  }
  json::object line = position_json(digest->first);
  line["digest"] = to_string(digest->second);
  line["done"] = true;
  send(command.reply, line);
}

using Answer = void (*)(const Command& command);
const std::map<std::string_view, Answer>& answers() {
  static const std::map<std::string_view, Answer> table{{"status", answer_status},
                                                        {"switch", answer_switch},
                                                        {"takeover", answer_takeover},
                                                        {"witness-adopt", answer_witness_adopt},
                                                        {"stop", answer_stop},
                                                        {"supervisor-death-report", answer_death_report},
                                                        {"audit-read", answer_audit_read},
                                                        {"audit-stats", answer_audit_stats},
                                                        {"audit-verify", answer_audit_verify},
                                                        {"digest", answer_digest}};
  return table;
}

}  // namespace

void answer_control(MemberProcess& member, const std::string& text, const ControlServer::Reply& reply) {
  const auto refuse = [&](const std::string& why) { reply(control_error_line({Code::malformed, why})); };
  json::error_code error;
  const json::value parsed = json::parse(text, error);
  if (error || !parsed.is_object()) return refuse("a command is one JSON object a line, such as {\"command\": \"status\"}");
  const json::object& arguments = parsed.as_object();
  const json::value* name = arguments.if_contains("command");
  if (name == nullptr || !name->is_string()) return refuse("\"command\" is missing, or is no text");
  const auto found = answers().find(std::string_view(name->as_string()));
  if (found == answers().end()) {
    std::string known;
    for (const auto& [each, answer] : answers()) known += cat(known.empty() ? "" : ", ", each);
    return refuse(cat("a member does not know this command; it knows ", known));
  }
  found->second({member, arguments, reply});
}

}  // namespace pollux
