// Every limit of a gateway, with its name and its default.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pollux {

struct GatewayLimits {
  // Sizes.
  std::size_t header_bytes_max = 32u << 10;  ///< request line and headers together; beyond: 431
  std::size_t headers_max = 128;
  std::size_t target_bytes_max = 8u << 10;        ///< beyond: 414
  std::uint64_t body_bytes_max = 8u << 20;        ///< of an item; beyond: 413
  std::size_t xml_bytes_max = 1u << 20;           ///< of a body that is no item's; beyond: 413
  std::size_t bodies_bytes_max = 128u << 20;      ///< of all bodies on their way in and out; beyond: 503
  std::size_t multistatus_bytes_max = 64u << 20;  ///< of one PROPFIND answer; beyond: 507
  std::size_t infinite_resources_max = 10'000;    ///< told by one PROPFIND with Depth infinity; beyond: 403
  std::size_t connections_max = 1000;             ///< beyond: the longest idle one makes room, or 503
  std::size_t drain_bytes_max = 64u << 10;        ///< of an unwanted body that is read to keep the connection
  std::size_t linger_bytes_max = 1u << 20;        ///< thrown away after an answer that ends the connection
  std::size_t check_inline_bytes_max = 64u
                                       << 10;  ///< larger calendar files are checked on a thread of their own
  std::size_t work_queue_max = 256;            ///< checks waiting for that thread; beyond: 503
  std::size_t gzip_bytes_min = 1u << 10;       ///< smaller answers are sent as they are
  std::size_t gzip_inline_bytes_max = 64u << 10;  ///< larger answers are compressed on a thread of their own
  std::size_t gzip_queue_max = 8;          ///< answers waiting for that thread; beyond: sent as they are
  std::size_t login_queue_max = 64;        ///< passwords waiting to be verified; beyond: 503
  std::size_t login_queue_client_max = 8;  ///< of them from one client's network; beyond: 503
  std::size_t login_cache_max = 10000;     ///< verified logins remembered
  std::size_t login_throttle_max = 10000;  ///< (user, client network) pairs whose failures are counted
  unsigned login_guesses_free = 5;         ///< different wrong passwords before the first delay

  // Times.
  std::chrono::milliseconds idle{75'000};           ///< between two requests of a connection
  std::chrono::milliseconds tls_handshake{10'000};  ///< from a connection's begin to the end of its handshake
  std::chrono::milliseconds tls_check{10'000};  ///< how often is looked whether the certificate has changed
  std::chrono::milliseconds header{10'000};     ///< from a request's first byte to the end of its headers
  std::chrono::milliseconds transfer{20'000};   ///< for a body or an answer, and more for its size:
  std::size_t transfer_bytes_per_second_min = 16u << 10;
  std::chrono::milliseconds linger{2'000};
  std::chrono::milliseconds stop{5'000};              ///< open requests are answered before the gateway stops
  std::chrono::milliseconds sweep{500};               ///< how often overdue connections are looked for
  std::uint32_t retry_after_s = 2;                    ///< said with a 503
  std::chrono::milliseconds login_delay_min{1'000};   ///< after a guess too many; doubles with each: 429
  std::chrono::milliseconds login_delay_max{60'000};  ///< the longest such delay
  std::chrono::milliseconds login_forget{900'000};    ///< failures count for this long after the last one
};

}  // namespace pollux
