#include "calendar/zone.h"

#include <cstdlib>
#include <ctime>

#include "calendar_samples.h"

namespace pollux::testing {
namespace {

std::int64_t local(const std::string& text) { return parse_time(text).value().local_s; }

const Zone& berlin_zone() {
  static const std::string text = in_vcalendar(berlin);
  static const ZonePtr zone = zone_of_calendar_text(text);
  return *zone;
}

TEST(Zone, SummerAndWinterFollowTheVtimezone) {
  EXPECT_EQ(format_utc(berlin_zone().to_utc(local("20240115T120000"))), "20240115T110000Z");
  EXPECT_EQ(format_utc(berlin_zone().to_utc(local("20240715T120000"))), "20240715T100000Z");
  EXPECT_EQ(format_utc(berlin_zone().to_utc(local("20990715T120000"))), "20990715T100000Z");
}

TEST(Zone, ATimeInTheGapIsReadWithTheOffsetBeforeIt) {
  // 2:30 is not there on 31 March 2024: it is 3:30 of summer time.
  EXPECT_EQ(format_utc(berlin_zone().to_utc(local("20240331T023000"))), "20240331T013000Z");
  EXPECT_EQ(format_utc(berlin_zone().to_utc(local("20240331T015959"))), "20240331T005959Z");
  EXPECT_EQ(format_utc(berlin_zone().to_utc(local("20240331T030000"))), "20240331T010000Z");
}

TEST(Zone, OfATimeThatIsThereTwiceItIsTheFirst) {
  EXPECT_EQ(format_utc(berlin_zone().to_utc(local("20241027T023000"))), "20241027T003000Z");
  EXPECT_EQ(format_utc(berlin_zone().to_utc(local("20241027T030000"))), "20241027T020000Z");
}

TEST(Zone, ZonesOfTheSystemSayWhatTheCLibrarySays) {
  for (const char* name :
       {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo",
        "Africa/Casablanca", "Pacific/Apia", "Europe/Dublin", "America/Nuuk"}) {
    const auto zone = find_system_zone(name);
    ASSERT_TRUE(zone) << name;
    ASSERT_EQ(::setenv("TZ", name, 1), 0);
    ::tzset();
    for (std::int64_t utc_s = at("19500101T000000Z"); utc_s < at("20600101T000000Z");
         utc_s += 3 * day_s + 5 * 3600) {
      const auto time = static_cast<std::time_t>(utc_s);
      std::tm parts{};
      ::localtime_r(&time, &parts);
      ASSERT_EQ(zone->to_local(utc_s) - utc_s, parts.tm_gmtoff) << name << " " << format_utc(utc_s);
      const std::int64_t back = zone->to_utc(zone->to_local(utc_s));
      ASSERT_LE(std::abs(back - utc_s), 3600) << name << " " << format_utc(utc_s);
    }
  }
  ::unsetenv("TZ");
  ::tzset();
}

TEST(Zone, NamesOfWindowsAndOfVendorsAreKnown) {
  for (const char* name :
       {"W. Europe Standard Time", "w. europe standard time", "/mozilla.org/20050126_1/Europe/Berlin",
        "/freeassociation.sourceforge.net/Europe/Berlin", "Europe/Berlin", " Europe/Berlin "}) {
    const auto zone = find_system_zone(name);
    ASSERT_TRUE(zone) << name;
    EXPECT_EQ(format_utc(zone->to_utc(local("20240715T120000"))), "20240715T100000Z") << name;
  }
  for (const char* name : {"(UTC-03:30) Somewhere", "GMT-0330", "UTC-3:30"}) {
    const auto zone = find_system_zone(name);
    ASSERT_TRUE(zone) << name;
    EXPECT_EQ(format_utc(zone->to_utc(local("20240715T120000"))), "20240715T153000Z") << name;
  }
}

TEST(Zone, ANameLeadsNowhereElse) {
  for (const char* name : {"../../../etc/passwd", "/etc/passwd", "posix/../../passwd", "", ".", "zone.tab",
                           "Nowhere/Land", "Europe", "Customized Time Zone", "/", "//", "(", "()", "(UTC"}) {
    const auto zone = find_system_zone(name);
    EXPECT_TRUE(!zone || name == std::string("(UTC")) << name;
  }
}

TEST(Zone, AVtimezoneOfNonsenseIsBounded) {
  std::string text = "BEGIN:VTIMEZONE\nTZID:x\n";
  for (int i = 0; i < 50; ++i) {
    text +=
        "BEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:-2359\nTZOFFSETTO:+2359\nRRULE:FREQ=SECONDLY\n"
        "RDATE:19700101T000000\nEND:STANDARD\n";
  }
  const auto zone = zone_of_calendar_text(in_vcalendar(text + "END:VTIMEZONE\n"));
  ASSERT_TRUE(zone);
  EXPECT_NE(zone->to_utc(0), time_s_max);
}

TEST(Zone, AVtimezoneWithoutObservanceGivesWayToTheSystemsZone) {
  const auto zone =
      zone_of_calendar_text(in_vcalendar("BEGIN:VTIMEZONE\nTZID:Europe/Berlin\nEND:VTIMEZONE\n"));
  ASSERT_TRUE(zone);
  EXPECT_EQ(format_utc(zone->to_utc(local("20240715T120000"))), "20240715T100000Z");
  EXPECT_FALSE(zone_of_calendar_text("nonsense"));
}

}  // namespace
}  // namespace pollux::testing
