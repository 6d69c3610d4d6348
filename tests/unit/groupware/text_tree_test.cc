#include "calendar/text_tree.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

void append_octets(const TextComponent& component, std::string* out) {
  out->append(component.begin);
  for (const auto& property : component.properties) out->append(property.octets);
  for (const auto& inner : component.components) append_octets(inner, out);
  out->append(component.end);
}

TEST(TextTree, KeepsTheOctetsOfEveryFileOfTheCorpus) {
  for (const auto& file : std::filesystem::directory_iterator(POLLUX_TEST_DATA)) {
    if (file.path().extension() != ".ics" || file.path().filename() == "empty_lines.ics") continue;
    const std::string content = read_data(file.path().filename());
    const auto tree = TextTree::parse(content);
    ASSERT_TRUE(tree) << file.path();
    std::string again;
    for (const auto& root : tree->roots) append_octets(root, &again);
    const std::string_view without_bom =
        std::string_view(content).substr(content.starts_with("\xef\xbb\xbf") ? 3 : 0);
    EXPECT_TRUE(again == without_bom) << file.path();
  }
}

TEST(TextTree, UnfoldsWithinCharactersAndNames) {
  const auto tree = TextTree::parse(
      "BEGIN:VCA\r\n LENDAR\r\nSUMMARY;LANGUAGE=d\r\n e:Caf\xc3\r\n \xa9\r\nEND:VCALENDAR\r\n");
  ASSERT_TRUE(tree);
  ASSERT_TRUE(tree->roots.front().is("VCALENDAR"));
  const auto& summary = tree->roots.front().properties.front();
  EXPECT_EQ(summary.value, "Caf\xc3\xa9");
  EXPECT_EQ(summary.parameter("language"), "de");
  EXPECT_EQ(summary.octets, "SUMMARY;LANGUAGE=d\r\n e:Caf\xc3\r\n \xa9\r\n");
}

TEST(TextTree, ParametersMayBeQuotedAndHaveSeveralValues) {
  const auto tree = TextTree::parse("BEGIN:VCARD\nitem1.TEL;TYPE=\"a;b:c\",home;X:+1\nEND:VCARD");
  ASSERT_TRUE(tree);
  const auto& tel = tree->roots.front().properties.front();
  EXPECT_EQ(tel.group, "item1");
  EXPECT_EQ(tel.name, "TEL");
  EXPECT_EQ(tel.value, "+1");
  EXPECT_EQ(tel.parameter("TYPE"), "a;b:c");
  EXPECT_EQ(tel.parameter("X"), "");
  EXPECT_FALSE(tel.parameter("Y"));
}

TEST(TextTree, WhatDoesNotFitIsNoTree) {
  EXPECT_FALSE(TextTree::parse("BEGIN:A\nBEGIN:B\nEND:A\nEND:B\n"));
  EXPECT_FALSE(TextTree::parse("BEGIN:A\n"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "BEGIN:A\n";
  for (int i = 0; i < 100; ++i) deep += "END:A\n";
  EXPECT_FALSE(TextTree::parse(deep));
  EXPECT_TRUE(TextTree::parse("")->roots.empty());
}

TEST(TextTree, EscapesAreUndone) { EXPECT_EQ(unescape_text("a\\, b\\; c\\\\ d\\ne\\"), "a, b; c\\ d\ne\\"); }

}  // namespace
}  // namespace pollux::testing
