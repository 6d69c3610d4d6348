#include "serving_teller.h"

#include <algorithm>

#include "text.h"

namespace pollux {

bool on_one_host(const PairConfig& pair) {
  return std::ranges::all_of(pair.members, [](const MemberConfig& member) { return member.listen.starts_with("ipc://"); });
}

std::filesystem::path serving_file(const Config& config, const PairConfig& pair) {
  return config.run / cat(pair.name, ".", short_name(config.cluster), ".serving");
}

std::filesystem::path tables_directory(const MemberConfig& member) { return member.directory / "tables"; }

Result<ServingTeller> ServingTeller::open(const Config& config, const PairConfig& pair, std::string_view member,
                                          const BootId& boot) {
  ServingTeller made;
  if (!on_one_host(pair)) return made;
  made.file_ = serving_file(config, pair);
  made.member_ = member == pair.members.front().name ? 0 : 1;
  made.boot_ = boot;
  if (auto mapped = made.map(); !mapped) return std::unexpected(mapped.error());
  return made;
}

Result<void> ServingTeller::map() {
  auto page = ServingPage::open(file_);
  if (!page) return std::unexpected(page.error());
  page_.emplace(std::move(*page));
  page_->take_back(member_, boot_);
  return {};
}

Result<void> ServingTeller::tell(const TellReaders& told) {
  if (file_.empty()) return {};
  if (told.epoch != epoch_ && !page_->is_current()) {  // somebody has removed or replaced the file
    // Readers that have not noticed may look at the page as this member still does.
    for (const std::size_t member : {0, 1}) page_->take_back(member, boot_);
    if (auto mapped = map(); !mapped) return mapped;
  }
  epoch_ = told.epoch;
  page_->tell({.member = member_, .epoch = told.epoch, .committed = told.committed});
  return {};
}

void ServingTeller::take_back() {
  if (page_) page_->take_back(member_, boot_);
}

}  // namespace pollux
