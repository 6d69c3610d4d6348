#include "log.h"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <vector>

#include "text.h"

namespace pollux {

namespace {
constexpr std::size_t queue_lines = 1024;
}

struct MemberLog::Impl {
  // In this order: first the pool's thread writes what is queued and ends, then nobody needs the logger any more.
  std::shared_ptr<spdlog::async_logger> logger;
  std::shared_ptr<spdlog::details::thread_pool> pool;
};

MemberLog::MemberLog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

MemberLog::~MemberLog() { impl_->logger->flush(); }

Result<std::unique_ptr<MemberLog>> MemberLog::open(const Options& options) {
  try {
    std::vector<spdlog::sink_ptr> sinks{std::make_shared<spdlog::sinks::stderr_sink_mt>()};
    if (!options.directory.empty()) {
      sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
          (options.directory / "log").string(), options.file_bytes_max, options.files_max));
    }
    auto impl = std::make_unique<Impl>();
    impl->pool = std::make_shared<spdlog::details::thread_pool>(queue_lines, 1);
    impl->logger = std::make_shared<spdlog::async_logger>(options.name, sinks.begin(), sinks.end(), impl->pool,
                                                          spdlog::async_overflow_policy::overrun_oldest);
    // UTC, as everywhere in Pollux.
    impl->logger->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %n %l: %v", spdlog::pattern_time_type::utc);
    impl->logger->flush_on(spdlog::level::info);
    // A log that can't be written must not stop a member; its stderr tells once a second at most (spdlog).
    return std::unique_ptr<MemberLog>(new MemberLog(std::move(impl)));
  } catch (const spdlog::spdlog_ex& failure) {
    return fail(Code::io_error, cat("can't open the log in ", options.directory, ": ", failure.what()));
  }
}

void MemberLog::info(const std::string& text) { impl_->logger->info("{}", text); }
void MemberLog::warning(const std::string& text) { impl_->logger->warn("{}", text); }
void MemberLog::error(const std::string& text) { impl_->logger->error("{}", text); }

}  // namespace pollux
