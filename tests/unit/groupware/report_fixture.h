// What the tests of REPORT share.
#pragma once

#include "dav/xml.h"
#include "gateway_fixture.h"

namespace pollux::testing {

inline const std::string book = "/dav/contacts/alice/default/";

class ReportTest : public GatewayTest {
 protected:
  static constexpr std::string_view namespaces =
      " xmlns:D='DAV:' xmlns:C='urn:ietf:params:xml:ns:caldav' xmlns:CARD='urn:ietf:params:xml:ns:carddav'";
  static std::string element(const std::string& name, const std::string& inside) {
    return "<" + name + std::string(namespaces) + ">" + inside + "</" + name + ">";
  }

  void put(HttpClient& client, const std::string& target, const std::string& content) {
    const auto type =
        target.starts_with(book) ? "Content-Type: text/vcard\r\n" : "Content-Type: text/calendar\r\n";
    const auto answer = client.request("PUT", target, type, content);
    ASSERT_TRUE(answer.status == 201 || answer.status == 204) << answer.status << answer.body;
  }
  HttpAnswer report(HttpClient& client, const std::string& target, const std::string& body,
                    const std::string& headers = {}) {
    return client.request("REPORT", target, headers, body);
  }
  static XmlElement multistatus(const HttpAnswer& answer) {
    EXPECT_EQ(answer.status, 207) << answer.body;
    auto root = parse_xml(answer.body);
    EXPECT_TRUE(root && root->is(xmlns::dav, "multistatus")) << answer.body.substr(0, 2000);
    return root.value_or(XmlElement());
  }
  /// The last segments of the hrefs, in their order, with the status of a response that has only one: "a.ics
  /// b.ics:404".
  static std::string names(const HttpAnswer& answer) {
    std::string text;
    for (const auto& response : multistatus(answer).children) {
      if (!response.is(xmlns::dav, "response")) continue;
      std::string href = response.child(xmlns::dav, "href")->text;
      if (href.ends_with('/')) href.pop_back();
      if (!text.empty()) text += " ";
      text += href.substr(href.rfind('/') + 1);
      if (const auto* status = response.child(xmlns::dav, "status")) text += ":" + status->text.substr(9, 3);
    }
    return text;
  }
  static bool has(const HttpAnswer& answer, std::string_view part) { return answer.body.contains(part); }
  /// The text of the first element of that name, wherever it is.
  static std::string text_of(const XmlElement& element, std::string_view name) {
    if (element.name.name == name) return element.text;
    for (const auto& child : element.children) {
      if (auto text = text_of(child, name); !text.empty()) return text;
    }
    return {};
  }
  static void expect_error(const HttpAnswer& answer, int status, std::string_view condition) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_TRUE(answer.body.contains("<" + std::string(condition))) << answer.body;
  }
};

}  // namespace pollux::testing
