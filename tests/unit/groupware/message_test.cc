#include "http/message.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(HttpMessage, HeaderNamesIgnoreCaseAndRepeatedOnesAreJoined) {
  HttpRequest request;
  request.headers = {{"if-match", " \"a\" "}, {"IF-MATCH", "\"b\""}, {"Depth", "1"}};
  EXPECT_EQ(request.header("If-Match"), "\"a\"");
  EXPECT_EQ(request.header_list("If-Match"), "\"a\", \"b\"");
  EXPECT_EQ(request.header("depth"), "1");
  EXPECT_FALSE(request.header("Depths"));
  EXPECT_FALSE(request.header_list("Accept"));
}

TEST(HttpMessage, DatesAreWrittenAndReadAsRfc9110Says) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
  EXPECT_EQ(parse_http_date(http_date(1709164800)), 1709164800);
}

TEST(HttpMessage, OtherDatesAreIgnored) {
  for (const char* text : {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
                           "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
                           "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT"}) {
    EXPECT_FALSE(parse_http_date(text)) << text;
  }
}

}  // namespace
}  // namespace pollux
