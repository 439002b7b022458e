// Opening, sniffing and reading of inputs.
#include "formats/load.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <unordered_set>

#include "base/progress.h"
#include "formats/other_exports.h"
#include "formats/rank_names.h"
#include "io/input.h"
#include "trace/rebase.h"

namespace lockstep {
namespace {

constexpr std::string_view kKnownFormats =
    "lockstep reads Kineto and other Chrome-JSON traces, Perfetto, XSpace, Nsight Systems exports "
    "(SQLite), rocpd, RPD, rocprofv3 and Ascend captures, plain or compressed with gzip or zstd";

const DiagnosticKind kUnreadableFile{"unreadable_file", Severity::kDataLoss,
                                     "A file of the directory looks like a trace and cannot be "
                                     "read; it is missing from the answer."};
const DiagnosticKind kOtherExport{"other_export", Severity::kInfo,
                                  "The directory holds the same capture in several formats; the "
                                  "one that holds the most was read, "
                                  "the others were left alone."};
const DiagnosticKind kRepeatedRank{
    "repeated_rank", Severity::kError,
    "Several inputs say that they are the same rank; their figures were added all the same."};

struct Magic {
  std::string_view bytes;
  std::string_view name;
};

// What people give by mistake, by its first bytes.
constexpr std::array<Magic, 6> kForeignFiles = {{
    {"\xFD"
     "7zXZ",
     "is compressed with xz; unpack it first"},
    {"BZh", "is compressed with bzip2; unpack it first"},
    {"PK\x03\x04", "is a zip archive; unpack it first"},
    {"\x1F\x8B", "is compressed twice; unpack it once"},
    {"\xFF\xFE", "is UTF-16 text; convert it to UTF-8 first"},
    {"\xFE\xFF", "is UTF-16 text; convert it to UTF-8 first"},
}};

// Reports that only their own tool opens, by the end of their names.
struct Report {
  std::string_view suffix;
  std::string_view name;
  std::string_view remedy;
};
constexpr std::array<Report, 4> kReports = {{
    {".nsys-rep", "is a report of Nsight Systems, which only nsys opens",
     "Export it with 'nsys export --type sqlite' and give the .sqlite file"},
    {".qdrep", "is a report of Nsight Systems, which only nsys opens",
     "Export it with 'nsys export --type sqlite' and give the .sqlite file"},
    {".ncu-rep",
     "is a report of Nsight Compute, which is about single kernels and holds no timeline",
     "Record one with nsys or with a framework's profiler"},
    {".qdstrm", "is raw data of Nsight Systems", "Import it with nsys, then export it as SQLite"},
}};

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
  for (const Magic& magic : kForeignFiles) {
    if (input.head().starts_with(magic.bytes)) {
      return input_error(input.path(), std::string(magic.name));
    }
  }
  for (const Report& report : kReports) {
    if (input.path().ends_with(report.suffix)) {
      return input_error(input.path(), std::string(report.name), std::string(report.remedy));
    }
  }
  return input_error(input.path(), "is not a trace in a known format", std::string(kKnownFormats));
}

// Appends what the input holds to `trace`.
Status read_ranks(Input& input, const LoadOptions& options, Trace& trace) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Format* format, format_of(input));
  ReadOptions read_options;
  read_options.keep_arguments = options.keep_arguments;
  ProgressLine progress("reading " + (input.path() == "-" ? "standard input" : input.path()),
                        input.size(), options.show_progress);
  if (options.show_progress) {
    read_options.on_progress = [&](std::uint64_t bytes) { progress.update(bytes); };
  }
  LOCKSTEP_RETURN_IF_ERROR(format->read(input, input.path(), read_options, trace));
  trace.diagnostics.absorb(input.diagnostics(), input.path());
  return {};
}

Status read_input(Input& input, const LoadOptions& options, LoadedTrace& loaded) {
  Trace& trace = loaded.trace;
  const std::size_t first_rank = trace.ranks.size();
  LOCKSTEP_RETURN_IF_ERROR(read_ranks(input, options, trace));
  InputFacts facts;
  facts.path = input.path();
  facts.format = trace.ranks[first_rank].format;
  facts.compression = input.compression();
  facts.size_bytes = input.size().value_or(input.raw_bytes_read());
  facts.inflated_bytes = input.inflated_bytes();
  loaded.inputs.push_back(std::move(facts));
  return {};
}

// Reads files that only together are a trace.
Status read_bundle(const BundleFormat& format, const Bundle& bundle, const LoadOptions& options,
                   LoadedTrace& loaded) {
  Trace& trace = loaded.trace;
  const std::size_t first_rank = trace.ranks.size();
  ReadOptions read_options;
  read_options.keep_arguments = options.keep_arguments;
  const ReadFile read_file = [&](const std::string& path, Trace& into) -> Status {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Input> input, Input::open(path));
    return read_ranks(*input, options, into);
  };
  LOCKSTEP_RETURN_IF_ERROR(format.read(bundle, read_options, read_file, trace));
  InputFacts facts;
  facts.path = bundle.root;
  facts.format = trace.ranks[first_rank].format;
  for (const std::string& file : bundle.files) {
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    facts.size_bytes += failure ? 0 : size;
  }
  facts.inflated_bytes = facts.size_bytes;
  loaded.inputs.push_back(std::move(facts));
  return {};
}

// Whether a file of a directory is worth reading: one that says that it is a trace, or JSON that
// may.
Sniff::Verdict verdict_on(const Input& input) {
  auto best = Sniff::Verdict::kNo;
  for (const Format& format : builtin_formats()) {
    best = std::max(best, format.sniff(input.head(), input.path()).verdict);
  }
  return best;
}

// Reads the files of one directory.
class DirectoryReader {
 public:
  DirectoryReader(std::string directory, const LoadOptions& options, LoadedTrace& loaded)
      : directory_(std::move(directory)), options_(options), loaded_(loaded) {}

  Status read() {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> files, list_files(directory_));
    const std::size_t inputs_before = loaded_.inputs.size();
    for (const BundleFormat& format : builtin_bundle_formats()) {
      for (const Bundle& bundle : format.claim(files)) {
        LOCKSTEP_RETURN_IF_ERROR(
            note_unless_ok([&] { return read_bundle(format, bundle, options_, loaded_); }));
      }
    }
    const std::vector<OtherExport> others = take_other_exports(files);
    for (const std::string& file : files) LOCKSTEP_RETURN_IF_ERROR(read_file(file));
    for (const OtherExport& other : others) {
      if (was_read_.contains(other.better)) {
        notes_.add(kOtherExport, Place::none(), other.file);
      } else {
        LOCKSTEP_RETURN_IF_ERROR(read_file(other.file));
      }
    }
    if (loaded_.inputs.size() == inputs_before) {
      const std::string hint =
          notes_.entries().empty() ? std::string(kKnownFormats) : notes_.entries()[0].example;
      return input_error(directory_, "holds no traces", hint);
    }
    loaded_.trace.diagnostics.absorb(notes_, directory_);
    return {};
  }

 private:
  // Reads what is a trace. What looks like one and cannot be read is named, because a rank that is
  // missing without a word is the worst loss; what only might have been one is passed over.
  Status read_file(const std::string& file) {
    auto input = Input::open(file);
    if (!input.ok()) {
      notes_.add(kUnreadableFile, Place::none(), input.error().text());
      return {};
    }
    const bool is_hopeless =
        input.value()->head().empty() && !input.value()->diagnostics().entries().empty();
    const Sniff::Verdict verdict = verdict_on(*input.value());
    if (verdict == Sniff::Verdict::kNo && !is_hopeless) return {};
    const bool is_doubtful = verdict == Sniff::Verdict::kMaybe && !is_hopeless;
    return note_unless_ok([&]() -> Status {
      const Status status = read_input(*input.value(), options_, loaded_);
      if (status.ok()) was_read_.insert(file);
      return is_doubtful ? Status() : status;
    });
  }

  // A failure that left half a rank behind cannot be passed over.
  template <typename Read>
  Status note_unless_ok(Read read) {
    const std::size_t events_before = loaded_.trace.events.size();
    const Status status = read();
    if (status.ok()) return {};
    if (loaded_.trace.events.size() != events_before) return status.error();
    notes_.add(kUnreadableFile, Place::none(), status.error().text());
    return {};
  }

  std::string directory_;
  const LoadOptions& options_;
  LoadedTrace& loaded_;
  Diagnostics notes_;
  std::unordered_set<std::string> was_read_;
};

Status refuse_twice(const std::string& path, std::unordered_set<std::string>& seen) {
  std::error_code failure;
  const std::string real = path == "-" ? path : std::filesystem::canonical(path, failure).string();
  if (failure || seen.insert(real).second) return {};
  return Error{ErrorCode::kUsage, "is given twice", path, {}};
}

void note_repeated_ranks(Trace& trace) {
  std::set<std::int64_t> seen;
  for (const Rank& rank : trace.ranks) {
    if (!rank.number || seen.insert(*rank.number).second) continue;
    trace.diagnostics.add(kRepeatedRank, Place::none(),
                          "rank " + std::to_string(*rank.number) + " of " + rank.source);
  }
}

}  // namespace

std::string_view format_name_of(const Input& input) {
  const auto format = format_of(input);
  return format.ok() ? format.value()->name : std::string_view();
}

Result<LoadedTrace> load(const std::vector<std::string>& inputs, const LoadOptions& options) {
  LoadedTrace loaded;
  std::unordered_set<std::string> seen;
  for (const std::string& path : inputs) {
    LOCKSTEP_RETURN_IF_ERROR(refuse_twice(path, seen));
    if (path != "-" && is_directory(path)) {
      LOCKSTEP_RETURN_IF_ERROR(DirectoryReader(path, options, loaded).read());
      continue;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Input> input, Input::open(path));
    LOCKSTEP_RETURN_IF_ERROR(read_input(*input, options, loaded));
  }
  number_ranks_by_name(loaded.trace.ranks);
  note_repeated_ranks(loaded.trace);
  rebase_ranks(loaded.trace);
  return loaded;
}

}  // namespace lockstep
