#include "web/pages.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <string>

namespace pollux {
namespace {

constexpr std::string_view folder = "/web/";
constexpr std::string_view page = "index.html";

std::string_view content_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/javascript; charset=utf-8";
}

/// By content, so that a browser that has the file asks in vain until a new version brings another.
std::string tag_of(std::string_view content) {
  std::array<unsigned char, crypto_generichash_BYTES_MIN> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(content.data()),
                     content.size(), nullptr, 0);
  std::array<char, 2 * hash.size() + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return "\"" + std::string(hex.data()) + "\"";
}

bool wants_html(const HttpRequest& request) {
  return request.header_list("Accept").value_or("").find("text/html") != std::string::npos;
}

}  // namespace

std::optional<HttpResponse> web_page(const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  const std::string_view path = request.target.substr(0, request.target.find('?'));
  const bool root = path == "/" && wants_html(request);
  if (!root && !path.starts_with(folder)) return std::nullopt;
  const std::string_view name = root ? page : path.substr(folder.size());
  const auto found = std::ranges::find(web_files(), name, &WebFile::name);
  if (found == web_files().end()) return std::nullopt;

  const std::string tag = tag_of(found->content);
  HttpResponse response{.status = 200, .headers = {}, .body = {}, .length = {}, .close = false};
  response.add("Content-Type", content_type(name));
  response.add("ETag", tag);
  response.add("Cache-Control", "no-cache");
  if (root) response.add("Vary", "Accept");
  // Nothing from elsewhere, nothing inline, nobody's frame: a file that was uploaded can't act in this page's
  // name.
  response.add("Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
               "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.add("X-Content-Type-Options", "nosniff");
  response.add("Referrer-Policy", "no-referrer");
  if (request.header_list("If-None-Match").value_or("").find(tag) != std::string::npos) {
    response.status = 304;
  } else if (request.method == "HEAD") {
    response.length = found->content.size();
  } else {
    response.body = found->content;
  }
  return response;
}

}  // namespace pollux
