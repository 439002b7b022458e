// Claims on the health section and on warnings.
#include "report/layout/health_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::report::layout {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const DiagnosticKind kNote{"a_note", Severity::kInfo, "Something is worth knowing."};
const DiagnosticKind kLoss{"a_loss", Severity::kDataLoss, "Events could not be read."};
const DiagnosticKind kWrong{"an_error", Severity::kError, "The file contradicts itself."};

std::string health_section(const Diagnostics& diagnostics, std::size_t inputs,
                           const TextStyle& style) {
  Page page;
  add_health(diagnostics, inputs, "Health", page);
  return page_text(page, style);
}

TEST(HealthText, CleanTraceIsSaidToBeClean) {
  EXPECT_EQ(health_section({}, 1, {}), "\nHealth\n  nothing repaired, nothing dropped\n");
}

TEST(HealthText, WorstComesFirstWithCountAndPlace) {
  Diagnostics diagnostics;
  diagnostics.add(kNote, Place::none(), "", 1'234);
  diagnostics.add(kLoss, Place::byte(99), "", 2);
  diagnostics.add(kWrong, Place::row(7));
  EXPECT_EQ(health_section(diagnostics, 1, {}),
            "\nHealth\n"
            "  error          1  The file contradicts itself. First in row 7.\n"
            "  data loss      2  Events could not be read. First at byte 99.\n"
            "  note       1,234  Something is worth knowing.\n");
}

TEST(HealthText, TheTimeOfAnExampleIsSaidOnce) {
  Diagnostics diagnostics;
  diagnostics.add(kNote, Place::time(Time{9'000'000}), "gemm");
  EXPECT_EQ(health_section(diagnostics, 1, {}),
            "\nHealth\n"
            "  note       1  Something is worth knowing. (first: gemm at 9.000 us)\n");
}

TEST(HealthText, LongSentencesAreIndentedBelowTheirStart) {
  Diagnostics diagnostics;
  diagnostics.add(kNote);
  TextStyle style;
  style.width = 36;
  EXPECT_EQ(health_section(diagnostics, 1, style),
            "\nHealth\n"
            "  note       1  Something is worth\n"
            "                knowing.\n");
}

TEST(HealthText, InputIsNamedOnlyWhenAsked) {
  Diagnostics of_rank;
  of_rank.add(kNote);
  Diagnostics diagnostics;
  diagnostics.absorb(of_rank, "rank1.json");
  EXPECT_THAT(health_section(diagnostics, 2, {}), HasSubstr("In rank1.json."));
  EXPECT_THAT(health_section(diagnostics, 1, {}), Not(HasSubstr("rank1.json")));
}

TEST(HealthText, KindMetInSeveralInputsIsToldOnce) {
  Diagnostics diagnostics;
  for (int rank = 0; rank < 4; ++rank) {
    Diagnostics of_rank;
    of_rank.add(kLoss, Place::byte(10 + rank), "", 1'000);
    if (rank == 3) of_rank.add(kNote);
    diagnostics.absorb(of_rank, "rank" + std::to_string(rank) + ".json");
  }
  EXPECT_EQ(
      health_section(diagnostics, 6, {}),
      "\nHealth\n"
      "  data loss  4,000  Events could not be read. First at byte 10. In 4 of 6 inputs, first "
      "rank0.json.\n"
      "  note           1  Something is worth knowing. In rank3.json.\n");
  EXPECT_THAT(
      warning_lines(diagnostics, 6),
      ElementsAre("data loss: 4,000 x Events could not be read. First at byte 10. In 4 of 6 "
                  "inputs, first rank0.json."));
}

TEST(HealthText, LongExamplesAreShortened) {
  Diagnostics diagnostics;
  diagnostics.add(kLoss, Place::none(), std::string(200'000, 'x') + "_end");
  const std::string text = health_section(diagnostics, 1, {});
  EXPECT_LT(text.size(), 300U);
  EXPECT_THAT(text, HasSubstr("x_end"));
}

TEST(HealthText, StandardInputIsCalledThat) {
  Diagnostics of_pipe;
  of_pipe.add(kNote);
  Diagnostics diagnostics;
  diagnostics.absorb(of_pipe, "-");
  EXPECT_THAT(health_section(diagnostics, 2, {}), HasSubstr("In standard input."));
}

TEST(HealthText, ColourIsUsedOnlyWhereAllowed) {
  Diagnostics diagnostics;
  diagnostics.add(kWrong);
  TextStyle style;
  EXPECT_THAT(health_section(diagnostics, 1, style), Not(HasSubstr("\x1b")));
  style.has_colour = true;
  EXPECT_THAT(health_section(diagnostics, 1, style), HasSubstr("\x1b[31merror"));
}

TEST(HealthText, WarningsLeaveNotesOut) {
  Diagnostics diagnostics;
  diagnostics.add(kNote);
  diagnostics.add(kLoss, Place::byte(5), "\"ts\": x", 3);
  EXPECT_THAT(warning_lines(diagnostics, 1),
              ElementsAre("data loss: 3 x Events could not be read. (first: \"ts\": x) First at "
                          "byte 5."));
}

}  // namespace
}  // namespace lockstep::report::layout
