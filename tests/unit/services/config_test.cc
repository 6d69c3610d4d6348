// What a configuration file may say, and what one is told who gets it wrong.
#include "pollux/services/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace pollux {
namespace {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    char name[] = "/tmp/pollux-config-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class ConfigTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    std::ofstream(directory_.path() / "pollux.toml") << text;
    return directory_.path() / "pollux.toml";
  }
  TemporaryDirectory directory_;
};

const std::string small_pair = "[[pair]]\nname = \"bank\"\nservice = \"ledger\"\n";

TEST_F(ConfigTest, PlacesAreFilledInFromTheDataDirectory) {
  Result<Config> config = load_config(write(small_pair));
  ASSERT_TRUE(config) << config.error().text;
  const std::filesystem::path data = directory_.path() / "pollux-data";
  EXPECT_EQ(config->data, data);
  const PairConfig* pair = config->find_pair("bank");
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->options.pair, "bank");
  EXPECT_EQ(pair->witness, data / "witness/bank");
  ASSERT_EQ(pair->members.size(), 2u);
  EXPECT_EQ(pair->members[0].name, "a");
  EXPECT_EQ(pair->members[1].name, "b");
  EXPECT_EQ(pair->members[0].directory, data / "bank/a");
  EXPECT_EQ(pair->members[1].listen, "ipc://" + (data / "run/bank.b.sock").string());
  EXPECT_EQ(pair->members[1].listen_heartbeat, "ipc://" + (data / "run/bank.b.heartbeat.sock").string());
  EXPECT_EQ(pair->members[0].control, data / "run/bank.a.control");
  EXPECT_EQ(config->address(*pair).endpoints,
            (std::vector{pair->members[0].listen, pair->members[1].listen}));
  EXPECT_TRUE(config->gateways.empty());
  EXPECT_FALSE(std::filesystem::exists(data)) << "reading a configuration must not make anything";
}

TEST_F(ConfigTest, ValuesReachTheirFields) {
  Result<Config> config = load_config(write(R"(
cluster = "c1"
data = "d"
[node]
restart_min_ms = 7
[[pair]]
name = "bank"
service = "ledger"
witness = "w"
reads = "lease"
heartbeat_ms = 60
execute_limit_ms = 1234
request_bytes_max = "9 MiB"
sessions_max = 12
disk_warn_percent = 50.5
[[pair.member]]
name = "b"
directory = "elsewhere"
listen = "tcp://127.0.0.1:7411"
listen_heartbeat = "tcp://[::1]:7412"
cpus = [0]
[pair.retention]
mode = "archive"
trail_age_max_s = 99
archive_directory = "/archives"
[[pair]]
name = "office"
service = "groupware"
[[gateway]]
pair = "office"
listen = "[::1]:8081"
body_bytes_max = 100000
)"));
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->cluster_name, "c1");
  EXPECT_EQ(config->node.restart_min_ms, 7u);
  const PairConfig& pair = config->pairs.at(0);
  EXPECT_EQ(pair.witness, directory_.path() / "w");
  EXPECT_EQ(pair.options.reads, ReadMode::lease);
  EXPECT_EQ(pair.options.heartbeat, std::chrono::milliseconds(60));
  EXPECT_EQ(pair.options.execute_limit, std::chrono::milliseconds(1234));
  EXPECT_EQ(pair.options.request_bytes_max, 9u << 20);
  EXPECT_EQ(pair.options.sessions_max, 12u);
  EXPECT_EQ(pair.disk_warn_percent, 50.5);
  EXPECT_EQ(pair.members.at(1).directory, directory_.path() / "elsewhere");
  EXPECT_EQ(pair.members.at(1).listen, "tcp://127.0.0.1:7411");
  EXPECT_EQ(pair.members.at(1).cpus, (std::vector{0}));
  EXPECT_EQ(pair.members.at(0).name, "a");
  EXPECT_EQ(pair.retention.mode, RetentionMode::archive);
  EXPECT_EQ(pair.retention.trail_age_max_s, 99u);
  EXPECT_EQ(pair.retention.archive_directory, "/archives");
  ASSERT_EQ(config->gateways.size(), 1u);
  EXPECT_EQ(config->gateways[0].listen, "[::1]:8081");
  EXPECT_EQ(config->gateways[0].body_bytes_max, 100000u);
}

struct Fault {
  std::string name, text;
  std::string expected;  ///< after "FILE:"; a prefix
};

class ConfigFault : public ConfigTest, public ::testing::WithParamInterface<Fault> {};

TEST_P(ConfigFault, IsOneLineThatSaysWhereAndWhatIsAllowed) {
  const std::filesystem::path file = write(GetParam().text);
  Result<Config> config = load_config(file, {.services = {"ledger", "groupware"}});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Code::bad_config);
  const std::string& text = config.error().text;
  EXPECT_TRUE(text.starts_with(file.string() + ":" + GetParam().expected)) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

std::string pair_with(const std::string& line) { return small_pair + line + "\n"; }
std::string gateway_with(const std::string& line) {
  return "[[pair]]\nname = \"office\"\nservice = \"groupware\"\n[[gateway]]\npair = \"office\"\n" + line +
         "\n";
}
std::string member_with(const std::string& line) {
  return small_pair + "[[pair.member]]\nname = \"a\"\n" + line + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ConfigFault,
    ::testing::Values(
        Fault{"NotToml", "cluster = \n", "1: not TOML: "},
        Fault{"KeyTwice", "cluster = \"a\"\ncluster = \"b\"\n", "2: not TOML: "},
        Fault{"UnknownTopKey", "clutser = \"x\"\n" + small_pair,
              "1: clutser: unknown key; did you mean cluster?"},
        Fault{"UnknownTopKeyFarFromAll", "zzzzzzzzz = 1\n" + small_pair,
              "1: zzzzzzzzz: unknown key; allowed: "},
        Fault{"UnknownPairKey", pair_with("hartbeat_ms = 50"),
              "4: pair.hartbeat_ms: unknown key; did you mean heartbeat_ms?"},
        Fault{"UnknownMemberKey", member_with("cpu = [1]"),
              "6: pair.member.cpu: unknown key; did you mean cpus?"},
        Fault{"UnknownRetentionKey", pair_with("[pair.retention]\nmod = \"drop\""),
              "5: pair.retention.mod: unknown key; did you mean mode?"},
        Fault{"UnknownGatewayKey", gateway_with("lisen = \"127.0.0.1:1\""),
              "6: gateway.lisen: unknown key; did you mean listen?"},
        Fault{"UnknownTable", small_pair + "[gatway]\n", "4: gatway: unknown key; did you mean gateway?"},
        Fault{"WrongTypeNumber", pair_with("heartbeat_ms = \"50\""),
              "4: pair.heartbeat_ms: must be a whole number (milliseconds), not text"},
        Fault{"WrongTypeDecimal", pair_with("heartbeat_ms = 50.5"),
              "4: pair.heartbeat_ms: must be a whole number (milliseconds), not a decimal number"},
        Fault{"WrongTypeText", pair_with("witness = true"),
              "4: pair.witness: must be text in quotes (a path), not true or false"},
        Fault{"WrongTypeDate", "data = 2020-01-01\n" + small_pair, "1: data: must be text in quotes"},
        Fault{"WrongTypeTable", "pair = 3\n", "1: pair: must be tables; write [[pair]]"},
        Fault{"WrongTypeSingleTable", "[pair]\nname = \"x\"\n", "1: pair: must be tables; write [[pair]]"},
        Fault{"WrongTypeNode", "[[node]]\n" + small_pair, "1: node: must be one table; write [node]"},
        Fault{"OutOfRange", pair_with("heartbeat_ms = 5"),
              "4: pair.heartbeat_ms: 5 is out of range; allowed: 20 to 10000"},
        Fault{"Negative", pair_with("sessions_max = -1"),
              "4: pair.sessions_max: -1 is out of range; allowed: 1 to"},
        Fault{"Zero", pair_with("query_threads = 0"),
              "4: pair.query_threads: 0 is out of range; allowed: 1 to 256"},
        Fault{
            "SizeWithoutSense", pair_with("request_bytes_max = \"8 megs\""),
            "4: pair.request_bytes_max: \"8 megs\" is no size; write bytes as a number, or e.g. \"64 MiB\""},
        Fault{"SizeOverflows", pair_with("request_bytes_max = \"99999999999 TiB\""),
              "4: pair.request_bytes_max: "},
        Fault{"SizeOutOfRange", pair_with("request_bytes_max = \"1 GiB\""),
              "4: pair.request_bytes_max: 1073741824 bytes is out of range; allowed: 1 KiB to 32 MiB"},
        Fault{"BadChoice", pair_with("reads = \"stale\""),
              "4: pair.reads: \"stale\" is unknown; allowed: \"confirmed\" or \"lease\""},
        Fault{"BadName", "[[pair]]\nname = \"../x\"\nservice = \"ledger\"\n",
              "2: pair.name: \"../x\" is no name;"},
        Fault{"ReservedName", "[[pair]]\nname = \"run\"\nservice = \"ledger\"\n",
              "2: pair.name: \"run\" is reserved"},
        Fault{"UnknownService", "[[pair]]\nname = \"x\"\nservice = \"legder\"\n",
              "3: pair.service: \"legder\" is unknown; allowed: \"ledger\" or \"groupware\""},
        Fault{"NoPair", "cluster = \"x\"\n", "1: pair: is missing"},
        Fault{"NoPairName", "[[pair]]\nservice = \"ledger\"\n", "1: pair.name: is missing"},
        Fault{"NoService", "[[pair]]\nname = \"x\"\n", "1: pair.service: is missing"},
        Fault{"PairTwice", small_pair + small_pair,
              "5: pair.name: \"bank\" is already the name of another pair"},
        Fault{"ThirdMember", member_with("") + "[[pair.member]]\nname = \"c\"\n",
              "8: pair.member.name: \"c\" is unknown; allowed: \"a\" or \"b\""},
        Fault{"MemberTwice", member_with("") + "[[pair.member]]\nname = \"a\"\n",
              "7: pair.member.name: member \"a\" stands there twice"},
        Fault{"CpuTwice", member_with("cpus = [1, 1]"), "6: pair.member.cpus: names CPU 1 twice"},
        Fault{"CpuThatTheHostLacks", member_with("cpus = [0, 1023]"), "6: pair.member.cpus: this host has no CPU 1023; it has 0"},
        Fault{"CpuNegative", member_with("cpus = [-1]"), "6: pair.member.cpus: -1 is out of range"},
        Fault{"CpuText", member_with("cpus = [\"1\"]"), "6: pair.member.cpus: must hold whole numbers only"},
        Fault{"GraceNotAboveLease", pair_with("lease_ms = 300\ngrace_ms = 300"),
              "5: pair.grace_ms: 300 is unsafe"},
        Fault{"GraceByDefaultBelowLease", pair_with("lease_ms = 350"), "1: pair.grace_ms: 300 is unsafe"},
        Fault{"TakeoverBeforeGrace", pair_with("takeover_after_ms = 250"),
              "4: pair.takeover_after_ms: 250 is unsafe"},
        Fault{"LeaseShorterThanTwoHeartbeats", pair_with("heartbeat_ms = 120"),
              "1: pair.lease_ms: 200 is too short"},
        Fault{"LeftBehindBeforeResend", pair_with("left_behind_after_ms = 100"),
              "4: pair.left_behind_after_ms: 100"},
        Fault{"BackoffUpsideDown", pair_with("rejoin_backoff_max_ms = 50"),
              "4: pair.rejoin_backoff_max_ms: 50"},
        Fault{"RestartUpsideDown", small_pair + "[node]\nrestart_max_ms = 50\n",
              "5: node.restart_max_ms: must be"},
        Fault{"DiskPercentUpsideDown", pair_with("disk_full_percent = 60"),
              "4: pair.disk_full_percent: must be above"},
        Fault{"NoReserveForDeletions", pair_with("disk_full_percent = 98"),
              "1: pair.disk_stop_percent: must be above"},
        Fault{"QueueTooSmallForOneRequest", pair_with("queue_bytes_max = \"1 MiB\""),
              "4: pair.queue_bytes_max: 1048576 is too small; allowed: at least request_bytes_max = 8388608"},
        Fault{"MemberBeyondLoopback", member_with("listen = \"tcp://0.0.0.0:7411\""),
              "6: pair.member.listen: 0.0.0.0 is no loopback address"},
        Fault{"MemberOnMappedAddress", member_with("listen = \"tcp://[::ffff:127.0.0.1]:7411\""),
              "6: pair.member.listen: ::ffff:127.0.0.1 is no loopback address"},
        Fault{"MemberOnHostName", member_with("listen = \"tcp://localhost:7411\""),
              "6: pair.member.listen: \"localhost\" is no IP address"},
        Fault{"MemberWithoutPort", member_with("listen = \"tcp://127.0.0.1\""), "6: pair.member.listen: "},
        Fault{"MemberOnOtherTransport", member_with("listen = \"udp://127.0.0.1:1\""),
              "6: pair.member.listen: \"udp://127.0.0.1:1\" is no endpoint"},
        Fault{"SocketPathTooLong", member_with("listen = \"ipc:///" + std::string(120, 'x') + "\""),
              "6: pair.member.listen: the socket's path has 121 bytes; allowed: at most 107"},
        Fault{"ControlPathTooLong", member_with("control = \"/" + std::string(120, 'x') + "\""),
              "6: pair.member.control: the socket's path has 121 bytes; allowed: at most 107"},
        Fault{
            "EndpointTwice",
            member_with("listen = \"tcp://127.0.0.1:7411\"\nlisten_heartbeat = \"tcp://127.0.0.1:7411\""),
            "7: pair.member.listen_heartbeat: tcp://127.0.0.1:7411 is already used by member a of pair bank"},
        Fault{"DirectoryShared",
              member_with("directory = \"/x\"") + "[[pair.member]]\nname = \"b\"\ndirectory = \"/x/y\"\n",
              "9: pair.member.directory: /x/y overlaps the directory of member a of pair bank"},
        Fault{"GatewayBeyondLoopback", gateway_with("listen = \"0.0.0.0:8080\""),
              "6: gateway.listen: 0.0.0.0 is no loopback address"},
        Fault{"GatewayCertificateWithoutKey", gateway_with("tls_certificate = \"c.pem\""),
              "6: gateway.tls_certificate: needs tls_key"},
        Fault{"GatewayKeyWithoutCertificate", gateway_with("tls_key = \"k.pem\""),
              "6: gateway.tls_key: needs tls_certificate"},
        Fault{"GatewayPortTooLarge", gateway_with("listen = \"127.0.0.1:65536\""),
              "6: gateway.listen: \"65536\" is no port; allowed: 0 to 65535"},
        Fault{"MemberPortZero", member_with("listen = \"tcp://127.0.0.1:0\""),
              "6: pair.member.listen: \"0\" is no port; allowed: 1 to 65535"},
        Fault{"GatewayOfUnknownPair", small_pair + "[[gateway]]\npair = \"office\"\n",
              "5: gateway.pair: there is no pair \"office\" whose service is \"groupware\""},
        Fault{"GatewayOfALedger", small_pair + "[[gateway]]\npair = \"bank\"\n",
              "5: gateway.pair: there is no pair \"bank\" whose service is \"groupware\""},
        Fault{"GatewayTwice", gateway_with("[[gateway]]\npair = \"office\"\nlisten = \"127.0.0.1:8081\""),
              "6: gateway.name: the name \"gateway\" of a gateway is already used"},
        Fault{"GatewayBodyAboveTheRequestLimit", gateway_with("body_bytes_max = \"8 MiB\""),
              "6: gateway.body_bytes_max: 8388608 is too large; allowed: at most 8323072"}),
    [](const auto& fault) { return fault.param.name; });

TEST_F(ConfigTest, AFileThatIsNotThereIsOneClearLine) {
  Result<Config> config = load_config(directory_.path() / "none.toml");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Code::bad_config);
  EXPECT_NE(config.error().text.find("none.toml: can't be read (No such file or directory)"),
            std::string::npos);
  config = load_config(directory_.path());
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().text.find("is a directory"), std::string::npos);
}

TEST_F(ConfigTest, EveryFaultIsListedInTheOrderOfTheFile) {
  std::vector<std::string> faults;
  ASSERT_FALSE(load_config(write("clutser = 1\n[[pair]]\nname = 3\nservice = \"ledger\"\nreads = 4\n"),
                           {.services = {}, .faults = &faults}));
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_NE(faults[0].find(":1: clutser:"), std::string::npos);
  EXPECT_NE(faults[1].find(":3: pair.name:"), std::string::npos);
  EXPECT_NE(faults[2].find(":5: pair.reads:"), std::string::npos);
}

TEST_F(ConfigTest, GarbageIsRefusedWithoutHarm) {
  std::string garbage;
  for (int i = 0; i < 5000; ++i) garbage += static_cast<char>((i * 7919 + i / 3) % 256);
  EXPECT_FALSE(load_config(write(garbage)));
  EXPECT_FALSE(load_config(write(std::string(100000, '['))));
  EXPECT_FALSE(load_config(write(std::string((1u << 20) + 1, '#'))));
}

TEST_F(ConfigTest, SocketsOfALongPathGoToAPrivateShortDirectory) {
  const std::filesystem::path data = directory_.path() / std::string(100, 'd');
  const Config config = default_config(data);
  EXPECT_TRUE(config.run.string().starts_with("/tmp/pollux-")) << config.run;
  EXPECT_LE(config.pairs[0].members[0].listen_heartbeat.size(), 107 + 6u);
  EXPECT_EQ(config.run, default_config(data).run);
  EXPECT_NE(config.run, default_config(directory_.path() / std::string(100, 'e')).run);
}

TEST_F(ConfigTest, TheDefaultConfigurationPassesItsOwnChecks) {
  const Config config = default_config(directory_.path() / "data/");
  EXPECT_EQ(config.data, directory_.path() / "data");
  ASSERT_EQ(config.pairs.size(), 1u);
  EXPECT_TRUE(check(config.pairs[0].options));
  Result<Config> written =
      load_config(write("data = \"data\"\n[[pair]]\nname = \"groupware\"\nservice = \"groupware\"\n"
                        "[[gateway]]\n"));
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(written->pairs[0].members[0].listen, config.pairs[0].members[0].listen);
  EXPECT_EQ(written->gateways[0].listen, config.gateways[0].listen);
}

TEST_F(ConfigTest, WithTlsAGatewayMayListenAnywhere) {
  for (const char* listen : {"0.0.0.0:8443", "[::]:8443", "192.0.2.1:443"}) {
    Result<Config> config = load_config(write(gateway_with(
        "listen = \"" + std::string(listen) + "\"\ntls_certificate = \"tls/c.pem\"\ntls_key = \"/k.pem\"")));
    ASSERT_TRUE(config) << config.error().text;
    EXPECT_EQ(config->gateways[0].tls_certificate, directory_.path() / "tls/c.pem");
    EXPECT_EQ(config->gateways[0].tls_key, "/k.pem");
    EXPECT_EQ(config->gateways[0].scheme(), "https");
  }
}

TEST_F(ConfigTest, TheExampleIsValid) {
  Result<Config> config =
      load_config(std::filesystem::path(POLLUX_SOURCE_DIR) / "deploy/examples/pollux.toml");
  EXPECT_TRUE(config) << config.error().text;
}

TEST(ConfigDocument, ListsEveryKeyWithItsTypeRangeAndDefaultAndNoOther) {
  std::ifstream in(std::filesystem::path(POLLUX_SOURCE_DIR) / "docs/configuration.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  ASSERT_FALSE(rows.empty());
  for (const ConfigKey& key : config_keys()) {
    std::string row = "| `" + key.name + "` | " + key.type + " | " + key.allowed + " | ";
    if (!key.fallback.empty()) row += "`" + key.fallback + "` |";
    const auto found =
        std::ranges::find_if(rows, [&](const std::string& line) { return line.starts_with(row); });
    if (found == rows.end()) {
      ADD_FAILURE() << "docs/configuration.md has no row that begins with\n" << row;
    } else {
      rows.erase(found);
    }
  }
  for (const std::string& row : rows)
    ADD_FAILURE() << "docs/configuration.md describes a key that is none:\n" << row;
}

}  // namespace
}  // namespace pollux
