// Every record that any executor ever made, so that a whole history can be told from its last hash, whatever
// the members' trails have dropped since.
#pragma once

#include <map>
#include <vector>

#include "simulation/observer.h"

namespace pollux::testing {

class RecordStore : public Observer {
 public:
  void on_record(const Member& member, const RecordPtr& record, const Hash& previous) override;

  /// All records from the first to the one of `last`. Throws a Violation if one was never made.
  [[nodiscard]] std::vector<RecordPtr> history(const Position& last) const;

 private:
  struct Made {
    RecordPtr record;
    Hash previous;
  };
  std::map<Hash, Made> made_;
};

}  // namespace pollux::testing
