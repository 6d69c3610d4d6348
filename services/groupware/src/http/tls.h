// The gateway's certificate and key: read at start, and again when the files change, without a stop.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "pollux/core/result.h"

namespace pollux {

/// PEM files: the certificate with its chain, and its private key (without a passphrase).
struct TlsFiles {
  std::filesystem::path certificate, key;
};

class TlsKeeper {
 public:
  /// bad_config: a file can't be read, is no PEM, has a passphrase, or the two don't belong together.
  static Result<std::unique_ptr<TlsKeeper>> open(TlsFiles files);

  /// For a new connection. TLS 1.2 or 1.3, ALPN http/1.1. Any thread.
  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> current() const;

  /// Reads the files again if they are others than those read last, or `even_if_unchanged`. True: new
  /// connections get what they hold; false: nothing to do. On an error the old certificate stays in use; the
  /// same bad files are told once. One thread at a time.
  Result<bool> refresh(bool even_if_unchanged);

 private:
  explicit TlsKeeper(TlsFiles files) : files_(std::move(files)) {}

  TlsFiles files_;
  std::string stamp_;  ///< of the files read last
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_;
};

}  // namespace pollux
