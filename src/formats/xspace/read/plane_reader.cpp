// Mapping of lines and events.
#include "formats/xspace/read/plane_reader.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include "base/json_quote.h"
#include "formats/shared/leaf_spans.h"
#include "formats/shared/time_guess.h"
#include "formats/xspace/read/misplaced.h"
#include "formats/xspace/xspace_defects.h"
#include "formats/xspace/xspace_fields.h"
#include "trace/collective_names.h"

namespace lockstep::formats::xspace {
namespace {

constexpr std::string_view kContextFlow = "context";
constexpr std::string_view kFlow = "flow";
constexpr std::int64_t kFlowContext = -1;  // `flow` stats have a context of their own

}  // namespace

// A line whose timestamp can only be since 1970 counts from there, whatever the rest of the file
// does: the profiler takes the start of the session only from lines that lie after it.
WideTime SpaceClock::base_of(std::int64_t timestamp_ns) const {
  WideTime ns = timestamp_ns;
  if (start_ns && (is_ours || !shared::is_since_1970(timestamp_ns))) ns += *start_ns;
  return ns * kPicosecondsPerNanosecond;
}

PlaneReader::PlaneReader(RankContext& context, const PlaneView& plane)
    : context_(context),
      builder_(context.builder),
      plane_(plane),
      metadata_(builder_, context.index, plane, context.defects, context.is_ours),
      facts_(xspace::facts_of(context.index, plane, context.defects)),
      arguments_(builder_, metadata_) {}

std::uint64_t PlaneReader::read() {
  choose_process();
  std::uint64_t events = 0;
  for (const LineView& line : plane_.lines) events += read_line(line);
  return events;
}

// A device is its own process, with its number, as in Kineto's traces; lockstep says which process
// it was.
void PlaneReader::choose_process() {
  const bool is_device = plane_.sort == PlaneSort::kGpu || plane_.sort == PlaneSort::kTpu;
  std::string process = facts_.text(kProcessIdStat);
  if (is_device) {
    // An id that we wrote may be empty.
    const std::string id = facts_.find(kDeviceStat) != nullptr
                               ? facts_.text(kDeviceStat)
                               : std::string(device_id_of(plane_.name));
    device_ = builder_.device(id);
    for (const std::string_view key : {kGpuNameStat, kDeviceTypeStat, kDeviceVendorStat}) {
      if (builder_.at(device_).name != kEmptyString) break;
      builder_.at(device_).name = builder_.intern(facts_.text(key));
    }
    if (!context_.is_ours) process = id;
  } else if (!context_.is_ours && (process.empty() || !plane_.name.starts_with("/host:CPU"))) {
    process = std::to_string(context_.next_host++);
  }
  // A plane without lines has no process: nothing would happen in it.
  const bool has_process = context_.is_ours ? facts_.find(kProcessIdStat) != nullptr : is_device;
  if (plane_.lines.empty() && !has_process) return;
  process_ = builder_.process(process);
  trace::Process& made = builder_.at(process_);
  if (!context_.is_ours) {
    made.name = builder_.intern(plane_.name);
    return;
  }
  made.name = builder_.intern(facts_.text(kProcessNameStat));
  made.labels = builder_.intern(facts_.text(kProcessLabelsStat));
  made.sort_index = facts_.integer(kProcessSortStat);
}

void PlaneReader::choose_track(const LineView& line) {
  sort_ = sort_of_line(plane_.sort, line.name);
  if (device_ != trace::kNoDevice) {
    const bool is_stream = sort_ == LineSort::kStream;
    track_ = builder_.stream(process_, device_, is_stream ? stream_id_of(line.name) : line.name);
    line_kind_ = is_stream ? kind_of_stream(line.name) : trace::Kind::kKernel;
  } else if (context_.is_ours) {
    track_ = builder_.host_thread(process_, line.name);
  } else {
    // Lines of some planes share an id; then the name tells them apart.
    const auto [known, is_new] = line_names_.try_emplace(line.id, line.name);
    track_ = is_new || known->second == line.name
                 ? builder_.host_thread(process_, std::to_string(line.id))
                 : builder_.host_thread(process_, line.name);
  }
  trace::Track& track = builder_.at(track_);
  if (!line.display_name.empty()) {
    track.name = builder_.intern(line.display_name);
  } else if (!context_.is_ours) {
    track.name = builder_.intern(line.name);
  }
}

std::uint64_t PlaneReader::read_line(const LineView& line) {
  choose_track(line);
  base_ = context_.clock.base_of(line.timestamp_ns);
  const std::size_t first_row = builder_.trace().events.size();
  const std::size_t first_collective = builder_.trace().collectives.size();
  std::uint64_t count = 0;
  const char* at = line.bytes.data();
  const char* const end = line.bytes.data() + line.bytes.size();
  protozero::pbf_reader field(line.bytes.data(), line.bytes.size());
  try {
    while (field.next()) {
      const auto type = static_cast<std::uint32_t>(field.tag_and_type());
      at = field.data().data();
      if (type != bytes_field(LineField::kEvents)) {
        if (field.tag() == static_cast<protozero::pbf_tag_type>(LineField::kEvents)) {
          context_.defects.add(kWrongWireType, context_.index.place_of(at));
        }
        field.skip();
        continue;
      }
      const protozero::data_view view = field.get_view();
      RawEvent event;
      const Place place = context_.index.place_of(view.data());
      if (view.empty()) {
        context_.defects.add(kEmptyEvent, place);
        continue;
      }
      if (!decode({view.data(), view.size()}, event)) {
        context_.defects.add(kDamagedRecord, place);
        continue;
      }
      ++count;
      take(event, line, place);
    }
  } catch (const protozero::exception&) {
    if (!context_.index.is_in_cut(end)) {
      context_.defects.add(kDamagedRecord, context_.index.place_of(at));
    }
  }
  if (sort_ == LineSort::kOperations) mark_containers(first_row, first_collective);
  return count;
}

// False when the record is damaged.
bool PlaneReader::decode(std::string_view bytes, RawEvent& event) {
  stats_.clear();
  try {
    protozero::pbf_reader field(bytes.data(), bytes.size());
    while (field.next()) {
      switch (static_cast<std::uint32_t>(field.tag_and_type())) {
        case varint_field(EventField::kMetadataId):
          event.metadata_id = field.get_int64();
          break;
        case varint_field(EventField::kOffsetPs):
          event.offset_ps = field.get_int64();
          event.is_aggregate = false;
          break;
        case varint_field(EventField::kDurationPs):
          event.duration_ps = field.get_int64();
          break;
        case bytes_field(EventField::kStats): {
          const protozero::data_view stat = field.get_view();
          take_stat({stat.data(), stat.size()});
          break;
        }
        case varint_field(EventField::kOccurrences):
          event.occurrences = field.get_int64();
          event.is_aggregate = true;
          break;
        default:
          judge_in_event(field, context_.index.place_of(bytes.data()));
      }
    }
  } catch (const protozero::exception&) {
    return false;
  }
  return true;
}

// A stat whose tag was damaged is an unknown field, or a number with the fields of the stat behind
// it, which then pass for those of the event. Writers put the numbers of an event in front.
void PlaneReader::judge_in_event(protozero::pbf_reader& field, Place place) {
  if (field.tag() <= static_cast<protozero::pbf_tag_type>(EventField::kOccurrences)) {
    context_.defects.add(kWrongWireType, place);
    return field.skip();
  }
  if (field.wire_type() == protozero::pbf_wire_type::length_delimited) {
    const protozero::data_view view = field.get_view();
    if (may_be_stat({view.data(), view.size()})) context_.defects.add(kMisplacedField, place);
    return;
  }
  field.skip();
  const bool has_number_behind =
      !field.data().empty() &&
      static_cast<std::uint32_t>(field.data().data()[0]) <= varint_field(EventField::kDurationPs);
  if (has_number_behind) context_.defects.add(kMisplacedField, place);
}

// A damaged stat does not take its event with it.
void PlaneReader::take_stat(std::string_view bytes) {
  if (begins_like_event(bytes)) {
    context_.defects.add(kMisplacedField, context_.index.place_of(bytes.data()));
  }
  if (!builder_.keeps_arguments()) {
    const auto id = leading_id(bytes);
    const StatMetadata* stat = id ? metadata_.stat(*id) : nullptr;
    const bool is_kept = stat != nullptr && stat->tells && builder_.keeps_evidence();
    if (stat != nullptr && stat->role == StatRole::kArgument && !is_kept) return;
  }
  try {
    stats_.push_back(decode_stat(bytes));
    if (stats_.back().is_bent) {
      context_.defects.add(kWrongWireType, context_.index.place_of(bytes.data()));
    }
  } catch (const protozero::exception&) {
    context_.defects.add(kDamagedRecord, context_.index.place_of(bytes.data()));
  }
}

trace::Kind PlaneReader::kind_of(const EventMetadata& metadata, const EventFacts& facts) const {
  if (metadata.kind) return *metadata.kind;
  switch (sort_) {
    case LineSort::kStream:
      if (facts.is_memcpy) return trace::Kind::kMemcpy;
      if (facts.is_memset) return trace::Kind::kMemset;
      return metadata.stream_kind_is_named ? metadata.stream_kind : line_kind_;
    case LineSort::kOperations:
      return trace::Kind::kKernel;
    case LineSort::kDerived:
      return trace::Kind::kAnnotation;
    case LineSort::kCounters:
      return trace::Kind::kCounter;
    case LineSort::kThread:
      break;
  }
  if (facts.step != nullptr) return trace::Kind::kAnnotation;
  return facts.correlation != trace::kNoCorrelation ? trace::Kind::kRuntimeCall
                                                    : metadata.host_kind;
}

void PlaneReader::take(const RawEvent& event, const LineView& line, Place place) {
  if (event.is_aggregate) return add_aggregate(event, line);
  const EventMetadata& metadata = metadata_.event(event.metadata_id);
  const EventFacts facts = facts_of_event(stats_, metadata_, context_.is_ours);
  trace::Event row;
  row.name = metadata.name;
  row.category = metadata.category;
  row.track = track_;
  row.kind = kind_of(metadata, facts);
  row.correlation = facts.correlation;
  const WideTime start = base_ + event.offset_ps;
  trace::Shape shape = metadata.shape;
  if (sort_ == LineSort::kCounters && !context_.is_ours) shape = trace::Shape::kCounter;
  const trace::EventId id = shape == trace::Shape::kSpan
                                ? builder_.add_span(row, start, start + event.duration_ps, place)
                                : builder_.add_point(row, start, shape, place);
  if (id == trace::kNoEvent) return;
  if (builder_.keeps_evidence()) add_arguments(id, metadata);
  if (facts.has_flow || facts.producer || facts.consumer) add_flows(id, facts);
  if (facts.step != nullptr && !context_.is_ours) add_step(id, facts);
  if (facts.has_collective || facts.hlo_op != nullptr) add_collective(id, facts);
}

void PlaneReader::add_arguments(trace::EventId id, const EventMetadata& metadata) {
  arguments_.clear();
  const auto add = [&](const StatValue& value) {
    const StatMetadata* stat = metadata_.stat(value.metadata_id);
    if (stat == nullptr || !stat->is_argument) return;
    if (!stat->tells && !builder_.keeps_arguments()) return;
    arguments_.add(*stat, value);
    if (stat->role == StatRole::kKernelDetails) {
      arguments_.add_kernel_details(front_of(metadata_.text(value)));
    } else if (stat->role == StatRole::kMemcpyDetails) {
      arguments_.add_copy_details(front_of(metadata_.text(value)));
    }
  };
  for (const StatValue& value : stats_) add(value);
  if (!builder_.keeps_arguments()) return builder_.set_arguments(id, arguments_.all());
  for (const std::string_view bytes : metadata.stats) {
    try {
      add(decode_stat(bytes));
    } catch (const protozero::exception&) {
      context_.defects.add(kDamagedRecord, context_.index.place_of(bytes.data()));
    }
  }
  if (metadata.long_name != kEmptyString) arguments_.add_text("long_name", metadata.long_name);
  builder_.set_arguments(id, arguments_.all());
}

void PlaneReader::add_flows(trace::EventId id, const EventFacts& facts) {
  const StringId name = builder_.intern(kContextFlow);
  if (facts.producer) {
    const std::int64_t type = std::max<std::int64_t>(facts.producer_type.value_or(0), 0);
    context_.flows.add({type, *facts.producer, id, true, name, {}});
  }
  if (facts.consumer) {
    const std::int64_t type = std::max<std::int64_t>(facts.consumer_type.value_or(0), 0);
    context_.flows.add({type, *facts.consumer, id, false, name, {}});
  }
  if (!facts.has_flow) return;
  for (const StatValue& value : stats_) {
    const StatMetadata* stat = metadata_.stat(value.metadata_id);
    if (stat == nullptr || stat->role != StatRole::kFlow || !is_integer(value)) continue;
    // Bits 0 and 1 are the direction, in and out; the rest tells arrows apart.
    const StringId flow_name = context_.is_ours ? stat->flow_name : builder_.intern(kFlow);
    const std::uint64_t arrow = value.number >> 2;
    if ((value.number & 1) != 0) {
      context_.flows.add({kFlowContext, arrow, id, false, flow_name, stat->flow_kind});
    }
    if ((value.number & 2) != 0) {
      context_.flows.add({kFlowContext, arrow, id, true, flow_name, stat->flow_kind});
    }
  }
}

void PlaneReader::add_collective(trace::EventId id, const EventFacts& facts) {
  if (builder_.trace().events.kind[trace::index_of(id)] != trace::Kind::kCommunication ||
      device_ == trace::kNoDevice) {
    return;
  }
  if (builder_.trace().events.shape[trace::index_of(id)] != trace::Shape::kSpan) return;
  trace::Collective& collective = builder_.collective_of(id);
  // RCCL has one kernel for everything; then the instruction says what it did.
  if (facts.hlo_op != nullptr && builder_.trace().text(collective.op) == "unknown") {
    collective.op = builder_.intern(trace::collective_op(front_of(metadata_.text(*facts.hlo_op))));
  }
  describe_collective(collective, stats_, metadata_);
}

// StepTraceAnnotation: any name, with the number of the step beside it. Every step has a name of
// its own, so that of a name without end only the front is taken.
void PlaneReader::add_step(trace::EventId id, const EventFacts& facts) {
  if (sort_ != LineSort::kThread) return;
  const trace::EventTable& events = builder_.trace().events;
  const std::size_t row = trace::index_of(id);
  const std::string number = is_integer(*facts.step)
                                 ? std::to_string(static_cast<std::int64_t>(facts.step->number))
                                 : std::string(front_of(metadata_.text(*facts.step)));
  const std::string name =
      std::string(front_of(builder_.trace().text(events.name[row]))) + "#" + number;
  builder_.add_step(builder_.intern(name), events.start[row], events.end(row));
}

void PlaneReader::add_aggregate(const RawEvent& event, const LineView& line) {
  context_.defects.add(kAggregatedEvents);
  ++context_.aggregate_count;
  const std::string_view name = builder_.trace().text(metadata_.event(event.metadata_id).name);
  constexpr std::size_t kKeysAndNumbers = 100;
  if (!context_.allowance.take(plane_.name.size() + line.name.size() + name.size() +
                               kKeysAndNumbers)) {
    context_.defects.add(kRepeatedText);
    return;
  }
  context_.aggregates.push_back(fmt::format(
      R"({{"plane": {}, "line": {}, "name": {}, "occurrences": {}, "duration_ps": {}}})",
      quoted_json(plane_.name), quoted_json(line.name), quoted_json(name), event.occurrences,
      event.duration_ps));
}

// An operation that contains others of its line (a loop, a call) is no work of its own. Rows and
// collectives of the line are the last ones.
void PlaneReader::mark_containers(std::size_t first_row, std::size_t first_collective) {
  trace::EventTable& events = builder_.trace().events;
  std::vector<std::uint32_t> rows(events.size() - first_row);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first_row));
  const std::vector<std::uint32_t> around = shared::rows_around_others(events, std::move(rows));
  for (const std::uint32_t row : around) events.kind[row] = trace::Kind::kAnnotation;
  std::vector<trace::Collective>& collectives = builder_.trace().collectives;
  if (around.empty() || collectives.size() == first_collective) return;
  const auto [gone, end] = std::ranges::remove_if(
      std::ranges::subrange(collectives.begin() + static_cast<std::ptrdiff_t>(first_collective),
                            collectives.end()),
      [&](const trace::Collective& collective) {
        return events.kind[trace::index_of(collective.event)] == trace::Kind::kAnnotation;
      });
  collectives.erase(gone, end);
}

}  // namespace lockstep::formats::xspace
