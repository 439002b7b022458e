// Claims on man pages.
#include "cli/reference/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli::reference {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RoffText, ShowsHyphensAndBackslashesAsTheyAre) {
  EXPECT_EQ(roff_text("--top a\\b"), "\\-\\-top a\\eb");
  EXPECT_EQ(roff_text("~x^y"), "\\(tix\\(hay");
}

TEST(RoffText, HasNoLineThatIsARequest) {
  EXPECT_EQ(roff_text(".json\n.pb and .gz\n'quoted'"),
            "\\&.json\n\\&.pb and .gz\n\\&\\(aqquoted\\(aq");
}

TEST(RoffOfMarkdown, MakesCodeBold) {
  EXPECT_EQ(roff_of_markdown("like `0,2-4`, or"), "like \\fB0,2\\-4\\fR, or");
}

TEST(RoffOfMarkdown, NamesTheManPageOfALink) {
  EXPECT_EQ(roff_of_markdown("see [kernel overhead](kernel-overhead.md)."),
            "see \\fBlockstep\\-kernel\\-overhead\\fR(1).");
  EXPECT_EQ(roff_of_markdown("see [a part](cycles.md#a-part)"), "see a part");
}

TEST(RoffOfMarkdown, LeavesBracketsThatAreNoLink) {
  EXPECT_EQ(roff_of_markdown("into [FROM, TO), and [x"), "into [FROM, TO), and [x");
  EXPECT_EQ(roff_of_markdown("a ` alone"), "a ` alone");
  EXPECT_EQ(roff_of_markdown("[FROM, TO), see [a](info.md)"),
            "[FROM, TO), see \\fBlockstep\\-info\\fR(1)");
}

std::string page_of(std::string_view name) {
  const std::vector<CommandRecord> records = command_records();
  for (const CommandRecord& record : records) {
    if (record.name() == name) return command_man_page(record, records);
  }
  return {};
}

TEST(ManPage, HasTheSectionsThatManPagesHave) {
  const std::string page = page_of("compare");
  std::size_t place = 0;
  for (const char* const section :
       {".TH LOCKSTEP\\-COMPARE 1", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS",
        ".SS Of the anchor method", ".SH EXIT STATUS", ".SH EXAMPLES", ".SH SEE ALSO"}) {
    const std::size_t found = page.find(section, place);
    EXPECT_NE(found, std::string::npos) << section;
    if (found != std::string::npos) place = found;
  }
}

TEST(ManPage, TellsOfExitCodeOneOnlyWhereItIsAskedFor) {
  EXPECT_THAT(page_of("compare"), HasSubstr(".TP\n1\n"));
  EXPECT_THAT(page_of("info"), Not(HasSubstr(".TP\n1\n")));
}

TEST(ManPage, OfAFamilyListsItsCommands) {
  EXPECT_THAT(page_of("kernel"), HasSubstr(".TP\n\\fBlockstep\\-kernel\\-decode\\fR(1)\n"));
  EXPECT_THAT(page_of("kernel"), Not(HasSubstr(".SH OPTIONS")));
}

}  // namespace
}  // namespace lockstep::cli::reference
