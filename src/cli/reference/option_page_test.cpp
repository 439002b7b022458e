// Claims on the tables of options in docs/reference.
#include "cli/reference/option_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli::reference {
namespace {

using ::testing::HasSubstr;

TEST(OptionTableMarkdown, HasARowForEachOption) {
  bool flag = false;
  std::string text;
  const std::vector<Option> options = {
      {.names = "-q,--quiet", .target = &flag, .help = "show nothing"},
      {.names = "-o,--output",
       .target = &text,
       .value = "N|all",
       .help = "h",
       .default_text = "10",
       .details = "`a|b`"}};
  EXPECT_EQ(option_table_markdown(options),
            "| option | meaning |\n|---|---|\n"
            "| `-q`, `--quiet` | show nothing |\n"
            "| `-o`, `--output N\\|all` | `a\\|b`. Default 10 |\n");
}

TEST(OptionTableMarkdown, HasAColumnForDefaultsWhereAllHaveOne) {
  std::string text;
  const std::vector<Option> options = {
      {.names = "--a", .target = &text, .value = "N", .help = "b", .default_text = "5"}};
  EXPECT_EQ(option_table_markdown(options),
            "| option | default | meaning |\n|---|---|---|\n| `--a N` | 5 | b |\n");
}

TEST(OptionPage, IsMadeAnewOnlyBetweenMarks) {
  const auto page = with_option_tables(
      "before\n<!-- options: kernel overhead -->\nold\n<!-- end of options -->\nafter\n",
      command_records());
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page.value(),
              HasSubstr("before\n<!-- options: kernel overhead -->\n| option | meaning |\n"));
  EXPECT_THAT(page.value(), HasSubstr(" |\n<!-- end of options -->\nafter\n"));
  EXPECT_FALSE(page.value().contains("old"));
}

TEST(OptionPage, KnowsGroups) {
  const auto page = with_option_tables(
      "<!-- options: cycles: the anchor method -->\n<!-- end of options -->", command_records());
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page.value(), HasSubstr("| `--anchor-min-count N` | 5 |"));
}

TEST(OptionPage, RefusesMarksThatItCannotFill) {
  for (const auto& [page, why] :
       {std::pair("<!-- options: nothing -->\n<!-- end of options -->\n", "names no command"),
        {"<!-- options: cycles: nothing -->\n<!-- end of options -->\n", "names no command"},
        {"<!-- options: info -->\n| old |\n", "has no end"},
        {"<!-- options: info", "has no end"}}) {
    const auto made = with_option_tables(page, command_records());
    ASSERT_FALSE(made.ok()) << page;
    EXPECT_THAT(made.error().text(), HasSubstr(why));
  }
}

}  // namespace
}  // namespace lockstep::cli::reference
