#include "snapshot_rows.h"

#include <algorithm>

#include "bytes.h"
#include "pollux/proto/record_codec.h"

namespace pollux {
namespace {

constexpr std::size_t id_bytes = 16;
constexpr std::size_t reply_framing = 48;  // of a reply in an encoded session, at most
constexpr std::size_t fragmented_bytes_max = 1u << 30;

std::string_view view_of(const SessionId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}
SessionId get_id(std::string_view bytes) {
  SessionId id;
  std::memcpy(id.bytes.data(), bytes.data(), id.bytes.size());
  return id;
}
std::string replies_key(const SessionId& id, std::uint64_t seq) {
  std::string key(1, snapshot_replies);
  key.append(view_of(id));
  put_sorted(key, seq);
  return key;
}
std::string fragment_key(std::uint64_t offset, std::uint64_t total, std::string_view inner) {
  std::string key(1, snapshot_fragment);
  put_sorted(key, offset);
  put_sorted(key, total);
  key.append(inner);
  return key;
}

/// A row as it travels. Its key is one byte: a row of a record's key size with more in front would be above
/// the limit for keys on the wire.
Change pack(std::string_view key, std::string_view value) {
  Change row{.key = std::string(1, key[0]), .value = std::string()};
  row.value->reserve(2 + key.size() - 1 + value.size());
  put_number(*row.value, static_cast<std::uint16_t>(key.size() - 1));
  row.value->append(key.substr(1));
  row.value->append(value);
  return row;
}
struct Unpacked {
  std::string key;
  std::string_view value;
};
std::optional<Unpacked> unpack(const Change& row) {
  if (row.key.size() != 1 || !row.value || row.value->size() < 2) return std::nullopt;
  const std::string_view bytes = *row.value;
  const std::size_t key_bytes = get_number<std::uint16_t>(bytes);
  if (key_bytes == 0 || key_bytes > bytes.size() - 2) return std::nullopt;
  return Unpacked{row.key + std::string(bytes.substr(2, key_bytes)), bytes.substr(2 + key_bytes)};
}

struct Fragment {
  std::uint64_t offset = 0, total = 0;
  std::string_view inner;
};
std::optional<Fragment> parse_fragment(std::string_view key) {
  if (key.size() < 18 || key[0] != snapshot_fragment) return std::nullopt;
  return Fragment{get_sorted(key, 1), get_sorted(key, 9), key.substr(17)};
}

/// A reply alone, as a session of its own: equal bytes whenever it is asked for.
std::string encode_reply(std::uint64_t seq, const StoredReply& reply) {
  Session piece;
  piece.replies.emplace(seq, reply);
  return encode_session(piece);
}

class ChunkMaker {
 public:
  ChunkMaker(std::size_t bytes_max, const ScanRows& scan, const SessionTable& sessions)
      : bytes_max_(std::max<std::size_t>(bytes_max, 1)), scan_(scan), sessions_(sessions) {}

  Result<SnapshotChunk> make(std::string_view cursor) {
    std::string resumed;
    if (!cursor.empty() && cursor[0] == snapshot_fragment) {
      const auto fragment = parse_fragment(cursor);
      if (!fragment) return fail_cursor();
      auto went_on = go_on(*fragment);
      if (!went_on) return std::unexpected(went_on.error());
      if (*went_on) return std::move(chunk_);
      resumed = after(fragment->inner);  // it changed or is gone: a record between the tags says so
      cursor = resumed;
    }
    if (cursor.empty() || cursor[0] == snapshot_row) {
      auto done = add_rows(cursor.empty() ? cursor : cursor.substr(1));
      if (!done) return std::unexpected(done.error());
      if (!*done) return std::move(chunk_);
      add_sessions({}, 0, false);
    } else if (cursor[0] == snapshot_head && cursor.size() == 1 + id_bytes) {
      add_sessions(get_id(cursor.substr(1)), 0, false);
    } else if (cursor[0] == snapshot_replies && cursor.size() == 1 + id_bytes + 8) {
      add_sessions(get_id(cursor.substr(1)), get_sorted(cursor, 1 + id_bytes), true);
    } else {
      return fail_cursor();
    }
    return std::move(chunk_);
  }

 private:
  static std::unexpected<Error> fail_cursor() {
    return fail(Code::malformed, "this is not a cursor of a snapshot");
  }

  /// The cursor after a row or a reply.
  static std::string after(std::string_view inner) {
    std::string next(inner);
    if (inner[0] == snapshot_row) {
      next.push_back('\0');  // the next possible key
    } else {
      next = replies_key(get_id(inner.substr(1)), get_sorted(inner, 1 + id_bytes) + 1);
    }
    return next;
  }

  [[nodiscard]] bool room_for(std::size_t bytes) const {
    return chunk_.rows.empty() || used_ + bytes <= bytes_max_;
  }
  void add(std::string_view key, std::string_view value) {
    used_ += key.size() + value.size();
    chunk_.rows.push_back(pack(key, value));
  }
  void add_fragment(std::string_view inner, std::string_view value, std::size_t offset) {
    const std::size_t count = std::min(bytes_max_, value.size() - offset);
    add(fragment_key(offset, value.size(), inner), value.substr(offset, count));
    chunk_.next =
        offset + count < value.size() ? fragment_key(offset + count, value.size(), inner) : after(inner);
  }

  /// The next fragment of the same value; false if it is not the same any more.
  Result<bool> go_on(const Fragment& fragment) {
    const auto inner = fragment.inner;
    bool added = false;
    const auto take = [&](std::string_view value) {
      if (value.size() != fragment.total || fragment.offset >= fragment.total) return;
      add_fragment(inner, value, fragment.offset);
      added = true;
    };
    if (inner[0] == snapshot_row) {
      const auto key = inner.substr(1);
      auto scanned = scan_(key, [&](std::string_view found, std::string_view value) {
        if (found == key) take(value);
        return false;
      });
      if (!scanned) return std::unexpected(scanned.error());
    } else if (inner[0] == snapshot_replies && inner.size() == 1 + id_bytes + 8) {
      const Session* session = sessions_.find(get_id(inner.substr(1)));
      const auto seq = get_sorted(inner, 1 + id_bytes);
      if (session == nullptr) return false;
      if (const auto reply = session->replies.find(seq); reply != session->replies.end()) {
        take(encode_reply(seq, reply->second));
      }
    } else {
      return fail_cursor();
    }
    return added;
  }

  /// True if all rows are given.
  Result<bool> add_rows(std::string_view from) {
    bool all = true;
    auto scanned = scan_(from, [&](std::string_view key, std::string_view value) {
      std::string row(1, snapshot_row);
      row.append(key);
      const std::size_t bytes = row.size() + value.size();
      if (room_for(bytes) && bytes <= bytes_max_) {
        add(row, value);
        return true;
      }
      all = false;
      if (chunk_.rows.empty()) {
        add_fragment(row, value, 0);
      } else {
        chunk_.next = std::move(row);
      }
      return false;
    });
    if (!scanned) return std::unexpected(scanned.error());
    return all;
  }

  /// From session `from` on; `replies_only`: of that one only replies from `seq` on are still to come.
  void add_sessions(const SessionId& from, std::uint64_t seq, bool replies_only) {
    std::vector<SessionId> ids;
    for (const auto& [id, session] : sessions_.all()) {
      if (id >= from) ids.push_back(id);
    }
    std::ranges::sort(ids);
    for (const SessionId& id : ids) {
      const Session& session = *sessions_.find(id);
      const bool head_given = replies_only && id == from;
      if (!head_given) {
        Session head = {.opened = session.opened,
                        .last_used = session.last_used,
                        .ack_below = session.ack_below,
                        .replies = {}};
        std::string key(1, snapshot_head);
        key.append(view_of(id));
        std::string value = encode_session(head);
        if (!room_for(key.size() + value.size())) {
          chunk_.next = std::move(key);
          return;
        }
        add(key, value);
      }
      if (!add_replies(id, session, head_given ? seq : 0)) return;
    }
  }

  /// False if the chunk is full.
  bool add_replies(const SessionId& id, const Session& session, std::uint64_t seq) {
    auto at = session.replies.lower_bound(seq);
    while (at != session.replies.end()) {
      const auto key = replies_key(id, at->first);
      Session piece;
      std::size_t bytes = key.size();
      for (; at != session.replies.end(); ++at) {
        const std::size_t more = at->second.reply.size() + reply_framing;
        if (used_ + bytes + more > bytes_max_) break;
        bytes += more;
        piece.replies.insert(*at);
      }
      if (!piece.replies.empty()) {
        add(key, encode_session(piece));
        continue;
      }
      if (chunk_.rows.empty()) {
        add_fragment(key, encode_reply(at->first, at->second), 0);
      } else {
        chunk_.next = key;
      }
      return false;
    }
    return true;
  }

  std::size_t bytes_max_;
  const ScanRows& scan_;
  const SessionTable& sessions_;
  SnapshotChunk chunk_;
  std::size_t used_ = 0;
};

}  // namespace

Result<SnapshotChunk> make_chunk(std::string_view cursor, std::size_t bytes_max, const ScanRows& scan,
                                 const SessionTable& sessions) {
  return ChunkMaker(bytes_max, scan, sessions).make(cursor);
}

Result<void> FragmentJoiner::take(
    const Change& packed, const std::function<Result<void>(std::string_view, std::string_view)>& whole) {
  const auto refuse = [] {
    return fail(Code::malformed, "a row of a snapshot chunk is malformed or out of order");
  };
  const auto row = unpack(packed);
  if (!row) return refuse();
  if (row->key[0] != snapshot_fragment) {
    clear();
    return whole(row->key, row->value);
  }
  const auto fragment = parse_fragment(row->key);
  if (!fragment || fragment->inner.size() < 2 || fragment->total > fragmented_bytes_max ||
      row->value.empty() || fragment->offset > fragment->total ||
      row->value.size() > fragment->total - fragment->offset) {
    return refuse();
  }
  if (fragment->offset == 0) {
    key_ = fragment->inner;
    value_.clear();
  } else if (key_ != fragment->inner || value_.size() != fragment->offset) {
    return refuse();
  }
  value_.append(row->value);
  if (value_.size() < fragment->total) return {};
  const std::string key = std::exchange(key_, {});
  const std::string value = std::exchange(value_, {});
  return whole(key, value);
}

Result<void> FragmentJoiner::end(const SnapshotChunk& chunk) {
  if (chunk.rows.empty()) clear();
  if (!chunk.next.empty() || !unfinished()) return {};
  clear();
  return fail(Code::malformed, "a snapshot ends in the midst of a row");
}

bool join_session(std::string_view key, std::string_view value,
                  std::unordered_map<SessionId, Session>& sessions) {
  const bool head = key.size() == 1 + id_bytes && key[0] == snapshot_head;
  const bool replies = key.size() == 1 + id_bytes + 8 && key[0] == snapshot_replies;
  if (!head && !replies) return false;
  auto piece = decode_session(value);
  if (!piece) return false;
  const SessionId id = get_id(key.substr(1));
  if (head) {
    sessions[id] = std::move(*piece);
    return true;
  }
  const auto found = sessions.find(id);
  if (found == sessions.end()) return true;  // closed before its head was given
  for (auto& [seq, reply] : piece->replies) {
    if (seq >= found->second.ack_below) found->second.replies.insert_or_assign(seq, std::move(reply));
  }
  return true;
}

std::string encode_progress(const Tables::SnapshotProgress& progress) {
  std::string bytes;
  bytes.push_back(static_cast<char>((progress.rows_complete ? 1 : 0) | (progress.first_tag ? 2 : 0)));
  put_position(bytes, progress.first_tag.value_or(Position{}));
  put_position(bytes, progress.last_tag.value_or(Position{}));
  bytes.append(progress.cursor);
  return bytes;
}

std::optional<Tables::SnapshotProgress> decode_progress(std::string_view bytes) {
  if (bytes.size() < 1 + 2 * position_bytes) return std::nullopt;
  Tables::SnapshotProgress progress;
  progress.rows_complete = (bytes[0] & 1) != 0;
  if ((bytes[0] & 2) != 0) {
    progress.first_tag = get_position(bytes, 1);
    progress.last_tag = get_position(bytes, 1 + position_bytes);
  }
  progress.cursor = bytes.substr(1 + 2 * position_bytes);
  return progress;
}

}  // namespace pollux
