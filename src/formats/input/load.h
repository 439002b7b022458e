// From the inputs of a command line to one trace: files, pipes and directories, each format found
// by its content, several inputs as ranks of one trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/shared/format.h"
#include "io/compress/decompress.h"
#include "trace/trace.h"

namespace lockstep::formats::input {

// What is known of one input file, besides its content.
struct InputFacts {
  std::string path;
  std::string format;  // "kineto", "chrome"
  io::Compression compression = io::Compression::kNone;
  std::uint64_t size_bytes = 0;  // on disk; what came through for a pipe
  std::uint64_t inflated_bytes = 0;
  std::vector<std::string> files = {};  // that were read for it; more than one for a bundle
};

struct LoadedTrace {
  trace::Trace trace;
  std::vector<InputFacts> inputs;
};

struct LoadOptions {
  trace::KeepArguments keep_arguments = trace::KeepArguments::kNone;
  bool show_progress = false;
  std::string standard_input = {};  // a file that holds what came through it; empty: read it
};

[[nodiscard]] Result<LoadedTrace> load(const std::vector<std::string>& inputs,
                                       const LoadOptions& options);

}  // namespace lockstep::formats::input
