// Sniffing and reading of rocprofv3's JSON.
#include "formats/rocprofv3_json/rocprofv3_json_reader.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "formats/rocprofv3_json/process_records.h"
#include "formats/rocprofv3_json/process_sections.h"
#include "formats/rocprofv3_json/record_list.h"
#include "formats/shared/byte_order_mark.h"
#include "formats/shared/text_damage.h"

namespace lockstep::formats::rocprofv3_json {
namespace {

using Use = trace::SourcePart::Use;

// The key of the root stands first; other tools may put a few before it.
constexpr std::size_t kHeadBytes = 1024;

shared::Sniff sniff(std::string_view head, std::string_view) {
  const std::size_t first = skip_space(head, shared::byte_order_mark_size(head));
  const bool is_object = first < head.size() && head[first] == '{';
  const std::string key = "\"" + std::string(kRootKey) + "\"";
  const bool has_key = head.substr(0, kHeadBytes).find(key) != std::string_view::npos;
  return {is_object && has_key ? shared::Sniff::Verdict::kYes : shared::Sniff::Verdict::kNo, {}};
}

Result<std::string> read_all(io::ByteSource& bytes, const shared::ReadOptions& options) {
  std::string text;
  while (true) {
    const std::size_t size = text.size();
    // In steps that grow with the text, so that it is copied a few times only.
    const std::size_t step = std::max(options.chunk_bytes, size / 2);
    text.resize(size + step);
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t got, bytes.read(std::span(text).subspan(size)));
    text.resize(size + got);
    if (got == 0) return text;
    if (options.on_progress) options.on_progress(bytes.raw_bytes_read());
  }
}

struct ListNote {
  std::string_view name;
  std::string_view gives;
  std::string_view missing;  // empty where that is of little consequence
};

constexpr std::array<ListNote, 8> kNotes = {{
    {"kernel_dispatch", "kernels", "kernels"},
    {"memory_copy", "copies", "copies"},
    {"hip_api", "host calls", "host calls; kernels have no launches"},
    {"hsa_api", "host calls", ""},
    {"marker_api", "markers of the user", ""},
    {"rccl_api", "host operators", ""},
    {"memory_allocation", "allocations", ""},
    {"counter_collection", "hardware counters of kernels", ""},
}};

ListNote note_of(std::string_view list) {
  const auto known = std::ranges::find(kNotes, list, &ListNote::name);
  return known == kNotes.end() ? ListNote{} : *known;
}

void say_what_was_used(const std::vector<ListUse>& uses, shared::RankBuilder& builder) {
  std::vector<ListUse> sums;
  std::unordered_map<std::string_view, std::size_t> places;  // in sums, by name
  for (const ListUse& use : uses) {
    const auto [place, is_new] = places.try_emplace(use.name, sums.size());
    if (is_new) {
      sums.push_back(use);
    } else {
      sums[place->second].records += use.records;
    }
  }
  for (const ListUse& use : sums) {
    const ListNote note = note_of(use.name);
    if (use.records > 0) {
      builder.add_part(use.is_used ? Use::kUsed : Use::kUnused, use.name, use.records,
                       std::string(note.gives));
    } else if (!note.missing.empty()) {
      builder.add_part(Use::kMissing, use.name, 0, std::string(note.missing));
    }
  }
}

bool has_calls(const ProcessSections& sections) {
  return sections.list("hip_api").end > sections.list("hip_api").begin + 2 ||
         sections.list("hsa_api").end > sections.list("hsa_api").begin + 2;
}

// Why a document gave no event at all.
Error no_records_error(const std::string& path, const Diagnostics& walk, const Diagnostics& records,
                       std::uint64_t records_seen) {
  if (walk.count_of(kTruncatedJson) > 0) {
    return input_error(path,
                       "is a file of rocprofv3 that is cut off before its first whole record");
  }
  if (walk.count_of(kMissingRecords) > 0) {
    return input_error(path, "is a file of rocprofv3 without its member buffer_records",
                       "It is damaged, or rocprofv3 was ended before it wrote its records");
  }
  if (walk.has_loss() || records.has_loss() || records_seen > 0) {
    return input_error(path, "is a damaged file of rocprofv3: none of its records can be read");
  }
  return input_error(path, "is a file of rocprofv3 without kernels, copies and host calls",
                     "rocprofv3 records them with --sys-trace or --kernel-trace");
}

Status read_rocprofv3(io::ByteSource& bytes, const std::string& path,
                      const shared::ReadOptions& options, trace::Trace& trace) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::string text, read_all(bytes, options));
  Document document(std::move(text));
  shared::RankBuilder builder(trace, path, "rocprofv3_json", options.keep_arguments);
  // Parts that nobody asks for are passed over without a look.
  if (shared::is_damaged_text(document.text())) builder.diagnostics().add(shared::kDamagedText);
  const std::vector<ProcessSections> processes = find_processes(document, builder.diagnostics());
  // Damage is counted by the reading that follows.
  Diagnostics seen_early;
  std::vector<WideTime> times;
  RecordParser early(document, seen_early);
  std::uint64_t records_seen = 0;
  for (const ProcessSections& process : processes) {
    records_seen += collect_times(early, process, times);
  }
  if (times.empty()) {
    const Error error = no_records_error(path, builder.diagnostics(), seen_early, records_seen);
    builder.discard();
    return error;
  }
  const WideTime origin = shared::choose_origin(times);
  builder.set_origin(origin, rocm::rocm_clock(origin));
  RecordParser parser(document, builder.diagnostics());
  std::vector<ListUse> uses;
  for (const ProcessSections& process : processes) {
    // Work of a process without calls would be joined to the calls of another.
    const bool keeps_correlations = processes.size() == 1 || has_calls(process);
    ProcessReader(parser, process, builder, keeps_correlations).read(uses);
  }
  say_what_was_used(uses, builder);
  builder.finish();
  return {};
}

}  // namespace

shared::Format rocprofv3_json_format() { return {"rocprofv3_json", sniff, read_rocprofv3}; }

}  // namespace lockstep::formats::rocprofv3_json
