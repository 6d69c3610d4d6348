#include "dav/xml.h"

#include <gtest/gtest.h>

#include "dav/properties.h"

namespace pollux {
namespace {

TEST(DavXml, ElementsHaveNamespacesWhateverTheirPrefix) {
  const auto root = parse_xml(
      "<a:propfind xmlns:a='DAV:'><prop xmlns='DAV:'><x xmlns=''>t&amp;<y/>u</x></prop></a:propfind>");
  ASSERT_TRUE(root);
  EXPECT_TRUE(root->is(xmlns::dav, "propfind"));
  const auto* prop = root->child(xmlns::dav, "prop");
  ASSERT_NE(prop, nullptr);
  EXPECT_TRUE(prop->children[0].is("", "x"));
  EXPECT_EQ(prop->children[0].text, "t&u");
}

TEST(DavXml, ADoctypeIsRefused) {
  const auto laughs = parse_xml(
      "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;&lol;&lol;\">"
      "<!ENTITY lol3 \"&lol2;&lol2;&lol2;&lol2;\">]><D:propfind xmlns:D=\"DAV:\">&lol3;</D:propfind>");
  ASSERT_FALSE(laughs);
  EXPECT_NE(laughs.error().text.find("DOCTYPE"), std::string::npos);
  EXPECT_FALSE(parse_xml("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>"));
}

TEST(DavXml, WhatIsNotWellFormedIsRefusedWithItsLine) {
  EXPECT_NE(parse_xml("<a>\n<b></a>").error().text.find("line 2"), std::string::npos);
  for (const char* text : {"", "x", "<a", "<a/><b/>", "<a>&undefined;</a>", "<x:a/>", "\xff\xfe"}) {
    EXPECT_FALSE(parse_xml(text)) << text;
  }
}

TEST(DavXml, DepthAndNumbersHaveLimits) {
  std::string deep, wide = "<a>", attributes = "<a";
  for (std::size_t count = 0; count <= XmlLimits::depth_max; ++count) deep += "<a>";
  for (std::size_t count = 0; count <= XmlLimits::elements_max; ++count) wide += "<b/>";
  for (std::size_t count = 0; count <= XmlLimits::attributes_max; ++count)
    attributes += " a" + std::to_string(count) + "=''";
  EXPECT_NE(parse_xml(deep).error().text.find("deeply"), std::string::npos);
  EXPECT_NE(parse_xml(wide + "</a>").error().text.find("too many elements"), std::string::npos);
  EXPECT_NE(parse_xml(attributes + "/>").error().text.find("too many attributes"), std::string::npos);
}

TEST(DavXml, AnElementThatIsKeptStandsAnywhere) {
  const auto root =
      parse_xml("<p:a xmlns:p='urn:p&quot;' p:x='1 &lt;' y='2' xml:lang='de'>t<q xmlns=''>&lt;</q></p:a>");
  ASSERT_TRUE(root);
  std::string text;
  append_element(&text, *root);
  const auto again = parse_xml(text);
  ASSERT_TRUE(again) << text;
  EXPECT_EQ(again->name, root->name);
  EXPECT_EQ(again->attributes, root->attributes);
  EXPECT_EQ(again->children[0].name, root->children[0].name);
  EXPECT_EQ(again->children[0].text, "<");
}

TEST(DavXml, PropfindBodiesAskOneThing) {
  EXPECT_EQ(parse_propfind("")->mode, PropfindQuestion::Mode::all);
  EXPECT_EQ(parse_propfind("<propfind xmlns='DAV:'><propname/></propfind>")->mode,
            PropfindQuestion::Mode::names);
  const auto some =
      parse_propfind("<propfind xmlns='DAV:'><prop><getetag/><x xmlns='urn:x'/></prop></propfind>");
  EXPECT_EQ(some->names, (std::vector<XmlName>{{"DAV:", "getetag"}, {"urn:x", "x"}}));
  const auto include =
      parse_propfind("<propfind xmlns='DAV:'><allprop/><include><owner/></include></propfind>");
  EXPECT_EQ(include->mode, PropfindQuestion::Mode::all);
  EXPECT_EQ(include->names.size(), 1U);
  EXPECT_FALSE(parse_propfind("<propfind xmlns='DAV:'/>"));
  EXPECT_FALSE(parse_propfind("<propfind xmlns='DAV:'><propname/><allprop/></propfind>"));
  EXPECT_FALSE(parse_propfind("<propfind><allprop/></propfind>"));
}

}  // namespace
}  // namespace pollux
