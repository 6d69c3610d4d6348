#include "node_messages.h"

#include <unistd.h>

#include <boost/json.hpp>

#include "pollux/services/control.h"
#include "text.h"

namespace json = boost::json;

namespace pollux {

namespace {

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

json::object child_object(const Child& child) {
  const bool alive = child.alive();
  return {{"name", child.name},
          {"pid", alive ? child.pid : 0},
          {"state", std::string(to_string(child.state))},
          {"adopted", alive && child.adopted},
          {"restarts", child.restarts},
          {"uptime_s", alive ? child.lived().count() / 1000 : 0},
          {"last_end", child.last_end},
          {"advice", child.advice}};
}

}  // namespace

Result<NodeCommand> parse_node_command(const std::string& line) {
  boost::system::error_code error;
  const json::value value = json::parse(line, error);
  if (error || !value.is_object()) return fail(Code::malformed, "a command is one JSON object on one line");
  return NodeCommand{text_at(value.get_object(), "command"), text_at(value.get_object(), "name")};
}

std::string node_status_line(const Config& config, const NodeStatus& status,
                             const std::vector<Child>& children) {
  json::array list;
  for (const Child& child : children) list.push_back(child_object(child));
  const json::object line = {{"pid", ::getpid()},
                             {"started", status.started},
                             {"data", config.data.string()},
                             {"run", config.run.string()},
                             {"stopping", status.stopping},
                             {"ready", status.ready},
                             {"children", std::move(list)},
                             {"done", true}};
  return json::serialize(line);
}

std::string node_answer_line(const std::string& text) {
  return json::serialize(json::object{{"text", text}, {"done", true}});
}

std::optional<MemberRole> ask_role(const std::filesystem::path& control, std::chrono::milliseconds timeout) {
  std::optional<MemberRole> out;
  const auto read = [&](const std::string& line) {
    boost::system::error_code error;
    const json::value value = json::parse(line, error);
    if (error || !value.is_object()) return false;
    const json::object& object = value.get_object();
    if (object.contains("error")) return false;
    const json::value* serving = object.if_contains("serving");
    out = MemberRole{text_at(object, "role"), serving && serving->is_bool() && serving->get_bool()};
    return true;
  };
  if (!control_call(control, R"({"command":"status"})", timeout, read)) return {};
  return out;
}

Result<void> report_death(const std::filesystem::path& control, const RunId& run, const BootId& boot,
                          std::chrono::milliseconds timeout) {
  const std::string command = cat(R"({"command":"supervisor-death-report","run":")", to_string(run),
                                  R"(","boot":")", to_string(boot), R"("})");
  return control_call(control, command, timeout, [](const std::string&) { return true; });
}

}  // namespace pollux
