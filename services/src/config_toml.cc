// The only file that knows toml++.
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "config_tree.h"

namespace pollux {

namespace {

ConfigNode convert(const toml::node& node) {
  ConfigNode out;
  out.line = static_cast<int>(node.source().begin.line);
  if (const auto* flag = node.as_boolean()) {
    out.value = flag->get();
  } else if (const auto* integer = node.as_integer()) {
    out.value = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    out.value = real->get();
  } else if (const auto* text = node.as_string()) {
    out.value = text->get();
  } else if (const auto* array = node.as_array()) {
    ConfigArray items;
    for (const toml::node& item : *array) items.push_back(convert(item));
    out.value = std::move(items);
  } else if (const auto* table = node.as_table()) {
    ConfigTable entries;
    for (const auto& [key, value] : *table) {
      ConfigNode entry = convert(value);
      // An implicit table ([a.b] without [a]) has no place of its own in the file.
      if (entry.line == 0) entry.line = static_cast<int>(key.source().begin.line);
      entries.push_back({std::string(key.str()), std::move(entry)});
    }
    std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.node.line; });
    out.value = std::move(entries);
  } else {
    out.value = ConfigDate{};
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (char c : text) out += (c == '\n' || c == '\r' || c == '\t') ? ' ' : c;
  return out;
}

Result<std::string> read_text(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return fail(Code::bad_config, file.string() + ": is a directory; name the file in it, e.g. pollux.toml");
  }
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (!error && size > config_bytes_max) {
    return fail(Code::bad_config, file.string() + ": larger than " + std::to_string(config_bytes_max) +
                                      " bytes; this is no configuration of Pollux");
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(config_bytes_max + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad()) {
    return fail(Code::bad_config,
                file.string() + ": can't be read (" + std::strerror(errno) +
                    "); name another with --config, or leave it out for the default configuration");
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > config_bytes_max) return fail(Code::bad_config, file.string() + ": does not end");
  return text;
}

}  // namespace

Result<ConfigNode> parse_config_file(const std::filesystem::path& file) {
  Result<std::string> text = read_text(file);
  if (!text) return std::unexpected(text.error());
  try {
    return convert(toml::parse(std::string_view(*text), file.string()));
  } catch (const toml::parse_error& error) {
    return fail(Code::bad_config, file.string() + ":" + std::to_string(error.source().begin.line) +
                                      ": not TOML: " + one_line(error.description()));
  } catch (const std::exception& error) {
    return fail(Code::bad_config, file.string() + ":1: not TOML: " + one_line(error.what()));
  }
}

}  // namespace pollux
