#include "pollux/bench/member_status.h"

#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "pollux/services/control.h"

namespace pollux {

namespace json = boost::json;

namespace {

constexpr std::chrono::milliseconds status_limit(5000);
constexpr std::chrono::milliseconds audit_limit(60000);

// Absent fields and fields of another type read as nothing: a status is shown, not trusted.
std::string text_of(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::uint64_t number_of(const json::value& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  return 0;
}
std::uint64_t number_of(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value == nullptr ? 0 : number_of(*value);
}
bool flag_of(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}
const json::object* object_of(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

// An LSN stands alone, or with its hash in an object.
std::uint64_t lsn_of(const json::object& object, std::string_view key) {
  const auto* position = object_of(object, key);
  return position != nullptr ? number_of(*position, "lsn") : number_of(object, key);
}

std::string run_of(const json::object& object, std::string_view key) {
  const auto* member = object_of(object, key);
  return member == nullptr ? std::string() : text_of(*member, "run");
}

Result<json::object> parse_object(std::string_view line) {
  boost::system::error_code error;
  auto value = json::parse(line, error);
  if (error || !value.is_object()) {
    return fail(Code::malformed,
                "a member answered what is no JSON object: " + std::string(line.substr(0, 100)));
  }
  return std::move(value.get_object());
}

std::optional<Error> error_in(const json::object& object) {
  const auto* error = object_of(object, "error");
  if (error == nullptr) return std::nullopt;
  return Error{Code::io_error, text_of(*error, "code") + ": " + text_of(*error, "text")};
}

}  // namespace

Result<MemberStatus> parse_member_status(std::string_view line) {
  const auto parsed = parse_object(line);
  if (!parsed) return std::unexpected(parsed.error());
  const json::object& object = *parsed;
  if (const auto error = error_in(object)) return std::unexpected(*error);
  MemberStatus status;
  status.member = text_of(object, "member");
  status.role = text_of(object, "role");
  if (status.role.empty()) return fail(Code::malformed, "a member's status tells no role");
  status.run = text_of(object, "run");
  status.incarnation = text_of(object, "incarnation");
  status.reason = text_of(object, "reason");
  status.waiting_for = text_of(object, "waiting_for");
  status.pid = static_cast<pid_t>(number_of(object, "pid"));
  status.serving = flag_of(object, "serving");
  status.solo = flag_of(object, "solo");
  status.joining = flag_of(object, "joining");
  status.epoch = number_of(object, "epoch");
  status.executed = lsn_of(object, "executed");
  status.durable = lsn_of(object, "durable");
  status.committed = lsn_of(object, "committed");
  status.applied = lsn_of(object, "applied");
  status.sessions = number_of(object, "sessions");
  status.age_ms = number_of(object, "age_ms");
  if (const auto* committed = object_of(object, "committed"))
    status.committed_hash = text_of(*committed, "hash");
  if (const auto* counters = object_of(object, "counters")) {
    const auto ns = [counters](const char* name) { return static_cast<std::int64_t>(number_of(*counters, name)); };
    status.stages = {.requests = number_of(*counters, "stages"),
                     .execute_ns = ns("stage_execute_ns"),
                     .force_ns = ns("stage_force_ns"),
                     .checkpoint_ns = ns("stage_checkpoint_ns"),
                     .both_ns = ns("stage_both_ns"),
                     .reply_ns = ns("stage_reply_ns")};
  }
  status.primary_run = run_of(object, "primary");
  status.backup_run = run_of(object, "backup");
  if (const auto* list = object.if_contains("quarantined"); list != nullptr && list->is_array()) {
    for (const auto& item : list->get_array()) {
      if (!item.is_object()) continue;
      status.quarantined.push_back(text_of(item.get_object(), "session") + "/" +
                                   std::to_string(number_of(item.get_object(), "seq")));
    }
  }
  status.json = line;
  return status;
}

Result<std::string> ask_control(const std::filesystem::path& control, const std::string& command,
                                std::chrono::milliseconds timeout) {
  std::string last;
  const auto asked = control_call(control, command, timeout, [&last](const std::string& line) {
    last = line;
    return true;
  });
  if (!asked) return std::unexpected(asked.error());
  const auto parsed = parse_object(last);
  if (!parsed) return std::unexpected(parsed.error());
  if (const auto error = error_in(*parsed)) return std::unexpected(*error);
  return last;
}

Result<MemberStatus> ask_member_status(const std::filesystem::path& control) {
  const auto line = ask_control(control, R"({"command":"status"})", status_limit);
  if (!line) return std::unexpected(line.error());
  return parse_member_status(*line);
}

Result<std::vector<AuditLine>> read_audit(const std::filesystem::path& control, std::uint64_t after,
                                          std::uint64_t count) {
  std::vector<AuditLine> lines;
  std::optional<Error> wrong;
  const json::object command{{"command", "audit-read"}, {"after", after}, {"count", count}};
  const auto asked =
      control_call(control, json::serialize(command), audit_limit, [&](const std::string& line) {
        const auto parsed = parse_object(line);
        if (!parsed) {
          wrong = parsed.error();
          return false;
        }
        if ((wrong = error_in(*parsed))) return false;
        if (!parsed->contains("lsn")) return true;
        lines.push_back({.lsn = number_of(*parsed, "lsn"),
                         .epoch = number_of(*parsed, "epoch"),
                         .seq = number_of(*parsed, "seq"),
                         .kind = text_of(*parsed, "kind"),
                         .session = text_of(*parsed, "session"),
                         .code = text_of(*parsed, "code"),
                         .hash = text_of(*parsed, "hash"),
                         .committed = flag_of(*parsed, "committed")});
        return true;
      });
  if (!asked) return std::unexpected(asked.error());
  if (wrong) return std::unexpected(*wrong);
  return lines;
}

std::int64_t processor_time_ns(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return 0;
  // The second field is the program's name in parentheses, and may hold anything; 14 and 15 are the times.
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(line.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) rest >> skipped;
  std::int64_t user = 0, system = 0;
  rest >> user >> system;
  return (user + system) * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

std::uint64_t resident_anonymous_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("RssAnon:")) continue;
    std::uint64_t kib = 0;
    std::istringstream(line.substr(8)) >> kib;
    return kib * 1024;
  }
  return 0;
}

}  // namespace pollux
