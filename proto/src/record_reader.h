// Reads a record's bytes in place: what it finds are views into them.
//
// protobuf's own parser copies each text into a string of its own. A member reads every record that its peer
// sends and keeps tens of thousands of them, so here the wire format (varints, and lengths before texts; see
// "Encoding" in protobuf's documentation) is walked by hand. What is rare, a leader's words, is left to protobuf.
#pragma once

#include <string_view>
#include <vector>

#include "pollux/core/record.h"
#include "pollux/core/result.h"

namespace pollux {

class RecordReader {
 public:
  /// `malformed` if `bytes` are not a record. The views found are valid as long as `bytes` and this reader are.
  Result<const RecordView*> read(std::string_view bytes);

 private:
  RecordView record_;
  std::vector<ChangeView> changes_;
  Leads leads_;
};

}  // namespace pollux
