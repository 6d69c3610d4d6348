#include <algorithm>

#include "pollux/audit/archive.h"

namespace pollux {
namespace {

constexpr std::size_t faults_max = 100;
constexpr std::size_t read_bytes = 1u << 20;

void note(VerifyReport& report, Error fault) {
  if (report.faults.size() < faults_max) report.faults.push_back(std::move(fault));
}

}  // namespace

Result<VerifyReport> verify(const Trail& trail,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  VerifyReport report{.base = trail.base(), .last = trail.last(), .records = 0, .faults = {}};
  const auto total = report.last.lsn.value - report.base.lsn.value;
  Lsn at = report.base.lsn;
  const auto tell = [&] {
    if (progress) progress(at.value - report.base.lsn.value, total);
  };
  while (at < report.last.lsn) {
    auto records = trail.read_after(at, read_bytes);
    if (records && !records->empty()) {
      for (const auto& record : *records) {
        if (record->record.lsn > report.last.lsn) break;  // appended meanwhile
        at = record->record.lsn;
        ++report.records;
      }
      tell();
      continue;
    }
    if (!records && records.error().code == Code::gone) {  // retention dropped records meanwhile
      const Lsn base = trail.base().lsn;
      if (base <= at) return std::unexpected(records.error());
      at = std::min(base, report.last.lsn);
      continue;
    }
    if (!records && records.error().code != Code::damaged) return std::unexpected(records.error());
    // Somewhere in the next stretch is damage: go record by record until one is found, then on behind it.
    for (bool found = false; !found && at < report.last.lsn;) {
      at = at.next();
      if (auto record = trail.read(at); record) {
        ++report.records;
      } else {
        found = true;
        if (record.error().code != Code::gone) note(report, record.error());
      }
    }
    tell();
  }
  tell();
  return report;
}

Result<VerifyReport> verify_archive(const std::filesystem::path& file) {
  auto reader = ArchiveReader::open(file);
  if (!reader) return std::unexpected(reader.error());
  VerifyReport report{.base = reader->base(), .last = reader->last(), .records = 0, .faults = {}};
  for (std::size_t i = 0; i < reader->blocks(); ++i) {
    if (auto records = reader->read_block(i); records) {
      report.records += records->size();
    } else {
      note(report, records.error());
    }
  }
  return report;
}

}  // namespace pollux
