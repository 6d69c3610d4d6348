// `pollux audit verify`: every record, the chain, and every row of the tables, on both members, and that the two
// agree.
#include <map>
#include <optional>

#include "commands.h"
#include "exit_codes.h"
#include "terminal.h"

namespace pollux {

namespace {

constexpr std::chrono::milliseconds verify_timeout{600'000};  // between two lines of progress, on a slow disk
constexpr std::chrono::milliseconds answer_timeout{1500};     // of a member that works at all
constexpr std::chrono::milliseconds read_timeout{10'000};

struct Verified {
  std::uint64_t records = 0, base = 0, last = 0;
  std::string last_hash;
  std::vector<std::string> faults;
  Json line;
  Json tables;  ///< their digest, and the LSN it is of
};

Result<Verified> verify_member(const PairConfig& pair, const MemberConfig& member) {
  if (const Result<Json> there = ask(member.control, R"({"command":"status"})", answer_timeout); !there)
    return std::unexpected(there.error());
  Verified out;
  ProgressLine progress("checking member " + member.name + " of " + pair.name);
  const Result<void> asked =
      ask_stream(member.control, R"({"command":"audit-verify"})", verify_timeout, [&](const Json& line) {
        if (line.has("progress")) {
          progress.at(line.number("progress.records"), line.number("progress.total"));
          return true;
        }
        out.line = line;
        return true;
      });
  if (!asked) return std::unexpected(asked.error());
  out.records = out.line.number("records");
  out.base = out.line.number("base.lsn");
  out.last = out.line.number("last.lsn");
  out.last_hash = out.line.text("last.hash");
  for (const Json& fault : out.line.list("faults")) out.faults.push_back(fault.self_text());
  // It reads every row, and so finds those that can't be read.
  const Result<Json> tables = ask(member.control, R"({"command":"digest"})", verify_timeout);
  if (tables) {
    out.tables = *tables;
  } else if (tables.error().code == Code::damaged) {
    out.faults.push_back(tables.error().text);
  } else {
    return std::unexpected(tables.error());
  }
  return out;
}

/// The hash of the record at `lsn` on a member: equal hash, equal history (the chain).
std::optional<std::string> hash_at(const MemberConfig& member, std::uint64_t lsn) {
  std::string hash;
  const std::string command = R"({"command":"audit-read","count":1,"after":)" + std::to_string(lsn - 1) + "}";
  const Result<void> read = ask_stream(member.control, command, read_timeout, [&](const Json& line) {
    if (line.number("lsn") == lsn && line.has("hash")) hash = line.text("hash");
    return true;
  });
  if (!read || hash.empty()) return {};
  return hash;
}

/// True, false, or none if they have no LSN in common now (one is catching up).
std::optional<bool> agree(const PairConfig& pair, const std::map<std::string, Verified>& verified) {
  const std::uint64_t lsn = std::min(verified.at("a").last, verified.at("b").last);
  if (lsn == 0) {  // nothing in common, unless both are new
    if (verified.at("a").last == verified.at("b").last) return true;
    return {};
  }
  const auto a = hash_at(pair.members[0], lsn), b = hash_at(pair.members[1], lsn);
  if (!a || !b) return {};
  return *a == *b;
}

/// Comparable only if both have applied just as much: at rest they have.
bool tables_differ(const std::map<std::string, Verified>& verified) {
  const Json &a = verified.at("a").tables, &b = verified.at("b").tables;
  return a.has("digest") && b.has("digest") && a.number("lsn") == b.number("lsn") &&
         a.text("digest") != b.text("digest");
}

}  // namespace

int run_audit_verify(const Globals& globals, const AuditOptions& options) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  const Result<const PairConfig*> pair = choose_pair(located->config, options.pair);
  if (!pair) return fail_with(pair.error());
  if (!options.member.empty()) {
    const Result<const MemberConfig*> named = choose_member(**pair, options.member);
    if (!named) return fail_with(named.error());
  }
  int worst = Exit::ok;
  std::map<std::string, Verified> verified;
  for (const MemberConfig& member : (*pair)->members) {
    if (!options.member.empty() && options.member != member.name) continue;
    const Result<Verified> one = verify_member(**pair, member);
    if (!one) {
      worst =
          std::max(worst, fail_with({one.error().code, "member " + member.name + ": " + one.error().text}));
      continue;
    }
    verified[member.name] = *one;
    if (options.json) {
      print("{\"member\":" + json_quoted(member.name) + ",\"report\":" + one->line.serialized() +
            ",\"tables\":" + one->tables.serialized() + "}");
    } else {
      print("member " + member.name + ": " + std::to_string(one->records) + " records, LSN " +
            std::to_string(one->base + 1) + " to " + std::to_string(one->last) + ": " +
            (one->faults.empty() ? green("good") : red(std::to_string(one->faults.size()) + " faults")));
      for (const std::string& fault : one->faults) print("  " + printable(fault));
    }
    if (!one->faults.empty()) worst = std::max(worst, Exit::damaged);
  }
  if (verified.size() == 2) {
    const std::optional<bool> same = agree(**pair, verified);
    if (same && !*same) {
      complain("THE TWO TRAILS DIFFER at an LSN that both hold; keep both directories, and ask for help");
      worst = std::max(worst, Exit::damaged);
    } else if (tables_differ(verified)) {
      complain("THE TABLES OF THE TWO MEMBERS DIFFER at the same LSN; keep both directories, and ask for help");
      worst = std::max(worst, Exit::damaged);
    } else if (!options.json) {
      print(same ? "both trails agree"
                 : "the trails could not be compared now: a member is catching up; try again");
    }
  }
  return worst;
}

}  // namespace pollux
