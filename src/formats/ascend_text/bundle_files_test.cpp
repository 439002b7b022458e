// Which files belong together.
#include "formats/ascend_text/bundle_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::formats::ascend_text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(BundleFiles, SortsByName) {
  EXPECT_EQ(file_sort("a/trace_view.json.gz"), FileSort::kTimeline);
  EXPECT_EQ(file_sort("op_summary_slice_0_20250101010101.csv"), FileSort::kOpSummary);
  EXPECT_EQ(file_sort("msprof_20250101.json"), FileSort::kMsprofTimeline);
  EXPECT_EQ(file_sort("communication_matrix.json"), FileSort::kCommunicationMatrix);
  EXPECT_EQ(file_sort("communication_group.json"), FileSort::kRaw);
  EXPECT_EQ(file_sort("profiler_info_12.json"), FileSort::kProfilerInfo);
  EXPECT_EQ(file_sort("ascend_pytorch_profiler_0.db"), FileSort::kDatabase);
  EXPECT_EQ(file_sort("host/data/x.bin"), FileSort::kRaw);
}

TEST(BundleFiles, AWorkerFolderIsOneRankWithAllThatLiesInIt) {
  std::vector<std::string> files = {
      "run/a_1_2_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
      "run/a_1_2_ascend_pt/FRAMEWORK/torch.op_range",
      "run/a_1_2_ascend_pt/PROF_1/host/data/x",
      "run/a_1_2_ascend_pt/PROF_1/mindstudio_profiler_output/op_summary_1.csv",
      "run/a_1_2_ascend_pt/profiler_info_0.json",
      "run/b_1_2_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
      "run/kineto.json",
  };
  const std::vector<shared::Bundle> bundles = claim("run", files);
  ASSERT_EQ(bundles.size(), 2U);
  EXPECT_EQ(bundles[0].root, "run/a_1_2_ascend_pt");
  EXPECT_EQ(bundles[0].files.size(), 5U);
  EXPECT_EQ(bundles[1].root, "run/b_1_2_ascend_pt");
  EXPECT_THAT(files, ElementsAre("run/kineto.json"));
}

TEST(BundleFiles, AnOutputFolderBelongsToTheFolderAbove) {
  std::vector<std::string> files = {
      "r/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
      "r/PROF_0/device_0/x",
      "r/other.json",
      "r/profiler_info_0.json",
  };
  const std::vector<shared::Bundle> bundles = claim("r", files);
  ASSERT_EQ(bundles.size(), 1U);
  EXPECT_EQ(bundles[0].root, "r");
  EXPECT_EQ(bundles[0].files.size(), 3U);
  EXPECT_THAT(files, ElementsAre("r/other.json"));
}

TEST(BundleFiles, TheInputItselfMayBeTheOutputFolder) {
  std::vector<std::string> files = {"ASCEND_PROFILER_OUTPUT/kernel_details.csv"};
  const std::vector<shared::Bundle> bundles = claim("ASCEND_PROFILER_OUTPUT", files);
  ASSERT_EQ(bundles.size(), 1U);
  EXPECT_EQ(bundles[0].root, ".");
}

TEST(BundleFiles, PlainFoldersAreKnownByTheirTables) {
  std::vector<std::string> files = {"a/communication.json", "a/kernel_details.csv", "a/notes.json",
                                    "b/op_summary_1.csv", "c/trace_view.json"};
  const std::vector<shared::Bundle> bundles = claim(".", files);
  ASSERT_EQ(bundles.size(), 2U);
  EXPECT_THAT(bundles[0].files, ElementsAre("a/communication.json", "a/kernel_details.csv"));
  EXPECT_EQ(bundles[1].root, "b");
  EXPECT_THAT(files, ElementsAre("a/notes.json", "c/trace_view.json"));
}

TEST(BundleFiles, MsprofFoldersAreRanks) {
  std::vector<std::string> files = {
      "x/PROF_1_a/mindstudio_profiler_output/op_summary_1.csv",
      "x/PROF_1_a/mindstudio_profiler_output/msprof_1.json",
      "x/PROF_2_b/device_1/summary/op_summary_1_1.csv",
  };
  const std::vector<shared::Bundle> bundles = claim("x", files);
  ASSERT_EQ(bundles.size(), 2U);
  EXPECT_EQ(bundles[0].root, "x/PROF_1_a");
  EXPECT_EQ(device_in(bundles[1].files[0]), "1");
  EXPECT_THAT(files, IsEmpty());
}

TEST(BundleFiles, NamesAboveTheGivenFolderProveNothing) {
  for (const std::string above : {"PROF_runs/", "h_1_2_ascend_pt/", "ASCEND_PROFILER_OUTPUT/"}) {
    std::vector<std::string> files = {above + "kineto/a.bin", above + "kineto/rank0.json.gz"};
    const std::vector<std::string> before = files;
    EXPECT_THAT(claim(above + "kineto", files), IsEmpty());
    EXPECT_THAT(claim(above + "kineto/", files), IsEmpty());
    EXPECT_EQ(files, before);
  }
}

TEST(BundleFiles, TracesInAFolderWithAMarkedNameAreLeft) {
  std::vector<std::string> files = {"PROF_runs/host/rank1.json", "PROF_runs/kineto/rank0.json.gz",
                                    "PROF_runs/rank2.json", "h_ascend_pt/rank3.pt.trace.json"};
  const std::vector<std::string> before = files;
  EXPECT_THAT(claim(".", files), IsEmpty());
  EXPECT_EQ(files, before);
}

TEST(BundleFiles, TracesBesideAProfileAreLeftToo) {
  std::vector<std::string> files = {"PROF_1/host/info.json", "PROF_1/kineto/rank0.json.gz",
                                    "PROF_1/mindstudio_profiler_output/msprof_1.json",
                                    "PROF_1/mindstudio_profiler_output/step_trace_1.json"};
  const std::vector<shared::Bundle> bundles = claim("PROF_1", files);
  ASSERT_EQ(bundles.size(), 1U);
  EXPECT_EQ(bundles[0].files.size(), 3U);
  EXPECT_THAT(files, ElementsAre("PROF_1/kineto/rank0.json.gz"));
}

TEST(BundleFiles, RawDataAloneAreClaimedToBeNamed) {
  std::vector<std::string> files = {"x/PROF_1/device_0/data/y", "x/PROF_1/host/info.json"};
  const std::vector<shared::Bundle> bundles = claim("x", files);
  ASSERT_EQ(bundles.size(), 1U);
  EXPECT_THAT(bundles[0].files, ElementsAre("x/PROF_1/device_0/data/y"));
}

TEST(BundleFiles, TheOutputFolderOfMsprofBelongsToTheFolderAbove) {
  std::vector<std::string> files = {"x/PROF_1/mindstudio_profiler_output/msprof_1.json"};
  const std::vector<shared::Bundle> bundles = claim("x/PROF_1/mindstudio_profiler_output", files);
  ASSERT_EQ(bundles.size(), 1U);
  EXPECT_EQ(bundles[0].root, "x/PROF_1");
}

TEST(BundleFiles, AnOutputFolderWithoutProductsIsNoProfile) {
  std::vector<std::string> files = {"r/ASCEND_PROFILER_OUTPUT/rank0.json"};
  EXPECT_THAT(claim("r/ASCEND_PROFILER_OUTPUT", files), IsEmpty());
  EXPECT_THAT(files, ElementsAre("r/ASCEND_PROFILER_OUTPUT/rank0.json"));
}

TEST(BundleFiles, NamesAreShort) {
  const shared::Bundle bundle{"r_ascend_pt", {}};
  EXPECT_EQ(name_in(bundle, "r_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"),
            "kernel_details.csv");
  EXPECT_EQ(name_in(bundle, "r_ascend_pt/PROF_1/x.csv"), "PROF_1/x.csv");
  EXPECT_EQ(process_in("d/host-1_4711_20250101010101123_ascend_pt"), "4711");
  EXPECT_EQ(process_in("d/dp0_rank0_ascend_pt"), "0");
  EXPECT_EQ(process_in("d"), "0");
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
