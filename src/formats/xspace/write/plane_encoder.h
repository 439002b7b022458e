// Encodes one plane: lines first, then the metadata that they turned out to need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "formats/shared/message_builder.h"
#include "formats/xspace/xspace_fields.h"
#include "trace/trace.h"

namespace lockstep::formats::xspace {

using EventBuilder = shared::MessageBuilder<EventField>;

class PlaneEncoder {
 public:
  PlaneEncoder(const trace::Trace& trace, std::int64_t id, std::string_view name);

  // Stats of the plane itself.
  void add_fact(std::string_view name, std::string_view text);
  void add_fact(std::string_view name, std::int64_t number);

  struct LineHead {
    std::int64_t id = 0;
    std::string_view name;
    std::string_view display_name;
    std::int64_t timestamp_ns = 0;
  };
  void begin_line(const LineHead& head);
  // `fill(EventBuilder&)` adds times and stats.
  template <typename Fill>
  void add_event(std::uint64_t metadata_id, Fill&& fill) {
    event_.clear();
    EventBuilder event(event_);
    event.add_uint64(EventField::kMetadataId, metadata_id);
    fill(event);
    shared::MessageBuilder<LineField>(line_).add_message(LineField::kEvents, event_);
  }
  void end_line();

  // The id of metadata for events that share all of this.
  [[nodiscard]] std::uint64_t event_metadata(StringId name, StringId category, trace::Kind kind,
                                             trace::Shape shape);
  [[nodiscard]] std::uint64_t event_metadata(std::string_view name);

  // An argument of an event.
  void add_argument(EventBuilder& event, const trace::Argument& argument);
  // Stats that are columns of the model.
  void add_column(EventBuilder& event, std::string_view name, std::int64_t value);
  void add_column(EventBuilder& event, std::string_view name, StringId text);
  void add_flow(EventBuilder& event, std::string_view mark, std::uint64_t value);

  // Completes the plane; call once.
  [[nodiscard]] const std::string& finish();

 private:
  struct MetadataKey {
    StringId name;
    StringId category;
    trace::Kind kind;
    trace::Shape shape;
    friend bool operator==(const MetadataKey&, const MetadataKey&) = default;
  };
  struct HashOfKey {
    std::size_t operator()(const MetadataKey& key) const;
  };
  using StatBuilder = shared::MessageBuilder<StatField>;

  // The id of the stat of this name and mark; also what a reference to the text `name` needs.
  [[nodiscard]] std::uint64_t stat_id(std::string_view name, std::string_view mark);
  [[nodiscard]] std::uint64_t reference(StringId text);
  void write_stat_metadata(std::uint64_t id, std::string_view name, std::string_view mark);
  void add_own_stat(shared::MessageBuilder<EventMetadataField>& metadata, std::string_view name,
                    std::string_view text);

  const trace::Trace& trace_;
  std::string plane_;
  std::string line_;
  std::string event_;
  std::string event_metadata_;  // encoded map entries
  std::string stat_metadata_;
  std::string facts_;
  std::unordered_map<MetadataKey, std::uint64_t, HashOfKey> event_ids_;
  std::unordered_map<std::string, std::uint64_t> own_event_ids_;
  std::unordered_map<std::string, std::uint64_t> stat_ids_;        // by name and mark
  std::unordered_map<std::uint32_t, std::uint64_t> references_;    // by StringId
  std::unordered_map<std::uint64_t, std::uint64_t> argument_ids_;  // by StringId and type
  std::uint64_t next_event_id_ = 1;
  std::uint64_t next_stat_id_ = 1;
};

}  // namespace lockstep::formats::xspace
