// `pollux call`
#include <fstream>
#include <iterator>

#include "commands.h"
#include "exit_codes.h"
#include "ledger_words.h"
#include "pollux/groupware/requests.h"
#include "terminal.h"

namespace pollux {

namespace {

constexpr std::size_t payload_file_bytes_max = 64u << 20;

Result<std::string> read_payload_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad()) return fail(Code::invalid_argument, "the file " + name + " can't be read");
  if (bytes.size() > payload_file_bytes_max)
    return fail(Code::too_large, "the file " + name + " is larger than 64 MiB");
  return bytes;
}

Result<std::string> parse_payload(const std::vector<std::string>& words) {
  if (words.size() != 1) return fail(Code::invalid_argument, "the payload is one word: hex digits, or @FILE");
  const std::string& word = words.front();
  if (word.starts_with('@')) return read_payload_file(word.substr(1));
  std::string bytes(word.size() / 2, '\0');
  if (word.size() % 2 != 0 || !parse_hex(word, reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size())) {
    return fail(Code::invalid_argument,
                "the payload \"" + word + "\" is neither hex digits (two for a byte) nor @FILE");
  }
  return bytes;
}

std::string hex(std::string_view bytes) {
  return to_hex(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// One call. An answer that does not come in time is asked for once more: it may have been executed.
CallResult call_pair(Requester& requester, const std::string& payload, bool query) {
  CallResult result = query ? requester.query(payload) : requester.call(payload);
  if (!result && duty(result.error().code) == Duty::ask) {
    complain("no answer yet; asking for the outcome");
    CallResult outcome = requester.outcome(result.error().sync);
    if (outcome || duty(outcome.error().code) != Duty::ask) return outcome;
  }
  return result;
}

/// What a refusal says to a person. A groupware pair answers with bytes of its own.
std::string refusal_text(const PairConfig& pair, const LedgerCall& call, const CallReply& reply) {
  if (pair.service != "groupware") return printable(in_words_of(call, reply.payload));
  const Result<Refusal> refusal = decode_groupware_reply<Refusal>(reply.payload);
  return refusal && !refusal->text.empty() ? printable(refusal->text)
                                           : "the answer's bytes are " + hex(reply.payload);
}

int report_ledger(const LedgerCall& call, const CallReply& reply) {
  if (call.total) {
    const Result<ledger::Total> total = ledger::decode_total(reply.payload);
    if (!total) return fail_with(total.error());
    print(std::to_string(total->accounts) + " accounts, " + cents_text(total->cents) + " in all, " +
          cents_text(total->deposited) + " deposited" +
          (total->cents == total->deposited ? "" : red(": THEY DIFFER")));
    return total->cents == total->deposited ? Exit::ok : Exit::damaged;
  }
  const Result<ledger::Balance> balance = ledger::decode_balance(reply.payload);
  if (!balance) return fail_with(balance.error());
  print(call.about + ": " + cents_text(balance->cents));
  return Exit::ok;
}

}  // namespace

int run_call(const Globals& globals, const CallOptions& options) {
  const Result<Located> located = locate_running(globals);
  if (!located) return fail_with(located.error());
  const Result<const PairConfig*> pair = choose_pair(located->config, options.pair);
  if (!pair) return fail_with(pair.error());
  // A ledger's payload may be bytes too: as words it has only those that parse_ledger_words knows.
  LedgerCall call;
  const bool plain = options.words.size() == 1 && options.words[0] != "total";
  if ((*pair)->service == "ledger" && !plain) {
    Result<LedgerCall> parsed = parse_ledger_words(options.words);
    if (!parsed) {
      complain(parsed.error().text);
      return Exit::usage;
    }
    call = std::move(*parsed);
  } else {
    Result<std::string> payload = parse_payload(options.words);
    if (!payload) {
      complain(payload.error().text);
      return Exit::usage;
    }
    call = {std::move(*payload), options.query, false, {}, {}};
  }
  const auto requester = connect(located->config, **pair, std::chrono::milliseconds(options.deadline_ms));
  if (!requester) return fail_with(requester.error());
  const CallResult result = call_pair(**requester, call.payload, call.query);
  if (!result) {
    const Error error = error_of(result.error(), **pair);
    if (duty(error.code) == Duty::ask) {
      complain("in doubt: the request may have been executed, or not (" + error.text + ")");
      return Exit::in_doubt;
    }
    return fail_with(error);
  }
  if (result->code != Code::ok) {
    complain(std::string(to_string(result->code)) + ": " + refusal_text(**pair, call, *result));
    return Exit::failed;
  }
  if ((*pair)->service == "ledger" && !plain) return report_ledger(call, *result);
  print(hex(result->payload));
  return Exit::ok;
}

}  // namespace pollux
