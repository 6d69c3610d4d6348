// The multistatus of a REPORT while it is made.
#pragma once

#include <string>
#include <string_view>

#include "dav/report_parse.h"
#include "http/outcome.h"

namespace pollux {

class ReportAnswer {
 public:
  ReportAnswer(const DavRequest& request, ReportQuestion question);

  /// Where floating times are looked at from, when events are expanded. UTC unless set.
  void set_floating(ZonePtr zone) { floating_ = std::move(zone); }
  [[nodiscard]] const ReportQuestion& question() const { return question_; }

  /// Adds one that was found. False: it can't be added, and `refusal` says why.
  bool add(const FoundItem& item, const FoundItems& page, const ResourcePath& collection);
  /// Adds a response with only a status, e.g. "404 Not Found". The href is percent-encoded.
  void add_status(std::string_view href, std::string_view status);
  /// 507 for the collection: there is more than was told (RFC 6578, 3.6).
  void add_truncated();
  /// Adds an element after the responses.
  void append(std::string_view xml) { body_.append(xml); }

  [[nodiscard]] HttpResponse refusal() const;
  HttpResponse finish();
  [[nodiscard]] std::size_t count() const { return count_; }
  /// It is larger than an answer may be: end it, or refuse.
  [[nodiscard]] bool is_too_large() const;

  /// Whether making the answer of this page is better done on a thread of its own.
  [[nodiscard]] bool is_heavy(const FoundItems& page) const;

 private:
  bool append_data(const FoundItem& item, std::string* out);

  const DavRequest& request_;
  const ReportQuestion question_;
  const PropertyContext context_;
  ZonePtr floating_;
  ZoneCache zones_;
  WorkBudget budget_{RecurrenceLimits::query_steps_max};
  std::string body_;
  std::string refused_;
  std::size_t count_ = 0;
};

/// 507 with DAV:number-of-matches-within-limits.
HttpResponse too_many_matches(std::string_view sentence);

}  // namespace pollux
