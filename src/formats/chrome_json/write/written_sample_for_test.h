// A small trace of a host thread and a stream, and what the writer makes of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/chrome_json/write/chrome_json_writer.h"

namespace lockstep::formats::chrome_json {

inline constexpr std::int64_t kUs = kPicosecondsPerMicrosecond;

// A host thread 10/11 and stream 7 of device 0.
struct Sample {
  Sample() {
    trace.ranks.push_back({0, "x.json", "kineto", {1'700'000'000'000'000'500, Clock::kEpoch}, {}});
    trace.processes.push_back({{}, {text("10"), true}, text("python3"), text("CPU"), 10});
    trace.processes.push_back({{}, {text("0"), true}, text("python3"), text("GPU 0"), {}});
    trace.devices.push_back({{}, text("0"), text("NVIDIA H200")});
    trace.tracks.push_back({trace::ProcessId{0},
                            trace::Track::Side::kHost,
                            trace::kNoDevice,
                            {text("11"), true},
                            text("thread 11 (python3)"),
                            11});
    trace.tracks.push_back({trace::ProcessId{1},
                            trace::Track::Side::kDevice,
                            trace::DeviceId{0},
                            {text("7"), true},
                            text("stream 7"),
                            {}});
  }

  StringId text(std::string_view words) { return trace.strings.intern(words); }

  trace::EventId add(std::string_view name, std::string_view category, trace::TrackId track,
                     std::int64_t start, std::int64_t duration,
                     std::int64_t correlation = trace::kNoCorrelation) {
    return trace.events.add({{start},
                             {duration},
                             text(name),
                             text(category),
                             track,
                             trace::Kind::kKernel,
                             trace::Shape::kSpan,
                             correlation});
  }

  void add_flow(trace::EventId from, trace::EventId to, trace::Flow::Kind kind,
                std::string_view name = {}) {
    trace.flows.push_back({from, to, kind, text(name)});
  }

  [[nodiscard]] std::string bytes() const {
    io::MemorySink sink;
    const Status status = write_chrome_json(trace, sink);
    EXPECT_TRUE(status.ok());
    return sink.bytes();
  }
  [[nodiscard]] nlohmann::json document() const { return nlohmann::json::parse(bytes()); }

  // The records of one phase.
  [[nodiscard]] std::vector<nlohmann::json> records(std::string_view phase) const {
    std::vector<nlohmann::json> found;
    const nlohmann::json whole = document();
    for (const nlohmann::json& record : whole["traceEvents"]) {
      if (record["ph"] == phase) found.push_back(record);
    }
    return found;
  }

  trace::Trace trace;
};
inline constexpr trace::TrackId kHost{0};
inline constexpr trace::TrackId kDevice{1};

}  // namespace lockstep::formats::chrome_json
