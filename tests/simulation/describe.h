// Events, actions and members in one short line each: for the trace and for scenarios.
#pragma once

#include <string>

#include "pollux/core/actions.h"
#include "pollux/core/events.h"
#include "simulation/observer.h"

namespace pollux::testing {

std::string describe(const Position& position);
std::string describe(const Configuration& configuration);
std::string describe(const RecordView& record);
std::string describe(const PeerBody& body);
std::string describe(const RequesterMessage& message);
std::string describe(const RequesterReply& reply);
std::string describe(const Event& event);
std::string describe(const Action& action);
std::string describe(const Member& member);
std::string describe(const Operation& operation);

/// Ids become names ("A1": member A's first run) while a NameScope lives; otherwise they are hex.
class NameScope {
 public:
  NameScope();
  ~NameScope();
  static void name(const RunId& run, std::string text);
  static void name(const IncarnationId& incarnation, std::string text);
  static void name(const SessionId& session, std::string text);
};

}  // namespace pollux::testing
