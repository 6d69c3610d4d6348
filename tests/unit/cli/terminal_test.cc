#include "terminal.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(Printable, LetsTextThroughAndMakesTheRestVisible) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f dich \xe2\x82\xac \xf0\x9f\x98\x80"),
            "gr\xc3\xbc\xc3\x9f dich \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\033[2J\n\t\x7f"), "\\x1b[2J\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\xc2\\x9b"
            "2J")
      << "an eight-bit control sequence";
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xff\xc0\x80"), "\\xff\\xc0\\x80");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(ColoursAreForTerminalsOnly, AndATestHasNone) { EXPECT_EQ(red("solo"), "solo"); }

}  // namespace
}  // namespace pollux
