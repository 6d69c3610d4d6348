#include "vcf_split.h"

#include <algorithm>
#include <cctype>

#include "pollux/core/hash.h"
#include "terminal.h"

namespace pollux {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::size_t made_uid_digits = 40;

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

/// One line of the file; a folded line is several.
struct PhysicalLine {
  std::uint32_t number = 0;
  std::string_view text;
};

class CardSplitter {
 public:
  IcsSplit run(std::string_view file) {
    std::uint32_t number = 0;
    while (!file.empty()) {
      std::string_view line = file.substr(0, file.find('\n'));
      file.remove_prefix(std::min(file.size(), line.size() + 1));
      if (line.ends_with('\r')) line.remove_suffix(1);
      take({++number, line});
    }
    if (open_) fault(begin_, "the file ends within a VCARD");
    return std::move(out_);
  }

 private:
  void fault(std::size_t line, std::string text) {
    out_.faults.push_back({open_ ? out_.components : 0, line, std::move(text)});
  }

  void take(const PhysicalLine& line) {
    const bool folded = line.text.starts_with(' ') || line.text.starts_with('\t');
    const std::string start = folded ? std::string() : upper(without_blanks(line.text));
    if (start == "BEGIN:VCARD") return begin(line);
    if (!open_) {
      if (!without_blanks(line.text).empty() && !outside_told_) {
        fault(line.number, "a line outside of any VCARD; ignored");
        outside_told_ = true;
      }
      return;
    }
    if (line.text.empty()) return;
    if (start == "END:VCARD") return end(line);
    if (folded && in_uid_) uid_ += line.text.substr(1);
    if (!folded) {
      // A group may stand before the name: "item1.UID:x".
      const std::size_t name_end = line.text.find_first_of(":;");
      const std::string_view name = line.text.substr(0, name_end);
      in_uid_ = upper(name.substr(name.rfind('.') + 1)) == "UID" && uid_.empty();
      if (in_uid_) {
        const std::size_t colon = line.text.find(':');
        uid_ = colon == std::string_view::npos ? std::string_view() : line.text.substr(colon + 1);
      }
    }
    add(line);
  }

  void add(const PhysicalLine& line) {
    card_.content.append(line.text).append("\r\n");
    card_.lines.push_back(line.number);
  }

  void begin(const PhysicalLine& line) {
    if (open_) fault(begin_, "a new VCARD begins within it, in line " + std::to_string(line.number));
    open_ = true;
    in_uid_ = false;
    begin_ = line.number;
    card_ = {};
    uid_.clear();
    ++out_.components;
    card_.numbers = {out_.components};
    card_.line = line.number;
    add(line);
  }

  void end(const PhysicalLine& line) {
    card_.uid = without_blanks(uid_);
    if (card_.uid.empty()) {
      card_.uid = to_string(chain_hash(Hash{}, card_.content)).substr(0, made_uid_digits);
      card_.content += "UID:" + card_.uid + "\r\n";
      card_.lines.push_back(0);
    }
    add(line);
    out_.objects.push_back(std::move(card_));
    open_ = false;
  }

  IcsSplit out_;
  IcsObject card_;
  std::string uid_;
  bool open_ = false, in_uid_ = false, outside_told_ = false;
  std::size_t begin_ = 0;
};

}  // namespace

IcsSplit split_cards(std::string_view file) {
  if (file.starts_with(byte_order_mark)) file.remove_prefix(byte_order_mark.size());
  return CardSplitter().run(file);
}

bool is_card_file(std::string_view file) {
  if (file.starts_with(byte_order_mark)) file.remove_prefix(byte_order_mark.size());
  const std::size_t begin = file.find_first_not_of(" \t\r\n");
  constexpr std::string_view card = "BEGIN:VCARD";
  return begin != std::string_view::npos && upper(file.substr(begin, card.size())) == card;
}

}  // namespace pollux
