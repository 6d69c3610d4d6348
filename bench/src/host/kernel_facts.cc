#include <sys/resource.h>
#include <sys/timex.h>
#include <sys/utsname.h>

#include "host/facts.h"

namespace pollux {

namespace {

// Told by the kernel's own name of its build, unless the debug file system tells what is set now.
std::string preemption(const HostFiles& files, std::string& evidence) {
  const auto set = files.line("/sys/kernel/debug/sched/preempt");  // "none voluntary (full)"
  if (const auto open = set.find('('), close = set.find(')'); open != std::string::npos && close > open) {
    evidence = "/sys/kernel/debug/sched/preempt";
    return set.substr(open + 1, close - open - 1);
  }
  if (files.line("/sys/kernel/realtime") == "1") return "realtime";
  evidence = files.line("/proc/version");
  for (const auto& [word, model] :
       {std::pair("PREEMPT_RT", "realtime"),
        std::pair("PREEMPT_DYNAMIC", "dynamic, which is set is not told"), std::pair("PREEMPT", "full")}) {
    if (evidence.find(word) != std::string::npos) return model;
  }
  evidence.clear();
  return "";
}

}  // namespace

void add_clock_facts(const HostFiles& files, FactList& facts) {
  const std::string directory = "/sys/devices/system/clocksource/clocksource0/";
  facts.add("clock.source", files.line(directory + "current_clocksource"));
  facts.add("clock.sources", files.line(directory + "available_clocksource"));
  timex clock{};
  const int state = adjtimex(&clock);
  facts.add("clock.synchronised",
            state < 0                          ? ""
            : (clock.status & STA_UNSYNC) != 0 ? "no"
                                               : "yes",
            "adjtimex", FactKind::harmless);
}

void add_kernel_facts(const HostFiles& files, FactList& facts) {
  utsname about{};
  uname(&about);
  facts.add("kernel", std::string(about.sysname) + " " + about.release + " " + about.machine);
  facts.add("kernel.build", about.version, "", FactKind::harmless);
  std::string evidence;
  const auto model = preemption(files, evidence);
  facts.add("kernel.preemption", model, evidence);
  facts.add("kernel.command_line", files.line("/proc/cmdline"), "", FactKind::identity);
  rlimit limit{};
  const bool told = getrlimit(RLIMIT_NOFILE, &limit) == 0;
  facts.add("limit.open_files",
            !told                             ? ""
            : limit.rlim_cur == RLIM_INFINITY ? "none"
                                              : std::to_string(limit.rlim_cur),
            "of this process, soft");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  facts.add("build", "with sanitizers");
#elif !defined(__OPTIMIZE__)
  facts.add("build", "not optimised");
#else
  facts.add("build", "optimised");
#endif
  facts.add("build.compiler", __VERSION__);
}

}  // namespace pollux
