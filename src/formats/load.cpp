// Opening, sniffing and reading of inputs.
#include "formats/load.h"

#include <algorithm>

#include "base/progress.h"
#include "io/input.h"
#include "trace/rebase.h"

namespace lockstep {
namespace {

constexpr std::string_view kKnownFormats =
    "lockstep reads Kineto and other Chrome-JSON traces, plain or compressed with gzip or zstd";

// The format of an input: the first that is sure, else the first that may be.
Result<const Format*> format_of(const Input& input) {
  if (input.head().empty()) {
    if (!input.diagnostics().entries().empty()) {
      return input_error(input.path(), "is compressed, and nothing in it can be inflated",
                         "It may be cut off or damaged at its start");
    }
    return input_error(input.path(), "is empty");
  }
  const Format* maybe = nullptr;
  for (const Format& format : builtin_formats()) {
    const Sniff sniff = format.sniff(input.head(), input.path());
    if (sniff.refusal) return *sniff.refusal;
    if (sniff.verdict == Sniff::Verdict::kYes) return &format;
    if (sniff.verdict == Sniff::Verdict::kMaybe && maybe == nullptr) maybe = &format;
  }
  if (maybe != nullptr) return maybe;
  return input_error(input.path(), "is not a trace in a known format", std::string(kKnownFormats));
}

Status read_input(Input& input, const LoadOptions& options, LoadedTrace& loaded) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Format* format, format_of(input));
  ReadOptions read_options;
  read_options.keep_arguments = options.keep_arguments;
  ProgressLine progress("reading " + input.path(), input.size(), options.show_progress);
  if (options.show_progress) {
    read_options.on_progress = [&](std::uint64_t bytes) { progress.update(bytes); };
  }
  Trace& trace = loaded.trace;
  const std::size_t first_rank = trace.ranks.size();
  LOCKSTEP_RETURN_IF_ERROR(format->read(input, input.path(), read_options, trace));
  trace.diagnostics.absorb(input.diagnostics(), input.path());
  InputFacts facts;
  facts.path = input.path();
  facts.format = trace.ranks[first_rank].format;
  facts.compression = input.compression();
  facts.size_bytes = input.size().value_or(input.raw_bytes_read());
  facts.inflated_bytes = input.inflated_bytes();
  loaded.inputs.push_back(std::move(facts));
  return {};
}

// Every file of a directory that some format knows; the others are passed over.
Status read_directory(const std::string& directory, const LoadOptions& options,
                      LoadedTrace& loaded) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> files, list_files(directory));
  bool any = false;
  for (const std::string& file : files) {
    auto input = Input::open(file);
    if (!input.ok()) continue;
    const auto sure = std::ranges::any_of(builtin_formats(), [&](const Format& format) {
      return format.sniff(input.value()->head(), file).verdict == Sniff::Verdict::kYes;
    });
    if (!sure) continue;
    LOCKSTEP_RETURN_IF_ERROR(read_input(*input.value(), options, loaded));
    any = true;
  }
  if (any) return {};
  return input_error(directory, "holds no traces", std::string(kKnownFormats));
}

}  // namespace

Result<LoadedTrace> load(const std::vector<std::string>& inputs, const LoadOptions& options) {
  LoadedTrace loaded;
  for (const std::string& path : inputs) {
    if (path != "-" && is_directory(path)) {
      LOCKSTEP_RETURN_IF_ERROR(read_directory(path, options, loaded));
      continue;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Input> input, Input::open(path));
    LOCKSTEP_RETURN_IF_ERROR(read_input(*input, options, loaded));
  }
  rebase_ranks(loaded.trace);
  return loaded;
}

}  // namespace lockstep
