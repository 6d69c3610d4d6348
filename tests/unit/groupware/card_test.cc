#include <gtest/gtest.h>

#include "contacts/card_filter.h"
#include "pollux/groupware/card_check.h"

namespace pollux::testing {
namespace {

std::string card(const std::string& lines, const std::string& version = "3.0") {
  return "BEGIN:VCARD\r\nVERSION:" + version + "\r\n" + lines + "END:VCARD\r\n";
}
const std::string ada = card(
    "UID:ada\r\nFN:Ada L\xc3\x96VELACE\r\nN:Lovelace;Ada;;;\r\nEMAIL;TYPE=\"work\",pref:ada@example.com\r\n"
    "item1.TEL;TYPE=home:+44 1\r\nitem2.TEL:+44 2\r\nNOTE:first\\nsecond\r\n");

void expect_refused(const std::string& content, CardFault fault, const std::string& words) {
  const auto checked = check_card(content);
  ASSERT_FALSE(checked) << content;
  EXPECT_EQ(checked.error().fault, fault);
  EXPECT_NE(checked.error().text.find(words), std::string::npos) << checked.error().text;
}

TEST(CardCheck, CardsOfBothVersionsAreTaken) {
  EXPECT_EQ(check_card(ada).value(), (CardObject{"ada", "3.0"}));
  EXPECT_EQ(check_card("\xef\xbb\xbf"
                       "begin:vcard\nuid:urn:uuid:1\nversion:4.0\nN:;;;;\nend:vcard")
                .value(),
            (CardObject{"urn:uuid:1", "4.0"}));
  EXPECT_TRUE(check_card(card("UID:g\r\nitem1.FN:grouped\r\nNOTE:fold in \xc3\r\n \xa9\r\n", "4.0")));
}

TEST(CardCheck, WhatIsNoCardIsRefusedWithASentence) {
  expect_refused("", CardFault::data, "BEGIN:VCARD");
  expect_refused("hello", CardFault::data, "BEGIN:VCARD");
  expect_refused("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", CardFault::data, "BEGIN:VCARD");
  expect_refused(card("FN:x\r\n"), CardFault::data, "no UID");
  expect_refused(card("UID:1\r\n"), CardFault::data, "neither FN nor N");
  expect_refused(card("UID:1\r\nUID:2\r\nFN:x\r\n"), CardFault::data, "a second UID");
  expect_refused(card("UID:\r\nFN:x\r\n"), CardFault::data, "empty");
  expect_refused(ada + ada, CardFault::data, "a second vCard");
  expect_refused("BEGIN:VCARD\r\nUID:1\r\nFN:x\r\nEND:VCARD\r\n", CardFault::data, "no VERSION");
  expect_refused(ada.substr(0, 60), CardFault::data, "cut off");
  expect_refused(card("UID:1\r\nFN:\xff\r\n"), CardFault::data, "UTF-8");
  expect_refused(card(std::string("UID:1\r\nFN:\x01\r\n")), CardFault::data, "control character");
  expect_refused(card("UID:1\r\nFN:x\r\nnonsense\r\n"), CardFault::data, "line 5");
  expect_refused(card("UID:1\r\nFN:x\r\n", "2.1"), CardFault::version, "2.1");
}

TextMatch text(const std::string& needle, MatchType type = MatchType::contains, bool negate = false) {
  return {needle, Collation::unicode_casemap, type, negate};
}
bool matches(CardPropFilter filter) { return CardFilter{.properties = {std::move(filter)}}.matches(ada); }

TEST(CardFilter, TextsMatchInFourWays) {
  EXPECT_TRUE(matches({.name = "FN", .texts = {text("l\xc3\xb6ve")}}));
  EXPECT_TRUE(matches({.name = "FN", .texts = {text("ada", MatchType::starts_with)}}));
  EXPECT_FALSE(matches({.name = "FN", .texts = {text("l\xc3\xb6ve", MatchType::starts_with)}}));
  EXPECT_TRUE(matches({.name = "FN", .texts = {text("lace", MatchType::ends_with)}}));
  EXPECT_TRUE(matches({.name = "FN", .texts = {text("ada l\xc3\xb6velace", MatchType::equals)}}));
  EXPECT_FALSE(matches({.name = "FN", .texts = {text("ada", MatchType::equals)}}));
  EXPECT_TRUE(matches({.name = "NOTE", .texts = {text("first\nsecond", MatchType::equals)}}));
  EXPECT_TRUE(matches({.name = "FN", .texts = {text("bob", MatchType::contains, true)}}));
}

TEST(CardFilter, ConditionsAreJoinedByAnyOrAll) {
  EXPECT_TRUE(matches({.name = "FN", .texts = {text("bob"), text("ada")}}));
  EXPECT_FALSE(matches({.name = "FN", .all_of = true, .texts = {text("bob"), text("ada")}}));
  const CardPropFilter has_ada{.name = "FN", .texts = {text("ada")}},
      has_bob{.name = "FN", .texts = {text("bob")}};
  EXPECT_TRUE((CardFilter{.all_of = false, .properties = {has_bob, has_ada}}.matches(ada)));
  EXPECT_FALSE((CardFilter{.all_of = true, .properties = {has_bob, has_ada}}.matches(ada)));
  EXPECT_TRUE(CardFilter{}.matches(ada));
  EXPECT_FALSE(CardFilter{}.matches("nonsense"));
}

TEST(CardFilter, GroupsParametersAndWhatIsNotThere) {
  EXPECT_TRUE(matches({.name = "TEL", .texts = {text("+44 2")}}));
  EXPECT_FALSE(matches({.name = "item1.TEL", .texts = {text("+44 2")}}));
  EXPECT_TRUE(
      matches({.name = "EMAIL", .parameters = {{.name = "TYPE", .text = text("WORK", MatchType::equals)}}}));
  EXPECT_TRUE(
      matches({.name = "EMAIL", .parameters = {{.name = "type", .text = text("pref", MatchType::equals)}}}));
  EXPECT_FALSE(matches({.name = "EMAIL", .parameters = {{.name = "TYPE", .is_not_defined = true}}}));
  EXPECT_TRUE(matches({.name = "TEL", .parameters = {{.name = "TYPE", .is_not_defined = true}}}));
  EXPECT_TRUE(matches({.name = "PHOTO", .is_not_defined = true}));
  EXPECT_FALSE(matches({.name = "FN", .is_not_defined = true}));
  EXPECT_FALSE(matches({.name = "PHOTO"}));
}

TEST(CardFilter, ALastLineWithoutOrWithHalfALineEndIsEnded) {
  for (const char* end : {"", "\r", "\n", "\r\n"}) {
    const std::string content = "BEGIN:VCARD\nVERSION:3.0\nUID:1\nFN:x\nEND:VCARD" + std::string(end);
    const std::string part =
        render_card(content, {.all = false, .properties = {{.name = "UID"}, {.name = "FN"}}});
    EXPECT_TRUE(check_card(part)) << part;
    EXPECT_TRUE(part.ends_with('\n'));
  }
}

TEST(CardFilter, ChosenPropertiesKeepTheirOctets) {
  EXPECT_EQ(render_card(ada, {}), ada);
  EXPECT_EQ(render_card(
                ada, {.all = false,
                      .properties = {{.name = "UID"}, {.name = "TEL"}, {.name = "EMAIL", .no_value = true}}}),
            card("UID:ada\r\nEMAIL;TYPE=\"work\",pref:\r\nitem1.TEL;TYPE=home:+44 1\r\nitem2.TEL:+44 2\r\n"));
}

}  // namespace
}  // namespace pollux::testing
