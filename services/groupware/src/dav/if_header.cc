#include "dav/if_header.h"

#include "dav/path.h"
#include "dav/preconditions.h"
#include "http/message.h"

namespace pollux {
namespace {

std::unexpected<Error> bad(std::string_view why) {
  return fail(Code::malformed,
              "The If header is malformed: " + std::string(why) +
                  " It holds lists such as (<TOKEN> [\"ETAG\"]), each after <URL> or none of them.");
}

class IfParser {
 public:
  IfParser(std::string_view text, std::string_view host) : rest_(text), host_(host) {}

  Result<std::vector<IfList>> parse() {
    skip();
    if (rest_.empty()) return bad("it is empty.");
    const bool tagged = rest_.front() == '<';
    while (!rest_.empty()) {
      std::optional<ResourcePath> resource;
      if (tagged) {
        if (rest_.front() != '<') return bad("a list has no URL where the first has one.");
        auto read = read_resource();
        if (!read) return std::unexpected(read.error());
        resource = std::move(*read);
      }
      if (rest_.empty() || rest_.front() != '(') return bad("a list begins with (.");
      while (!rest_.empty() && rest_.front() == '(') {
        auto list = read_list();
        if (!list) return std::unexpected(list.error());
        list->tagged = tagged;
        list->resource = resource;
        lists_.push_back(std::move(*list));
      }
    }
    return std::move(lists_);
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == ',')) {
      rest_.remove_prefix(1);  // several If headers are joined by commas
    }
  }

  Result<std::string> read_uri() {
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos || end == 1) return bad("there is a < without URL and >.");
    std::string uri(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    skip();
    return uri;
  }

  /// None: it is on no path of this server.
  Result<std::optional<ResourcePath>> read_resource() {
    const auto uri = read_uri();
    if (!uri) return std::unexpected(uri.error());
    const auto reference = parse_reference(*uri, host_);
    if (!reference || reference->elsewhere || reference->path.kind != DavPathKind::resource) {
      return std::optional<ResourcePath>();
    }
    return std::optional(reference->path.resource);
  }

  Result<IfList> read_list() {
    rest_.remove_prefix(1);
    skip();
    IfList list;
    while (!rest_.empty() && rest_.front() != ')') {
      auto condition = read_condition();
      if (!condition) return std::unexpected(condition.error());
      list.conditions.push_back(std::move(*condition));
      if (++conditions_ > GroupwareLimits::if_conditions_max) return bad("it has too many conditions.");
    }
    if (rest_.empty()) return bad("a list has no ).");
    if (list.conditions.empty()) return bad("a list is empty.");
    rest_.remove_prefix(1);
    skip();
    return list;
  }

  Result<IfCondition> read_condition() {
    IfCondition condition;
    if (rest_.size() >= 3 && equal_header(rest_.substr(0, 3), "Not")) {
      condition.negated = true;
      rest_.remove_prefix(3);
      skip();
    }
    if (rest_.starts_with('<')) {
      auto token = read_uri();
      if (!token) return std::unexpected(token.error());
      condition.token = std::move(*token);
      return condition;
    }
    if (!rest_.starts_with('[')) return bad("a condition is neither a token in < > nor an ETag in [ ].");
    rest_.remove_prefix(1);
    // Everything up to the quote that ends the tag: a tag may hold a ].
    const std::size_t open = rest_.find('"');
    const std::size_t close = open == std::string_view::npos ? open : rest_.find('"', open + 1);
    if (close == std::string_view::npos) return bad("an ETag has no quotes.");
    auto tags = parse_tag_list(rest_.substr(0, close + 1));
    if (!tags || tags->tags.size() != 1) return bad("what is in [ ] is not one ETag.");
    condition.tag = std::move(tags->tags.front());
    rest_.remove_prefix(close + 1);
    skip();
    if (!rest_.starts_with(']')) return bad("an ETag has no ].");
    rest_.remove_prefix(1);
    skip();
    return condition;
  }

  std::string_view rest_, host_;
  std::vector<IfList> lists_;
  std::size_t conditions_ = 0;
};

}  // namespace

Result<std::vector<IfList>> parse_if_header(std::string_view text, std::string_view host) {
  return IfParser(text, host).parse();
}

}  // namespace pollux
