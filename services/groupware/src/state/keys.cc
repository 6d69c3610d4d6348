#include "state/keys.h"

#include <sodium.h>

#include <array>

#include "pollux/core/check.h"

namespace pollux {
namespace {

constexpr std::size_t key_hash_bytes = 32;

void append_number(std::string* key, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) key->push_back(static_cast<char>((number >> shift) & 0xff));
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::string key_of(char table, std::uint64_t number) {
  std::string key(1, table);
  append_number(&key, number);
  return key;
}

// 0xff is no byte of UTF-8 text, so a cut name never equals a short one.
void append_text(std::string* key, std::string_view text) {
  if (text.size() <= key_text_bytes_max) {
    key->append(text);
    return;
  }
  std::array<unsigned char, key_hash_bytes> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  key->append(text.substr(0, key_text_bytes_max));
  key->push_back(static_cast<char>(0xff));
  key->append(reinterpret_cast<const char*>(hash.data()), hash.size());
}

std::string key_of(char table, std::uint64_t number, std::string_view text) {
  std::string key = key_of(table, number);
  append_text(&key, text);
  return key;
}

std::string key_of(char table, std::uint64_t number, std::uint64_t second) {
  std::string key = key_of(table, number);
  append_number(&key, second);
  return key;
}

}  // namespace

std::string meta_key() { return "m"; }
std::string credential_key(std::string_view user) { return "u" + std::string(user); }
std::string principal_key(std::string_view user) { return "p" + std::string(user); }
std::string collection_key(std::uint64_t collection) { return key_of('c', collection); }
std::string counter_key(std::uint64_t collection) { return key_of('k', collection); }
std::string entry_key(std::uint64_t collection, std::string_view name) {
  return key_of('e', collection, name);
}
std::string body_key(std::uint64_t item) { return key_of('b', item); }
std::string uid_key(std::uint64_t collection, std::string_view uid) { return key_of('i', collection, uid); }
std::string stored_key(std::uint64_t collection, std::uint64_t change) {
  return key_of('s', collection, change);
}
std::string deleted_key(std::uint64_t collection, std::uint64_t change) {
  return key_of('t', collection, change);
}
std::string time_level_key(std::uint64_t collection, std::size_t level, std::int64_t first_s) {
  std::string key = key_of('x', collection);
  key.push_back(static_cast<char>(level));
  return key + ordered_number(first_s);
}
std::string dead_key(std::uint64_t item) { return key_of('d', item); }
std::string locks_key(std::uint64_t home, std::uint64_t resource) { return key_of('l', home, resource); }
std::string grant_key(std::uint64_t collection, std::string_view user) {
  return key_of('g', collection, user);
}
std::string usage_key(std::string_view user) { return "q" + std::string(user); }
std::string trash_key(std::uint64_t collection) { return key_of('z', collection); }

KeyRange collection_range(char table, std::uint64_t collection) {
  POLLUX_CHECK(collection + 1 != 0);
  return {key_of(table, collection), key_of(table, collection + 1)};
}

KeyRange table_range(char table) {
  return {std::string(1, table), std::string(1, static_cast<char>(table + 1))};
}

std::string ordered_number(std::int64_t number) {
  std::string bytes;
  append_number(&bytes, static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63));
  return bytes;
}

std::int64_t number_of_ordered(std::string_view bytes) {
  POLLUX_CHECK(bytes.size() >= 8);
  return static_cast<std::int64_t>(big_endian(bytes.substr(0, 8)) ^ (std::uint64_t{1} << 63));
}

std::uint64_t number_at_end(std::string_view key) {
  POLLUX_CHECK(key.size() > 8);
  return big_endian(key.substr(key.size() - 8));
}

}  // namespace pollux
