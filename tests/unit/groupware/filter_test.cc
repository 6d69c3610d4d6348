#include "calendar/filter.h"

#include <chrono>

#include "calendar_samples.h"

namespace pollux::testing {
namespace {

TextMatch text(const std::string& needle, Collation collation = Collation::ascii_casemap,
               bool negate = false) {
  return {needle, collation, MatchType::contains, negate};
}
CompFilter in_calendar(CompFilter inner) { return {.name = "VCALENDAR", .components = {std::move(inner)}}; }
bool matches(const CompFilter& filter, const std::string& components) {
  return CalendarFilter(filter, nullptr).matches(in_vcalendar(components));
}

const std::string tea = vevent(
    "DTSTART:20240101T100000Z\nSUMMARY;LANGUAGE=\"en\":Tea\\, "
    "\xc3\x84pfel\nATTENDEE;PARTSTAT=NEEDS-ACTION;CN=Bob:mailto:b@x\n"
    "ATTENDEE;PARTSTAT=ACCEPTED:mailto:c@x\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT15M\nEND:VALARM\n");
const std::string chore = a_component("VTODO", "SUMMARY:Tea\nSTATUS:NEEDS-ACTION\n");

TEST(CalendarFilter, ComponentsByTheirName) {
  EXPECT_TRUE(matches({.name = "VCALENDAR"}, tea));
  EXPECT_TRUE(matches(in_calendar({.name = "VEVENT"}), tea));
  EXPECT_TRUE(matches(in_calendar({.name = "vevent"}), tea));
  EXPECT_FALSE(matches(in_calendar({.name = "VTODO"}), tea));
  EXPECT_TRUE(matches(in_calendar({.name = "VTODO", .is_not_defined = true}), tea));
  EXPECT_FALSE(matches(in_calendar({.name = "VEVENT", .is_not_defined = true}), tea));
  EXPECT_FALSE(CalendarFilter({.name = "VCALENDAR"}, nullptr).matches("nonsense"));
}

TEST(CalendarFilter, NestedComponents) {
  EXPECT_TRUE(matches(in_calendar({.name = "VEVENT", .components = {{.name = "VALARM"}}}), tea));
  EXPECT_FALSE(matches(
      in_calendar({.name = "VEVENT", .components = {{.name = "VALARM", .is_not_defined = true}}}), tea));
  EXPECT_TRUE(matches(
      in_calendar({.name = "VTODO", .components = {{.name = "VALARM", .is_not_defined = true}}}), chore));
  const TimeRange ringing{at("20240101T094500Z"), at("20240101T094501Z")},
      silent{at("20240101T094600Z"), at("20240101T100000Z")};
  EXPECT_TRUE(
      matches(in_calendar({.name = "VEVENT", .components = {{.name = "VALARM", .range = ringing}}}), tea));
  EXPECT_FALSE(
      matches(in_calendar({.name = "VEVENT", .components = {{.name = "VALARM", .range = silent}}}), tea));
}

TEST(CalendarFilter, PropertiesByTextAndCollation) {
  const auto summary = [](TextMatch match) {
    return in_calendar({.name = "VEVENT", .properties = {{.name = "SUMMARY", .text = std::move(match)}}});
  };
  EXPECT_TRUE(matches(summary(text("tEA, ")), tea));
  EXPECT_FALSE(matches(summary(text("tEA", Collation::octet)), tea));
  EXPECT_TRUE(matches(summary(text("Tea", Collation::octet)), tea));
  EXPECT_FALSE(matches(summary(text("\xc3\xa4PFEL")), tea));
  EXPECT_TRUE(matches(summary(text("\xc3\xa4PFEL", Collation::unicode_casemap)), tea));
  EXPECT_FALSE(matches(summary(text("tea", Collation::ascii_casemap, true)), tea));
  EXPECT_TRUE(matches(summary(text("coffee", Collation::ascii_casemap, true)), tea));
}

TEST(CalendarFilter, PropertiesThatAreNotThere) {
  const auto absent = [](const std::string& name) {
    return in_calendar({.name = "VTODO", .properties = {{.name = name, .is_not_defined = true}}});
  };
  EXPECT_TRUE(matches(absent("COMPLETED"), chore));
  EXPECT_FALSE(matches(absent("STATUS"), chore));
  EXPECT_FALSE(matches(in_calendar({.name = "VTODO", .properties = {{.name = "COMPLETED"}}}), chore));
}

TEST(CalendarFilter, OnePropertyMustFitAllThatIsAskedOfIt) {
  const auto attendee = [](const std::string& address, const std::string& state) {
    return in_calendar({.name = "VEVENT",
                        .properties = {{.name = "ATTENDEE",
                                        .text = text(address),
                                        .parameters = {{.name = "PARTSTAT", .text = text(state)}}}}});
  };
  EXPECT_TRUE(matches(attendee("b@x", "NEEDS-ACTION"), tea));
  EXPECT_TRUE(matches(attendee("c@x", "accepted"), tea));
  EXPECT_FALSE(matches(attendee("b@x", "ACCEPTED"), tea));
  const auto without = [](const std::string& parameter) {
    return in_calendar(
        {.name = "VEVENT",
         .properties = {{.name = "SUMMARY", .parameters = {{.name = parameter, .is_not_defined = true}}}}});
  };
  EXPECT_TRUE(matches(without("ALTREP"), tea));
  EXPECT_FALSE(matches(without("LANGUAGE"), tea));
}

TEST(CalendarFilter, PropertiesByTheirTime) {
  const auto stamp = [](const std::string& from, const std::string& to) {
    return in_calendar(
        {.name = "VEVENT", .properties = {{.name = "DTSTAMP", .range = TimeRange{at(from), at(to)}}}});
  };
  EXPECT_TRUE(matches(stamp("20240101T000000Z", "20240101T000001Z"), tea));
  EXPECT_FALSE(matches(stamp("20240101T000001Z", "20240102T000000Z"), tea));
}

TEST(CalendarFilter, TimeAndPropertyMustBeOfTheSameInstance) {
  const auto content = vevent("DTSTART:20240101T100000Z\nRRULE:FREQ=DAILY;COUNT=10\nSUMMARY:plain\n") +
                       vevent("RECURRENCE-ID:20240103T100000Z\nDTSTART:20240103T120000Z\nSUMMARY:special\n");
  const auto filter = [](const std::string& day, const std::string& summary) {
    return in_calendar({.name = "VEVENT",
                        .range = TimeRange{at(day + "T000000Z"), at(day + "T235959Z")},
                        .properties = {{.name = "SUMMARY", .text = text(summary)}}});
  };
  EXPECT_TRUE(matches(filter("20240102", "plain"), content));
  EXPECT_FALSE(matches(filter("20240102", "special"), content));
  EXPECT_TRUE(matches(filter("20240103", "special"), content));
  EXPECT_FALSE(matches(filter("20240103", "plain"), content));
}

TEST(CalendarFilter, AnObjectThatCannotBeLookedThroughMatches) {
  CalendarFilter filter(
      in_calendar({.name = "VEVENT", .range = TimeRange{at("20990101T000000Z"), at("20990101T000001Z")}}),
      nullptr);
  EXPECT_TRUE(filter.matches(
      in_vcalendar(vevent("DTSTART:20240101T000000Z\nRRULE:FREQ=MINUTELY;BYSECOND=7;COUNT=900000000\n"))));
}

TEST(CalendarFilter, ManyObjectsOfThatKindMatchAtLittleCost) {
  CalendarFilter filter(
      in_calendar({.name = "VEVENT", .range = TimeRange{at("20990101T000000Z"), at("20990101T000001Z")}}),
      nullptr);
  const auto content =
      in_vcalendar(vevent("DTSTART:20240101T000000Z\nRRULE:FREQ=MINUTELY;BYSECOND=7;COUNT=900000000\n"));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(filter.matches(content));
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::seconds(60));  // without limit: six minutes
  // What is plain is still judged exactly.
  EXPECT_FALSE(
      filter.matches(in_vcalendar(vevent("DTSTART:20240101T000000Z\nRRULE:FREQ=DAILY;COUNT=100\n"))));
}

TEST(CalendarFilter, TellsWhatAnIndexMayLeaveOut) {
  const TimeRange range{at("20240101T000000Z"), at("20240108T000000Z")};
  const auto coarse = CalendarFilter(in_calendar({.name = "vevent", .range = range}), nullptr).coarse();
  EXPECT_EQ(coarse.component, "VEVENT");
  EXPECT_EQ(coarse.range, range);
  const auto alarms =
      CalendarFilter(in_calendar({.name = "VTODO", .components = {{.name = "VALARM", .range = range}}}),
                     nullptr)
          .coarse();
  EXPECT_EQ(alarms.range, range);
  const auto none = CalendarFilter(in_calendar({.name = "VTODO", .is_not_defined = true}), nullptr).coarse();
  EXPECT_EQ(none.component, "");
  EXPECT_EQ(none.range, TimeRange());
}

TEST(Collation, UnknownOnesAreTold) {
  EXPECT_EQ(find_collation("default", Collation::octet), Collation::octet);
  EXPECT_EQ(find_collation("i;unicode-casemap", Collation::octet), Collation::unicode_casemap);
  EXPECT_FALSE(find_collation("i;klingon", Collation::octet));
  EXPECT_EQ(fold_text("\xce\xa3\xcf\x82\xcf\x83", Collation::unicode_casemap), "\xcf\x83\xcf\x83\xcf\x83");
  EXPECT_EQ(fold_text("\xff\xc3", Collation::unicode_casemap), "\xff\xc3");
}

}  // namespace
}  // namespace pollux::testing
