// A record as it stands in the trail's database: two short checksums, the chain hash, the bytes.
//
// The head's checksum covers the hash alone: a record whose bytes were damaged still tells its hash, so the
// chain goes on across it, and a copy from the peer can be checked.
#pragma once

#include <optional>
#include <string_view>

#include "bytes.h"
#include "pollux/core/record.h"

namespace pollux {

struct StoredRecord {
  Lsn lsn;
  std::string_view head_sum, body_sum;
  std::string_view hash_view;
  std::string_view bytes;
  std::string_view body;  ///< hash and bytes
  bool whole = false;     ///< long enough to have these parts

  static constexpr std::size_t head_bytes = 4 + 4 + 32;

  static StoredRecord parse(Lsn lsn, std::string_view stored) {
    StoredRecord found{.lsn = lsn};
    if (stored.size() < head_bytes) return found;
    found.head_sum = stored.substr(0, 4);
    found.body_sum = stored.substr(4, 4);
    found.hash_view = stored.substr(8, 32);
    found.bytes = stored.substr(head_bytes);
    found.body = stored.substr(8);
    found.whole = true;
    return found;
  }

  [[nodiscard]] Hash hash() const { return get_hash(hash_view); }
  [[nodiscard]] bool head_fits() const {
    return whole && get_number<std::uint32_t>(head_sum) == sum(hash_view, ChecksumOf::record_head, lsn);
  }
  [[nodiscard]] bool body_fits() const {
    return whole && get_number<std::uint32_t>(body_sum) == sum(body, ChecksumOf::record_body, lsn);
  }

  /// Writes into `out`, which has room for head_bytes and the record's bytes.
  static void write(char* out, const SealedRecord& record) {
    std::memcpy(out + 8, record.hash.bytes.data(), record.hash.bytes.size());
    std::memcpy(out + head_bytes, record.bytes.data(), record.bytes.size());
    const Lsn lsn = record.record.lsn;
    const auto head = sum({out + 8, 32}, ChecksumOf::record_head, lsn);
    const auto body = sum({out + 8, 32 + record.bytes.size()}, ChecksumOf::record_body, lsn);
    std::memcpy(out, &head, sizeof head);
    std::memcpy(out + 4, &body, sizeof body);
  }

 private:
  static std::uint32_t sum(std::string_view bytes, ChecksumOf of, Lsn lsn) {
    return static_cast<std::uint32_t>(checksum(bytes, of, lsn.value));
  }
};

}  // namespace pollux
