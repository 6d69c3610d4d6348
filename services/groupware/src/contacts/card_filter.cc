#include "contacts/card_filter.h"

#include <algorithm>

#include "calendar/content_lines.h"

namespace pollux {
namespace {

bool has_name(const TextProperty& property, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return property.is(name);
  return property.is(name.substr(dot + 1)) && equal_ignoring_case(property.group, name.substr(0, dot));
}

bool fits_conditions(const CardPropFilter& filter, const TextProperty& property) {
  if (filter.texts.empty() && filter.parameters.empty()) return true;
  const std::string value = filter.texts.empty() ? std::string() : unescape_text(property.value);
  const auto text = [&](const TextMatch& match) { return match.fits(value) != match.negates(); };
  const auto parameter = [&](const ParamFilter& one) { return fits_parameter(one, property); };
  if (filter.all_of) {
    return std::ranges::all_of(filter.texts, text) && std::ranges::all_of(filter.parameters, parameter);
  }
  return std::ranges::any_of(filter.texts, text) || std::ranges::any_of(filter.parameters, parameter);
}

bool fits_card(const CardPropFilter& filter, const TextComponent& card) {
  bool defined = false;
  for (const auto& property : card.properties) {
    if (!has_name(property, filter.name)) continue;
    defined = true;
    if (!filter.is_not_defined && fits_conditions(filter, property)) return true;
  }
  return filter.is_not_defined && !defined;
}

}  // namespace

bool CardFilter::matches(std::string_view content) const {
  const auto tree = TextTree::parse(content);
  if (!tree || tree->roots.empty()) return false;
  if (properties.empty()) return true;
  const auto fits = [&](const CardPropFilter& filter) { return fits_card(filter, tree->roots.front()); };
  return all_of ? std::ranges::all_of(properties, fits) : std::ranges::any_of(properties, fits);
}

std::string render_card(std::string_view content, const CardDataQuestion& question) {
  if (question.all) return std::string(content);
  const auto tree = TextTree::parse(content);
  if (!tree || tree->roots.empty()) return std::string(content);
  const TextComponent& card = tree->roots.front();
  std::string out;
  append_line(&out, card.begin);
  for (const auto& property : card.properties) {
    if (property.is("VERSION")) {
      append_line(&out, property.octets);
      continue;
    }
    for (const auto& one : question.properties) {
      if (!has_name(property, one.name)) continue;
      if (one.no_value) {
        append_without_value(&out, property);
      } else {
        append_line(&out, property.octets);
      }
      break;
    }
  }
  append_line(&out, card.end);
  return out;
}

}  // namespace pollux
