// The section on used, unused and missing parts.
#include "report/info/source_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/layout/text_width.h"

namespace lockstep::report::info {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Use = trace::SourcePart::Use;

analysis::summary::Summary summary_with(std::vector<trace::SourcePart> parts) {
  analysis::summary::Summary summary;
  summary.ranks.emplace_back().parts = std::move(parts);
  return summary;
}

std::string sources_section(const analysis::summary::Summary& summary,
                            const layout::TextStyle& style) {
  layout::Page page;
  add_sources(summary, page);
  return layout::page_text(page, style);
}

TEST(SourceText, SaysNothingOfFormatsWithoutParts) {
  EXPECT_THAT(sources_section(summary_with({}), {}), IsEmpty());
}

TEST(SourceText, UsedFirstThenMissingThenUnused) {
  const std::string text =
      sources_section(summary_with({{Use::kUnused, "l2_cache.csv", 0, ""},
                                    {Use::kMissing, "trace_view.json", 0, "no host events"},
                                    {Use::kUsed, "kernel_details.csv", 1911, "kernels"}}),
                      {});
  EXPECT_EQ(text,
            "\nSources\n"
            "  used     1,911  kernel_details.csv  kernels\n"
            "  missing         trace_view.json     no host events\n"
            "  unused          l2_cache.csv\n");
}

TEST(SourceText, ManyUnusedPartsAreCounted) {
  std::vector<trace::SourcePart> parts(40, {Use::kUnused, "ENUM_TABLE", 0, ""});
  const std::string text = sources_section(summary_with(parts), {});
  EXPECT_THAT(text, HasSubstr("and 28 more"));
}

TEST(SourceText, RanksWithOtherPartsAreMentioned) {
  analysis::summary::Summary summary = summary_with({{Use::kUsed, "a", 1, ""}});
  summary.ranks.push_back(summary.ranks[0]);
  EXPECT_THAT(sources_section(summary, {}), Not(HasSubstr("other parts")));
  summary.ranks.emplace_back().parts = {{Use::kUsed, "b", 1, ""}};
  EXPECT_THAT(sources_section(summary, {}), HasSubstr("and 1 rank with other parts"));
}

TEST(SourceText, FitsTheTerminal) {
  const std::string text = sources_section(
      summary_with({{Use::kUsed, std::string(80, 'n'), 1, "one two three four five six seven"}}),
      {.width = 80});
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = text.find('\n', from);
    EXPECT_LE(layout::display_width(text.substr(from, to - from)), 80U);
    from = to + 1;
  }
}

}  // namespace
}  // namespace lockstep::report::info
