// What `bench groupware` found, and its two forms on paper.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "groupware/groupware_pair.h"
#include "host/host.h"
#include "pollux/bench/groupware.h"
#include "pollux/bench/histogram.h"
#include "run/cell.h"

namespace pollux {

enum class CellKind { get, put_new, put_changed, propfind, multiget, query, sync, idle, wrk, ab };
/// The word by which cells are chosen: both kinds of PUT are "put".
std::string_view word_of(CellKind kind);

/// What a cell is to reach.
struct Asked {
  std::vector<std::string> of;         ///< servers that ours is compared with
  std::uint64_t hundredths_min = 0;    ///< so many times their rate; 0: no ratio
  std::int64_t p50_ns_max = 0;         ///< 0: no time
  std::uint64_t memory_bytes_max = 0;  ///< 0: no memory
  std::uint64_t events = 0;            ///< it is asked for this number of events; 0: for any

  [[nodiscard]] bool anything() const { return hundredths_min + memory_bytes_max > 0 || p50_ns_max > 0; }
};

struct CellPlan {
  CellKind kind = CellKind::get;
  std::string name;  ///< "GET 700 B", unique together with the connections
  unsigned connections = 1;
  std::uint32_t item_bytes = 0;  ///< of a GET
  unsigned items = 0;            ///< of a multiget
  Asked asked;
};

/// One server in one cell.
struct ServerFigure {
  std::string server;
  Verdict verdict = Verdict::ok;
  std::string reason;   ///< unless ok: why
  std::string note;     ///< what must be known to read it
  bool failed = false;  ///< it answered, and wrongly
  std::uint64_t per_second_milli = 0;
  std::vector<std::uint64_t> parts_milli;      ///< rates of the parts it was measured in
  Histogram latency;                           ///< empty for the tools that keep their own
  std::optional<std::int64_t> p50_ns, p99_ns;  ///< as told
  std::uint64_t answered = 0, failures = 0, connects = 0;
  std::uint64_t memory_bytes = 0;

  [[nodiscard]] bool usable() const { return verdict == Verdict::ok || verdict == Verdict::noisy; }
};

/// Ours to another's, in hundredths: rates, so that more is better.
struct Ratio {
  std::string to;
  std::optional<std::uint64_t> hundredths;
};

enum class AskedOutcome { nothing_asked, met, not_met, open };
std::string_view to_string(AskedOutcome outcome);

struct GroupwareCell {
  CellPlan plan;
  std::vector<ServerFigure> servers;             ///< ours first
  std::uint64_t steal_ppm = 0, foreign_ppm = 0;  ///< of all processor time meanwhile
  HostCounters counters;
  // Filled in by judge():
  Verdict verdict = Verdict::ok;
  std::string reason;
  std::vector<Ratio> ratios;
  AskedOutcome outcome = AskedOutcome::nothing_asked;
  std::string asked_words;  ///< what is asked and what became of it

  [[nodiscard]] const ServerFigure* find(std::string_view server) const;
};

struct ServerSummary {
  std::string name, version, how;
  std::string not_available;  ///< why it was not measured; empty if it was
  bool wanted = true;         ///< false: the caller left it out
};

struct GroupwareReport {
  HostProfile host;
  std::string directory, file_system;
  std::uint64_t events = 0;
  bool quick = false;
  bool complete = true;  ///< false: interrupted, and not checked at the end
  std::int64_t cell_ns = 0;
  std::vector<ServerSummary> servers;
  std::vector<GroupwareCell> cells;
  GroupwareCheck check;
  std::uint64_t stored = 0, found = 0;  ///< new items that were acknowledged, and found again at the end
  std::vector<std::string> failed, invalid, noisy;  ///< reasons, one sentence each

  [[nodiscard]] const char* verdict() const;
};

/// Fills in what follows from the figures.
void judge(GroupwareReport& report);
/// Verdict of a figure that was measured in parts: noisy if they differ too much.
void judge_parts(ServerFigure& figure);
void print_table(const GroupwareReport& report, std::ostream& out);
/// One for each server in each cell, and one for what was found again at the end.
std::vector<Cell> cells_of(const GroupwareReport& report);

/// "1,234" a second, or "12.3" or "0.123" below a hundred.
std::string rate_text(std::uint64_t per_second_milli);

}  // namespace pollux
