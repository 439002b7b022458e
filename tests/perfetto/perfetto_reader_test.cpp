// The Perfetto reader on files that protobuf's own code wrote.
#include "formats/perfetto/perfetto_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packet_maker_for_test.h"

namespace lockstep_test {
namespace {

using lockstep::Clock;
using lockstep::trace::Kind;
using lockstep::trace::Shape;
using perfetto::TrackEvent;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::uint64_t kStart = 1'000'000'000;

TEST(PerfettoReader, SlicesNestOnTheThreadThatTheirTrackDescribes) {
  PacketMaker maker;
  maker.process(1, 4711, "python");
  maker.thread(2, 4711, 4712, "main", 1);
  maker.begin(2, kStart, "outer");
  maker.slice(2, kStart + 10, kStart + 20, "inner");
  maker.end(2, kStart + 100);
  const ReadTrace read(maker);
  ASSERT_TRUE(read.status.ok());
  EXPECT_EQ(read.size(), 2U);
  EXPECT_EQ(read.start_ns("outer"), 1'000'000'000);
  EXPECT_EQ(read.duration_ns("outer"), 100);
  EXPECT_EQ(read.duration_ns("inner"), 10);
  EXPECT_EQ(read.place("inner"), "host 4711/4712");
  EXPECT_EQ(read.trace.text(read.trace.processes[0].name), "python");
  EXPECT_EQ(read.trace.text(read.trace.tracks[0].name), "main");
  EXPECT_THAT(read.trace.diagnostics.entries(), IsEmpty());
  EXPECT_EQ(read.trace.ranks[0].format, "perfetto");
}

TEST(PerfettoReader, DescriptorsMayComeAfterTheEvents) {
  PacketMaker maker;
  maker.slice(2, kStart, kStart + 1, "early");
  maker.thread(2, 7, 8, "late name", 1);
  maker.process(1, 7, "late process");
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("early"), "host 7/8");
  EXPECT_EQ(read.trace.text(read.trace.tracks[0].name), "late name");
  EXPECT_EQ(read.trace.text(read.trace.processes[0].name), "late process");
}

TEST(PerfettoReader, TracksWithoutAThreadAreKnownByTheirNames) {
  PacketMaker maker;
  maker.process(1, 7, "p");
  maker.track(2, "group", 1);
  maker.track(3, "leaf", 2);
  maker.trace.mutable_packet(2)->mutable_track_descriptor()->clear_name();
  maker.trace.mutable_packet(2)->mutable_track_descriptor()->set_static_name("static leaf");
  maker.track(4, "same", 1);
  maker.track(5, "same", 1);
  maker.slice(3, kStart, kStart + 1, "a");
  maker.slice(4, kStart, kStart + 1, "b");
  maker.slice(5, kStart, kStart + 1, "c");
  maker.slice(99, kStart, kStart + 1, "d");
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("a"), "host 7/group/static leaf");
  EXPECT_EQ(read.place("b"), "host 7/same");
  EXPECT_EQ(read.place("c"), "host 7/same");  // as viewers merge them
  EXPECT_EQ(read.place("d"), "host 0/track 99");
  EXPECT_EQ(read.count_of("unknown_track"), 1U);
}

TEST(PerfettoReader, InternedStringsAndDefaultsBelongToTheirSequence) {
  PacketMaker maker;
  for (const std::uint32_t sequence : {1U, 2U}) {
    perfetto::TracePacket& first = maker.packet();
    first.set_trusted_packet_sequence_id(sequence);
    first.set_sequence_flags(1);
    auto& name = *first.mutable_interned_data()->add_event_names();
    name.set_iid(5);
    name.set_str(sequence == 1 ? "one" : "two");
    auto& category = *first.mutable_interned_data()->add_event_categories();
    category.set_iid(1ULL << 60);
    category.set_str("cpu_op");
    first.mutable_trace_packet_defaults()->mutable_track_event_defaults()->set_track_uuid(10 *
                                                                                          sequence);
  }
  for (const std::uint32_t sequence : {1U, 2U}) {
    perfetto::TracePacket& packet = maker.packet();
    packet.set_trusted_packet_sequence_id(sequence);
    packet.set_sequence_flags(2);
    packet.set_timestamp(kStart);
    packet.mutable_track_event()->set_type(TrackEvent::TYPE_INSTANT);
    packet.mutable_track_event()->set_name_iid(5);
    packet.mutable_track_event()->add_category_iids(1ULL << 60);
  }
  maker.track(10, "ten");
  maker.track(20, "twenty");
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("one"), "host 0/ten");
  EXPECT_EQ(read.place("two"), "host 0/twenty");
  EXPECT_EQ(read.trace.text(read.trace.events.category[0]), "cpu_op");
}

TEST(PerfettoReader, ClearedStateForgetsStringsAndLostStateDropsPackets) {
  PacketMaker maker;
  auto& name = *maker.packet().mutable_interned_data()->add_event_names();
  name.set_iid(1);
  name.set_str("known");
  const auto instant = [&](std::uint32_t flags, std::uint32_t sequence) -> perfetto::TracePacket& {
    perfetto::TracePacket& packet = maker.packet();
    packet.set_trusted_packet_sequence_id(sequence);
    packet.set_sequence_flags(flags);
    packet.set_timestamp(kStart);
    packet.mutable_track_event()->set_type(TrackEvent::TYPE_INSTANT);
    packet.mutable_track_event()->set_name_iid(1);
    return packet;
  };
  instant(2, 1);
  instant(2, 7);                                    // of a sequence whose start is not there
  instant(2, 1).set_previous_packet_dropped(true);  // and what it needs may be lost
  instant(2, 1);
  instant(1, 1);  // starts afresh: no string
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 2U);
  EXPECT_EQ(read.name(0), "known");
  EXPECT_EQ(read.name(1), "");
  EXPECT_EQ(read.count_of("lost_incremental_state"), 3U);
  EXPECT_EQ(read.count_of("dropped_packets"), 1U);
  EXPECT_EQ(read.count_of("unknown_interned_string"), 1U);
}

TEST(PerfettoReader, AnnotationsBecomeArgumentsOfTheirType) {
  PacketMaker maker;
  TrackEvent& event = maker.slice(1, kStart, kStart + 1, "e");
  annotate(event, "int", std::int64_t{-3});
  annotate(event, "text", std::string_view("x"));
  auto* value = event.add_debug_annotations();
  value->set_name("large");
  value->set_uint_value(~0ULL);
  value = event.add_debug_annotations();
  value->set_name("real");
  value->set_double_value(0.5);
  value = event.add_debug_annotations();
  value->set_name("flag");
  value->set_bool_value(true);
  value = event.add_debug_annotations();
  value->set_name("json");
  value->set_legacy_json_value("[1]");
  value = event.add_debug_annotations();
  value->set_name("dict");
  auto* entry = value->add_dict_entries();
  entry->set_name("a\"b");
  entry->set_int_value(1);
  entry = value->add_dict_entries();
  entry->set_name("list");
  entry->add_array_values()->set_string_value("s");
  entry->add_array_values()->set_double_value(1.5);
  const ReadTrace read(maker);
  EXPECT_EQ(read.argument("e", "int"), "-3");
  EXPECT_EQ(read.argument("e", "text"), "'x'");
  EXPECT_EQ(read.argument("e", "large"), "18446744073709551615");
  EXPECT_EQ(read.argument("e", "real"), "0.500000");
  EXPECT_EQ(read.argument("e", "flag"), "true");
  EXPECT_EQ(read.argument("e", "json"), "[1]");
  EXPECT_EQ(read.argument("e", "dict"), R"({"a\"b":1,"list":["s",1.5]})");
}

TEST(PerfettoReader, CountersHaveUnitsIncrementsAndExtraValues) {
  PacketMaker maker;
  maker.track(5, "memory").mutable_counter()->set_unit_multiplier(1024);
  maker.track(6, "ticks").mutable_counter()->set_is_incremental(true);
  maker.event(TrackEvent::TYPE_COUNTER, 5, kStart).set_counter_value(2);
  maker.event(TrackEvent::TYPE_COUNTER, 5, kStart + 1).set_double_counter_value(0.5);
  for (int i = 0; i < 2; ++i) {
    TrackEvent& event = maker.event(TrackEvent::TYPE_INSTANT, 7, kStart + 2, "tick");
    event.add_extra_counter_track_uuids(6);
    event.add_extra_counter_values(10);
  }
  const ReadTrace read(maker);
  ASSERT_EQ(read.size(), 6U);
  EXPECT_EQ(read.trace.events.shape[0], Shape::kCounter);
  EXPECT_EQ(read.kind("memory"), Kind::kCounter);
  EXPECT_EQ(read.argument("memory", "value"), "2048");
  EXPECT_EQ(read.trace.arguments.of(lockstep::trace::EventId{1})[0].as_real(), 512.0);
  EXPECT_EQ(read.argument("ticks", "value"), "10");
  EXPECT_EQ(read.trace.arguments.of(lockstep::trace::EventId{4})[0].as_integer(), 20);
}

TEST(PerfettoReader, FlowsGoFromEventToEventInTheOrderOfTime) {
  PacketMaker maker;
  maker.slice(1, kStart + 50, kStart + 60, "second").add_flow_ids(9);
  maker.slice(2, kStart, kStart + 10, "first").add_flow_ids(9);
  maker.slice(3, kStart + 90, kStart + 99, "third").add_terminating_flow_ids(9);
  maker.slice(1, kStart + 100, kStart + 110, "fourth").add_flow_ids(9);  // a new flow
  maker.slice(2, kStart + 120, kStart + 130, "fifth").add_flow_ids_old(9);
  maker.slice(3, kStart + 140, kStart + 150, "alone").add_flow_ids(10);
  const ReadTrace read(maker);
  EXPECT_THAT(read.flows(), ElementsAre("first~second", "second~third", "fourth~fifth"));
  EXPECT_EQ(read.count_of("unbound_flow"), 1U);
}

TEST(PerfettoReader, AFlowOfAnEndBelongsToTheSliceThatItCloses) {
  PacketMaker maker;
  maker.begin(1, kStart, "source");
  maker.end(1, kStart + 10).add_flow_ids(5);
  maker.slice(2, kStart + 20, kStart + 30, "sink").add_terminating_flow_ids(5);
  EXPECT_THAT(ReadTrace(maker).flows(), ElementsAre("source~sink"));
}

TEST(PerfettoReader, CategoriesThatChromeJsonKnowsMeanTheSame) {
  PacketMaker maker;
  maker.process(1, 7, "python");
  maker.thread(2, 7, 8, "main", 1);
  maker.track(3, "stream 7", 1);
  annotate(maker.slice(2, kStart, kStart + 5, "cudaLaunchKernel", "cuda_runtime"), "correlation",
           std::int64_t{41});
  TrackEvent& kernel = maker.slice(3, kStart + 10, kStart + 20, "gemm", "kernel");
  annotate(kernel, "correlation", std::int64_t{41});
  annotate(kernel, "device", std::int64_t{3});
  annotate(kernel, "stream", std::int64_t{7});
  annotate(maker.slice(3, kStart + 20, kStart + 30, "ncclDevKernel_AllReduce_Sum_bf16", "kernel"),
           "device", std::int64_t{3});
  maker.slice(2, kStart, kStart + 40, "ProfilerStep#1", "user_annotation");
  const ReadTrace read(maker);
  EXPECT_EQ(read.kind("cudaLaunchKernel"), Kind::kRuntimeCall);
  EXPECT_EQ(read.kind("gemm"), Kind::kKernel);
  EXPECT_EQ(read.place("gemm"), "device 7/3/7");
  EXPECT_EQ(read.kind("ncclDevKernel_AllReduce_Sum_bf16"), Kind::kCommunication);
  ASSERT_EQ(read.trace.collectives.size(), 1U);
  EXPECT_EQ(read.trace.text(read.trace.collectives[0].op), "all_reduce");
  EXPECT_THAT(read.flows(), ElementsAre("cudaLaunchKernel>gemm"));
  ASSERT_EQ(read.trace.steps.size(), 1U);
}

TEST(PerfettoReader, RocprofKernelsAndCopiesLieOnStreamsOfTheirAgents) {
  PacketMaker maker;
  maker.process(1, 7, "app");
  maker.track(2, "THREAD 1 (4712)", 1);
  maker.track(3, "COMPUTE AGENT [4] STREAM [2] (GPU)", 1);
  maker.track(4, "COPY to AGENT [0] STREAM [2] (CPU)", 1);
  maker.track(5, "COMPUTE GPU [1] QUEUE [3] GPU", 1);
  maker.track(6, R"(STREAM [" 9 "])", 1);
  const auto with_flow = [](TrackEvent& event, std::int64_t correlation) -> TrackEvent& {
    annotate(event, "corr_id", correlation);
    event.add_flow_ids(static_cast<std::uint64_t>(correlation) ^ 0xABCDEF);
    return event;
  };
  with_flow(maker.slice(2, kStart, kStart + 5, "hipLaunchKernel", "hip_api"), 1);
  with_flow(maker.slice(3, kStart + 10, kStart + 20, "gemm", "kernel_dispatch"), 1);
  with_flow(maker.slice(2, kStart + 5, kStart + 9, "hipMemcpyAsync", "hip_api"), 2);
  annotate(
      with_flow(
          maker.slice(4, kStart + 20, kStart + 25, "MEMORY_COPY_DEVICE_TO_HOST", "memory_copy"), 2),
      "src_agent", std::string_view("Agent-4"));
  maker.slice(5, kStart + 30, kStart + 31, "queued", "kernel_dispatch");
  annotate(maker.slice(6, kStart + 40, kStart + 41, "streamed", "kernel_dispatch"), "agent",
           std::string_view("GPU 6"));
  maker.slice(2, kStart, kStart + 50, "range", "marker_api");
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("hipLaunchKernel"), "host 7/4712");
  EXPECT_EQ(read.place("gemm"), "device 7/4/2");
  EXPECT_EQ(read.kind("gemm"), Kind::kKernel);
  EXPECT_EQ(read.place("MEMORY_COPY_DEVICE_TO_HOST"), "device 7/4/2");
  EXPECT_EQ(read.kind("MEMORY_COPY_DEVICE_TO_HOST"), Kind::kMemcpy);
  EXPECT_EQ(read.place("queued"), "device 7/1/3");
  EXPECT_EQ(read.place("streamed"), "device 7/6/9");
  EXPECT_EQ(read.kind("range"), Kind::kAnnotation);
  EXPECT_THAT(read.flows(), UnorderedElementsAre("hipLaunchKernel>gemm",
                                                 "hipMemcpyAsync>MEMORY_COPY_DEVICE_TO_HOST"));
}

// rocprofv3 writes each record whole, one table after the other.
TEST(PerfettoReader, SlicesThatAreWrittenOneByOneNeedNoOrderInTime) {
  PacketMaker maker;
  maker.slice(1, kStart + 50, kStart + 60, "inner");
  maker.slice(1, kStart, kStart + 100, "outer");
  maker.slice(1, kStart + 90, kStart + 120, "crossing");
  const ReadTrace read(maker);
  EXPECT_EQ(read.duration_ns("inner"), 10);
  EXPECT_EQ(read.duration_ns("outer"), 100);
  EXPECT_EQ(read.duration_ns("crossing"), 30);
  EXPECT_FALSE(read.trace.diagnostics.has_loss());
}

TEST(PerfettoReader, AnEndThatIsWrittenBeforeItsBeginIsPairedByTime) {
  PacketMaker maker;
  maker.end(1, kStart + 100);
  maker.begin(1, kStart, "outer");
  maker.begin(1, kStart + 10, "inner");
  maker.end(1, kStart + 20);
  const ReadTrace read(maker);
  EXPECT_EQ(read.duration_ns("outer"), 100);
  EXPECT_EQ(read.duration_ns("inner"), 10);
  EXPECT_FALSE(read.trace.diagnostics.has_loss());
}

TEST(PerfettoReader, XprofTracksBelowADeviceAreItsLines) {
  PacketMaker maker;
  maker.track(1, "2. TPUs");
  maker.track(2, "/device:TPU:3", 1);
  maker.track(3, "XLA Ops", 2);
  maker.track(4, "XLA Modules", 2);
  maker.begin(3, kStart, "while");
  maker.slice(3, kStart + 10, kStart + 20, "fusion.1");
  maker.end(3, kStart + 100);
  maker.slice(4, kStart, kStart + 100, "jit_step");
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("fusion.1"), "device 0/3/XLA Ops");
  EXPECT_EQ(read.kind("fusion.1"), Kind::kKernel);
  EXPECT_EQ(read.kind("while"), Kind::kAnnotation);
  EXPECT_EQ(read.kind("jit_step"), Kind::kAnnotation);
  EXPECT_EQ(read.trace.text(read.trace.devices[0].name), "/device:TPU:3");
}

TEST(PerfettoReader, AnOperationAroundOneThatIsNotTheNextIsNoWorkEither) {
  PacketMaker maker;
  maker.track(1, "2. TPUs");
  maker.track(2, "/device:TPU:3", 1);
  maker.track(3, "XLA Ops", 2);
  maker.track(4, "XLA Ops", 2);  // the same line
  maker.begin(3, kStart + 1, "outer");
  maker.begin(4, kStart + 6, "crossing");
  maker.slice(3, kStart + 7, kStart + 9, "inner");
  maker.end(3, kStart + 11);
  maker.end(4, kStart + 16);
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("outer"), read.place("crossing"));
  EXPECT_EQ(read.kind("outer"), Kind::kAnnotation);
  EXPECT_EQ(read.kind("crossing"), Kind::kAnnotation);
  EXPECT_EQ(read.kind("inner"), Kind::kKernel);
}

TEST(PerfettoReader, GpuRenderStagesAreWorkOfTheirQueue) {
  PacketMaker maker;
  perfetto::TracePacket& packet = maker.packet();
  for (const auto& [iid, text] : {std::pair{1, "compute queue"}, {2, "dispatch"}}) {
    auto& entry = *packet.mutable_interned_data()->add_gpu_specifications();
    entry.set_iid(static_cast<std::uint64_t>(iid));
    entry.set_str(text);
  }
  packet.set_timestamp(kStart);
  auto& stage = *packet.mutable_gpu_render_stage_event();
  stage.set_event_id(1);
  stage.set_duration(500);
  stage.set_gpu_id(2);
  stage.set_hw_queue_iid(1);
  stage.set_stage_iid(2);
  stage.set_submission_id(77);
  const ReadTrace read(maker);
  EXPECT_EQ(read.place("dispatch"), "device 0/2/compute queue");
  EXPECT_EQ(read.kind("dispatch"), Kind::kKernel);
  EXPECT_EQ(read.duration_ns("dispatch"), 500);
  EXPECT_EQ(read.argument("dispatch", "submission_id"), "77");
}

TEST(PerfettoReader, PacketsOfOtherKindsAreListed) {
  PacketMaker maker;
  maker.slice(1, kStart, kStart + 1, "e");
  maker.packet().set_ftrace_events("x");
  maker.packet().set_ftrace_events("y");
  const ReadTrace read(maker);
  const auto& parts = read.trace.ranks[0].parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name, "track_event");
  EXPECT_EQ(parts[0].records, 2U);
  EXPECT_EQ(parts[1].name, "ftrace_events");
  EXPECT_EQ(parts[1].records, 2U);
  EXPECT_EQ(parts[1].use, lockstep::trace::SourcePart::Use::kUnused);
}

TEST(PerfettoReader, NamesComeFromTheProcessTreeToo) {
  PacketMaker maker;
  auto& tree = *maker.packet().mutable_process_tree();
  auto& process = *tree.add_processes();
  process.set_pid(7);
  process.add_cmdline("/usr/bin/app");
  process.add_cmdline("--flag");
  auto& thread = *tree.add_threads();
  thread.set_tid(8);
  thread.set_tgid(7);
  thread.set_name("worker");
  maker.thread(2, 7, 8, "");
  maker.slice(2, kStart, kStart + 1, "e");
  const ReadTrace read(maker);
  EXPECT_EQ(read.trace.text(read.trace.processes[0].name), "/usr/bin/app");
  EXPECT_EQ(read.trace.text(read.trace.tracks[0].name), "worker");
}

}  // namespace
}  // namespace lockstep_test
