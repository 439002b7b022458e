// The structural scan, each implementation against the slow one.
#include "formats/chrome_json/scan/structural_scan.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/chrome_json/scan/structural_scan_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::size_t kLeastCapacity = 64;

std::string scan(const ScanImplementation& implementation, std::string_view text,
                 const std::vector<std::size_t>& splits = {}) {
  return describe(scan_in_parts(implementation, text, splits, kLeastCapacity));
}

TEST(StructuralScan, ThePlainImplementationIsAlwaysThere) {
  ASSERT_FALSE(supported().empty());
  EXPECT_STREQ(supported()[0].name, "plain");
}

TEST(StructuralScan, ElementsAreMarkedWhereTheyBeginAndEnd) {
  for (const ScanImplementation& one : supported()) {
    EXPECT_EQ(scan(one, R"({"a":1},{"b":[{}]} ,[])"),
              "22 scanned open@0 close@6 open@8 close@17 open@20 close@21 depth 0")
        << one.name;
  }
}

TEST(StructuralScan, BracketsInStringsDoNotCount) {
  for (const ScanImplementation& one : supported()) {
    EXPECT_EQ(scan(one, R"({"}]":"{[","\"}":"\\"})"), "22 scanned open@0 close@21 depth 0");
    EXPECT_EQ(scan(one, R"({"a":"\\\"}"})"), "13 scanned open@0 close@12 depth 0");
  }
}

TEST(StructuralScan, AClosingBracketOutsideStopsRightBehindIt) {
  for (const ScanImplementation& one : supported()) {
    EXPECT_EQ(scan(one, "{} , ] {}"), "6 scanned open@0 close@1 outside@5 stopped");
    EXPECT_EQ(scan(one, "}"), "1 scanned outside@0 stopped");
  }
}

TEST(StructuralScan, TheStateSaysWhereTheTextWasLeft) {
  for (const ScanImplementation& one : supported()) {
    EXPECT_EQ(scan(one, "{\"a"), "3 scanned open@0 in string depth 1");
    EXPECT_EQ(scan(one, "{\"a\\"), "4 scanned open@0 in string escaped depth 1");
    EXPECT_EQ(scan(one, "[[{"), "3 scanned open@0 depth 3");
    EXPECT_EQ(scan(one, ""), "0 scanned depth 0");
  }
}

TEST(StructuralScan, ACallStopsBeforeItsMarksMayOverflow) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "{}";
  for (const ScanImplementation& one : supported()) {
    for (const std::size_t capacity : {64, 65, 100, 127, 128, 4096}) {
      ScanState state;
      std::vector<Mark> marks(capacity);
      const ScanResult result =
          one.scan(text.data(), 0, text.size(), state, marks.data(), capacity);
      EXPECT_LE(result.marks, capacity);
      EXPECT_GT(result.scanned, 0U);
      EXPECT_EQ(result.marks, result.scanned);
      EXPECT_EQ(describe(scan_in_parts(one, text, {}, capacity)), describe(scan_slowly(text)));
    }
  }
}

TEST(StructuralScan, LongNestingIsCounted) {
  const std::string text = std::string(1000, '[') + std::string(999, ']');
  for (const ScanImplementation& one : supported()) {
    EXPECT_EQ(scan(one, text), "1999 scanned open@0 depth 1");
    EXPECT_EQ(scan(one, text + "]]"), "2001 scanned open@0 close@1999 outside@2000 stopped");
  }
}

// Text that is mostly what the scan looks at, long enough for several blocks of 64 bytes.
rc::Gen<std::string> structural_text(int largest) {
  const auto byte = rc::gen::weightedOneOf<char>({{6, rc::gen::elementOf(std::string("\"\\{}[]"))},
                                                  {2, rc::gen::elementOf(std::string("ab:, \n"))},
                                                  {1, rc::gen::arbitrary<char>()}});
  return rc::gen::mapcat(rc::gen::inRange(0, largest), [byte](int size) {
    return rc::gen::container<std::string>(static_cast<std::size_t>(size), byte);
  });
}

RC_GTEST_PROP(StructuralScan, EveryImplementationAgreesWithTheSlowOne, ()) {
  const std::string text = *structural_text(400);
  const std::string expected = describe(scan_slowly(text));
  for (const ScanImplementation& one : supported()) RC_ASSERT(scan(one, text) == expected);
}

RC_GTEST_PROP(StructuralScan, MostlyOpeningTextAgreesToo, ()) {
  // With more opening than closing brackets the depth stays above zero, the fast path.
  const std::string text = "[[[[" + *rc::gen::container<std::string>(rc::gen::weightedElement<char>(
                                        {{3, '{'}, {2, '}'}, {2, '"'}, {1, '\\'}, {20, 'x'}}));
  const std::string expected = describe(scan_slowly(text));
  for (const ScanImplementation& one : supported()) RC_ASSERT(scan(one, text) == expected);
}

RC_GTEST_PROP(StructuralScan, EverySplitIntoTwoCallsGivesTheSame, ()) {
  const std::string text = *structural_text(150);
  const std::string expected = describe(scan_slowly(text));
  for (const ScanImplementation& one : supported()) {
    for (std::size_t split = 0; split <= text.size(); ++split) {
      RC_ASSERT(scan(one, text, {split}) == expected);
    }
  }
}

RC_GTEST_PROP(StructuralScan, CallsOfOneByteEachGiveTheSame, ()) {
  const std::string text = *structural_text(300);
  std::vector<std::size_t> splits;
  for (std::size_t i = 0; i < text.size(); ++i) splits.push_back(i);
  for (const ScanImplementation& one : supported()) {
    RC_ASSERT(scan(one, text, splits) == describe(scan_slowly(text)));
  }
}

RC_GTEST_PROP(StructuralScan, RunsOfBackslashesOfAnyLengthGiveTheSame, ()) {
  std::string text = "{\"";
  for (int i = 0; i < 10; ++i) {
    text.append(static_cast<std::size_t>(*rc::gen::inRange(0, 70)), '\\').append("\"}a");
  }
  for (const ScanImplementation& one : supported()) {
    RC_ASSERT(scan(one, text) == describe(scan_slowly(text)));
  }
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
