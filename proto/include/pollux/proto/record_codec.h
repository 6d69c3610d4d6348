// Records, sessions and member state to bytes and back. protobuf stays behind this header.
#pragma once

#include <string>
#include <string_view>

#include "pollux/core/configuration.h"
#include "pollux/core/record.h"
#include "pollux/core/result.h"
#include "pollux/core/session_table.h"

namespace pollux {

/// Encodes, and chains to `previous`: the only place where a record's bytes are made.
RecordPtr seal(Record record, const Hash& previous);
/// Decodes a record's bytes and computes its hash from `previous`. `malformed` if they are not a record.
Result<RecordPtr> unseal(std::string bytes, const Hash& previous);
/// Decodes without the chain (the hash is given, e.g. stored beside the bytes).
Result<RecordPtr> unseal_with_hash(std::string bytes, const Hash& hash);

std::string encode_session(const Session& session);
Result<Session> decode_session(std::string_view bytes);
std::string encode_member_state(const MemberState& state);
Result<MemberState> decode_member_state(std::string_view bytes);
std::string encode_configuration(const Configuration& configuration);
Result<Configuration> decode_configuration(std::string_view bytes);

}  // namespace pollux
