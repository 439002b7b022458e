// Order, symbols and launches of the kernels of streams.
#include "analysis/cycles/stream/kernel_stream.h"

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

using Symbols = std::vector<std::uint32_t>;

TEST(KernelStreams, OrdersByStartEndNameAndCorrelation) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.add(stream, trace::Kind::kKernel, "late", 50, 5);
  test.add(stream, trace::Kind::kKernel, "b", 10, 5, 2);
  test.add(stream, trace::Kind::kKernel, "b", 10, 5, 1);
  test.add(stream, trace::Kind::kKernel, "a", 10, 5);
  test.add(stream, trace::Kind::kKernel, "short", 10, 1);
  const KernelStream kernels = kernel_streams(test.trace).at(0);
  EXPECT_EQ(kernels.events,
            (std::vector<trace::EventId>{trace::EventId{4}, trace::EventId{3}, trace::EventId{2},
                                         trace::EventId{1}, trace::EventId{0}}));
  EXPECT_EQ(kernels.names, (Symbols{0, 1, 2, 2, 3}));
  EXPECT_EQ(kernels.symbols[0].text, "short");
  EXPECT_EQ(kernels.starts[0].ps, 10'000);
  EXPECT_EQ(kernels.ends[0].ps, 11'000);
  EXPECT_EQ(kernels.duration(4).ps, 5'000);
}

TEST(KernelStreams, HoldsWhatUsersCallKernelsAndNothingElse) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.add(stream, trace::Kind::kKernel, "gemm", 0, 5);
  test.add(stream, trace::Kind::kMemcpy, "copy", 10, 5);
  test.add(stream, trace::Kind::kCommunication, "ncclDevKernel", 20, 5);
  test.add(stream, trace::Kind::kAiCpu, "ai", 30, 5);
  test.add(stream, trace::Kind::kDuplicate, "ncclDevKernel", 40, 5);
  test.add_instant(stream, trace::Kind::kKernel, "point", 50);
  test.add(test.host, trace::Kind::kKernel, "on the host", 60, 5);
  EXPECT_EQ(kernel_streams(test.trace).at(0).size(), 3U);
}

TEST(KernelStreams, ListsStreamsByRankDeviceAndIdAsPeopleDo) {
  trace::TestTrace test;
  const trace::DeviceId device = test.add_device("0");
  const trace::TrackId ten = test.add_stream(device, "10");
  const trace::TrackId nine = test.add_stream(device, "9");
  test.add_stream(device, "empty");
  test.add(ten, trace::Kind::kKernel, "k", 0, 1);
  test.add(nine, trace::Kind::kKernel, "k", 0, 1);
  const std::vector<KernelStream> streams = kernel_streams(test.trace);
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(streams[0].stream_id, "9");
  EXPECT_EQ(streams[0].device_id, "0");
  EXPECT_EQ(streams[0].rank_number, 0);
  EXPECT_EQ(streams[1].stream_id, "10");
}

TEST(KernelStreams, KnowWhetherTheirRankTellsThemFromOtherInputs) {
  trace::TestTrace test;  // rank 0
  test.add(test.add_stream(test.add_device("0"), "7"), trace::Kind::kKernel, "k", 0, 1);
  test.add_rank(std::nullopt);
  test.add(test.add_stream(test.add_device("0"), "7"), trace::Kind::kKernel, "k", 0, 1);
  test.add_rank(std::nullopt);
  test.add(test.add_stream(test.add_device("0"), "7"), trace::Kind::kKernel, "k", 0, 1);
  const std::vector<KernelStream> streams = kernel_streams(test.trace);
  ASSERT_EQ(streams.size(), 3U);
  EXPECT_TRUE(streams[0].is_told_by_rank);
  EXPECT_FALSE(streams[1].is_told_by_rank);
  EXPECT_EQ(streams[1].source, "rank1.json");
  EXPECT_EQ(streams[2].source, "rank2.json");
}

TEST(KernelStreams, ACollectiveIsCommunicationWhateverItsName) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.add(stream, trace::Kind::kCommunication, "gemm", 0, 1);
  test.add(stream, trace::Kind::kKernel, "gemm", 10, 1);
  const KernelStream kernels = kernel_streams(test.trace).at(0);
  EXPECT_EQ(kernels.symbol(0).facts.role, kernels::KernelRole::kCommunication);
  EXPECT_EQ(kernels.symbol(1).facts.role, kernels::KernelRole::kGemm);
}

TEST(KernelStreams, SequencesOfSignaturesAndRolesFollowTheNames) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.add(stream, trace::Kind::kKernel, "triton_poi_fused_add_0", 0, 1);
  test.add(stream, trace::Kind::kKernel, "triton_poi_fused_add_1", 10, 1);
  test.add(stream, trace::Kind::kKernel, "triton_poi_fused_mul_2", 20, 1);
  const KernelStream kernels = kernel_streams(test.trace).at(0);
  EXPECT_EQ(kernels.sequence(SymbolLevel::kName, 0, 3), (Symbols{0, 1, 2}));
  EXPECT_EQ(kernels.sequence(SymbolLevel::kSignature, 0, 3), (Symbols{0, 0, 1}));
  EXPECT_EQ(kernels.sequence(SymbolLevel::kSignature, 1, 3), (Symbols{0, 1}));
  EXPECT_EQ(kernels.alphabet(SymbolLevel::kName, 0, kernels.size()), 3U);
  EXPECT_EQ(kernels.alphabet(SymbolLevel::kSignature, 0, kernels.size()), 2U);
  EXPECT_EQ(kernels.alphabet(SymbolLevel::kRole, 0, kernels.size()), 1U);
}

TEST(KernelStreams, KnowTheCallThatLaunchedAKernel) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.launch(stream, "k", 0, 10, 5, 1);
  test.add(stream, trace::Kind::kKernel, "unknown", 20, 5);
  const KernelStream kernels = kernel_streams(test.trace).at(0);
  EXPECT_EQ(kernels.launched_by, (std::vector<trace::EventId>{trace::EventId{0}, trace::kNoEvent}));
}

TEST(KernelStreams, SymbolLevelsHaveNames) {
  for (const SymbolLevel level : {SymbolLevel::kName, SymbolLevel::kSignature, SymbolLevel::kRole})
    EXPECT_EQ(symbol_level_named(name_of(level)), level);
  EXPECT_FALSE(symbol_level_named("letter"));
}

}  // namespace
}  // namespace lockstep::analysis::cycles
