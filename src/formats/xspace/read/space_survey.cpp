// The pass over names and metadata.
#include "formats/xspace/read/space_survey.h"

#include <algorithm>
#include <limits>

#include <protozero/pbf_reader.hpp>

#include "formats/shared/time_guess.h"
#include "formats/xspace/read/field_text.h"
#include "formats/xspace/xspace_fields.h"
#include "trace/collective_names.h"

namespace lockstep::formats::xspace {
namespace {

// The stats that are looked for stand among few; tables that profilers write as stats do not.
constexpr std::size_t kMaxPlaneStats = 256;

// The roles that tell kinds and launches, a few of those that PlaneMetadata knows.
SurveyedRole role_of(std::string_view name, std::string_view description) {
  if (description.starts_with(kLaunchMark)) return {StatRole::kFlow, true};
  const bool is_column = description == kColumnMark;
  const StatRole role = [&] {
    if (name == "correlation_id") return StatRole::kCorrelation;
    if (name == "memcpy_details") return StatRole::kMemcpyDetails;
    if (name == "memset_details") return StatRole::kMemsetDetails;
    if (name == "step_num") return StatRole::kStepNumber;
    return StatRole::kArgument;
  }();
  return {role, is_column};
}

class Surveyor {
 public:
  Surveyor(io::ByteSource& source, const std::string& path, bool with_names)
      : stream_(source, path), with_names_(with_names) {}

  Result<SpaceSurvey> run() {
    WireField field;
    try {
      while (stream_.has_more() && stream_.next(std::numeric_limits<std::uint64_t>::max(), field)) {
        if (field.number == static_cast<std::uint32_t>(SpaceField::kPlanes) &&
            field.type == WireType::kBytes) {
          survey_plane(stream_.position() + field.payload);
        } else {
          stream_.skip(field.payload);
        }
      }
    } catch (const protozero::exception&) {
      stream_.fail(stream_.damaged(field.at));
    }
    if (!stream_.status().ok()) return stream_.status().error();
    choose_start();
    return std::move(survey_);
  }

 private:
  void survey_plane(std::uint64_t end) {
    PlaneSurvey plane;
    start_id_.reset();
    device_id_.reset();
    kind_id_.reset();
    clock_id_.reset();
    kind_words_ = {};
    plane_stats_.clear();
    WireField field;
    while (stream_.position() < end && stream_.next(end, field)) {
      if (field.type != WireType::kBytes) continue;
      const auto number = static_cast<PlaneField>(field.number);
      const bool is_wanted = number == PlaneField::kName || number == PlaneField::kStatMetadata ||
                             (number == PlaneField::kEventMetadata && with_names_) ||
                             number == PlaneField::kStats;
      if (number == PlaneField::kLines) {
        survey_line(stream_.position() + field.payload, plane);
      } else if (!is_wanted || plane.sort == PlaneSort::kFacts) {
        stream_.skip(field.payload);
      } else if (std::string_view bytes; stream_.payload(field, bytes)) {
        take(number, bytes, plane);
      }
    }
    find_start(plane);
    name_device(plane);
    resolve_kinds(plane);
    if (plane.sort == PlaneSort::kRank) survey_.clock.is_ours = true;
    survey_.planes.push_back(std::move(plane));
  }

  void take(PlaneField number, std::string_view bytes, PlaneSurvey& plane) {
    switch (number) {
      case PlaneField::kName:
        plane.name = bytes;
        plane.sort = sort_of_plane(plane.name);
        return;
      case PlaneField::kStats:
        if (plane_stats_.size() < kMaxPlaneStats) {
          const StatValue value = decode_stat(bytes);
          plane_stats_.push_back({value, std::string(value.text)});
        }
        return;
      default:
        take_metadata(number, bytes, plane);
    }
  }

  void take_metadata(PlaneField number, std::string_view bytes, PlaneSurvey& plane) {
    std::int64_t id = 0;
    protozero::data_view value("", std::size_t{0});
    protozero::pbf_reader entry(bytes.data(), bytes.size());
    while (entry.next()) {
      switch (static_cast<std::uint32_t>(entry.tag_and_type())) {
        case varint_field(MapEntryField::kKey):
          id = entry.get_int64();
          break;
        case bytes_field(MapEntryField::kValue):
          value = entry.get_view();
          break;
        default:
          entry.skip();
      }
    }
    std::string_view name;
    std::string_view display_name;
    std::string_view description;  // of stats; of events it is something else
    std::optional<StatValue> first;
    protozero::pbf_reader field(value);
    while (field.next()) {
      const auto type = static_cast<std::uint32_t>(field.tag_and_type());
      // Both metadata have their name at 2; only that of events has one for display.
      if (type == bytes_field(EventMetadataField::kName)) {
        name = text_of(field.get_view());
      } else if (type == bytes_field(StatMetadataField::kDescription)) {
        description = text_of(field.get_view());
      } else if (type == bytes_field(EventMetadataField::kDisplayName)) {
        display_name = text_of(field.get_view());
      } else if (type == bytes_field(EventMetadataField::kStats) && !first) {
        first = decode_stat(text_of(field.get_view()));
      } else {
        field.skip();
      }
    }
    if (number == PlaneField::kStatMetadata) return take_stat_name(id, name, description, plane);
    const std::string_view shown = display_name.empty() ? name : display_name;
    EventNames names;
    names.name = shown;
    names.host_kind = kind_of_host_event(shown);
    names.stream_kind = kind_of_stream_event(shown, trace::Kind::kKernel);
    names.is_collective = trace::is_collective_kernel(shown);
    if (first && first->type == StatValue::Type::kRef) {
      names.first_stat = first->metadata_id;
      names.first_reference = first->number;
    }
    plane.events.set(id, std::move(names));
  }

  void take_stat_name(std::int64_t id, std::string_view name, std::string_view description,
                      PlaneSurvey& plane) {
    if (name == kProfileStartTime) start_id_ = id;
    if (name == kDeviceStat) device_id_ = id;
    if (name == kClockStat) clock_id_ = id;
    if (name == kKindStat) kind_id_ = id;
    // A later entry of an id replaces an earlier one.
    const SurveyedRole role = role_of(name, description);
    if (role.role != StatRole::kArgument || plane.roles.find(id) != nullptr) {
      plane.roles.set(id, role);
    }
    std::optional<trace::Kind> kind;
    for (std::size_t i = 0; i < trace::kKindCount; ++i) {
      if (name_of(static_cast<trace::Kind>(i)) == name) kind = static_cast<trace::Kind>(i);
    }
    if (kind || kind_words_.find(id) != nullptr) kind_words_.set(id, kind);
  }

  // What lockstep wrote about the kinds of events.
  void resolve_kinds(PlaneSurvey& plane) {
    if (!kind_id_) return;
    for (EventNames& names : plane.events.values()) {
      if (names.first_stat != *kind_id_) continue;
      const auto* kind = kind_words_.find(static_cast<std::int64_t>(names.first_reference));
      if (kind != nullptr) names.kind = *kind;
    }
  }

  void name_device(PlaneSurvey& plane) const {
    if (plane.sort != PlaneSort::kGpu && plane.sort != PlaneSort::kTpu) return;
    plane.device = device_id_of(plane.name);
    for (const auto& [value, text] : plane_stats_) {
      if (device_id_ && value.metadata_id == *device_id_) plane.device = text;
    }
  }

  void survey_line(std::uint64_t end, PlaneSurvey& plane) {
    LineSurvey line;
    WireField field;
    while (stream_.position() < end && stream_.next(end, field)) {
      const auto number = static_cast<LineField>(field.number);
      if (number == LineField::kTimestampNs && field.type == WireType::kVarint) {
        line.timestamp_ns = static_cast<std::int64_t>(field.value);
        line.has_timestamp = true;
      }
      std::string_view bytes;
      if (number == LineField::kName && field.type == WireType::kBytes) {
        if (stream_.payload(field, bytes)) line.name = bytes;
      } else {
        stream_.skip(field.payload);
      }
    }
    plane.lines.push_back(std::move(line));
  }

  // The first fact of that name in a plane of the environment counts, if it is an integer, as for
  // the reader. But only the first stats of a plane are looked at, and of several stats with that
  // name the last one.
  void find_start(const PlaneSurvey& plane) {
    if (plane.sort == PlaneSort::kRank) {
      has_other_clock_ |= std::ranges::none_of(plane_stats_, [&](const auto& stat) {
        return clock_id_ == stat.first.metadata_id && stat.second == name_of(Clock::kEpoch);
      });
    }
    if (plane.sort != PlaneSort::kEnvironment) return;
    for (const auto& [value, text] : plane_stats_) {
      if (start_id_ != value.metadata_id) continue;
      const bool is_integer = value.type == StatValue::Type::kSigned ||
                              (value.type == StatValue::Type::kUnsigned && value.number >> 63 == 0);
      if (is_integer) starts_.push_back(static_cast<std::int64_t>(value.number));
      return;
    }
  }

  // Whether lockstep wrote the file is known at its end only.
  void choose_start() {
    SpaceClock& clock = survey_.clock;
    for (const std::int64_t start : starts_) {
      if (!clock.start_ns && (shared::is_since_1970(start) || clock.is_ours))
        clock.start_ns = start;
    }
    if (clock.is_ours && has_other_clock_) clock.start_ns.reset();
  }

  WireStream stream_;
  bool with_names_;
  SpaceSurvey survey_;
  std::vector<std::int64_t> starts_;
  bool has_other_clock_ = false;
  // Of the plane at hand.
  std::optional<std::int64_t> start_id_;
  std::optional<std::int64_t> device_id_;
  std::optional<std::int64_t> kind_id_;
  std::optional<std::int64_t> clock_id_;
  shared::RowsById<std::optional<trace::Kind>> kind_words_;  // of stats named like a kind
  std::vector<std::pair<StatValue, std::string>> plane_stats_;
};

}  // namespace

Result<SpaceSurvey> survey_space(io::ByteSource& source, const std::string& path, bool with_names) {
  return Surveyor(source, path, with_names).run();
}

}  // namespace lockstep::formats::xspace
