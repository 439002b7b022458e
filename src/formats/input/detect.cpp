// Asking of all formats, and the words for files of other tools.
#include "formats/input/detect.h"

#include <algorithm>
#include <array>

#include "formats/input/builtin_formats.h"
#include "formats/input/other_exports.h"
#include "formats/input/other_files.h"
#include "formats/shared/tar_archive.h"

namespace lockstep::formats::input {

const std::string_view kKnownFormats =
    "lockstep reads Kineto and other Chrome-JSON traces, Perfetto, XSpace, Nsight Systems exports "
    "(SQLite), rocpd, RPD, rocprofv3 and Ascend captures, plain or compressed with gzip or zstd";

namespace {

struct Magic {
  std::string_view bytes;
  std::string_view name;
};

// What people give by mistake, by its first bytes.
constexpr std::array<Magic, 8> kForeignFiles = {{
    {"\xFD"
     "7zXZ",
     "is compressed with xz; unpack it first"},
    {"BZh", "is compressed with bzip2; unpack it first"},
    {"PK\x03\x04", "is a zip archive; unpack it first"},
    {"\x1F\x8B", "is compressed twice; unpack it once"},
    {kLfsPointer, "is a pointer of Git LFS; fetch the file with 'git lfs pull'"},
    {"LKP1\r\n\x1A\n",
     "is a recording of markers inside kernels; 'lockstep kernel decode' reads it"},
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

const Report* report_of(const io::Input& input) {
  const auto* const report = std::ranges::find_if(
      kReports, [&](const Report& one) { return input.path().ends_with(one.suffix); });
  return report == kReports.end() ? nullptr : report;
}

// Whether an archive beside traces seems to hold some: by its own name or that of a member.
bool may_hold_traces(const io::Input& input) {
  return is_named_like_export(input.path()) ||
         std::ranges::any_of(shared::tar_members(input.head()),
                             [](const std::string& name) { return is_named_like_export(name); });
}

// Whether a file of which no format is sure is named like a trace and is no file of another program
// with such a name either. Then its start was damaged or it was cut off.
bool is_broken_export(const io::Input& input) {
  return is_named_like_export(input.path()) && !is_of_other_program(input.head(), input.path());
}

}  // namespace

Result<const shared::Format*> format_of(const io::Input& input) {
  if (input.head().empty()) {
    if (!input.diagnostics().entries().empty()) {
      return input_error(input.path(), "is compressed, and nothing in it can be inflated",
                         "It may be cut off or damaged at its start");
    }
    return input_error(input.path(), "is empty");
  }
  // Before all formats: those that read on behind damage would find its first member.
  if (shared::is_tar(input.head())) {
    return shared::tar_error(input.path(), io::name_of(input.compression()));
  }
  const shared::Format* maybe = nullptr;
  for (const shared::Format& format : builtin_formats()) {
    const shared::Sniff sniff = format.sniff(input.head(), input.path());
    if (sniff.refusal) return *sniff.refusal;
    if (sniff.verdict == shared::Sniff::Verdict::kYes) return &format;
    if (sniff.verdict == shared::Sniff::Verdict::kMaybe && maybe == nullptr) maybe = &format;
  }
  if (maybe != nullptr) return maybe;
  for (const Magic& magic : kForeignFiles) {
    if (input.head().starts_with(magic.bytes)) {
      return input_error(input.path(), std::string(magic.name));
    }
  }
  if (const Report* report = report_of(input)) {
    return input_error(input.path(), std::string(report->name), std::string(report->remedy));
  }
  if (is_broken_export(input)) {
    return input_error(input.path(), "is named like a trace and does not begin like one",
                       "It may be damaged at its start, cut off, or a file of another program");
  }
  return input_error(input.path(), "is not a trace in a known format", std::string(kKnownFormats));
}

std::string_view format_name_of(const io::Input& input) {
  const auto format = format_of(input);
  return format.ok() ? format.value()->name : std::string_view();
}

Prospect prospect_of(const io::Input& input) {
  if (input.head().empty()) {
    const bool is_packed = !input.diagnostics().entries().empty();
    return is_packed || is_named_like_export(input.path()) ? Prospect::kLost : Prospect::kNothing;
  }
  if (shared::is_tar(input.head()))
    return may_hold_traces(input) ? Prospect::kLost : Prospect::kNothing;
  auto best = shared::Sniff::Verdict::kNo;
  for (const shared::Format& format : builtin_formats()) {
    const shared::Sniff sniff = format.sniff(input.head(), input.path());
    if (sniff.refusal && sniff.is_damaged) return Prospect::kLost;
    best = std::max(best, sniff.verdict);
  }
  if (best == shared::Sniff::Verdict::kNo) {
    const std::string_view path = input.path();
    const bool is_packed_trace =
        std::ranges::any_of(
            kForeignFiles,
            [&](const Magic& magic) { return input.head().starts_with(magic.bytes); }) &&
        is_named_like_export(path.substr(0, std::max(path.rfind('.'), std::size_t{1})));
    if (report_of(input) != nullptr || is_packed_trace) return Prospect::kLost;
  }
  if (best == shared::Sniff::Verdict::kYes) return Prospect::kTrace;
  if (is_broken_export(input)) return Prospect::kLost;
  return best == shared::Sniff::Verdict::kMaybe ? Prospect::kMaybe : Prospect::kNothing;
}

}  // namespace lockstep::formats::input
