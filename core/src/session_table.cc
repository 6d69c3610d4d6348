#include "pollux/core/session_table.h"

#include <algorithm>

namespace pollux {

void SessionTable::apply(const RecordView& record) {
  switch (record.kind) {
    case RecordKind::leads: return;
    case RecordKind::session_opened: {
      Session session;
      session.opened = record.time;
      session.last_used = record.time;
      sessions_.insert_or_assign(record.sync.session, std::move(session));
      dirty_.insert(record.sync.session);
      return;
    }
    case RecordKind::session_closed:
      sessions_.erase(record.sync.session);
      dirty_.insert(record.sync.session);
      return;
    case RecordKind::request:
    case RecordKind::tombstone: break;
  }
  const auto found = sessions_.find(record.sync.session);
  if (found == sessions_.end()) return;  // closed between dispatch and execution
  Session& session = found->second;
  session.last_used = record.time;
  session.ack_below = std::max(session.ack_below, record.ack_below);
  while (!session.replies.empty() && session.replies.begin()->first < session.ack_below) {
    session.reply_bytes -= session.replies.begin()->second.reply.size();
    session.replies.erase(session.replies.begin());
  }
  if (record.sync.seq >= session.ack_below) {
    StoredReply& kept = session.replies[record.sync.seq];
    session.reply_bytes += record.reply.size() - kept.reply.size();
    kept = StoredReply{record.lsn, record.code, std::string(record.reply)};
  }
  dirty_.insert(record.sync.session);
}

const Session* SessionTable::find(const SessionId& id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

void SessionTable::restore(const SessionId& id, Session session) {
  session.reply_bytes = 0;
  for (const auto& [seq, reply] : session.replies) session.reply_bytes += reply.reply.size();
  sessions_.insert_or_assign(id, std::move(session));
}

void SessionTable::clear() {
  sessions_.clear();
  dirty_.clear();
}

std::unordered_set<SessionId> SessionTable::take_dirty() { return std::exchange(dirty_, {}); }

}  // namespace pollux
