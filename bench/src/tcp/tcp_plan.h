// The cells of `bench tcp`.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "peer/channel.h"
#include "peer/peer.h"
#include "peer/socket_settings.h"
#include "pollux/bench/tcp.h"
#include "run/plan.h"

namespace pollux {

class TcpBench {
 public:
  TcpBench(const BenchCommon& common, BenchTcpOptions options, std::filesystem::path directory)
      : common_(common), options_(std::move(options)), directory_(std::move(directory)) {}
  [[nodiscard]] const BenchTcpOptions& options() const { return options_; }
  /// A new one if the last one is gone.
  Result<Peer*> peer() { return peer_.get(); }
  void drop_peer() { peer_.drop(); }

 private:
  const BenchCommon common_;
  const BenchTcpOptions options_;
  const std::filesystem::path directory_;
  SharedPeer peer_{common_.command, directory_, options_.peer};
};

struct TcpCell {
  std::string library;  ///< "raw", "zmq"
  std::uint64_t bytes = 0;
  unsigned sessions = 1;
  SocketSettings settings;
};
Result<CellRun> run_tcp_latency(TcpBench& bench, const TcpCell& cell);
Result<CellRun> run_tcp_throughput(TcpBench& bench, const TcpCell& cell);

/// Groups of all cells that the options name. They keep `bench` alive.
std::vector<CellGroup> plan_tcp(const std::shared_ptr<TcpBench>& bench);
/// The size from which on throughput hardly grows any more, for each way to send.
void find_plateaus(const std::vector<Cell>& cells, std::vector<Finding>& findings);

}  // namespace pollux
