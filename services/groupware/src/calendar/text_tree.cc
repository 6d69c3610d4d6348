#include "calendar/text_tree.h"

#include "calendar/content_lines.h"

namespace pollux {
namespace {

/// "group.NAME" taken apart.
void set_name(TextProperty* property, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    property->name = name;
    return;
  }
  property->group = name.substr(0, dot);
  property->name = name.substr(dot + 1);
}

}  // namespace

bool TextProperty::is(std::string_view other) const { return equal_ignoring_case(name, other); }

std::optional<std::string_view> TextProperty::parameter(std::string_view parameter_name) const {
  std::optional<std::string_view> found;
  for_each_parameter(parameters, [&](std::string_view one, std::string_view values) {
    if (!equal_ignoring_case(one, parameter_name)) return true;
    for_each_parameter_value(values, [&](std::string_view first) {
      found = first;
      return false;
    });
    return false;
  });
  return found;
}

bool TextComponent::is(std::string_view other) const { return equal_ignoring_case(name, other); }

const TextProperty* TextComponent::find(std::string_view property_name) const {
  for (const auto& property : properties) {
    if (property.is(property_name)) return &property;
  }
  return nullptr;
}

std::string_view TextComponent::octets() const {
  return {begin.data(), static_cast<std::size_t>(end.data() + end.size() - begin.data())};
}

std::optional<TextTree> TextTree::parse(std::string_view text) {
  TextTree tree;
  // The open components, outermost first. Only the innermost one gets children, so these pointers stay valid.
  std::vector<TextComponent*> open;
  ContentLines lines(text);
  while (auto line = lines.next()) {
    const auto parts = split_line(line->text);
    if (!parts) continue;
    if (equal_ignoring_case(parts->name, "BEGIN")) {
      if (open.size() >= TextTreeLimits::nesting_max) return std::nullopt;
      auto& siblings = open.empty() ? tree.roots : open.back()->components;
      auto& added = siblings.emplace_back();
      added.begin = line->octets;
      added.name = line->folded ? std::string_view(tree.unfolded_.emplace_back(trim_text(parts->value)))
                                : trim_text(parts->value);
      open.push_back(&added);
      continue;
    }
    if (open.empty()) continue;
    if (equal_ignoring_case(parts->name, "END")) {
      if (!open.back()->is(trim_text(parts->value))) return std::nullopt;
      open.back()->end = line->octets;
      open.pop_back();
      continue;
    }
    auto kept = *parts;
    if (line->folded) kept = *split_line(tree.unfolded_.emplace_back(line->text));
    auto& property = open.back()->properties.emplace_back();
    property.octets = line->octets;
    set_name(&property, kept.name);
    property.parameters = kept.parameters;
    property.value = kept.value;
  }
  if (!open.empty()) return std::nullopt;
  return tree;
}

std::string unescape_text(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (value[at] != '\\' || at + 1 == value.size()) {
      out.push_back(value[at]);
      continue;
    }
    const char next = value[++at];
    out.push_back(next == 'n' || next == 'N' ? '\n' : next);
  }
  return out;
}

std::string_view trim_text(std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  return text;
}

}  // namespace pollux
