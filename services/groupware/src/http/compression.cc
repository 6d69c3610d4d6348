#include "http/compression.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace pollux {
namespace {

constexpr int gzip_level = 4;  // listings get hardly smaller beyond it, and it is three times as fast as 9
constexpr int gzip_window = 15 + 16;  // zlib's way to say: gzip
constexpr int gzip_memory = 8;        // 256 KiB while it works
constexpr int weight_full = 1000;

/// Of "gzip;q=0.5": 500. A weight that can't be read counts as 0.
int weight_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::size_t end = parameters.find(';');
    const std::string_view parameter = trim_blanks(parameters.substr(0, end));
    parameters = end == std::string_view::npos ? std::string_view() : parameters.substr(end + 1);
    if (parameter.size() < 2 || !equal_header(parameter.substr(0, 2), "q=")) continue;
    const std::string_view text = parameter.substr(2);
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size() || !(value >= 0 && value <= 1)) return 0;
    return static_cast<int>(value * weight_full);
  }
  return weight_full;
}

bool is_text(std::string_view type) {
  const std::string_view essence = trim_blanks(type.substr(0, type.find(';')));
  return (essence.size() > 5 && equal_header(essence.substr(0, 5), "text/")) ||
         equal_header(essence, "application/xml") ||
         (essence.size() > 4 && equal_header(essence.substr(essence.size() - 4), "+xml"));
}

}  // namespace

bool accepts_gzip(const HttpRequest& request) {
  const auto list = request.header_list("Accept-Encoding");
  if (!list) return false;
  int gzip = -1, any = -1, identity = -1;
  for (std::string_view rest = *list; !rest.empty();) {
    const std::size_t end = rest.find(',');
    const std::string_view item = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    const std::size_t mark = item.find(';');
    const std::string_view coding = trim_blanks(item.substr(0, mark));
    const int weight = mark == std::string_view::npos ? weight_full : weight_of(item.substr(mark + 1));
    if (equal_header(coding, "gzip") || equal_header(coding, "x-gzip")) gzip = std::max(gzip, weight);
    if (coding == "*") any = weight;
    if (equal_header(coding, "identity")) identity = weight;
  }
  if (gzip < 0) gzip = any;
  return gzip > 0 && gzip >= identity;
}

bool is_compressible(const HttpResponse& response, const GatewayLimits& limits) {
  if (response.body.size() < limits.gzip_bytes_min) return false;
  const auto type = response.header("Content-Type");
  if (!type || !is_text(*type)) return false;
  if (response.header("ETag") || response.header("Content-Encoding")) return false;
  const auto caching = response.header("Cache-Control");
  return !caching || caching->find("no-transform") == std::string_view::npos;
}

void compress(HttpResponse& response) {
  if (response.body.size() > std::numeric_limits<uInt>::max()) return;
  z_stream stream{};
  if (deflateInit2(&stream, gzip_level, Z_DEFLATED, gzip_window, gzip_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    return;
  std::string out;
  out.resize(response.body.size() - 1);  // what does not fit is not worth it
  stream.next_in = reinterpret_cast<Bytef*>(response.body.data());
  stream.avail_in = static_cast<uInt>(response.body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  const auto size = static_cast<std::size_t>(stream.total_out);
  deflateEnd(&stream);
  if (!whole) return;
  out.resize(size);
  out.shrink_to_fit();
  response.body = std::move(out);
  response.add("Content-Encoding", "gzip");
}

}  // namespace pollux
