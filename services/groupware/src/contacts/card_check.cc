#include "pollux/groupware/card_check.h"

#include <algorithm>

#include "calendar/content_lines.h"
#include "calendar/text_tree.h"
#include "pollux/groupware/requests.h"
#include "state/names.h"

namespace pollux {
namespace {

/// XML can't carry these, so no client could be told of them in a multistatus (XML 1.0, 2.2).
bool has_unwelcome_characters(std::string_view text) {
  return std::ranges::any_of(text,
                             [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; }) ||
         text.contains("\xef\xbf\xbe") || text.contains("\xef\xbf\xbf");
}

class CardScanner {
 public:
  std::expected<CardObject, CardRefusal> run(std::string_view content) {
    ContentLines lines(content);
    std::size_t count = 0;
    while (const auto line = lines.next()) {
      number_ = line->number;
      if (++count > CardLimits::lines_max) {
        data("it has more than " + std::to_string(CardLimits::lines_max) + " lines");
      } else {
        take(line->text);
      }
      if (refusal_) return std::unexpected(*refusal_);
    }
    finish();
    if (refusal_) return std::unexpected(*refusal_);
    return CardObject{uid_, version_};
  }

 private:
  void refuse(CardFault fault, std::string text) {
    if (!refusal_) refusal_ = CardRefusal{fault, std::move(text)};
  }
  void data(const std::string& what) {
    refuse(CardFault::data,
           "This can't be read as a vCard: line " + std::to_string(number_) + ": " + what + ".");
  }

  void take(std::string_view line) {
    if (!is_utf8(line)) return data("it is not UTF-8");
    if (has_unwelcome_characters(line)) return data("it has a control character");
    const auto parts = split_line(line);
    if (!parts) {
      return data(number_ == 1 ? "it does not begin with BEGIN:VCARD"
                               : "it is neither NAME:VALUE nor a continued line");
    }
    const std::string_view value = trim_text(parts->value);
    if (equal_ignoring_case(parts->name, "BEGIN")) return begin(value);
    if (equal_ignoring_case(parts->name, "END")) return end(value);
    if (!open_) return data("it stands outside of the vCard");
    property(parts->name.substr(parts->name.rfind('.') + 1), value);
  }

  void begin(std::string_view value) {
    if (open_) return data("a " + std::string(value.substr(0, 64)) + " begins within the vCard");
    if (!equal_ignoring_case(value, "VCARD")) return data("it does not begin with BEGIN:VCARD");
    if (cards_++ > 0) return data("a second vCard begins in the same body, and an item has one");
    open_ = true;
  }
  void end(std::string_view value) {
    if (!open_ || !equal_ignoring_case(value, "VCARD")) return data("this END fits no BEGIN");
    open_ = false;
  }

  void property(std::string_view name, std::string_view value) {
    if (equal_ignoring_case(name, "VERSION")) {
      if (!version_.empty()) return data("a second VERSION");
      version_ = value.substr(0, 64);
      if (version_ != "3.0" && version_ != "4.0") {
        refuse(CardFault::version,
               "An address book takes vCards of version 3.0 and 4.0, and this has VERSION:" + version_ + ".");
      }
    } else if (equal_ignoring_case(name, "UID")) {
      if (value.empty()) return data("its UID is empty");
      if (!uid_.empty()) return data("a second UID");
      if (value.size() > GroupwareLimits::uid_bytes_max) return data("its UID is too long");
      uid_ = value;
    } else if (equal_ignoring_case(name, "FN") || equal_ignoring_case(name, "N")) {
      named_ = true;
    }
  }

  void finish() {
    const auto missing = [&](std::string_view what) {
      refuse(CardFault::data, "This can't be read as a vCard: " + std::string(what) + ".");
    };
    if (cards_ == 0) return missing("it does not begin with BEGIN:VCARD");
    if (open_) return missing("it has no END:VCARD, as if it were cut off");
    if (version_.empty()) return missing("it has no VERSION");
    if (uid_.empty()) return missing("it has no UID");
    if (!named_) return missing("it has neither FN nor N");
  }

  std::optional<CardRefusal> refusal_;
  std::size_t number_ = 0, cards_ = 0;
  bool open_ = false, named_ = false;
  std::string uid_, version_;
};

}  // namespace

std::expected<CardObject, CardRefusal> check_card(std::string_view content) {
  return CardScanner().run(content);
}

}  // namespace pollux
