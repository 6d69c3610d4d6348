#include <iomanip>
#include <ostream>

#include "run/format.h"
#include "groupware/groupware_report.h"

namespace pollux {

namespace {

constexpr int name_width = 12, rate_width = 12, time_width = 11, asked_width = 66;

std::string connections_text(unsigned connections) {
  return count_text(connections) + (connections == 1 ? " connection" : " connections");
}

void print_figure(const GroupwareCell& cell, const ServerFigure& figure, std::ostream& out) {
  out << "  " << std::left << std::setw(name_width) << figure.server << std::right;
  if (!figure.usable()) {
    out << "  " << to_string(figure.verdict) << ": " << figure.reason << "\n";
    return;
  }
  if (cell.plan.kind == CellKind::idle) {
    out << std::setw(rate_width) << bytes_text(figure.memory_bytes) << " RssAnon";
  } else {
    out << std::setw(rate_width) << rate_text(figure.per_second_milli) << "/s" << std::setw(time_width)
        << time_text(figure.p50_ns) << std::setw(time_width) << time_text(figure.p99_ns);
  }
  for (const auto& ratio : cell.ratios) {
    if (ratio.to == figure.server) out << std::setw(time_width) << ratio_text(ratio.hundredths);
  }
  if (!figure.note.empty()) out << "  (" << figure.note << ")";
  out << "\n";
}

void print_cell(const GroupwareCell& cell, std::ostream& out) {
  out << "\n"
      << cell.plan.name << ", " << connections_text(cell.plan.connections) << ": " << to_string(cell.verdict);
  if (cell.verdict != Verdict::ok) out << " (" << cell.reason << ")";
  out << "\n";
  for (const auto& figure : cell.servers) print_figure(cell, figure, out);
  if (!cell.asked_words.empty()) out << "  asked: " << cell.asked_words << "\n";
}

void print_asked(const GroupwareReport& report, std::ostream& out) {
  out << "\nasked, and what became of it:\n";
  for (const auto& cell : report.cells) {
    if (cell.outcome == AskedOutcome::nothing_asked) continue;
    out << "  " << std::left << std::setw(asked_width)
        << cell.plan.name + ", " + connections_text(cell.plan.connections) << std::right << cell.asked_words;
    for (const auto& ratio : cell.ratios) {
      if (ratio.hundredths) out << "; " << ratio.to << " " << ratio_text(ratio.hundredths);
    }
    if (cell.verdict != Verdict::ok) out << " [" << to_string(cell.verdict) << "]";
    out << "\n";
  }
}

}  // namespace

std::string rate_text(std::uint64_t per_second_milli) {
  if (per_second_milli >= 100'000) return count_text(per_second_milli / 1000);
  const unsigned decimals = per_second_milli >= 10'000 ? 1 : per_second_milli >= 1'000 ? 2 : 3;
  std::string fraction = std::to_string(1000 + per_second_milli % 1000).substr(1, decimals);
  return std::to_string(per_second_milli / 1000) + "." + fraction;
}

void print_table(const GroupwareReport& report, std::ostream& out) {
  const auto& host = report.host;
  out << "Groupware over HTTP, " << count_text(report.events) << " events, " << time_text(report.cell_ns)
      << " a server in each cell, in two parts, the servers in turn\n"
      << "on " << host.cpus << " CPUs, " << host.cpu << ", "
      << (host.hypervisor.empty() ? "bare metal" : "a VM (" + host.hypervisor + ")") << ", "
      << bytes_text(host.memory_bytes) << ", " << host.kernel << ", " << report.file_system << " at "
      << report.directory << "\n";
  if (report.quick) out << "quick: fewer events and connections, short cells; not for judging\n";
  for (const auto& server : report.servers) {
    out << "  " << server.name << (server.version.empty() ? "" : " (" + server.version + ")") << ": "
        << (server.not_available.empty() ? server.how : "not available: " + server.not_available) << "\n";
  }
  out << "the columns: answers a second, p50, p99, and how many times as many answers pollux gave\n";
  for (const auto& cell : report.cells) print_cell(cell, out);
  print_asked(report, out);
  if (report.check.lsn != 0 || !report.check.wrong.empty()) {
    out << "\ntrails " << (report.check.trails_equal ? "equal" : "NOT EQUAL") << " at LSN "
        << count_text(report.check.lsn) << "; " << count_text(report.stored) << " new items acknowledged, "
        << count_text(report.found) << " found again\n";
  }
  out << "\nverdict: " << report.verdict() << "\n";
  for (const auto& reason : report.failed) out << "  failed: " << reason << "\n";
  for (const auto& reason : report.invalid) out << "  invalid: " << reason << "\n";
  for (const auto& reason : report.noisy) out << "  noisy: " << reason << "\n";
}

}  // namespace pollux
