// Reading of JSON text in tests: once, or in all the ways that must not make a difference.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "formats/chrome_json/chrome_json_reader.h"
#include "formats/chrome_json/trace_dump_for_test.h"
#include "io/byte_source.h"

namespace lockstep::formats::chrome_json {

[[nodiscard]] inline Result<trace::Trace> try_read(std::string_view json,
                                                   shared::ReadOptions options = {}) {
  io::MemorySource source{std::string(json)};
  trace::Trace trace;
  const Status status = chrome_json_format().read(source, "sample.json", options, trace);
  if (!status.ok()) return status.error();
  return trace;
}

// What try_read() answers, as text.
[[nodiscard]] inline std::string outcome(std::string_view json, const shared::ReadOptions& options,
                                         DumpArguments arguments) {
  const Result<trace::Trace> read = try_read(json, options);
  return read.ok() ? describe(read.value(), arguments) : "error: " + read.error().text();
}

// Cuts `json` into chunks of several sizes and keeps or drops arguments: none of it may change the
// answer, which is returned with arguments.
inline Result<trace::Trace> try_read_every_way(std::string_view json) {
  shared::ReadOptions whole;
  whole.keep_arguments = trace::KeepArguments::kAll;
  whole.chunk_bytes = json.size() + 1;
  const std::string expected = outcome(json, whole, DumpArguments::kYes);
  for (const std::size_t chunk_bytes : {1, 7, 100}) {
    shared::ReadOptions cut = whole;
    cut.chunk_bytes = chunk_bytes;
    EXPECT_EQ(outcome(json, cut, DumpArguments::kYes), expected) << "in chunks of " << chunk_bytes;
  }
  for (const trace::KeepArguments keep :
       {trace::KeepArguments::kNone, trace::KeepArguments::kEvidence}) {
    shared::ReadOptions some = whole;
    some.keep_arguments = keep;
    EXPECT_EQ(outcome(json, some, DumpArguments::kNo), outcome(json, whole, DumpArguments::kNo))
        << (keep == trace::KeepArguments::kNone ? "without arguments" : "with evidence only");
  }
  return try_read(json, whole);
}

[[nodiscard]] inline trace::Trace read_every_way(std::string_view json) {
  Result<trace::Trace> read = try_read_every_way(json);
  if (!read.ok()) {
    ADD_FAILURE() << read.error().text();
    return {};
  }
  return std::move(read).value();
}

// A Kineto document around these events.
[[nodiscard]] inline std::string document(std::initializer_list<std::string_view> events) {
  std::string json = "{\"schemaVersion\":1,\"traceEvents\":[";
  std::string_view separator = "\n";
  for (const std::string_view event : events) {
    json.append(separator).append(event);
    separator = ",\n";
  }
  return json + "\n]}";
}

// "@117" for where `part` stands in `json`: the place of a finding.
[[nodiscard]] inline std::string place_of(std::string_view part, std::string_view json) {
  return "@" + std::to_string(json.find(part));
}

}  // namespace lockstep::formats::chrome_json
