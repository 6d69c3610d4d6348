// The subcommands: one function, and one file, each. They return the process's exit code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "located.h"
#include "pollux/groupware/requests.h"

namespace pollux {

struct UpOptions {
  std::string first_user = "demo";
};
int run_up(const Globals& globals, const UpOptions& options);
int run_node_command(const Globals& globals);
int run_member_command(const Globals& globals, const std::string& pair, const std::string& name);
int run_gateway_command(const Globals& globals, const std::string& name);

struct StatusOptions {
  bool json = false;
  std::string pid_of;  ///< a pair: print only its primary's process id
};
int run_status(const Globals& globals, const StatusOptions& options);

struct CallOptions {
  std::string pair;
  std::vector<std::string> words;
  bool query = false;  ///< a generic payload is a query, not a request
  std::uint32_t deadline_ms = 10'000;
};
int run_call(const Globals& globals, const CallOptions& options);

int run_switch(const Globals& globals, const std::string& pair);
int run_takeover(const Globals& globals, const std::string& pair, const std::string& member);
int run_witness_adopt(const Globals& globals, const std::string& pair);
int run_restart(const Globals& globals, const std::string& child);
int run_stop(const Globals& globals);

struct UserOptions {
  std::string pair, name, display_name;
  bool yes = false;
  std::string quota;  ///< "500M", "2G", "1000000", or "none"
};
int run_user_add(const Globals& globals, const UserOptions& options);
int run_user_passwd(const Globals& globals, const UserOptions& options);
int run_user_remove(const Globals& globals, const UserOptions& options);
int run_user_list(const Globals& globals, const UserOptions& options);
int run_user_quota(const Globals& globals, const UserOptions& options);
/// Bytes, with K, M, G or T behind them for powers of 1024; 0 for "none". invalid_argument.
Result<std::uint64_t> parse_quota(const std::string& text);

struct ShareOptions {
  std::string pair, collection, user;
  bool write = false;
};
int run_share_add(const Globals& globals, const ShareOptions& options);
int run_share_remove(const Globals& globals, const ShareOptions& options);
int run_share_list(const Globals& globals, const ShareOptions& options);
/// "calendars/USER/NAME", or a URL with that behind /dav/. invalid_argument.
Result<ResourcePath> parse_shared_path(const std::string& text);

int run_config_check(const Globals& globals, const std::string& file);

struct ImportOptions {
  std::string file, user, calendar = "default", book = "default", pair;
};
int run_import(const Globals& globals, const ImportOptions& options);
struct ExportOptions {
  std::string name, user, output, pair;
};
int run_export(const Globals& globals, const ExportOptions& options);

struct AuditOptions {
  std::string pair, member;
  std::uint64_t count = 20;
  std::uint64_t lsn = 0;
  bool follow = false, json = false;
};
int run_audit_tail(const Globals& globals, const AuditOptions& options);
int run_audit_show(const Globals& globals, const AuditOptions& options);
int run_audit_verify(const Globals& globals, const AuditOptions& options);
int run_audit_stats(const Globals& globals, const AuditOptions& options);

int run_version();

}  // namespace pollux
