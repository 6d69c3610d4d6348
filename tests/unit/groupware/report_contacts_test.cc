#include "report_fixture.h"

namespace pollux::testing {
namespace {

class ContactsTest : public ReportTest {
 protected:
  static std::string card(const std::string& uid, const std::string& name, const std::string& more = {}) {
    return "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:" + uid + "\r\nFN:" + name + "\r\n" + more + "END:VCARD\r\n";
  }
  void SetUp() override {
    ReportTest::SetUp();
    auto client = connect();
    put(client, book + "ada.vcf", card("ada", "Ada Lovelace", "EMAIL;TYPE=work:ada@example.com\r\n"));
    put(client, book + "bob.vcf", card("bob", "Bob", "EMAIL;TYPE=home:bob@example.com\r\n"));
    put(client, book + "eve.vcf", card("eve", "Eve"));
  }
  static std::string query(const std::string& filter, const std::string& more = {},
                           const std::string& test = "anyof") {
    return element("CARD:addressbook-query",
                   "<D:prop><D:getetag/><CARD:address-data/></D:prop><CARD:filter test='" + test + "'>" +
                       filter + "</CARD:filter>" + more);
  }
};

TEST_F(ContactsTest, CardsComeBackAsTheyWerePut) {
  auto client = connect();
  const auto got = client.request("GET", book + "ada.vcf");
  EXPECT_EQ(got.body, card("ada", "Ada Lovelace", "EMAIL;TYPE=work:ada@example.com\r\n"));
  EXPECT_EQ(got.header("content-type"), "text/vcard; charset=utf-8");
}

TEST_F(ContactsTest, WhatIsNoCardIsRefused) {
  auto client = connect();
  const auto refused = [&](const std::string& content, std::string_view condition,
                           const std::string& type = "text/vcard") {
    expect_error(client.request("PUT", book + "x.vcf", "Content-Type: " + type + "\r\n", content), 403,
                 condition);
  };
  refused("hello", "CARD:valid-address-data");
  refused(event("a"), "CARD:valid-address-data");
  refused(card("x", "X"), "CARD:supported-address-data", "text/calendar");
  refused("BEGIN:VCARD\r\nVERSION:2.1\r\nUID:x\r\nFN:X\r\nEND:VCARD\r\n", "CARD:supported-address-data");
  expect_error(client.request("PUT", book + "x.vcf", "Content-Type: text/vcard\r\n", card("ada", "Other")),
               409, "CARD:no-uid-conflict");
}

TEST_F(ContactsTest, CardsAreFoundByTheirTexts) {
  auto client = connect();
  const auto email = [](const std::string& match) {
    return "<CARD:prop-filter name='EMAIL'>" + match + "</CARD:prop-filter>";
  };
  EXPECT_EQ(
      names(report(client, book,
                   query(email("<CARD:text-match match-type='ends-with'>EXAMPLE.com</CARD:text-match>")))),
      "ada.vcf bob.vcf");
  EXPECT_EQ(
      names(report(client, book,
                   query(email("<CARD:param-filter name='TYPE'><CARD:text-match match-type='equals'>home"
                               "</CARD:text-match></CARD:param-filter>")))),
      "bob.vcf");
  EXPECT_EQ(names(report(client, book, query(email("<CARD:is-not-defined/>")))), "eve.vcf");
  const std::string both =
      "<CARD:prop-filter name='FN'><CARD:text-match>a</CARD:text-match></CARD:prop-filter>" + email("");
  EXPECT_EQ(names(report(client, book, query(both, {}, "allof"))), "ada.vcf");
  EXPECT_EQ(names(report(client, book, query(both))), "ada.vcf bob.vcf");
  EXPECT_EQ(names(report(client, book, query(""))), "ada.vcf bob.vcf eve.vcf");
}

TEST_F(ContactsTest, ALimitIsToldByA507) {
  auto client = connect();
  const auto answer =
      report(client, book, query("", "<CARD:limit><CARD:nresults>2</CARD:nresults></CARD:limit>"));
  EXPECT_EQ(names(answer), "ada.vcf bob.vcf default:507");
  EXPECT_EQ(
      names(report(client, book, query("", "<CARD:limit><CARD:nresults>3</CARD:nresults></CARD:limit>"))),
      "ada.vcf bob.vcf eve.vcf");
}

TEST_F(ContactsTest, ChosenPropertiesAndMultiget) {
  auto client = connect();
  const auto answer = report(
      client, book,
      element("CARD:addressbook-multiget",
              "<D:prop><CARD:address-data><CARD:prop name='FN'/></CARD:address-data></D:prop><D:href>" +
                  book + "ada.vcf</D:href><D:href>" + book + "none.vcf</D:href>"));
  EXPECT_EQ(names(answer), "ada.vcf none.vcf:404");
  EXPECT_EQ(text_of(multistatus(answer), "address-data"),
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Lovelace\r\nEND:VCARD\r\n");
}

TEST_F(ContactsTest, BadFiltersSayWhatIsWrong) {
  auto client = connect();
  const auto fn = [](const std::string& attributes) {
    return "<CARD:prop-filter name='FN'><CARD:text-match " + attributes +
           ">a</CARD:text-match></CARD:prop-filter>";
  };
  expect_error(report(client, book, query(fn("collation='i;klingon'"))), 403, "CARD:supported-collation");
  expect_error(report(client, book, query(fn("match-type='sounds-like'"))), 403, "CARD:valid-filter");
  expect_error(report(client, book, query("<CARD:prop-filter/>")), 403, "CARD:valid-filter");
  expect_error(report(client, book, query("", {}, "someof")), 403, "CARD:valid-filter");
  expect_error(report(client, book, element("CARD:addressbook-query", "")), 403, "CARD:valid-filter");
  expect_error(report(client, calendar, query("")), 403, "D:supported-report");
}

}  // namespace
}  // namespace pollux::testing
