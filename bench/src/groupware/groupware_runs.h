// The measurements that `bench groupware` is made of.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "groupware/groupware_report.h"
#include "http/http_load.h"

namespace pollux {

/// One server for the length of the run, and what was stored in it so far.
struct Lane {
  std::string name;
  std::string not_available;  ///< why `server` is null
  const ServerUnderTest* server = nullptr;
  RunningServer* running = nullptr;  ///< of another's server
  bool dav = true;                   ///< false: serves files only
  std::uint64_t stored = 0;          ///< items in the collection of new ones
  std::uint64_t version = 0;         ///< of the last change
  /// At so many connections it left some unanswered, since it makes a new one for each request; 0: never.
  unsigned unanswered_at = 0;
  std::map<std::string, std::int64_t> one_ns;  ///< by name of a cell: the time of one answer alone
};

struct GroupwareRun {
  const BenchGroupwareOptions& options;
  GroupwarePair& pair;
  std::vector<Lane> lanes;  ///< ours first
  Progress& progress;
};

Result<GroupwareReport> measure_groupware(const BenchCommon& common, const BenchGroupwareOptions& options,
                                          Progress& progress);
/// The same as cells, for `bench all`.
Result<std::vector<Cell>> groupware_cells(const BenchCommon& common, const BenchGroupwareOptions& options,
                                          Progress& progress);
/// What --quick makes smaller.
void make_quick(BenchGroupwareOptions& options);

/// All cells that the options choose, in the order they are measured.
std::vector<CellPlan> plan_cells(const BenchGroupwareOptions& options);
/// Whether a server takes part in this cell at all.
bool takes_part(const CellPlan& plan, std::string_view name, bool dav);

/// Each of these measures all lanes that take part, one after the other and then in reverse.
std::vector<ServerFigure> run_load_cell(GroupwareRun& run, const CellPlan& plan);
std::vector<ServerFigure> run_sync_cell(GroupwareRun& run, const CellPlan& plan);
std::vector<ServerFigure> run_outside_cell(GroupwareRun& run, const CellPlan& plan);
/// Ours only.
std::vector<ServerFigure> run_idle_cell(GroupwareRun& run, const CellPlan& plan);

/// How many of the new items that our server acknowledged it has, whole and with their ETag.
Result<std::uint64_t> count_stored(const Lane& ours);

/// A wrong answer, or none. Of ours it fails the run. One of the others that does not answer in time is
/// ended, so that what it goes on with does not disturb the cells that follow.
void fail_with(Lane& lane, ServerFigure& figure, const Error& error);

/// What one server is asked in a cell.
struct RequestSource {
  std::function<void(std::uint64_t n, HttpRequest& into)> request;
  std::int64_t one_ns = 0;  ///< the time of one answer alone
  std::string note;
};
/// Makes the requests, and sends one of each kind to see that the answer is what it must be.
Result<RequestSource> make_source(Lane& lane, const CellPlan& plan, std::uint64_t events);

/// A figure for each lane that takes part; those that are not there say why.
std::vector<ServerFigure> figures_for(const GroupwareRun& run, const CellPlan& plan);
/// Calls `part` for every usable figure and its lane, there and back.
void there_and_back(GroupwareRun& run, std::vector<ServerFigure>& figures,
                    const std::function<void(Lane& lane, ServerFigure& figure)>& part);
Lane* lane_of(GroupwareRun& run, std::string_view name);

}  // namespace pollux
