// `pollux audit tail|show|verify|stats`
#include <algorithm>

#include "commands.h"
#include "exit_codes.h"
#include "terminal.h"

namespace pollux {

namespace {

constexpr std::chrono::milliseconds read_timeout{30'000};

/// Where to read: the member named, else the primary, else any that answers.
struct Source {
  Config config;
  const PairConfig* pair = nullptr;
  const MemberConfig* member = nullptr;
  Json status;
};

Result<Source> find_source(const Globals& globals, const AuditOptions& options) {
  Result<Located> located = locate_running(globals);
  if (!located) return std::unexpected(located.error());
  const Result<const PairConfig*> pair = choose_pair(located->config, options.pair);
  if (!pair) return std::unexpected(pair.error());
  if (!options.member.empty()) {
    const Result<const MemberConfig*> named = choose_member(**pair, options.member);
    if (!named) return std::unexpected(named.error());
  }
  Source source{std::move(located->config), nullptr, nullptr, {}};
  source.pair = source.config.find_pair((*pair)->name);
  const std::vector<Result<Json>> answers = ask_members(*source.pair);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const MemberConfig& member = source.pair->members[i];
    if (!answers[i] || (!options.member.empty() && member.name != options.member)) continue;
    if (!source.member || answers[i]->flag("serving")) {
      source.member = &member;
      source.status = *answers[i];
    }
  }
  if (source.member) return source;
  return fail(Code::unreachable,
              options.member.empty()
                  ? "no member of pair " + source.pair->name + " answers; is it running? pollux status"
                  : "member " + options.member + " of pair " + source.pair->name + " does not answer");
}

std::string record_line(const Json& record) {
  std::string line = std::to_string(record.number("lsn")) + "  " + record.text("time") + "  epoch " +
                     std::to_string(record.number("epoch")) + "  " + record.text("kind");
  if (record.number("seq") != 0) {
    line += "  " + record.text("session").substr(0, 8) + "/" + std::to_string(record.number("seq"));
  }
  line += "  " + record.text("code") + "  " + std::to_string(record.number("changes")) + " changes, " +
          std::to_string(record.number("change_bytes")) + " bytes";
  if (!record.flag("committed")) line += "  not committed";
  if (record.has("leads")) line += "  " + printable(record.text("leads.reason"));
  return line;
}

/// A key or value: text, or {"base64": ...}.
std::string bytes_text(const Json& record, const std::string& name) {
  const std::string coded = record.text(name + ".base64");
  return coded.empty() ? record.text(name) : "base64:" + coded;
}

void print_details(const Json& record) {
  const auto row = [](const std::string& name, const std::string& value) {
    if (!value.empty())
      print("  " + name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') + printable(value));
  };
  row("hash", record.text("hash"));
  if (record.number("seq") != 0) {
    row("session", record.text("session"));
    row("seq", std::to_string(record.number("seq")));
  }
  row("trace", record.number("trace") == 0 ? "" : std::to_string(record.number("trace")));
  row("reply", bytes_text(record, "reply"));
  row("reply text", record.text("reply_text"));
  if (record.has("leads")) {
    const auto member = [&](const std::string& role) {
      return record.has("leads." + role) ? record.text("leads." + role + ".incarnation") + ", run " +
                                               record.text("leads." + role + ".run")
                                         : "none";
    };
    row("primary", member("primary"));
    row("backup", member("backup"));
    row("commit base", "LSN " + std::to_string(record.number("leads.commit_base.lsn")));
  }
  for (const Json& change : record.list("rows")) {
    print("  row         " + printable(bytes_text(change, "key")) +
          (change.has("value") ? " = " + printable(bytes_text(change, "value")) : " is erased"));
  }
}

int read_records(const Source& source, const std::string& command, std::chrono::milliseconds timeout,
                 const AuditOptions& options, bool details, std::uint64_t* shown) {
  const Result<void> read = ask_stream(source.member->control, command, timeout, [&](const Json& line) {
    if (!line.has("kind")) return true;                             // the last line
    if (details && line.number("lsn") != options.lsn) return true;  // below the base it begins with the next
    ++*shown;
    print(options.json ? line.serialized() : record_line(line));
    if (details && !options.json) print_details(line);
    return true;
  });
  return read ? Exit::ok : fail_with(read.error());
}

}  // namespace

int run_audit_tail(const Globals& globals, const AuditOptions& options) {
  const Result<Source> source = find_source(globals, options);
  if (!source) return fail_with(source.error());
  const std::uint64_t last = source->status.number("trail.last.lsn");
  const std::uint64_t base = source->status.number("trail.base.lsn");
  const std::uint64_t after = std::max(base, last > options.count ? last - options.count : 0);
  std::string command = R"({"command":"audit-read","after":)" + std::to_string(after);
  command += options.follow ? R"(,"follow":true})" : R"(,"count":)" + std::to_string(options.count) + "}";
  std::uint64_t shown = 0;
  return read_records(*source, command, options.follow ? std::chrono::milliseconds(0) : read_timeout, options,
                      false, &shown);
}

int run_audit_show(const Globals& globals, const AuditOptions& options) {
  const Result<Source> source = find_source(globals, options);
  if (!source) return fail_with(source.error());
  std::uint64_t shown = 0;
  const int code = read_records(
      *source,
      R"({"command":"audit-read","payload":true,"count":1,"after":)" + std::to_string(options.lsn - 1) + "}",
      read_timeout, options, true, &shown);
  if (code != Exit::ok || shown != 0) return code;
  return fail_with({Code::not_found, "member " + source->member->name + " has no record " +
                                         std::to_string(options.lsn) + "; its trail holds " +
                                         std::to_string(source->status.number("trail.base.lsn") + 1) +
                                         " to " + std::to_string(source->status.number("trail.last.lsn"))});
}

int run_audit_stats(const Globals& globals, const AuditOptions& options) {
  const Result<Source> source = find_source(globals, options);
  if (!source) return fail_with(source.error());
  const Result<Json> stats = ask(source->member->control, R"({"command":"audit-stats"})", read_timeout);
  if (!stats) return fail_with(stats.error());
  if (options.json) {
    print(stats->serialized());
    return Exit::ok;
  }
  const auto mib = [](std::uint64_t bytes) { return std::to_string((bytes + (1u << 19)) >> 20) + " MiB"; };
  print("pair " + source->pair->name + ", member " + source->member->name);
  print("  trail     " + std::to_string(stats->number("trail.records")) + " records, LSN " +
        std::to_string(stats->number("trail.base.lsn") + 1) + " to " +
        std::to_string(stats->number("trail.last.lsn")) + ", " + mib(stats->number("trail.bytes_used")));
  print("  oldest    " + stats->text("trail.oldest"));
  print("  newest    " + stats->text("trail.newest"));
  print("  hash      " + stats->text("trail.last.hash"));
  print("  tables    " + std::to_string(stats->number("tables.rows")) + " rows, " +
        std::to_string(stats->number("tables.sessions")) + " sessions, applied to LSN " +
        std::to_string(stats->number("tables.applied.lsn")) + ", " + mib(stats->number("tables.bytes_used")) +
        (stats->flag("tables.incomplete") ? ", an unfinished snapshot" : ""));
  print("  disk      " + std::to_string(static_cast<int>(stats->real("disk.percent"))) + " % of " +
        mib(stats->number("disk.bytes_total")) + " used");
  return Exit::ok;
}

}  // namespace pollux
