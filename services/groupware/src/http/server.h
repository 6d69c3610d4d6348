// The gateway's listener and its threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/limits.h"
#include "http/pair_client.h"
#include "http/tls.h"
#include "pollux/core/result.h"

namespace pollux {

struct ServerOptions {
  std::string listen =
      "127.0.0.1:8080";  ///< ADDRESS:PORT, [ADDRESS]:PORT or localhost:PORT; port 0: a free one
  int listening = -1;  ///< a socket that listens there already, to be taken over; -1: none
  std::size_t threads = 1;
  GatewayLimits limits;
  std::optional<TlsFiles> tls;  ///< none: plain HTTP, on a loopback address
};

class GatewayServer {
 public:
  /// Listens and serves at once. bad_config: the address is malformed, or no loopback address and there is no
  /// TLS (Basic authentication needs it elsewhere), or the certificate can't be used; in_use: the port is
  /// taken.
  static Result<std::unique_ptr<GatewayServer>> open(const ServerOptions& options,
                                                     std::unique_ptr<PairClient> pair);
  ~GatewayServer();  ///< stops

  [[nodiscard]] std::string listening() const;  ///< ADDRESS:PORT
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  /// As TlsKeeper::refresh; false without TLS. Open connections keep the certificate they have.
  Result<bool> refresh_certificate(bool even_if_unchanged);
  /// No new connections; open requests are answered, up to limits.stop; then the threads end.
  void stop();

 private:
  struct Impl;
  explicit GatewayServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pollux
