// What a format is to the rest of the program: a name, a sniffer and a reader.
//
// builtin_formats.cpp lists all formats. To add one: a folder, a function that returns its Format,
// one line in that list.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/byte_source.h"
#include "trace/trace.h"

namespace lockstep {

struct ReadOptions {
  bool keep_arguments = false;           // fill Trace::arguments; convert needs them, info does not
  std::size_t chunk_bytes = 256 * 1024;  // how the stream is cut; tests make it tiny
  std::function<void(std::uint64_t raw_bytes)> on_progress;  // called now and then
};

struct Sniff {
  enum class Verdict { kNo, kMaybe, kYes };
  Verdict verdict = Verdict::kNo;
  std::optional<Error> refusal;  // "I know what this is, and it is not a trace"
};

struct Format {
  std::string_view name;
  // Judges the first inflated bytes (at most kSniffBytes); `path` only for words.
  Sniff (*sniff)(std::string_view head, std::string_view path);
  // Appends one rank to `trace` (or more, for formats that hold several).
  Status (*read)(ByteSource& bytes, const std::string& path, const ReadOptions& options,
                 Trace& trace);
};

// All formats, in the order in which they are asked.
[[nodiscard]] std::span<const Format> builtin_formats();

}  // namespace lockstep
