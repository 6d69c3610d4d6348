#include "peer/peer.h"

#include "groupware/server_under_test.h"
#include "pollux/bench/spawned_pair.h"

namespace pollux {

namespace {
constexpr std::chrono::seconds start_limit(10);
}

Result<std::unique_ptr<Peer>> Peer::start_here(const std::string& command,
                                               const std::filesystem::path& directory) {
  std::unique_ptr<Peer> peer(new Peer());
  const auto control = (directory / "peer.sock").string(), output = (directory / "peer.out").string();
  std::filesystem::remove(control);
  auto process = ChildProcess::start({.argv = {command, "bench", "peer", "--control", control},
                                      .environment = {},
                                      .input = {},
                                      .output = output,
                                      .end_signal = SIGKILL});
  if (!process) return std::unexpected(process.error());
  peer->process_ = std::move(*process);
  const bool there = SpawnedPair::wait_until(
      [&] {
        if (auto fd = connect_unix(control)) peer->control_ = std::make_unique<LineSocket>(*fd);
        return peer->control_ != nullptr || !peer->process_->running();
      },
      start_limit);
  if (!there || peer->control_ == nullptr) {
    return fail(Code::unreachable, "the far end did not start: " + last_words(output));
  }
  if (auto greeted = peer->expect("pollux-bench-peer-1", start_limit); !greeted)
    return std::unexpected(greeted.error());
  return peer;
}

Result<std::unique_ptr<Peer>> Peer::connect(const std::string& address) {
  const auto parts = host_and_port(address);
  if (!parts) return std::unexpected(parts.error());
  auto fd = connect_tcp(parts->first, parts->second, answer_limit);
  if (!fd) {
    return fail(fd.error().code,
                fd.error().text + "; start 'pollux bench peer --listen HOST:PORT' on the other host first");
  }
  std::unique_ptr<Peer> peer(new Peer());
  peer->control_ = std::make_unique<LineSocket>(*fd);
  peer->host_ = parts->first;
  if (auto greeted = peer->expect("pollux-bench-peer-1", answer_limit); !greeted) {
    return fail(greeted.error().code, address + " is no far end of this version: " + greeted.error().text);
  }
  return peer;
}

Result<Facts> Peer::expect(const std::string& verb, std::chrono::milliseconds limit) {
  auto line = control_->read(limit);
  if (!line) return std::unexpected(line.error());
  if (line->verb == "refused")
    return fail(Code::unreachable, "the far end says: " + std::string(fact(line->words, "why")));
  if (line->verb != verb)
    return fail(Code::unreachable, "the far end says '" + line->verb + "' instead of '" + verb + "'");
  return std::move(line->words);
}

Result<Facts> Peer::order(const std::string& verb, Facts words) {
  if (auto sent = control_->write({verb, std::move(words)}); !sent) return std::unexpected(sent.error());
  return expect("ready", answer_limit);
}

Result<Facts> Peer::done(std::chrono::milliseconds limit) { return expect("done", limit); }

Result<Peer*> SharedPeer::get() {
  if (peer_ != nullptr && peer_->gone()) peer_.reset();
  if (peer_ == nullptr) {
    auto peer = address_.empty() ? Peer::start_here(command_, directory_) : Peer::connect(address_);
    if (!peer) return std::unexpected(peer.error());
    peer_ = std::move(*peer);
  }
  return peer_.get();
}

}  // namespace pollux
