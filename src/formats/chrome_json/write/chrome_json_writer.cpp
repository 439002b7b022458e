// The Chrome JSON writer: what stands around the records.
#include "formats/chrome_json/write/chrome_json_writer.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "formats/chrome_json/parse/argument_values.h"
#include "formats/chrome_json/parse/header_facts.h"
#include "formats/chrome_json/write/chrome_json_writer_output.h"
#include "formats/chrome_json/write/chrome_json_writer_records.h"
#include "formats/chrome_json/write/chrome_json_writer_time_base.h"

namespace lockstep::formats::chrome_json {
namespace {

ChromeDialect dialect_of(const trace::Rank& rank) {
  if (rank.format == "kineto") return ChromeDialect::kKineto;
  return rank.format == "chrome" ? ChromeDialect::kChrome : ChromeDialect::kForeign;
}

class ChromeJsonWriter {
 public:
  ChromeJsonWriter(const trace::Trace& trace, io::ByteSink& sink)
      : trace_(trace),
        rank_(trace.ranks.front()),
        dialect_(dialect_of(rank_)),
        times_(choose_chrome_time_base(trace, dialect_ != ChromeDialect::kChrome)),
        out_(sink) {
    for (const trace::Metadata& entry : rank_.metadata)
      metadata_.insert_or_assign(entry.key, &entry);
  }

  Status write();

 private:
  void write_header();
  void write_clock();
  void write_device_properties();
  void write_member(std::string_view key, std::string_view json);
  [[nodiscard]] const trace::Metadata* metadata(std::string_view key) const;

  const trace::Trace& trace_;
  const trace::Rank& rank_;
  ChromeDialect dialect_;
  ChromeTimeBase times_;
  JsonOutput out_;
  std::unordered_map<std::string_view, const trace::Metadata*> metadata_;  // by key: the last one
};

Status ChromeJsonWriter::write() {
  out_.raw("{\n");
  write_header();
  out_.raw("  \"traceEvents\": [");
  ChromeRecordWriter(trace_, dialect_, times_, out_).write();
  out_.raw("\n  ]");
  if (const trace::Metadata* name = metadata("traceName")) {
    out_.raw(",\n  \"traceName\": ");
    out_.json(name->json);
  }
  out_.raw("\n}\n");
  return out_.finish();
}

void ChromeJsonWriter::write_header() {
  static constexpr std::array<std::string_view, 5> kWrittenElsewhere = {
      "traceEvents", "traceName", "displayTimeUnit", "baseTimeNanoseconds", kClockKey};
  // A Kineto file is known by its keys, and this one may have been known by its events.
  if (dialect_ != ChromeDialect::kChrome && metadata("schemaVersion") == nullptr) {
    write_member("schemaVersion", "1");
  }
  if (dialect_ == ChromeDialect::kForeign) write_device_properties();
  for (const trace::Metadata& entry : rank_.metadata) {
    if (std::ranges::find(kWrittenElsewhere, entry.key) != kWrittenElsewhere.end()) continue;
    if (metadata(entry.key) == &entry) write_member(entry.key, entry.json);
  }
  // The rank may have come from the name of the input, which the output does not have.
  if (trace_.ranks.size() == 1 && rank_.number && dialect_ != ChromeDialect::kChrome &&
      metadata("distributedInfo") == nullptr) {
    write_member("distributedInfo", "{\"rank\": " + std::to_string(*rank_.number) + "}");
  }
  const trace::Metadata* const unit = metadata("displayTimeUnit");
  write_member("displayTimeUnit", unit != nullptr ? unit->json : "\"ms\"");
  if (times_.base_ns) write_member("baseTimeNanoseconds", std::to_string(*times_.base_ns));
  write_clock();
}

// Readers take times for those of the epoch or for unknown. Where the trace knows better, and came
// from elsewhere or was told so itself, it is said.
void ChromeJsonWriter::write_clock() {
  const bool is_told = dialect_ == ChromeDialect::kForeign || metadata(kClockKey) != nullptr;
  std::int64_t zero_ns = 0;
  if (!is_told || rank_.origin.clock == Clock::kEpoch ||
      __builtin_sub_overflow(rank_.origin.ns, times_.offset_ns, &zero_ns)) {
    return;
  }
  write_member(kClockKey, "{\"kind\": \"" + std::string(name_of(rank_.origin.clock)) +
                              "\", \"zero_ns\": " + std::to_string(zero_ns) + "}");
}

void ChromeJsonWriter::write_device_properties() {
  if (metadata("deviceProperties") != nullptr) return;
  out_.raw("  \"deviceProperties\": [");
  std::string_view separator;
  for (const trace::Device& device : trace_.devices) {
    out_.raw(separator);
    out_.raw("{\"id\": ");
    const std::string_view id = trace_.text(device.id);
    is_json_number(id) ? out_.raw(id) : out_.string(id);
    out_.raw(", \"name\": ");
    out_.string(trace_.text(device.name));
    out_.raw("}");
    separator = ", ";
  }
  out_.raw("],\n");
}

void ChromeJsonWriter::write_member(std::string_view key, std::string_view json) {
  out_.raw("  ");
  out_.string(key);
  out_.raw(": ");
  out_.json(json);
  out_.raw(",\n");
}

// The last entry of that name, which is the one that readers go by, or null.
const trace::Metadata* ChromeJsonWriter::metadata(std::string_view key) const {
  const auto entry = metadata_.find(key);
  return entry != metadata_.end() ? entry->second : nullptr;
}

}  // namespace

bool is_one_chrome_file(const trace::Trace& trace) {
  if (trace.ranks.size() <= 1) return true;
  const trace::Rank& first = trace.ranks.front();
  return dialect_of(first) != ChromeDialect::kForeign &&
         std::ranges::all_of(trace.ranks, [&](const trace::Rank& rank) {
           return rank.source == first.source && rank.format == first.format &&
                  rank.origin.ns == first.origin.ns && rank.origin.clock == first.origin.clock;
         });
}

Status write_chrome_json(const trace::Trace& trace, io::ByteSink& sink) {
  if (!is_one_chrome_file(trace)) {
    return usage_error("Chrome JSON holds one rank; convert the inputs one by one");
  }
  if (trace.ranks.empty()) return Error{ErrorCode::kInternal, "the trace has no rank", {}, {}};
  return ChromeJsonWriter(trace, sink).write();
}

}  // namespace lockstep::formats::chrome_json
