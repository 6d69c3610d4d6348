#include "json.h"

#include <boost/json.hpp>

namespace pollux {

namespace json = boost::json;

struct Json::Value {
  json::value value;
};

namespace {

const json::value* find(const json::value& root, std::string_view path) {
  const json::value* at = &root;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    const json::object* object = at->if_object();
    at = object ? object->if_contains(key) : nullptr;
    if (!at) return nullptr;
  }
  return at;
}

}  // namespace

Result<Json> Json::parse(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return fail(Code::malformed, "an answer is no JSON: " + error.message());
  Json out;
  out.value_ = std::make_shared<const Value>(Value{std::move(value)});
  return out;
}

bool Json::has(std::string_view path) const {
  const json::value* value = value_ ? find(value_->value, path) : nullptr;
  return value && !value->is_null();
}

std::string Json::text(std::string_view path) const {
  const json::value* value = value_ ? find(value_->value, path) : nullptr;
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::uint64_t Json::number(std::string_view path) const {
  const json::value* value = value_ ? find(value_->value, path) : nullptr;
  if (!value) return 0;
  boost::system::error_code error;
  const auto number = value->to_number<std::uint64_t>(error);
  return error ? 0 : number;
}

double Json::real(std::string_view path) const {
  const json::value* value = value_ ? find(value_->value, path) : nullptr;
  if (!value) return 0;
  boost::system::error_code error;
  const auto number = value->to_number<double>(error);
  return error ? 0 : number;
}

bool Json::flag(std::string_view path) const {
  const json::value* value = value_ ? find(value_->value, path) : nullptr;
  return value && value->is_bool() && value->get_bool();
}

std::vector<Json> Json::list(std::string_view path) const {
  std::vector<Json> out;
  const json::value* value = value_ ? find(value_->value, path) : nullptr;
  if (!value || !value->is_array()) return out;
  for (const json::value& item : value->get_array()) {
    Json element;
    element.value_ = std::make_shared<const Value>(Value{item});
    out.push_back(std::move(element));
  }
  return out;
}

std::string Json::self_text() const { return text(""); }

std::string Json::serialized() const { return value_ ? json::serialize(value_->value) : "null"; }

std::string json_quoted(std::string_view text) {
  return json::serialize(json::value(json::string_view(text.data(), text.size())));
}

}  // namespace pollux
