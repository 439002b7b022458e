// Words of ROCm, environments, extents; and the lookup of rows by id.
#include "formats/rocm/rocm_records.h"

#include <gtest/gtest.h>

namespace lockstep::formats::rocm {
namespace {

TEST(RocmRecords, DomainsHaveKinds) {
  EXPECT_EQ(kind_of_rocm_domain("HIP_RUNTIME_API_EXT"), trace::Kind::kRuntimeCall);
  EXPECT_EQ(kind_of_rocm_domain("HSA_CORE_API"), trace::Kind::kRuntimeCall);
  EXPECT_EQ(kind_of_rocm_domain("MARKER_CORE_RANGE_API"), trace::Kind::kAnnotation);
  EXPECT_EQ(kind_of_rocm_domain("RCCL_API"), trace::Kind::kHostOp);
  EXPECT_EQ(kind_of_rocm_domain("SCRATCH_MEMORY"), trace::Kind::kOverhead);
  EXPECT_EQ(kind_of_rocm_domain(""), trace::Kind::kHostOp);
}

TEST(RocmRecords, DescriptorsOfKernelsLoseTheirSuffix) {
  EXPECT_EQ(kernel_of_symbol("_Z3addPf.kd"), "_Z3addPf");
  EXPECT_EQ(kernel_of_symbol("add"), "add");
  EXPECT_EQ(kernel_of_symbol(""), "");
}

TEST(RocmRecords, TheEnvironmentTellsTheRank) {
  EXPECT_EQ(rank_of_environment(R"({"SLURM_PROCID":"7","RANK":"3"})"), 3);
  EXPECT_EQ(rank_of_environment(R"({"OMPI_COMM_WORLD_RANK":"12"})"), 12);
  EXPECT_EQ(rank_of_environment(R"({"RANK":"all"})"), std::nullopt);
  EXPECT_EQ(rank_of_environment(R"({"RANK":"-1"})"), std::nullopt);
  EXPECT_EQ(rank_of_environment("{"), std::nullopt);
  EXPECT_EQ(rank_of_environment(""), std::nullopt);
  EXPECT_EQ(rank_of_environment({}), std::nullopt);
}

TEST(RocmRecords, GridsAreCountedInGroups) {
  EXPECT_EQ(groups_of({512, 128, 1}, {256, 1, 1}), (Extent{2, 128, 1}));
  EXPECT_EQ(groups_of({513, 1, 0}, {256, 0, 1}), (Extent{3, 1, 0}));
}

TEST(LaneTracks, MakesATrackOncePerLane) {
  LaneTracks lanes;
  int made = 0;
  const auto make = [&] { return trace::TrackId{static_cast<std::uint32_t>(made++)}; };
  EXPECT_EQ(lanes.find({1, 0, 7}, make), trace::TrackId{0});
  EXPECT_EQ(lanes.find({1, 1, 7}, make), trace::TrackId{1});
  EXPECT_EQ(lanes.find({1, 0, 7}, make), trace::TrackId{0});
  EXPECT_EQ(lanes.find({0, 0, 0}, make), trace::TrackId{2});
}

}  // namespace
}  // namespace lockstep::formats::rocm
