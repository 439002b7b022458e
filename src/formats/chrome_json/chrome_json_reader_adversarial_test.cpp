// Input that is made to be slow: endless nesting, unclosed strings and damage in every event. What
// is refused and what is kept stands here; `make bench-worst` measures what it costs.
#include <functional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;

std::string repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) text.append(part);
  return text;
}

void expect_refused(const std::string& json) {
  const Result<trace::Trace> read = try_read(json);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kInput);
}

TEST(ChromeJsonReaderAdversarial, EndlessOpeningBracketsAreRefused) {
  expect_refused(repeated("[", 5 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, EndlessOpeningBracesAreRefused) {
  expect_refused(repeated("{", 5 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, EndlessNestingIsRefused) {
  expect_refused(repeated("{\"a\":[", 5 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, EndlessQuotesAreRefused) {
  expect_refused(repeated("\"", 5 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, EndlessBackslashesInAKeyAreRefused) {
  expect_refused("{\"" + repeated("\\", 5 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, EndlessUnclosedStringsAreRefused) {
  expect_refused(repeated(",{\"a\":\"", 5 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, EndlessUnclosedEventsAreRefused) {
  expect_refused(repeated("{\"ph\":\"X\",", 5 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, ObjectsNestedToTheLimitAreRefused) {
  std::string nest = "1";
  for (int i = 0; i < 60; ++i) nest = "{\"a\":" + nest + "}";
  expect_refused("{\"a\":[" + repeated(nest + ",", 5 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, AHeaderThatNeverEndsIsRefused) {
  expect_refused("{\"a\":[" + repeated("{\"b\":1},", 40 * kMegabyte));
}

TEST(ChromeJsonReaderAdversarial, WhitespaceWithoutEndIsRefused) {
  expect_refused("{" + repeated(" ", 5 * kMegabyte));
}

// A list of `count` events made by `event`, with a sound one at its end.
std::string many(std::size_t count, const std::function<std::string(std::size_t)>& event) {
  std::string json = "{\"traceEvents\":[\n";
  for (std::size_t i = 0; i < count; ++i) json += event(i) + ",\n";
  return json + R"({"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":1,"ts":900,"dur":1}]})";
}

std::string sound_event(std::size_t i) {
  return R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" + std::to_string(1 + i) +
         R"(,"dur":1,"args":{"External id":)" + std::to_string(i + 1) + R"(,"a":"b","c":[1,2]}})";
}

void expect_only_last(const std::string& json, std::size_t damaged) {
  const Result<trace::Trace> read = try_read(json);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(names_of_events(read.value()), std::vector<std::string>{"last"});
  std::uint64_t told = 0;
  for (const Diagnostic& entry : read.value().diagnostics.entries()) told += entry.count;
  EXPECT_EQ(told, damaged);
}

constexpr std::size_t kMany = 200'000;

TEST(ChromeJsonReaderAdversarial, EventsThatAllLackTheirClosingBraceCostOnlyThemselves) {
  expect_only_last(many(kMany,
                        [](std::size_t i) {
                          const std::string event = sound_event(i);
                          return event.substr(0, event.size() - 1);
                        }),
                   kMany);
}

TEST(ChromeJsonReaderAdversarial, EventsThatAllHaveAnOddQuoteCostOnlyThemselves) {
  expect_only_last(many(kMany,
                        [](std::size_t i) {
                          std::string event = sound_event(i);
                          return event.replace(event.find("op\""), 0, "\"");
                        }),
                   kMany);
}

TEST(ChromeJsonReaderAdversarial, EventsThatAllHaveAWrongCommaCostOnlyThemselves) {
  expect_only_last(many(kMany,
                        [](std::size_t i) {
                          std::string event = sound_event(i);
                          return event.replace(event.find(",\"ts"), 1, ";");
                        }),
                   kMany);
}

TEST(ChromeJsonReaderAdversarial, EveryOtherEventDamagedKeepsTheOthers) {
  const std::string json = many(kMany, [](std::size_t i) {
    std::string event = sound_event(i);
    return i % 2 == 0 ? event : event.replace(event.find("op\""), 0, "\"");
  });
  const Result<trace::Trace> read = try_read(json);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().events.size(), kMany / 2 + 1);
}

TEST(ChromeJsonReaderAdversarial, EventsThatAllHoldRawControlCharactersAreAllRepaired) {
  const std::string json = many(kMany, [](std::size_t i) {
    std::string event = sound_event(i);
    return event.replace(event.find("op\""), 2, "o\x01p");
  });
  const Result<trace::Trace> read = try_read(json);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().events.size(), kMany + 1);
}

TEST(ChromeJsonReaderAdversarial, ClosingBracesBetweenAllEventsCostNothing) {
  const std::string json = many(kMany, [](std::size_t i) { return sound_event(i) + "}"; });
  const Result<trace::Trace> read = try_read(json);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().events.size(), kMany + 1);
}

TEST(ChromeJsonReaderAdversarial, AnEventOfTwentyMegabytesCostsOnlyItself) {
  const std::string event = sound_event(0);
  const std::string json = many(1, [&](std::size_t) {
    return event.substr(0, event.size() - 3) + "," + repeated("1,", 20 * kMegabyte) + "1]}}";
  });
  const Result<trace::Trace> read = try_read(json);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(names_of_events(read.value()).back(), "last");
  EXPECT_TRUE(read.value().events.size() == 2 || read.value().diagnostics.has_loss());
}

TEST(ChromeJsonReaderAdversarial, AnEventOfTenMegabytesIsRead) {
  const std::string event = sound_event(0);
  const std::string json = many(1, [&](std::size_t) {
    return event.substr(0, event.size() - 3) + "," + repeated("1,", 10 * kMegabyte) + "1]}}";
  });
  const Result<trace::Trace> read = try_read(json);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(names_of_events(read.value()), (std::vector<std::string>{"op", "last"}));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
