// Claims on pages: the same blocks on a terminal and as Markdown.
#include "report/layout/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::report::layout {
namespace {

using testing::HasSubstr;
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
            "| 1 us | f\\<i>\\|g |\n"
            "\n"
            "```\n"
            "a │#│\n"
            "b │`│\n"
            "```\n");
}

// What stands at the top of a report, and what is told in rows.
Page report_for_test() {
  Page page;
  page.title({{"A", "a.json", {"kineto, 10 B"}}, {"", "b.json", {}}}, "and 3 more inputs");
  page.facts({{"span", "one two three four five"}});
  page.warning("Much is missing.");
  page.headed_line("Stream 7 of a very long device", "2 kernels");
  page.table({{"loop", Align::kLeft}, {"kernels", Align::kRight}},
             {{"pass", "8"}, {"  layer", "2"}},
             {{{}, 2}, {{"two regimes of iterations", "cut off"}, 4}});
  page.nested_heading("Phases");
  page.line("a line that is longer than the terminal");
  page.headed_paragraph("Total", "1 us -> 2 us, beyond noise");
  PageRows rows;
  rows.columns = {{"kind", Align::kLeft, 5},
                  {"count", Align::kRight},
                  {"part", Align::kLeft, 0, 5},
                  {"what", Align::kLeft}};
  rows.rows = {{{"loss", "10", "database", "It could not be read."}, Tone::kWarning},
               {{"note", "1", "x", ""}, Tone::kFaint}};
  page.rows(rows);
  page.remark("and 2 streams");
  return page;
}

TEST(Page, HeadRowsAndNotesAreLaidOutForATerminal) {
  TextStyle style;
  style.width = 26;
  EXPECT_EQ(page_text(report_for_test(), style), R"(A  a.json  kineto, 10 B
b.json
and 3 more inputs

span         one two three
             four five
  Much is missing.

Stream 7 of a very long device: 2 kernels
  loop     kernels
  pass           8
    layer        2
      two regimes of
      iterations
      cut off

Phases
  a line that is longer than the terminal

Total: 1 us -> 2 us,
beyond noise
  loss   10  da…se  It could not be
                    read.
  note    1  x

and 2 streams
)");
}

TEST(Page, WhatIsKnownOfALongNameStandsBelowIt) {
  Page page;
  page.title({{"A", std::string(30, 'x'), {"kineto, 5 MB"}}, {"B", "short", {"kineto"}}});
  TextStyle style;
  style.width = 40;
  EXPECT_EQ(page_text(page, style),
            "A  " + std::string(30, 'x') + "\n  kineto, 5 MB\nB  short  kineto\n");
}

TEST(Page, ColourIsThatOfTheFirstCellAndOfWarnings) {
  TextStyle style;
  style.has_colour = true;
  const std::string text = page_text(report_for_test(), style);
  EXPECT_THAT(text, HasSubstr("\n\x1b[33m  Much is missing.\n\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\n\x1b[1mStream 7 of a very long device\x1b[0m: 2 kernels\n"));
  EXPECT_THAT(text, HasSubstr("\n\x1b[1mTotal\x1b[0m: 1 us -> 2 us, beyond noise\n"));
  EXPECT_THAT(text, HasSubstr("\n  \x1b[33mloss \x1b[0m  10  da\xE2\x80\xA6se  It could"));
  EXPECT_THAT(text, HasSubstr("\n  \x1b[2mnote \x1b[0m   1  x\n"));
}

TEST(Page, HeadRowsAndNotesAreLaidOutAsMarkdown) {
  EXPECT_EQ(page_markdown("What is told", report_for_test()), R"(# What is told

* A: **a.json** (kineto, 10 B)
* **b.json**
* and 3 more inputs

- **span** one two three four five

**Much is missing.**

## Stream 7 of a very long device

2 kernels

| loop | kernels |
|---|---:|
| pass | 8 |
| &nbsp;&nbsp;layer | 2 |

* **layer** two regimes of iterations; cut off

### Phases

a line that is longer than the terminal

## Total

1 us -> 2 us, beyond noise

| kind | count | part | what |
|---|---:|---|---|
| **loss** | 10 | database | It could not be read. |
| note | 1 | x |  |

and 2 streams
)");
}

TEST(Page, LinesThatWouldBeginMarkupAreEscaped) {
  Page page;
  page.paragraph("1. no list");
  page.paragraph("- no list");
  page.paragraph("--- no rule");
  page.paragraph("> no quotation");
  page.paragraph("1.5 ms");
  page.paragraph("-1.5 ms");
  page.paragraph("    no code");
  page.paragraph("T& of $x$ and &lt;");
  EXPECT_EQ(page_markdown(page),
            "1\\. no list\n\n\\- no list\n\n\\--- no rule\n\n\\> no quotation\n\n1.5 ms\n\n-1.5 "
            "ms\n\nno code\n\n"
            "T& of \\$x\\$ and \\&lt;\n");
}

TEST(Page, BlocksWithoutRowsAreNothing) {
  Page page;
  page.title({});
  page.facts({});
  page.rows({});
  EXPECT_TRUE(page.blocks().empty());
}

TEST(Page, MarkupInTextIsEscaped) {
  Page page;
  page.paragraph("possible_sync_or_h2d of _Zfoo_ and **x** `y` <b> [a](b) \n# no heading");
  EXPECT_EQ(page_markdown(page),
            "possible_sync_or_h2d of \\_Zfoo\\_ and \\*\\*x\\*\\* \\`y\\` \\<b> \\[a\\](b) "
            "\xEF\xBF\xBD\\# no heading\n");
}

TEST(Page, UnderscoresOfWhichOneWouldFreeAnotherAreEscaped) {
  Page page;
  page.paragraph("__init__ of __a__b a_b");
  EXPECT_EQ(page_markdown(page), R"(\_\_init\_\_ of \_\_a\_\_b a_b)"
                                 "\n");
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
