#include "pollux/services/reads_beside.h"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "clocks.h"
#include "pollux/audit/tables.h"
#include "serving_page.h"
#include "serving_teller.h"

namespace pollux {
namespace {

/// What could not be opened is tried again after so long.
constexpr Duration open_again_after = std::chrono::seconds(1);

class TablesTxn final : public ReadTxn {
 public:
  explicit TablesTxn(TablesView& view) : view_(view) {}
  std::optional<std::string> get(std::string_view key) override {
    auto value = view_.get(key);
    if (!value) throw ServiceStorageError(value.error());
    return std::move(*value);
  }
  void scan(std::string_view from, std::string_view to,
            const std::function<bool(std::string_view, std::string_view)>& row) override {
    if (auto scanned = view_.scan(from, to, row); !scanned) throw ServiceStorageError(scanned.error());
  }

 private:
  TablesView& view_;
};

class PageReads final : public ReadsBeside {
 public:
  PageReads(std::filesystem::path file, const PairConfig& pair, BootId boot, std::unique_ptr<Service> service)
      : file_(std::move(file)), boot_(boot), service_(std::move(service)) {
    for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].directory = tables_directory(pair.members[i]);
  }

  std::optional<ServiceReply> query(std::string_view payload) override {
    for (int tries = 0; tries < 2; ++tries) {
      {
        const std::shared_lock lock(mutex_);
        if (page_ && page_->has_name()) {
          const auto told = page_->read(boot_);
          if (!told) return std::nullopt;
          const Source& source = sources_[told->member];
          if (source.epoch == told->epoch) {
            if (!source.tables) return std::nullopt;
            return look(*source.tables, told->committed, payload);
          }
        }
      }
      if (!open()) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  struct Source {
    std::filesystem::path directory;
    std::unique_ptr<TablesBeside> tables;
    Epoch epoch;  ///< in which they were opened: a member may have begun anew since an earlier one
  };

  std::optional<ServiceReply> look(const TablesBeside& tables, Lsn committed, std::string_view payload) {
    auto view = tables.view();
    if (!view || (*view)->applied() < committed) return std::nullopt;
    TablesTxn txn(**view);
    try {
      return service_->query({.payload = payload, .time = read_clocks().wall}, txn);
    } catch (const std::exception&) {
      return std::nullopt;  // the pair says what is wrong, and a damaged row there has a better copy
    }
  }

  /// Maps the page and opens the tables of who serves, if that is new. False: not now.
  bool open() {
    const std::unique_lock lock(mutex_);
    const Instant now = steady_now();
    if (now < open_not_before_) return false;
    if (!page_ || !page_->has_name()) {
      page_.reset();
      auto page = ServingPage::open(file_);
      if (!page) return later(now);
      page_.emplace(std::move(*page));
    }
    const auto told = page_->read(boot_);
    if (!told) return false;
    Source& source = sources_[told->member];
    if (source.epoch == told->epoch) return source.tables != nullptr;
    source.tables.reset();  // first: the same files must not be open twice
    auto tables = open_lmdb_tables_beside(source.directory);
    if (!tables) return later(now);
    source.tables = std::move(*tables);
    source.epoch = told->epoch;
    return true;
  }
  bool later(Instant now) {
    open_not_before_ = now + open_again_after;
    return false;
  }

  const std::filesystem::path file_;
  const BootId boot_;
  const std::unique_ptr<Service> service_;
  std::shared_mutex mutex_;
  std::optional<ServingPage> page_;
  std::array<Source, 2> sources_;
  Instant open_not_before_{};
};

}  // namespace

std::unique_ptr<ReadsBeside> make_reads_beside(const Config& config, const PairConfig& pair,
                                               const ServiceFactory& service) {
  const auto boot = read_boot_id();
  if (!boot || !on_one_host(pair)) return nullptr;
  return std::make_unique<PageReads>(serving_file(config, pair), pair, *boot, service());
}

}  // namespace pollux
