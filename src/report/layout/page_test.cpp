// Claims on pages: the same blocks on a terminal and as Markdown.
#include "report/layout/page.h"

#include <gtest/gtest.h>

namespace lockstep::report::layout {
namespace {

using Align = Table::Align;

Page page_for_test() {
  Page page;
  page.heading("Findings");
  page.list({{"P1", "one two three four five", {"because"}}, {"P2", "four", {}}});
  page.subheading("b1");
  page.paragraph("A sentence.");
  page.table({{"time", Align::kRight}, {"name", Align::kLeft}}, {{"1 us", "f<i>|g"}});
  page.drawing({"a │#│", "b │`│"});
  return page;
}

TEST(Page, IsLaidOutForATerminal) {
  TextStyle style;
  style.width = 26;
  EXPECT_EQ(page_text(page_for_test(), style),
            "\nFindings\n"
            "  P1  one two three four\n"
            "      five\n"
            "      because\n"
            "  P2  four\n"
            "\nb1\n"
            "  A sentence.\n"
            "  time  name\n"
            "  1 us  f<i>|g\n"
            "  a │#│\n"
            "  b │`│\n");
}

TEST(Page, IsLaidOutAsMarkdown) {
  EXPECT_EQ(page_markdown(page_for_test()),
            "## Findings\n"
            "\n"
            "* **P1** one two three four five\n"
            "  * because\n"
            "* **P2** four\n"
            "\n"
            "### b1\n"
            "\n"
            "A sentence.\n"
            "\n"
            "| time | name |\n"
            "|---:|---|\n"
            "| 1 us | f\\<i\\>\\|g |\n"
            "\n"
            "```\n"
            "a │#│\n"
            "b │`│\n"
            "```\n");
}

TEST(Page, MarkupInTextIsEscaped) {
  Page page;
  page.paragraph("possible_sync_or_h2d of _Zfoo_ and **x** `y` <b> [a](b) \n# no heading");
  EXPECT_EQ(page_markdown(page),
            "possible_sync_or_h2d of \\_Zfoo\\_ and \\*\\*x\\*\\* \\`y\\` \\<b\\> \\[a\\](b) "
            "\xEF\xBF\xBD\\# no heading\n");
}

TEST(Page, AFenceIsLongerThanTheBackticksInside) {
  Page page;
  page.drawing({"````"});
  EXPECT_EQ(page_markdown(page), "`````\n````\n`````\n");
}

TEST(Page, EmptyListsTablesAndDrawingsAreNothing) {
  Page page;
  page.list({});
  page.table({{"a"}}, {});
  page.drawing({});
  EXPECT_TRUE(page.blocks().empty());
  EXPECT_EQ(page_text(page, {}), "");
  EXPECT_EQ(page_markdown(page), "");
}

}  // namespace
}  // namespace lockstep::report::layout
