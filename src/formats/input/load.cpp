// Opening, sniffing and reading of inputs.
#include "formats/input/load.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_set>

#include "base/progress.h"
#include "formats/input/builtin_formats.h"
#include "formats/input/detect.h"
#include "formats/input/other_exports.h"
#include "formats/input/rank_names.h"
#include "io/input.h"
#include "trace/rebase.h"
#include "trace/trace_mark.h"

namespace lockstep::formats::input {
namespace {

const DiagnosticKind kUnreadableFile{"unreadable_file", Severity::kDataLoss,
                                     "A file of the directory looks like a trace and cannot be "
                                     "read; it is missing from the answer."};
const DiagnosticKind kUnreadableFolder{
    "unreadable_folder", Severity::kDataLoss,
    "A folder inside the directory cannot be listed; traces in it are missing from the answer."};
const DiagnosticKind kRepeatedFile{
    "repeated_file", Severity::kInfo,
    "A file is met twice (through a link, or as a file and in its directory); it was read once."};
const DiagnosticKind kOtherExport{"other_export", Severity::kInfo,
                                  "The directory holds the same capture in several formats; the "
                                  "one that holds the most was read, "
                                  "the others were left alone."};
const DiagnosticKind kRepeatedRank{
    "repeated_rank", Severity::kError,
    "Several inputs say that they are the same rank; their figures were added all the same."};

// What came through standard input may lie in a file by now.
Result<std::unique_ptr<io::Input>> open_input(const std::string& path, const LoadOptions& options) {
  if (path != "-" || options.standard_input.empty()) return io::Input::open(path);
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<io::FileSource> file,
                            io::FileSource::open(options.standard_input));
  const std::optional<std::uint64_t> size = file->size();
  return io::Input::wrap(std::move(file), path, size);
}

// Appends what the input holds to `trace`.
Status read_ranks(io::Input& input, const LoadOptions& options, trace::Trace& trace) {
  LOCKSTEP_ASSIGN_OR_RETURN(const shared::Format* format, format_of(input));
  shared::ReadOptions read_options;
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

Status read_input(io::Input& input, const LoadOptions& options, LoadedTrace& loaded) {
  trace::Trace& trace = loaded.trace;
  const std::size_t first_rank = trace.ranks.size();
  LOCKSTEP_RETURN_IF_ERROR(read_ranks(input, options, trace));
  InputFacts facts;
  facts.path = input.path();
  facts.files = {input.path()};
  facts.format = trace.ranks[first_rank].format;
  facts.compression = input.compression();
  facts.size_bytes = input.size().value_or(input.raw_bytes_read());
  // A database is opened where it lies, past the input.
  facts.inflated_bytes = std::max(
      input.inflated_bytes(), facts.compression == io::Compression::kNone ? facts.size_bytes : 0);
  loaded.inputs.push_back(std::move(facts));
  return {};
}

// Reads files that only together are a trace.
Status read_bundle(const shared::BundleFormat& format, const shared::Bundle& bundle,
                   const LoadOptions& options, LoadedTrace& loaded) {
  trace::Trace& trace = loaded.trace;
  const std::size_t first_rank = trace.ranks.size();
  shared::ReadOptions read_options;
  read_options.keep_arguments = options.keep_arguments;
  const shared::ReadFile read_file = [&](const std::string& path, trace::Trace& into) -> Status {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::Input> input, io::Input::open(path));
    return read_ranks(*input, options, into);
  };
  LOCKSTEP_RETURN_IF_ERROR(format.read(bundle, read_options, read_file, trace));
  InputFacts facts;
  facts.path = bundle.root;
  facts.files = bundle.files;
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

// The files that were met, whatever name led to them.
class FilesRead {
 public:
  // False when it was met before.
  bool add(const std::string& path) {
    std::error_code failure;
    const std::string real =
        path == "-" ? path : std::filesystem::canonical(path, failure).string();
    return failure || seen_.insert(real).second;
  }

 private:
  std::unordered_set<std::string> seen_;
};

// Reads the files of one directory.
class DirectoryReader {
 public:
  DirectoryReader(std::string directory, const LoadOptions& options, FilesRead& files_read,
                  LoadedTrace& loaded)
      : directory_(std::move(directory)),
        options_(options),
        files_read_(files_read),
        loaded_(loaded) {}

  Status read() {
    LOCKSTEP_ASSIGN_OR_RETURN(io::FileList list, io::list_files(directory_));
    std::vector<std::string>& files = list.files;
    for (const Error& error : list.unreadable) {
      notes_.add(kUnreadableFolder, Place::none(), error.text());
    }
    std::erase_if(files, [this](const std::string& file) {
      if (files_read_.add(file)) return false;
      notes_.add(kRepeatedFile, Place::none(), file);
      return true;
    });
    const std::size_t inputs_before = loaded_.inputs.size();
    for (const shared::BundleFormat& format : builtin_bundle_formats()) {
      for (const shared::Bundle& bundle : format.claim(directory_, files)) {
        note_unless_ok([&] { return read_bundle(format, bundle, options_, loaded_); }, bundle.root,
                       false);
      }
    }
    const std::vector<OtherExport> others = take_other_exports(files);
    for (const std::string& file : files) read_file(file);
    for (const OtherExport& other : others) {
      if (was_read_.contains(other.better)) {
        notes_.add(kOtherExport, Place::none(), other.file);
      } else {
        read_file(other.file);
      }
    }
    const bool has_new = notes_.count_of(kRepeatedFile) == 0;  // else it was read as another input
    if (loaded_.inputs.size() == inputs_before && has_new) return nothing_read();
    loaded_.trace.diagnostics.absorb(notes_, directory_);
    return {};
  }

 private:
  // A directory of which a part cannot be seen may well hold traces.
  [[nodiscard]] Error nothing_read() const {
    const bool is_seen =
        notes_.count_of(kUnreadableFolder) == 0 && notes_.count_of(kUnreadableFile) == 0;
    const std::string hint =
        notes_.entries().empty() ? std::string(kKnownFormats) : notes_.entries()[0].example;
    return input_error(directory_, is_seen ? "holds no traces" : "holds no traces that can be read",
                       hint);
  }

  // Reads what is a trace, names what was one, and passes over what only might have been.
  void read_file(const std::string& file) {
    auto input = io::Input::open(file);
    if (!input.ok()) {
      notes_.add(kUnreadableFile, Place::none(), input.error().text());
      return;
    }
    const Prospect prospect = prospect_of(*input.value());
    if (prospect == Prospect::kNothing) return;
    note_unless_ok([&] { return read_input(*input.value(), options_, loaded_); }, file,
                   prospect == Prospect::kMaybe);
  }

  // What a failed reading has left behind is taken back.
  template <typename Read>
  void note_unless_ok(Read read, const std::string& file, bool is_doubtful) {
    const trace::TraceMark mark(loaded_.trace);
    const Status status = read();
    if (status.ok()) {
      was_read_.insert(file);
      return;
    }
    mark.roll_back(loaded_.trace);
    if (!is_doubtful) notes_.add(kUnreadableFile, Place::none(), status.error().text());
  }

  std::string directory_;
  const LoadOptions& options_;
  FilesRead& files_read_;
  LoadedTrace& loaded_;
  Diagnostics notes_;
  std::unordered_set<std::string> was_read_;
};

void note_repeated_ranks(trace::Trace& trace) {
  std::set<std::int64_t> seen;
  for (const trace::Rank& rank : trace.ranks) {
    if (!rank.number || seen.insert(*rank.number).second) continue;
    trace.diagnostics.add(kRepeatedRank, Place::none(),
                          "rank " + std::to_string(*rank.number) + " of " + rank.source);
  }
}

}  // namespace

Result<LoadedTrace> load(const std::vector<std::string>& inputs, const LoadOptions& options) {
  LoadedTrace loaded;
  FilesRead files_read;
  for (const std::string& path : inputs) {
    if (!files_read.add(path)) return Error{ErrorCode::kUsage, "is given twice", path, {}};
    if (path != "-" && io::is_directory(path)) {
      LOCKSTEP_RETURN_IF_ERROR(DirectoryReader(path, options, files_read, loaded).read());
      continue;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::Input> input, open_input(path, options));
    LOCKSTEP_RETURN_IF_ERROR(read_input(*input, options, loaded));
  }
  number_ranks_by_name(loaded.trace.ranks);
  note_repeated_ranks(loaded.trace);
  trace::rebase_ranks(loaded.trace);
  return loaded;
}

}  // namespace lockstep::formats::input
