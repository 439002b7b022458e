// The records of a Chrome JSON file, what stands inside "traceEvents": metadata events, events and
// flows, in this order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/chrome_json/write/chrome_json_writer_output.h"
#include "formats/chrome_json/write/chrome_json_writer_time_base.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// Where a trace came from decides what is added to it.
enum class ChromeDialect {
  kKineto,   // everything goes back to where it was
  kChrome,   // any other Chrome JSON: nothing may be added that makes it look like Kineto's
  kForeign,  // another format, to be written as Kineto would have
};

// Writes the records of a trace of one rank, separated by commas. What it is given must outlive it.
class ChromeRecordWriter {
 public:
  ChromeRecordWriter(const trace::Trace& trace, ChromeDialect dialect, const ChromeTimeBase& times,
                     JsonOutput& out);
  void write();

 private:
  void place_streams_on_devices();
  void write_origin();
  void write_processes();
  void write_tracks();
  void begin_record(std::string_view start);
  template <typename WriteValue>
  void write_metadata_event(std::string_view what, std::string_view ids, std::string_view key,
                            WriteValue write_value, bool at_origin = false);
  void write_name(std::string_view what, std::string_view ids, std::string_view key, StringId name);
  void write_sort_index(std::string_view what, std::string_view ids, std::int64_t index);

  void write_event(std::size_t i);
  void write_steps();
  void write_category(std::size_t i);
  [[nodiscard]] bool says_what_it_is(std::size_t i) const;
  void write_time(Time time);
  void write_arguments(std::size_t i);
  void write_argument(const trace::Argument& argument);
  void write_json(StringId id);

  void choose_flow_times();
  void write_flows();
  // Whether both ends say the same correlation, which then is the id of the arrow.
  [[nodiscard]] bool is_correlated(const trace::Flow& flow) const;
  struct Arrow {
    std::string_view name;
    std::uint64_t id = 0;
    bool is_launch = true;  // else this is said, where readers would take it for one
  };
  void write_flow_start(std::size_t event, const Arrow& arrow);
  void write_flow_finish(std::size_t event, const Arrow& arrow);
  void write_flow_point(std::size_t event, const Arrow& arrow);
  [[nodiscard]] bool misleads(std::size_t event) const {
    return !misleads_.empty() && misleads_[event];
  }
  [[nodiscard]] bool is_event(trace::EventId id) const {
    return trace::index_of(id) < trace_.events.size();
  }

  void write_string(StringId id);

  const trace::Trace& trace_;
  ChromeDialect dialect_;
  ChromeTimeBase times_;
  JsonOutput& out_;
  bool has_records_ = false;
  std::vector<std::string> process_ids_;  // `, "pid": 7` by process
  std::vector<std::string> track_ids_;    // `, "pid": 7, "tid": 9` by track
  // By string: whether it needs no escaping. Names recur, so each is looked at once.
  enum class Plain : std::uint8_t { kUnknown, kYes, kNo };
  std::vector<Plain> plain_;
  std::vector<Plain> plain_json_;  // the same for arguments: strict JSON in ASCII
  std::unordered_set<std::int64_t> shared_correlations_;  // of launches in several processes
  std::vector<bool> misleads_;  // by event: its correlation joins it wrongly; of other formats only
  std::unordered_map<std::uint32_t, Time> flow_times_;  // by event, where it is not the start
};

}  // namespace lockstep::formats::chrome_json
