// Description of events on the wire.
#include "formats/xspace/read/event_judge.h"

#include <protozero/pbf_reader.hpp>

#include "formats/xspace/xspace_fields.h"

namespace lockstep::formats::xspace {

void CorrelationSet::insert(std::int64_t id) {
  if (id < 0) return;
  if (id >= kDense) {
    sparse_.insert(id);
    return;
  }
  const auto at = static_cast<std::size_t>(id);
  if (dense_.size() <= at) dense_.resize(at + at / 2 + 1);
  dense_[at] = true;
}

bool CorrelationSet::contains(std::int64_t id) const {
  if (id < 0) return false;
  if (id >= kDense) return sparse_.contains(id);
  return static_cast<std::size_t>(id) < dense_.size() && dense_[static_cast<std::size_t>(id)];
}

void EventJudge::begin_plane(std::size_t plane) {
  plane_ = &survey_.planes[plane];
  event_.plane = plane_->name;
  event_.is_step = plane_->sort == PlaneSort::kRank;
  event_.is_on_device = plane_->sort == PlaneSort::kGpu || plane_->sort == PlaneSort::kTpu;
}

void EventJudge::begin_line(std::size_t line) {
  const LineSurvey& head = plane_->lines[line];
  event_.line = head.name;
  base_ = survey_.clock.base_of(head.timestamp_ns);
  sort_ = sort_of_line(plane_->sort, head.name);
  line_kind_ = sort_ == LineSort::kStream ? kind_of_stream(head.name) : trace::Kind::kKernel;
}

bool EventJudge::keeps(std::string_view bytes, std::uint64_t at) {
  if (!edit_.keep_event) return true;
  describe(bytes);
  event_.launches_kept = event_.launches_gone = false;
  if (edit_.wants_launches && !event_.is_on_device) note_launches(at);
  return edit_.keep_event(event_);
}

void EventJudge::note_device_event(bool is_kept) {
  all_.correlations.insert(event_.correlation);
  if (is_kept) kept_.correlations.insert(event_.correlation);
  for (const std::int64_t arrow : arrows_in_) {
    all_.arrows.insert(arrow);
    if (is_kept) kept_.arrows.insert(arrow);
  }
}

void EventJudge::note_launches(std::uint64_t at) {
  bool launches = false;
  if (event_.kind == trace::Kind::kRuntimeCall && is_first_call(at)) {
    launches = all_.correlations.contains(event_.correlation);
    event_.launches_kept = kept_.correlations.contains(event_.correlation);
  }
  for (const std::int64_t arrow : arrows_out_) {
    launches |= all_.arrows.contains(arrow);
    event_.launches_kept |= kept_.arrows.contains(arrow);
  }
  event_.launches_gone = launches && !event_.launches_kept;
}

// Of several calls with one correlation the first launched the work, as FlowBinder has it.
bool EventJudge::is_first_call(std::uint64_t at) {
  if (event_.correlation < 0) return false;
  const std::uint64_t* first = first_calls_.find(event_.correlation);
  if (first == nullptr) first_calls_.set(event_.correlation, at);
  return first == nullptr || *first == at;
}

void EventJudge::describe(std::string_view bytes) {
  std::int64_t id = 0;
  std::int64_t offset = 0;
  std::int64_t duration = 0;
  Hints hints;
  arrows_in_.clear();
  arrows_out_.clear();
  event_.correlation = -1;
  event_.has_time = true;
  protozero::pbf_reader field(bytes.data(), bytes.size());
  while (field.next()) {
    switch (static_cast<std::uint32_t>(field.tag_and_type())) {
      case varint_field(EventField::kMetadataId):
        id = field.get_int64();
        break;
      case varint_field(EventField::kOffsetPs):
        offset = field.get_int64();
        event_.has_time = true;
        break;
      case varint_field(EventField::kDurationPs):
        duration = field.get_int64();
        break;
      case varint_field(EventField::kOccurrences):
        event_.has_time = false;
        field.skip();
        break;
      case bytes_field(EventField::kStats): {
        const protozero::data_view view = field.get_view();
        if (!plane_->roles.values().empty()) take_stat({view.data(), view.size()}, hints);
        break;
      }
      default:
        field.skip();
    }
  }
  event_.start = base_ + offset;
  event_.end = event_.start + duration;
  const EventNames* names = plane_->events.find(id);
  event_.name = names == nullptr ? std::string_view() : std::string_view(names->name);
  event_.kind = kind_of(names, hints);
}

void EventJudge::take_stat(std::string_view bytes, Hints& hints) {
  if (const auto id = leading_id(bytes); id && plane_->roles.find(*id) == nullptr) return;
  const StatValue value = decode_stat(bytes);
  const SurveyedRole* stat = plane_->roles.find(value.metadata_id);
  // In files of lockstep only marked stats have a role.
  if (stat == nullptr || stat->is_own != survey_.clock.is_ours) return;
  const bool is_id = value.number >> 63 == 0;
  switch (stat->role) {
    case StatRole::kCorrelation:
      if (is_id && (value.number > 0 || survey_.clock.is_ours)) {
        event_.correlation = static_cast<std::int64_t>(value.number);
      }
      break;
    case StatRole::kFlow:
      if (value.number & 1) arrows_in_.push_back(static_cast<std::int64_t>(value.number >> 2));
      if (value.number & 2) arrows_out_.push_back(static_cast<std::int64_t>(value.number >> 2));
      break;
    case StatRole::kStepNumber:
      hints.has_step = true;
      break;
    case StatRole::kMemcpyDetails:
      hints.stream_kind = trace::Kind::kMemcpy;
      break;
    case StatRole::kMemsetDetails:
      hints.stream_kind = trace::Kind::kMemset;
      break;
    default:
      break;
  }
}

// As PlaneReader has it.
trace::Kind EventJudge::kind_of(const EventNames* names, const Hints& hints) const {
  if (names != nullptr && names->kind) return *names->kind;
  const auto unless_collective = [&](trace::Kind kind) {
    const bool is_collective =
        kind == trace::Kind::kKernel && names != nullptr && names->is_collective;
    return is_collective ? trace::Kind::kCommunication : kind;
  };
  switch (sort_) {
    case LineSort::kStream:
      if (hints.stream_kind != trace::Kind::kKernel) return hints.stream_kind;
      if (names != nullptr && names->stream_kind != trace::Kind::kKernel) return names->stream_kind;
      return unless_collective(line_kind_);
    case LineSort::kOperations:
      return unless_collective(trace::Kind::kKernel);
    case LineSort::kDerived:
      return trace::Kind::kAnnotation;
    case LineSort::kCounters:
      return trace::Kind::kCounter;
    case LineSort::kThread:
      break;
  }
  if (hints.has_step || event_.is_step) return trace::Kind::kAnnotation;
  if (event_.correlation >= 0) return trace::Kind::kRuntimeCall;
  return names == nullptr ? trace::Kind::kHostOp : names->host_kind;
}

}  // namespace lockstep::formats::xspace
