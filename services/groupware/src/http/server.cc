#include "http/server.h"

#include <boost/asio/post.hpp>
#include <charconv>
#include <thread>
#include <vector>

#include "http/lane.h"

namespace pollux {
namespace {

namespace asio = boost::asio;
using boost::asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr auto accept_again_after = std::chrono::milliseconds(100);  // out of descriptors

std::unexpected<Error> bad_listen(const std::string& listen, std::string_view why) {
  return fail(Code::bad_config, "listen = \"" + listen + "\": " + std::string(why));
}

Result<tcp::endpoint> parse_listen(const std::string& listen, bool with_tls) {
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string::npos) return bad_listen(listen, "write ADDRESS:PORT, for example 127.0.0.1:8080");
  std::string host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  std::uint16_t port = 0;
  const char* end = listen.data() + listen.size();
  const auto parsed = std::from_chars(listen.data() + colon + 1, end, port);
  ErrorCode error;
  const auto address = asio::ip::make_address(host, error);
  if (error || parsed.ec != std::errc() || parsed.ptr != end) {
    return bad_listen(listen, "write ADDRESS:PORT, for example 127.0.0.1:8080");
  }
  if (!address.is_loopback() && !with_tls) {
    return bad_listen(
        listen,
        "without TLS passwords would travel in the clear, so a gateway listens on 127.0.0.1 or [::1] "
        "only; set `tls_certificate` and `tls_key`, or put a proxy with TLS before it");
  }
  return tcp::endpoint(address, port);
}

std::string to_text(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(endpoint.port());
}

}  // namespace

// Destroyed from the end: first the pair's client, whose callbacks may still use everything before it.
struct GatewayServer::Impl {
  HttpShared shared;
  std::vector<std::unique_ptr<HttpLane>> lanes;
  std::unique_ptr<tcp::acceptor> acceptor;
  std::unique_ptr<asio::steady_timer> accept_timer;
  std::unique_ptr<TlsKeeper> tls;
  std::unique_ptr<Front> front;
  std::unique_ptr<PairClient> pair;
  std::vector<std::thread> threads;
  std::size_t next_lane = 0;
  tcp::endpoint endpoint;
  bool stopped = false;

  ~Impl() {
    stop();
    front->stop();
    pair.reset();
  }

  Result<void> listen(const ServerOptions& options) {
    const auto wanted = parse_listen(options.listen, shared.tls != nullptr);
    if (!wanted) return std::unexpected(wanted.error());
    acceptor = std::make_unique<tcp::acceptor>(lanes[0]->io);
    accept_timer = std::make_unique<asio::steady_timer>(lanes[0]->io);
    ErrorCode error;
    if (options.listening >= 0) return take_over(options, wanted->protocol());
    acceptor->open(wanted->protocol(), error);
    if (!error) acceptor->set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor->bind(*wanted, error);
    if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
    if (!error) endpoint = acceptor->local_endpoint(error);
    if (error == asio::error::address_in_use) {
      return fail(Code::in_use, "The address " + options.listen +
                                    " is in use by another program: stop that, or choose another `listen`.");
    }
    if (error)
      return fail(Code::io_error, "Can't listen on " + options.listen + ": " + error.message() + ".");
    return {};
  }

  Result<void> take_over(const ServerOptions& options, const tcp& protocol) {
    ErrorCode error;
    acceptor->assign(protocol, options.listening, error);
    if (!error) endpoint = acceptor->local_endpoint(error);
    if (!error) return {};
    return fail(Code::io_error, "The socket that was given for " + options.listen + " can't be used: " + error.message() + ".");
  }

  void start() {
    accept();
    for (auto& lane : lanes) threads.emplace_back([&lane] { lane->run(); });
  }

  void accept() {
    HttpLane& lane = *lanes[next_lane++ % lanes.size()];
    acceptor->async_accept(lane.io, [this, &lane](ErrorCode error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || shared.stopping) return;
      if (!error) {
        asio::post(lane.io, [&lane, socket = std::move(socket)]() mutable { lane.take(std::move(socket)); });
        return accept();
      }
      accept_timer->expires_after(accept_again_after);
      accept_timer->async_wait([this](ErrorCode waited) {
        if (!waited && !shared.stopping) accept();
      });
    });
  }

  void stop() {
    if (std::exchange(stopped, true)) return;
    shared.stopping = true;
    asio::post(lanes[0]->io, [this] {
      ErrorCode ignored;
      acceptor->close(ignored);
      accept_timer->cancel();
    });
    for (auto& lane : lanes) asio::post(lane->io, [&lane] { lane->stop(); });
    for (auto& thread : threads) thread.join();
  }
};

GatewayServer::GatewayServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GatewayServer::~GatewayServer() = default;

Result<std::unique_ptr<GatewayServer>> GatewayServer::open(const ServerOptions& options,
                                                           std::unique_ptr<PairClient> pair) {
  Result<std::unique_ptr<TlsKeeper>> tls;
  if (options.tls) tls = TlsKeeper::open(*options.tls);
  if (!tls) return std::unexpected(tls.error());
  auto impl = std::make_unique<Impl>();
  impl->tls = std::move(*tls);
  impl->shared.tls = impl->tls.get();
  impl->shared.limits = options.limits;
  impl->pair = std::move(pair);
  impl->front = std::make_unique<Front>(*impl->pair, impl->shared.limits);
  impl->shared.front = impl->front.get();
  for (std::size_t at = 0; at < std::max<std::size_t>(options.threads, 1); ++at) {
    impl->lanes.push_back(std::make_unique<HttpLane>(impl->shared));
  }
  if (const auto listening = impl->listen(options); !listening) {
    impl->stopped = true;
    return std::unexpected(listening.error());
  }
  impl->start();
  return std::unique_ptr<GatewayServer>(new GatewayServer(std::move(impl)));
}

std::string GatewayServer::listening() const { return to_text(impl_->endpoint); }
std::uint16_t GatewayServer::port() const { return impl_->endpoint.port(); }
std::size_t GatewayServer::connections() const { return impl_->shared.connections; }
Result<bool> GatewayServer::refresh_certificate(bool even_if_unchanged) {
  return impl_->tls ? impl_->tls->refresh(even_if_unchanged) : false;
}
void GatewayServer::stop() { impl_->stop(); }

}  // namespace pollux
