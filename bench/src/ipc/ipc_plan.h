// The cells of `bench ipc`.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "host/cpu_places.h"
#include "peer/echo.h"
#include "peer/peer.h"
#include "pollux/bench/ipc.h"
#include "run/plan.h"

namespace pollux {

/// What all cells of one call share: the far end, started when it is first needed.
class IpcBench {
 public:
  IpcBench(const BenchCommon& common, BenchIpcOptions options, std::filesystem::path directory,
           EchoFaults faults = {})
      : common_(common), options_(std::move(options)), directory_(std::move(directory)), faults_(faults) {}

  [[nodiscard]] const BenchCommon& common() const { return common_; }
  [[nodiscard]] const BenchIpcOptions& options() const { return options_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const EchoFaults& faults() const { return faults_; }
  /// A new one if the last one is gone.
  Result<Peer*> peer() { return peer_.get(); }
  void drop_peer() { peer_.drop(); }

 private:
  const BenchCommon common_;
  const BenchIpcOptions options_;
  const std::filesystem::path directory_;
  const EchoFaults faults_;
  SharedPeer peer_{common_.command, directory_, options_.peer};
};

/// Groups for every place and transport that the options name. They keep `bench` alive.
std::vector<CellGroup> plan_ipc(const std::shared_ptr<IpcBench>& bench);

/// One run over a channel or, for zmq-inproc, between two threads.
Result<CellRun> run_echo(IpcBench& bench, const std::string& transport, std::size_t bytes,
                         const CpuPlace& place);

/// Cells of a real pair: "pollux-query" (an echo without journal: a confirmed read) and "pollux-commit"
/// (journaled on both members). Placed on the same CPUs as the others of that place.
CellGroup plan_pair_echo(const std::shared_ptr<IpcBench>& bench, const CpuPlace& place,
                         const std::vector<std::string>& transports, const std::vector<std::uint64_t>& sizes);

/// Sizes at which the time per byte rises, for each transport and place, with the edge that it likely is.
void find_knees(const std::vector<Cell>& cells, std::vector<Finding>& findings);

}  // namespace pollux
