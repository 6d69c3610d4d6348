#include "calendar/render.h"

#include "calendar_samples.h"

namespace pollux::testing {
namespace {

Result<std::string> render(const std::string& content, const CalendarDataQuestion& question,
                           std::uint64_t steps = RecurrenceLimits::object_steps_max) {
  ZoneCache zones;
  WorkBudget budget(steps);
  return render_calendar(content, question, Zone::utc(), zones, budget);
}

TEST(Render, EverythingIsTheOctetsThatAreStored) {
  const std::string content = "BEGIN:VCALENDAR\nX-a:\xc3\n \xa9\nEND:VCALENDAR";
  EXPECT_EQ(render(content, {}).value(), content);
}

TEST(Render, ChosenPartsKeepTheirOctets) {
  const auto content = in_vcalendar(
      berlin + vevent("DTSTART:20240101T100000Z\nSUMMARY:a long\n  summary\nDESCRIPTION;X=1:secret\n"));
  CalendarDataQuestion question;
  question.selection = CompSelection{
      .name = "VCALENDAR",
      .properties = {{.name = "version"}},
      .components = {
          {.name = "VEVENT",
           .properties = {{.name = "SUMMARY"}, {.name = "UID"}, {.name = "DESCRIPTION", .no_value = true}}}}};
  EXPECT_EQ(
      render(content, question).value(),
      lines_of(
          "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:u\nSUMMARY:a long\n  summary\nDESCRIPTION;X=1:\n"
          "END:VEVENT\nEND:VCALENDAR\n"));
  question.selection = CompSelection{.name = "VCALENDAR", .all_properties = true, .all_components = true};
  EXPECT_EQ(render(content, question).value(), content);
}

TEST(Render, ExpandedInstancesHaveTimesInUtcAndNoRule) {
  const auto content = in_vcalendar(
      berlin +
      vevent("DTSTART;TZID=Europe/Berlin:20240329T100000\nDTEND;TZID=Europe/"
             "Berlin:20240329T110000\nRRULE:FREQ=DAILY\n"
             "EXDATE;TZID=Europe/Berlin:20240330T100000\nSUMMARY:plain\n") +
      vevent("RECURRENCE-ID;TZID=Europe/Berlin:20240401T100000\nDTSTART;TZID=Europe/Berlin:20240401T120000\n"
             "DURATION:PT5M\nSUMMARY:moved\n"));
  CalendarDataQuestion question;
  question.expand = TimeRange{at("20240329T000000Z"), at("20240402T000000Z")};
  EXPECT_EQ(
      render(content, question).value(),
      in_vcalendar(
          "BEGIN:VEVENT\nRECURRENCE-ID:20240329T090000Z\nDTSTART:20240329T090000Z\nDTEND:20240329T100000Z\n"
          "UID:u\nDTSTAMP:20240101T000000Z\nSUMMARY:plain\nEND:VEVENT\n"
          "BEGIN:VEVENT\nRECURRENCE-ID:20240331T080000Z\nDTSTART:20240331T080000Z\nDTEND:20240331T090000Z\n"
          "UID:u\nDTSTAMP:20240101T000000Z\nSUMMARY:plain\nEND:VEVENT\n"
          "BEGIN:VEVENT\nRECURRENCE-ID:20240401T080000Z\nDTSTART:20240401T100000Z\n"
          "UID:u\nDTSTAMP:20240101T000000Z\nDURATION:PT5M\nSUMMARY:moved\nEND:VEVENT\n"));
}

TEST(Render, ExpandedDaysStayDays) {
  CalendarDataQuestion question;
  question.expand = TimeRange{at("20240102T000000Z"), at("20240103T000000Z")};
  EXPECT_EQ(render(in_vcalendar(
                       vevent("DTSTART;VALUE=DATE:20240101\nDTEND;VALUE=DATE:20240102\nRRULE:FREQ=DAILY\n")),
                   question)
                .value(),
            in_vcalendar("BEGIN:VEVENT\nRECURRENCE-ID;VALUE=DATE:20240102\nDTSTART;VALUE=DATE:20240102\n"
                         "DTEND;VALUE=DATE:20240103\nUID:u\nDTSTAMP:20240101T000000Z\nEND:VEVENT\n"));
}

TEST(Render, MoreInstancesThanTheLimitAreRefused) {
  const auto content = in_vcalendar(vevent("DTSTART:20240101T000000Z\nRRULE:FREQ=SECONDLY\n"));
  CalendarDataQuestion question;
  question.expand = TimeRange{at("20240101T000000Z"), at("20440101T000000Z")};
  const auto many = render(content, question);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, Code::too_large);
  const auto long_work = render(content, question, 100);
  ASSERT_FALSE(long_work);
  EXPECT_EQ(long_work.error().code, Code::too_large);
  question.expand = TimeRange{at("20440101T000000Z"), at("20440101T000010Z")};
  EXPECT_TRUE(render(content, question));
}

TEST(Render, OverridesOutsideTheRangeAreLeftOut) {
  const auto override_at = [](const std::string& id, const std::string& start) {
    return vevent("RECURRENCE-ID:" + id + "\nDTSTART:" + start + "\nDTEND:" + start + "\n");
  };
  const std::string master = vevent("DTSTART:20240101T100000Z\nDTEND:20240101T110000Z\nRRULE:FREQ=DAILY\n");
  const std::string in = override_at("20240105T100000Z", "20240105T120000Z");
  const std::string came = override_at("20240120T100000Z", "20240106T120000Z");
  const std::string went = override_at("20240104T100000Z", "20240301T120000Z");
  const std::string other = override_at("20240201T100000Z", "20240202T120000Z");
  CalendarDataQuestion question;
  question.limit_recurrences = TimeRange{at("20240103T000000Z"), at("20240108T000000Z")};
  EXPECT_EQ(render(in_vcalendar(berlin + master + in + came + went + other), question).value(),
            in_vcalendar(berlin + master + in + came + went));
}

TEST(Render, FreeBusyPeriodsOutsideTheRangeAreLeftOut) {
  CalendarDataQuestion question;
  question.limit_freebusy = TimeRange{at("20240103T000000Z"), at("20240108T000000Z")};
  EXPECT_EQ(
      render(in_vcalendar("BEGIN:VFREEBUSY\nUID:u\nFREEBUSY:20240101T000000Z/PT1H,20240104T000000Z/PT1H\n"
                          "FREEBUSY;FBTYPE=FREE:20240201T000000Z/PT1H\nEND:VFREEBUSY\n"),
             question)
          .value(),
      in_vcalendar("BEGIN:VFREEBUSY\nUID:u\nFREEBUSY:20240104T000000Z/PT1H\nEND:VFREEBUSY\n"));
}

}  // namespace
}  // namespace pollux::testing
