// Records, sessions and member state to bytes and back. protobuf stays behind this header.
//
// Decoding is strict, for these bytes come from disks and peers: ids have exactly 16 bytes, hashes 32, enums
// a known value, sizes their limits; a field that this version does not know is refused, since to pass over
// it would be to apply half a record. Everything wrong is `malformed`, with a text that names the field.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pollux/core/configuration.h"
#include "pollux/core/record.h"
#include "pollux/core/result.h"
#include "pollux/core/session_table.h"

namespace pollux {

/// Limits of a record. Who makes one (the executor) keeps them; `seal` checks that, since a record which the
/// peer can't read must never be committed.
inline constexpr std::size_t record_bytes_max = 64u << 20;  ///< encoded
inline constexpr std::size_t record_changes_max = 1u << 20;
inline constexpr std::size_t change_key_bytes_max = 480;  ///< LMDB's limit less ours; at least 1
inline constexpr std::size_t text_bytes_max = 64u << 10;  ///< reasons, paths, cursors

/// Encodes, and chains to `previous`: the only place where a record's bytes are made. Requires an LSN of at
/// least 1, `leads` exactly in records of that kind, and the limits above. The same record gives the same
/// bytes.
RecordPtr seal(const Record& record, const Hash& previous);
/// Decodes a record's bytes and computes its hash from `previous`. `malformed` if they are not a record.
Result<RecordPtr> unseal(std::string_view bytes, const Hash& previous);
/// Decodes without the chain (the hash is given, e.g. stored beside the bytes).
Result<RecordPtr> unseal_with_hash(std::string_view bytes, const Hash& hash);

std::string encode_session(const Session& session);
Result<Session> decode_session(std::string_view bytes);
std::string encode_member_state(const MemberState& state);
Result<MemberState> decode_member_state(std::string_view bytes);
std::string encode_configuration(const Configuration& configuration);
Result<Configuration> decode_configuration(std::string_view bytes);

}  // namespace pollux
