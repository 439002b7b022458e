// Claims on the health section and on warnings.
#include "report/health_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const DiagnosticKind kNote{"a_note", Severity::kInfo, "Something is worth knowing."};
const DiagnosticKind kLoss{"a_loss", Severity::kDataLoss, "Events could not be read."};
const DiagnosticKind kWrong{"an_error", Severity::kError, "The file contradicts itself."};

TEST(HealthText, CleanTraceIsSaidToBeClean) {
  EXPECT_EQ(health_section({}, false, {}), "\nHealth\n  nothing repaired, nothing dropped\n");
}

TEST(HealthText, WorstComesFirstWithCountAndPlace) {
  Diagnostics diagnostics;
  diagnostics.add(kNote, Place::none(), "", 1'234);
  diagnostics.add(kLoss, Place::byte(99), "", 2);
  diagnostics.add(kWrong, Place::row(7));
  EXPECT_EQ(health_section(diagnostics, false, {}),
            "\nHealth\n"
            "  error          1  The file contradicts itself. First in row 7.\n"
            "  data loss      2  Events could not be read. First at byte 99.\n"
            "  note       1,234  Something is worth knowing.\n");
}

TEST(HealthText, LongSentencesAreIndentedBelowTheirStart) {
  Diagnostics diagnostics;
  diagnostics.add(kNote);
  TextStyle style;
  style.width = 32;
  EXPECT_EQ(health_section(diagnostics, false, style),
            "\nHealth\n"
            "  note       1  Something is\n"
            "                worth knowing.\n");
}

TEST(HealthText, InputIsNamedOnlyWhenAsked) {
  Diagnostics of_rank;
  of_rank.add(kNote);
  Diagnostics diagnostics;
  diagnostics.absorb(of_rank, "rank1.json");
  EXPECT_THAT(health_section(diagnostics, true, {}), HasSubstr("In rank1.json."));
  EXPECT_THAT(health_section(diagnostics, false, {}), Not(HasSubstr("rank1.json")));
}

TEST(HealthText, ColourIsUsedOnlyWhereAllowed) {
  Diagnostics diagnostics;
  diagnostics.add(kWrong);
  TextStyle style;
  EXPECT_THAT(health_section(diagnostics, false, style), Not(HasSubstr("\x1b")));
  style.has_colour = true;
  EXPECT_THAT(health_section(diagnostics, false, style), HasSubstr("\x1b[31merror"));
}

TEST(HealthText, WarningsLeaveNotesOut) {
  Diagnostics diagnostics;
  diagnostics.add(kNote);
  diagnostics.add(kLoss, Place::byte(5), "\"ts\": x", 3);
  EXPECT_THAT(warning_lines(diagnostics, false),
              ElementsAre("data loss: 3 x Events could not be read. (first: \"ts\": x) First at "
                          "byte 5."));
}

}  // namespace
}  // namespace lockstep
