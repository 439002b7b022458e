// A trace made of any bytes, as a reader would: eight bytes are an event and what hangs on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/shared/rank_builder.h"
#include "trace/trace.h"

namespace lockstep {

class MadeTrace {
 public:
  // Up to three ranks, in the order of the bytes.
  explicit MadeTrace(std::span<const std::uint8_t> bytes) {
    const std::size_t ranks = bytes.empty() ? 1 : 1 + bytes[0] % 3;
    if (!bytes.empty()) bytes = bytes.subspan(1);
    const std::size_t share = bytes.size() / ranks;
    for (std::size_t r = 0; r < ranks; ++r) add_rank(r, bytes.subspan(r * share, share));
  }

  [[nodiscard]] const trace::Trace& trace() const { return trace_; }

 private:
  static constexpr std::size_t kEventBytes = 8;
  static constexpr std::array<std::string_view, 16> kWords = {"",
                                                              "0",
                                                              "7",
                                                              "-3",
                                                              "main",
                                                              "gemm",
                                                              "a(b) c",
                                                              "XLA Ops",
                                                              "Stream #1",
                                                              "kernel",
                                                              "cuda_runtime",
                                                              "ProfilerStep#1",
                                                              "x\xFF",
                                                              "\"\\\n",
                                                              "\xEF\xBF\xBE",
                                                              "ncclDevKernel_AllReduce_Sum(x)"};

  [[nodiscard]] static std::string_view word(std::size_t i) { return kWords[i % kWords.size()]; }

  void add_rank(std::size_t number, std::span<const std::uint8_t> bytes) {
    formats::shared::RankBuilder builder(trace_, "made", "kineto", trace::KeepArguments::kAll);
    const std::uint8_t first = bytes.empty() ? 0 : bytes[0];
    constexpr std::array kClocks = {Clock::kEpoch, Clock::kBoot, Clock::kSession, Clock::kUnknown};
    builder.set_origin(
        first % 5 == 0 ? WideTime{first} * 1'000'000 : WideTime{1'700'000'000'000'000'789} * 1'000,
        kClocks[first % kClocks.size()]);
    if (number > 0) builder.rank().number = static_cast<std::int64_t>(number);
    const std::array tracks = {
        builder.host_thread(builder.process("100"), "1"),
        builder.host_thread(builder.process("100"), word(first)),
        builder.stream(builder.process("0"), builder.device("0"), "7"),
        builder.stream(builder.process("0"), builder.device(word(first >> 4)), "a(b)")};
    std::vector<trace::EventId> added;
    for (; bytes.size() >= kEventBytes; bytes = bytes.subspan(kEventBytes))
      add_event(builder, tracks[bytes[0] % tracks.size()], bytes.first(kEventBytes), added);
    builder.finish();
  }

  static void add_event(formats::shared::RankBuilder& builder, trace::TrackId track,
                        std::span<const std::uint8_t> bytes, std::vector<trace::EventId>& added) {
    trace::Event row;
    row.track = track;
    row.kind = static_cast<trace::Kind>(bytes[1] % trace::kKindCount);
    row.name = builder.intern(word(bytes[2]));
    row.category = builder.intern(word(bytes[2] >> 4));
    row.correlation = bytes[3] % 8 - 1;
    // No two start together: between equal ones the order of rows decides, which a file may not
    // keep.
    constexpr WideTime kUnit = 4'096;
    const WideTime start = builder.origin() +
                           (WideTime{bytes[4]} - 8) * (bytes[1] < 16 ? 100'000 * kUnit : kUnit) +
                           static_cast<std::int64_t>(added.size());
    const trace::EventId id =
        bytes[1] % 7 == 6   ? builder.add_point(row, start, trace::Shape::kInstant)
        : bytes[1] % 7 == 5 ? builder.add_point(row, start, trace::Shape::kCounter)
                            : builder.add_span(row, start, start + bytes[5] * 333);
    if (id == trace::kNoEvent) return;
    builder.set_arguments(id, arguments(builder, bytes[6], bytes[7]));
    // Launches are found by correlation.
    if (!added.empty() && bytes[3] >= 192) {
      builder.add_flow(added[bytes[7] % added.size()], id, trace::Flow::Kind::kOther,
                       builder.intern("fwdbwd"));
    }
    added.push_back(id);
  }

  [[nodiscard]] static std::vector<trace::Argument> arguments(formats::shared::RankBuilder& builder,
                                                              std::uint8_t which,
                                                              std::uint8_t value) {
    std::vector<trace::Argument> out;
    if ((which & 1) != 0) out.push_back(trace::Argument::integer(builder.intern("n"), value - 100));
    if ((which & 2) != 0) out.push_back(trace::Argument::real(builder.intern("r"), value / 7.0));
    if ((which & 4) != 0) out.push_back(trace::Argument::boolean(builder.intern("b"), value > 99));
    if ((which & 8) != 0)
      out.push_back(
          trace::Argument::string(builder.intern(word(value >> 4)), builder.intern(word(value))));
    if ((which & 16) != 0)
      out.push_back(trace::Argument::json(builder.intern("j"), builder.intern("[1,2]")));
    return out;
  }

  trace::Trace trace_;
};

}  // namespace lockstep
