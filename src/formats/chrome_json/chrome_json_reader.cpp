// Sniffing and reading of Chrome-JSON traces.
#include "formats/chrome_json/chrome_json_reader.h"

#include <optional>
#include <vector>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/device_names.h"
#include "formats/chrome_json/dialects/dialect.h"
#include "formats/chrome_json/map/event_mapper.h"
#include "formats/chrome_json/parse/header_facts.h"
#include "formats/chrome_json/parse/parsing_thread.h"
#include "formats/chrome_json/ranks/merged_ranks.h"
#include "formats/chrome_json/scan/careful_scan.h"
#include "formats/shared/byte_order_mark.h"
#include "formats/shared/rank_builder.h"
#include "formats/shared/record_defects.h"
#include "formats/shared/time_guess.h"
#include "trace/steps.h"

namespace lockstep::formats::chrome_json {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_execution_graph(std::string_view head) {
  return contains(head, "\"nodes\"") && !contains(head, "\"traceEvents\"") &&
         (contains(head, "\"ctrl_deps\"") || contains(head, "\"rf_id\"") ||
          contains(head, "\"fw_parent\"") || contains(head, "\"op_schema\""));
}

shared::Sniff sniff(std::string_view head, std::string_view path) {
  const std::size_t first = skip_space(head, shared::byte_order_mark_size(head));
  if (first == head.size()) return {};
  if (is_execution_graph(head)) {
    return {shared::Sniff::Verdict::kNo,
            input_error(std::string(path),
                        "is a PyTorch execution graph (operators and tensors, no device times), "
                        "not a timeline",
                        "Export the profile with export_chrome_trace and give that file")};
  }
  const bool is_json = head[first] == '{' || head[first] == '[';
  const bool has_words = contains(head, "\"traceEvents\"") || contains(head, "\"ph\"");
  if (is_json && has_words) return {shared::Sniff::Verdict::kYes, {}};
  // A long header, or a trace whose very first byte is damaged.
  return {is_json || has_words ? shared::Sniff::Verdict::kMaybe : shared::Sniff::Verdict::kNo, {}};
}

// Tells the progress line how far the bytes below have been read.
class WatchedSource : public io::ByteSource {
 public:
  WatchedSource(io::ByteSource& below, const shared::ReadOptions& options)
      : below_(below), options_(options) {}
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    if (options_.on_progress) options_.on_progress(below_.raw_bytes_read());
    return below_.read(buffer);
  }
  [[nodiscard]] const Diagnostics& diagnostics() const override { return below_.diagnostics(); }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_.raw_bytes_read(); }

 private:
  io::ByteSource& below_;
  const shared::ReadOptions& options_;
};

// `own` is what the dialect counts from, where that is known.
Origin origin_of(WideTime first, const HeaderFacts& facts, std::optional<Clock> own,
                 Diagnostics& diagnostics) {
  const auto first_ns = static_cast<std::int64_t>(first / kPicosecondsPerNanosecond);
  if (facts.clock) {
    const WideTime sum = WideTime{facts.clock->zero_ns} + first_ns;
    if (shared::can_be_origin(sum * kPicosecondsPerNanosecond)) {
      return {static_cast<std::int64_t>(sum), facts.clock->kind};
    }
    diagnostics.add(shared::kOriginOutOfRange);
  }
  const bool is_epoch = shared::is_since_1970(first / kPicosecondsPerNanosecond);
  if (facts.base_time_ns && is_epoch) diagnostics.add(kBaseTimeIgnored);
  if (is_epoch) return {first_ns, Clock::kEpoch};
  if (facts.base_time_ns) {
    const WideTime sum = WideTime{*facts.base_time_ns} + first_ns;
    if (shared::can_be_origin(sum * kPicosecondsPerNanosecond)) {
      return {static_cast<std::int64_t>(sum), Clock::kEpoch};
    }
    diagnostics.add(shared::kOriginOutOfRange);
    return {first_ns, own.value_or(Clock::kSession)};
  }
  return {first_ns, own.value_or(Clock::kUnknown)};
}

using SpokenDialects = std::vector<const Dialect*>;

// The dialects of the file, in the order of the list.
SpokenDialects place_all_lanes(MappedFile& file) {
  SpokenDialects spoken;
  for (const Dialect* dialect : all_dialects()) {
    if (!dialect->recognises(file)) continue;
    dialect->place_lanes(file);
    spoken.push_back(dialect);
  }
  return spoken;
}

std::string_view format_of(const SpokenDialects& spoken) {
  for (const Dialect* dialect : spoken) {
    if (!dialect->format().empty()) return dialect->format();
  }
  return {};
}

std::optional<Clock> clock_of(const SpokenDialects& spoken, const MappedFile& file) {
  for (const Dialect* dialect : spoken) {
    if (const std::optional<Clock> clock = dialect->clock(file)) return clock;
  }
  return std::nullopt;
}

trace::RankId rank_at(std::size_t index) {
  return trace::RankId{static_cast<std::uint32_t>(index)};
}

// Why a document gave no event at all.
Error no_events_error(const std::string& path, const ParsedDocument& document) {
  const auto count = [&](const DiagnosticKind& kind) {
    return document.diagnostics.count_of(kind);
  };
  if (count(kDamagedEvent) > 0) {
    return input_error(path, "is a damaged trace: none of its events can be read");
  }
  if (!document.found_event_array && !document.well_formed) {
    return input_error(path, "is not a trace in a known format");
  }
  if (count(kTruncatedJson) > 0) {
    return input_error(path, "is cut off before its first whole event");
  }
  return input_error(path,
                     document.well_formed ? "is JSON but holds no trace events"
                                          : "holds no trace event that can be read",
                     document.found_event_array
                         ? "Its list of events is empty or has no event with a phase (ph)"
                         : "A trace has a list named traceEvents, or is a list of events");
}

Status read(io::ByteSource& bytes, const std::string& path, const shared::ReadOptions& options,
            trace::Trace& trace) {
  const RankStart start{trace.events.size(), trace.tracks.size(), trace.processes.size()};
  const std::size_t first_device = trace.devices.size();
  const trace::RankId rank = rank_at(trace.ranks.size());
  trace.ranks.emplace_back();
  Diagnostics diagnostics;
  EventMapper mapper(trace, rank, options.keep_arguments, diagnostics);
  WatchedSource watched(bytes, options);
  ParsingThread parsing(watched, options);
  while (auto batch = parsing.next()) {
    if (auto used = mapper.take(std::move(batch))) parsing.recycle(std::move(used));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const ParsedDocument document, parsing.finish());
  mapper.finish();
  if (mapper.events_seen() == 0) {
    trace.ranks.pop_back();
    return no_events_error(path, document);
  }
  const HeaderFacts& facts = document.header;
  MappedFile file{trace, rank, start, mapper, facts, diagnostics};
  const SpokenDialects spoken = place_all_lanes(file);
  const bool may_be_merged = format_of(spoken) == "kineto" || format_of(spoken) == "chrome";
  const MergedRanks merged = may_be_merged ? part_merged_ranks(file, first_device) : MergedRanks{};
  const std::size_t ranks = merged.ranks;
  name_devices(trace, first_device, start.track, facts);
  trace::FlowBinder(mapper.take_flow_ends()).bind(trace, start.row, diagnostics);
  for (std::size_t r = 0; r < ranks; ++r) {
    trace::collect_marked_steps(trace, start.row, rank_at(trace::index_of(rank) + r));
  }
  if (may_be_merged) say_merged_ranks(file, merged);
  for (const Dialect* dialect : spoken) dialect->tidy(file);

  trace::Rank facts_of_rank = trace.ranks[trace::index_of(rank)];
  facts_of_rank.source = path;
  facts_of_rank.format = format_of(spoken);
  facts_of_rank.origin = origin_of(mapper.origin(), facts, clock_of(spoken, file), diagnostics);
  facts_of_rank.metadata = facts.metadata;
  for (std::size_t r = trace::index_of(rank); r < trace.ranks.size(); ++r) {
    const std::optional<std::int64_t> number = ranks == 1 ? facts.rank : trace.ranks[r].number;
    trace.ranks[r] = facts_of_rank;
    trace.ranks[r].number = number;
    if (number) trace.ranks[r].number_from = trace::RankEvidence::kMetadata;
  }
  trace.diagnostics.absorb(document.diagnostics, path);
  trace.diagnostics.absorb(diagnostics, path);
  return {};
}

}  // namespace

shared::Format chrome_json_format() { return {"chrome_json", sniff, read}; }

}  // namespace lockstep::formats::chrome_json
