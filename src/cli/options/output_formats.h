// The formats that `convert` writes, and how one is chosen from the name of the output.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/byte_sink.h"
#include "trace/trace.h"

namespace lockstep::cli {

struct OutputFormat {
  std::string_view name;                       // for --to
  std::span<const std::string_view> suffixes;  // of file names, compression taken off
  Status (*write)(const trace::Trace& trace, io::ByteSink& sink);
  bool is_of_one_rank = false;
};

[[nodiscard]] std::span<const OutputFormat> output_formats();

// The format called `name`, or where that is empty the one that `path` is named after; otherwise a
// usage error that tells what is known.
[[nodiscard]] Result<const OutputFormat*> choose_output_format(std::string_view path,
                                                               std::string_view name);

// For --annotate: a usage error where the name of `path` is not one of Perfetto's.
[[nodiscard]] Status check_annotated_name(const std::string& path);

}  // namespace lockstep::cli
