#include "http/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

namespace pollux {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

constexpr std::size_t file_bytes_max = 1u << 20;
/// Of an ALPN list (RFC 7301, 3.1): each name after its length.
constexpr std::string_view http_11 = "\x08http/1.1";

/// Changes whenever the file does. Its content is not compared: it may be a secret.
std::string stamp_of(const std::filesystem::path& file) {
  struct ::stat info{};
  if (::stat(file.c_str(), &info) != 0) return "missing\n";
  std::string out;
  for (const auto number :
       {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
        static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(info.st_mtim.tv_sec),
        static_cast<std::uint64_t>(info.st_mtim.tv_nsec), static_cast<std::uint64_t>(info.st_ctim.tv_sec),
        static_cast<std::uint64_t>(info.st_ctim.tv_nsec)}) {
    out.append(std::to_string(number)).append(" ");
  }
  return out.append("\n");
}

Result<std::string> read(const std::filesystem::path& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return fail(Code::bad_config, "can't read " + name.string() + ": " + std::strerror(errno));
  std::string bytes(file_bytes_max + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || bytes.empty())
    return fail(Code::bad_config, "can't read " + name.string() + ": it is empty, or no file");
  if (bytes.size() > file_bytes_max)
    return fail(Code::bad_config, name.string() + " is larger than 1 MiB: that is no PEM file");
  return bytes;
}

/// RFC 7301, 3.2: without a protocol in common the handshake ends.
int choose_protocol(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned offered_size, void* /*unused*/) {
  unsigned char* found = nullptr;
  const int outcome =
      SSL_select_next_proto(&found, chosen_size, reinterpret_cast<const unsigned char*>(http_11.data()),
                            static_cast<unsigned>(http_11.size()), offered, offered_size);
  if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

std::unexpected<Error> bad_file(const std::filesystem::path& file, std::string_view why,
                                const ErrorCode& error) {
  return fail(Code::bad_config, file.string() + " " + std::string(why) + " (" + error.message() + ")");
}

Result<std::shared_ptr<asio::ssl::context>> load(const TlsFiles& files) {
  const auto certificate = read(files.certificate);
  if (!certificate) return std::unexpected(certificate.error());
  const auto key = read(files.key);
  if (!key) return std::unexpected(key.error());
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);  // tickets need no memory here
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  ErrorCode error;
  // OpenSSL would ask for a passphrase on the terminal.
  context->set_password_callback(
      [](std::size_t, asio::ssl::context::password_purpose) { return std::string(); }, error);
  context->use_certificate_chain(asio::buffer(*certificate), error);
  if (error) return bad_file(files.certificate, "holds no certificate in PEM form", error);
  context->use_private_key(asio::buffer(*key), asio::ssl::context::pem, error);
  if (error) {
    return bad_file(files.key,
                    "holds no private key in PEM form that is without a passphrase and belongs to " +
                        files.certificate.string(),
                    error);
  }
  const bool together = SSL_CTX_check_private_key(native) == 1;
  ERR_clear_error();
  if (!together) {
    return fail(Code::bad_config,
                files.key.string() + " is not the key of the certificate in " + files.certificate.string());
  }
  return context;
}

}  // namespace

Result<std::unique_ptr<TlsKeeper>> TlsKeeper::open(TlsFiles files) {
  std::unique_ptr<TlsKeeper> keeper(new TlsKeeper(std::move(files)));
  if (const auto loaded = keeper->refresh(true); !loaded) return std::unexpected(loaded.error());
  return keeper;
}

std::shared_ptr<asio::ssl::context> TlsKeeper::current() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

Result<bool> TlsKeeper::refresh(bool even_if_unchanged) {
  // Taken before the files are read: one that changes meanwhile is read again next time.
  std::string stamp = stamp_of(files_.certificate) + stamp_of(files_.key);
  if (stamp == stamp_ && !even_if_unchanged) return false;
  stamp_ = std::move(stamp);
  auto loaded = load(files_);
  if (!loaded) return std::unexpected(loaded.error());
  const std::lock_guard lock(mutex_);
  context_ = std::move(*loaded);
  return true;
}

}  // namespace pollux
