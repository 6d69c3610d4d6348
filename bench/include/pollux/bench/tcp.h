// `pollux bench tcp`: round trips and throughput over TCP, by message size, number of sessions and socket
// settings, on this host or to another.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchTcpOptions {
  std::vector<std::string> modes;      ///< "latency", "throughput"; empty: both
  std::vector<std::string> libraries;  ///< "raw", "zmq"; empty: both
  std::vector<std::uint64_t> bytes;    ///< of a message; empty: 16 B to 256 KiB
  std::vector<std::uint32_t>
      buffers;  ///< SO_SNDBUF = SO_RCVBUF, 0: auto; empty: a sweep at sweep_bytes, else auto
  std::vector<unsigned> sessions = {1};  ///< connections that share the messages of throughput
  std::vector<bool> nodelay = {true};    ///< Nagle's algorithm off
  std::vector<std::uint32_t> busy_poll_us = {0};
  std::uint64_t messages = 100'000;       ///< of throughput, in a run
  std::uint64_t round_trips = 10'000;     ///< of latency, in a run
  std::chrono::milliseconds limit{2000};  ///< of a run
  std::uint64_t rate = 0;  ///< of latency: a second, timed from when they were due; 0: closed loop
  std::string peer;        ///< "HOST:PORT" of `pollux bench peer`; empty: loopback
  std::chrono::milliseconds give_up{10'000};
};
/// What --quick makes smaller, unless it was given.
void make_quick(BenchTcpOptions& options);
int bench_tcp(const BenchCommon& common, const BenchTcpOptions& options);

}  // namespace pollux
