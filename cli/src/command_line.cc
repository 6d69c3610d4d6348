#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>

#include "bench/command.h"
#include "commands.h"
#include "exit_codes.h"
#include "terminal.h"

namespace pollux {

namespace {

constexpr std::uint32_t deadline_ms_max = 3'600'000;

/// CLI11's own checks compute in double, and say so.
std::string check_lsn(const std::string& text) {
  std::uint64_t lsn = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lsn);
  return error == std::errc{} && end == text.data() + text.size() && lsn > 0
             ? std::string()
             : "\"" + text + "\" is no LSN: these are whole numbers from 1 on";
}

/// What the options are parsed into, and the function that was chosen.
struct Parsed {
  Globals globals;
  UpOptions up;
  StatusOptions status;
  CallOptions call;
  UserOptions user;
  ShareOptions share;
  ImportOptions import;
  ExportOptions export_;
  AuditOptions audit;
  std::string pair, member, gateway, child, file;
  std::function<int()> run;
};

CLI::App* add(CLI::App& parent, Parsed& parsed, const std::string& name, const std::string& what,
              std::function<int()> run) {
  CLI::App* command = parent.add_subcommand(name, what);
  command->fallthrough();
  command->callback([&parsed, run = std::move(run)] { parsed.run = run; });
  return command;
}

CLI::App* add_group(CLI::App& parent, const std::string& name, const std::string& what) {
  CLI::App* group = parent.add_subcommand(name, what);
  group->require_subcommand(1);
  group->fallthrough();
  return group;
}

void add_running(CLI::App& app, Parsed& p) {
  CLI::App* up =
      add(app, p, "up",
          "Run everything in the foreground: members, gateways, their supervisor. Without a configuration: "
          "a calendar server in ./pollux-data. Stop it with Ctrl-C",
          [&p] { return run_up(p.globals, p.up); });
  up->add_option("--first-user", p.up.first_user, "name of the user that is made if there is none yet")
      ->capture_default_str();
  add(app, p, "node", "The same without the chatter, for a service manager",
      [&p] { return run_node_command(p.globals); });
  CLI::App* member = add(app, p, "member", "One member of a pair (started by up and node)",
                         [&p] { return run_member_command(p.globals, p.pair, p.member); });
  member->add_option("PAIR", p.pair, "the pair")->required();
  member->add_option("NAME", p.member, "a or b")->required();
  CLI::App* gateway = add(app, p, "gateway", "One HTTP gateway (started by up and node)",
                          [&p] { return run_gateway_command(p.globals, p.gateway); });
  gateway->add_option("NAME", p.gateway, "the gateway; may be left out if there is one only");
}

void add_looking(CLI::App& app, Parsed& p) {
  CLI::App* status =
      add(app, p, "status",
          "Roles, epoch, durable, committed and applied LSN, the last role change and its reason. Exit "
          "code: 0 healthy, 10 degraded (e.g. solo), 11 down",
          [&p] { return run_status(p.globals, p.status); });
  status->add_flag("--json", p.status.json, "one JSON object");
  status->add_option("--pid", p.status.pid_of, "print only the process id of the primary of this pair");
  CLI::App* call =
      add(app, p, "call",
          "Send a request to a pair. A ledger takes words: open NAME, deposit NAME AMOUNT, transfer FROM TO "
          "AMOUNT, balance NAME, total. Others take bytes in hex, or @FILE",
          [&p] { return run_call(p.globals, p.call); });
  call->add_option("PAIR", p.call.pair, "the pair")->required();
  call->add_option("PAYLOAD", p.call.words, "words, hex digits, or @FILE")->required();
  call->add_flag("--query", p.call.query, "hex and @FILE: read only");
  call->add_option("--deadline-ms", p.call.deadline_ms, "how long to wait for the answer")
      ->check(CLI::Range(1u, deadline_ms_max))
      ->capture_default_str();
}

void add_orders(CLI::App& app, Parsed& p) {
  CLI::App* switchover = add(app, p, "switch", "Planned exchange of a pair's roles; no request fails",
                             [&p] { return run_switch(p.globals, p.pair); });
  switchover->add_option("PAIR", p.pair, "the pair; may be left out if there is one only");
  CLI::App* takeover =
      add(app, p, "takeover", "Make the named backup the primary, when the primary does not answer",
          [&p] { return run_takeover(p.globals, p.pair, p.member); });
  takeover->add_option("PAIR", p.pair, "the pair")->required();
  takeover->add_option("NAME", p.member, "its backup, a or b")->required();
  CLI::App* witness = add_group(app, "witness", "The pair's third vote");
  CLI::App* adopt = add(*witness, p, "adopt", "Accept a witness that was changed or restored on purpose",
                        [&p] { return run_witness_adopt(p.globals, p.pair); });
  adopt->add_option("PAIR", p.pair, "the pair; may be left out if there is one only");
  CLI::App* restart =
      add(app, p, "restart", "Stop one process and start it again (PAIR.MEMBER or gateway.NAME)",
          [&p] { return run_restart(p.globals, p.child); });
  restart->add_option("NAME", p.child, "as `pollux status` shows it, e.g. groupware.a")->required();
  add(app, p, "stop", "Stop the node and everything it runs", [&p] { return run_stop(p.globals); });
}

void add_users(CLI::App& app, Parsed& p) {
  CLI::App* user = add_group(app, "user", "Users of the groupware");
  const auto common = [&p](CLI::App* command, bool named) {
    if (named) command->add_option("NAME", p.user.name, "the user")->required();
    command->add_option("--pair", p.user.pair, "the groupware pair, if there are several");
  };
  CLI::App* one = add(*user, p, "add",
                      "Add a user with a default calendar. The password is asked for, or is a line of "
                      "standard input",
                      [&p] { return run_user_add(p.globals, p.user); });
  common(one, true);
  one->add_option("--display-name", p.user.display_name, "the name that people see");
  common(add(*user, p, "passwd", "Change a password; older logins end at once",
             [&p] { return run_user_passwd(p.globals, p.user); }),
         true);
  CLI::App* removal = add(*user, p, "remove", "Remove a user with all calendars",
                          [&p] { return run_user_remove(p.globals, p.user); });
  common(removal, true);
  removal->add_flag("--yes", p.user.yes, "do not ask");
  common(add(*user, p, "list", "List the users", [&p] { return run_user_list(p.globals, p.user); }), false);
  CLI::App* quota = add(*user, p, "quota", "Limit how much a user may store",
                        [&p] { return run_user_quota(p.globals, p.user); });
  common(quota, true);
  quota->add_option("SIZE", p.user.quota, "e.g. 500M or 2G; none ends the limit")->required();
}

void add_sharing(CLI::App& app, Parsed& p) {
  CLI::App* share = add_group(app, "share", "Collections that several users have");
  const auto common = [&p](CLI::App* command, bool with_user) {
    command->add_option("COLLECTION", p.share.collection, "calendars/USER/NAME, or its URL")->required();
    if (with_user) command->add_option("USER", p.share.user, "the other user")->required();
    command->add_option("--pair", p.share.pair, "the groupware pair, if there are several");
  };
  CLI::App* one = add(*share, p, "add", "Let another user read a calendar, an address book or a folder",
                      [&p] { return run_share_add(p.globals, p.share); });
  common(one, true);
  one->add_flag("--write", p.share.write, "and change it");
  common(add(*share, p, "remove", "End that", [&p] { return run_share_remove(p.globals, p.share); }), true);
  common(
      add(*share, p, "list", "With whom it is shared", [&p] { return run_share_list(p.globals, p.share); }),
      false);
}

void add_files(CLI::App& app, Parsed& p) {
  CLI::App* config = add_group(app, "config", "The configuration file");
  CLI::App* check = add(*config, p, "check", "Read a configuration and show every fault in it",
                        [&p] { return run_config_check(p.globals, p.file); });
  check->add_option("FILE", p.file, "the file; else the one that other commands would use");
  CLI::App* import =
      add(app, p, "import", "Store each event, task, journal or vCard of a file as an item of its own",
          [&p] { return run_import(p.globals, p.import); });
  import->add_option("FILE", p.import.file, "an .ics or .vcf file; - for standard input")->required();
  import->add_option("--user", p.import.user, "for whom; may be left out if there is one user only");
  import->add_option("--calendar", p.import.calendar, "which calendar")->capture_default_str();
  import->add_option("--book", p.import.book, "which address book")->capture_default_str();
  import->add_option("--pair", p.import.pair, "the groupware pair, if there are several");

  CLI::App* out =
      add(app, p, "export", "A whole calendar as one .ics file, or an address book as one .vcf file",
          [&p] { return run_export(p.globals, p.export_); });
  out->add_option("NAME", p.export_.name,
                  "a calendar, or else an address book; calendars/NAME or contacts/NAME")
      ->required();
  out->add_option("--user", p.export_.user, "whose; may be left out if there is one user only");
  out->add_option("--output", p.export_.output, "the file to write; else standard output");
  out->add_option("--pair", p.export_.pair, "the groupware pair, if there are several");
}

void add_audit(CLI::App& app, Parsed& p) {
  CLI::App* audit = add_group(app, "audit", "The audit trail of a pair, read through a member");
  const auto common = [&p](CLI::App* command) {
    command->add_option("--member", p.audit.member, "read this member's trail (a or b); else the primary's");
    command->add_flag("--json", p.audit.json, "JSON, one object a line");
    return command;
  };
  const auto pair = [&p](CLI::App* command) {
    command->add_option("PAIR", p.audit.pair, "the pair; may be left out if there is one only");
  };
  CLI::App* tail = common(
      add(*audit, p, "tail", "The newest records", [&p] { return run_audit_tail(p.globals, p.audit); }));
  pair(tail);
  tail->add_option("-n,--count", p.audit.count, "how many")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  tail->add_flag("-f,--follow", p.audit.follow, "go on with new ones as they are committed, until Ctrl-C");
  CLI::App* show = common(add(*audit, p, "show", "One record with its changes",
                              [&p] { return run_audit_show(p.globals, p.audit); }));
  show->add_option("LSN", p.audit.lsn, "its number")->required()->check(check_lsn);
  show->add_option("PAIR", p.audit.pair, "the pair; may be left out if there is one only");
  pair(common(add(*audit, p, "verify",
                  "Check every record and the chain, on both members, and that they agree",
                  [&p] { return run_audit_verify(p.globals, p.audit); })));
  pair(common(add(*audit, p, "stats", "Sizes and ages of the trail and tables",
                  [&p] { return run_audit_stats(p.globals, p.audit); })));
}

std::vector<std::string> arguments_after(std::string_view subcommand, int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const auto at = std::ranges::find(words, subcommand);
  return at == words.end() ? std::vector<std::string>() : std::vector<std::string>(at + 1, words.end());
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Pollux: services as process pairs. When Castor falls, Pollux takes over.", "pollux");
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad configuration, 8 nobody answers, 9 in doubt; all "
      "of "
      "them are in docs/commands.md.");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help for all subcommands");
  app.set_version_flag("--version", "", "the version of this program");
  Parsed parsed;
  app.add_option("--config", parsed.globals.config,
                 "configuration file; else $POLLUX_CONFIG, ./pollux.toml, or none");
  app.add_option("--data", parsed.globals.data,
                 "data directory, for the default configuration; else ./pollux-data");
  app.add_option("--listen", parsed.globals.listen,
                 "address of the gateway in the default configuration; else 127.0.0.1:8080");
  add_running(app, parsed);
  add_looking(app, parsed);
  add_orders(app, parsed);
  add_users(app, parsed);
  add_sharing(app, parsed);
  add_files(app, parsed);
  add_audit(app, parsed);
  add_bench(app, arguments_after("bench", argc, argv), parsed.run);
  add_doctor(app, parsed.globals, parsed.run);
  add(app, parsed, "version", "The version of this program", run_version);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return Exit::ok;
  } catch (const CLI::CallForAllHelp&) {
    print(app.help("", CLI::AppFormatMode::All));
    return Exit::ok;
  } catch (const CLI::CallForVersion&) {
    return run_version();
  } catch (const CLI::ParseError& error) {
    complain(std::string(error.what()) + "; see: pollux --help");
    return Exit::usage;
  }
  return parsed.run();
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    complain(std::string("gave up: ") + error.what());
    return Exit::failed;
  }
}

}  // namespace pollux
