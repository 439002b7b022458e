// Which of several exports of one capture is read.
#include "formats/input/other_exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::formats::input {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OtherExports, TheBestOfOneNameStays) {
  std::vector<std::string> files = {
      "a/9_results.db",   "a/9_results.json", "a/9_results.pftrace", "a/host.trace.json.gz",
      "a/host.xplane.pb", "a/rank0.json",     "a/rank0.json.gz"};
  EXPECT_THAT(take_other_exports(files),
              ElementsAre(OtherExport{"a/9_results.json", "a/9_results.db"},
                          OtherExport{"a/9_results.pftrace", "a/9_results.db"},
                          OtherExport{"a/host.trace.json.gz", "a/host.xplane.pb"},
                          OtherExport{"a/rank0.json.gz", "a/rank0.json"}));
  EXPECT_THAT(files, ElementsAre("a/9_results.db", "a/host.xplane.pb", "a/rank0.json"));
}

TEST(OtherExports, OtherNamesAndOtherFoldersAreOtherCaptures) {
  std::vector<std::string> files = {"a/x.json",    "b/x.db", "a/rank0.json", "a/rank1.json",
                                    "a/notes.txt", "a/.db",  "a/x"};
  const auto all = files;
  EXPECT_THAT(take_other_exports(files), IsEmpty());
  EXPECT_EQ(files, all);
}

TEST(OtherExports, NamesEndInLettersOfAnySize) {
  EXPECT_EQ(export_suffix("a/RANK1.JSON"), ".json");
  EXPECT_EQ(export_suffix("a/x.Pt.Trace.json.GZ"), ".pt.trace.json");
  EXPECT_EQ(export_suffix("a.json/x"), "");
  EXPECT_EQ(export_suffix(".db"), "");
  // None is better than the other.
  std::vector<std::string> files = {"a/x.JSON", "a/x.json"};
  EXPECT_THAT(take_other_exports(files), IsEmpty());
  EXPECT_THAT(files, ElementsAre("a/x.JSON", "a/x.json"));
}

TEST(OtherExports, OfTwoCompressionsOneStays) {
  std::vector<std::string> files = {"a/x.json.gz", "a/x.json.zst"};
  EXPECT_THAT(take_other_exports(files), ElementsAre(OtherExport{"a/x.json.zst", "a/x.json.gz"}));
  EXPECT_THAT(files, ElementsAre("a/x.json.gz"));
}

}  // namespace
}  // namespace lockstep::formats::input
