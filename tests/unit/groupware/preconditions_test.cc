#include "dav/preconditions.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(TagLists, ListsAndWeakTagsAreRead) {
  EXPECT_TRUE(parse_tag_list("*")->any);
  EXPECT_EQ(parse_tag_list("\"a\"")->tags, (std::vector<EntityTag>{{false, "\"a\""}}));
  EXPECT_EQ(parse_tag_list(" W/\"a\" ,\"b,c\",, \"\" ")->tags,
            (std::vector<EntityTag>{{true, "\"a\""}, {false, "\"b,c\""}, {false, "\"\""}}));
}

TEST(TagLists, WhatIsNoListIsRefused) {
  for (const char* text : {"", ",", "a", "\"a", "\"a\" \"b\"", "w/\"a\"", "*, \"a\"", "\"a\", *", "\"a\"x"}) {
    EXPECT_FALSE(parse_tag_list(text)) << text;
  }
}

TEST(TagLists, TheirLengthHasALimit) {
  std::string text = "\"a\"";
  for (std::size_t count = 1; count < TagLimits::tags_max; ++count) text += ",\"a\"";
  EXPECT_TRUE(parse_tag_list(text));
  EXPECT_FALSE(parse_tag_list(text + ",\"a\""));
}

TEST(TagLists, RepeatedHeadersAreOneList) {
  HttpRequest request;
  request.headers = {{"If-Match", "\"a\""}, {"If-Match", "\"b\""}};
  EXPECT_EQ(read_preconditions(request)->match->tags.size(), 2U);
  EXPECT_FALSE(read_preconditions(request)->none_match);
}

}  // namespace
}  // namespace pollux
