// Claims on what words set, and on the sentences for those that set nothing.
#include "cli/options/option_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/value_checks.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One option of every kind.
struct Targets {
  bool flag = false;
  std::string word;
  std::optional<std::string> name;
  std::vector<std::string> again;
  std::vector<std::string> inputs;
  double share = 5;
  std::optional<std::uint32_t> top;
  std::uint64_t blocks = 0;

  [[nodiscard]] OptionTable table() {
    OptionTable table;
    table.add({.names = "INPUT", .target = &inputs, .help = "inputs"});
    table.add({.names = "-q,--quiet", .target = &flag, .help = "flag"});
    table.add({.names = "--word", .target = &word, .value = "W", .help = "word"});
    table.add({.names = "--name", .target = &name, .value = "FILE", .help = "name"});
    table.add({.names = "--again", .target = &again, .value = "W", .help = "again"});
    table.add({.names = "--share", .target = &share, .value = "PCT", .check = is_percentage});
    table.add({.names = "--top", .target = &top, .value = "N", .check = is_whole_number});
    table.add({.names = "--blocks", .target = &blocks, .value = "N", .check = is_whole_number});
    return table;
  }
};

TEST(ParseWords, SetsEveryKindOfTarget) {
  Targets targets;
  OptionTable table = targets.table();
  const auto parsed =
      parse_words(table, {"a", "-q", "--word", "w", "--name", "n", "b", "--again", "1", "c",
                          "--again=2", "--share", "12.5", "--top", "3", "--blocks", "7"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_FALSE(parsed.value().asks_help);
  EXPECT_THAT(parsed.value().left_over, IsEmpty());
  EXPECT_TRUE(targets.flag);
  EXPECT_EQ(targets.word, "w");
  EXPECT_EQ(targets.name, "n");
  EXPECT_THAT(targets.again, ElementsAre("1", "2"));
  EXPECT_THAT(targets.inputs, ElementsAre("a", "b", "c"));
  EXPECT_EQ(targets.share, 12.5);
  EXPECT_EQ(targets.top, 3U);
  EXPECT_EQ(targets.blocks, 7U);
}

TEST(ParseWords, TakesNoOtherWordForTheValueBehindAnEqualsSign) {
  Targets targets;
  OptionTable table = targets.table();
  for (const std::string option : {"--word", "--name", "--again", "--share", "--top", "--blocks"}) {
    for (const char* const next : {"1", "--quiet", "--"}) {
      const auto parsed = parse_words(table, {"-q", option + "=", next});
      ASSERT_FALSE(parsed.ok());
      EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
      EXPECT_EQ(parsed.error().text(), option + " needs a value");
    }
  }
}

TEST(ParseWords, LeavesAnEqualsSignAloneInValuesAndBehindTwoDashes) {
  Targets targets;
  OptionTable table = targets.table();
  const auto parsed = parse_words(table, {"--name", "--word=", "a", "--word==", "--", "--name="});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(targets.name, "--word=");
  EXPECT_EQ(targets.word, "=");
  EXPECT_THAT(targets.inputs, ElementsAre("a", "--name="));
}

TEST(ParseWords, LeavesTargetsThatAreNotGivenAndMarksTheOthers) {
  Targets targets;
  OptionTable table = targets.table();
  ASSERT_TRUE(parse_words(table, {"--top", "0"}).ok());
  EXPECT_EQ(targets.share, 5);
  EXPECT_EQ(targets.name, std::nullopt);
  for (const Option& option : table.options()) {
    EXPECT_EQ(option.is_given, option.names == "--top") << option.names;
  }
}

TEST(ParseWords, AsksForHelpWhateverElseIsThere) {
  Targets targets;
  OptionTable table = targets.table();
  for (const char* const word : {"-h", "--help"}) {
    const auto parsed = parse_words(table, {"a", word});
    ASSERT_TRUE(parsed.ok());
    EXPECT_TRUE(parsed.value().asks_help);
  }
}

TEST(ParseWords, HandsBackWhatItDoesNotKnow) {
  Targets targets;
  OptionTable table = targets.table();
  const auto parsed = parse_words(table, {"--jsno", "a", "--", "--top"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().left_over.front(), "--jsno");
}

TEST(ParseWords, TellsWhatIsWrongWithAValue) {
  Targets targets;
  OptionTable table = targets.table();
  const auto missing = parse_words(table, {"--top"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kUsage);
  EXPECT_EQ(missing.error().text(), "--top needs a value");
  const auto wrong = parse_words(table, {"--share", "101"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().text(), "--share: '101' is not a percentage from 0 to 100");
}

TEST(ParseWords, TellsOfOneValueThatIsGivenAgain) {
  Targets targets;
  OptionTable table = targets.table();
  for (const std::string option : {"--word", "--name", "--share", "--top", "--blocks"}) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {option, "3"}}) {
      std::vector<std::string> words = {"a", option, "1", option, "2"};
      words.insert(words.end(), more.begin(), more.end());
      const auto twice = parse_words(table, words);
      ASSERT_FALSE(twice.ok());
      EXPECT_EQ(twice.error().text(), option + " is given more than once");
    }
  }
}

}  // namespace
}  // namespace lockstep::cli
