#include "groupware/outside_load.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

constexpr std::string_view wrk_says = R"(Running 2s test @ http://127.0.0.1:8080/items-700/item-000000.ics
  2 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.93ms    2.22ms  34.30ms   83.48%
    Req/Sec    11.22k     1.45k   14.21k    70.00%
  Latency Distribution
     50%  850.00us
     75%    3.67ms
     90%    5.46ms
     99%    1.10s
  44691 requests in 2.00s, 43.20MB read
Requests/sec:  22331.76
Transfer/sec:     21.59MB
)";

constexpr std::string_view ab_says = R"(Server Software:        nginx/1.22.1
Document Path:          /items-700/item-000000.ics
Document Length:        700 bytes

Concurrency Level:      100
Time taken for tests:   1.000 seconds
Complete requests:      36512
Failed requests:        0
Keep-Alive requests:    36512
Total transferred:      35010096 bytes
Requests per second:    36511.09 [#/sec] (mean)
Time per request:       2.739 [ms] (mean)
)";
constexpr std::string_view ab_percentiles =
    "Percentage served,Time in ms\n0,0.081\n1,0.310\n50,2.994\n99,10.010\n";

TEST(OutsideLoadTest, WhatWrkSaysIsReadInWholeNumbers) {
  const auto figure = parse_wrk(wrk_says);
  ASSERT_TRUE(figure) << figure.error().text;
  EXPECT_EQ(figure->per_second_milli, 22'331'760U);
  EXPECT_EQ(figure->p50_ns, 850'000);
  EXPECT_EQ(figure->p99_ns, 1'100'000'000);
  EXPECT_EQ(figure->answered, 44691U);
  EXPECT_EQ(figure->failures, 0U);
}

TEST(OutsideLoadTest, WhatWrkCountsAsFailedIsCounted) {
  const auto figure = parse_wrk(std::string(wrk_says) +
                                "  Socket errors: connect 1, read 20, write 0, timeout 300\n"
                                "  Non-2xx or 3xx responses: 4000\n");
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->failures, 4321U);
}

TEST(OutsideLoadTest, WhatAbSaysIsReadInWholeNumbers) {
  const auto figure = parse_ab(ab_says, ab_percentiles);
  ASSERT_TRUE(figure) << figure.error().text;
  EXPECT_EQ(figure->per_second_milli, 36'511'090U);
  EXPECT_EQ(figure->p50_ns, 2'994'000);
  EXPECT_EQ(figure->p99_ns, 10'010'000);
  EXPECT_EQ(figure->answered, 36512U);
  EXPECT_EQ(figure->failures, 0U);
}

TEST(OutsideLoadTest, WhatAbCountsAsFailedIsCounted) {
  std::string text(ab_says);
  text.replace(text.find("Failed requests:        0"), 25, "Failed requests:        7");
  const auto figure = parse_ab(text + "Non-2xx responses:      12\n", "");
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->failures, 19U);
  EXPECT_FALSE(figure->p50_ns) << "no percentiles were written";
}

TEST(OutsideLoadTest, WhatTellsNoRateIsNoFigure) {
  EXPECT_FALSE(parse_wrk("unable to connect to 127.0.0.1:1 Connection refused"));
  EXPECT_FALSE(parse_ab("apr_socket_recv: Connection refused (111)", ""));
}

TEST(OutsideLoadTest, DecimalsBecomeThousandths) {
  EXPECT_EQ(decimal_milli("12345.67 [#/sec]"), 12'345'670U);
  EXPECT_EQ(decimal_milli("0.0019"), 1U);
  EXPECT_EQ(decimal_milli("17"), 17'000U);
  EXPECT_FALSE(decimal_milli("nan"));
  EXPECT_FALSE(decimal_milli(""));
  EXPECT_FALSE(decimal_milli("99999999999999999999"));
}

}  // namespace
}  // namespace pollux
