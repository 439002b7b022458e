// From packets to a trace: sequences, clocks, tracks, and the mapper that the file asks for.
#include "formats/perfetto/perfetto_reader.h"

#include <memory>
#include <optional>
#include <unordered_map>

#include <protozero/pbf_message.hpp>

#include "formats/perfetto/decode/clock_map.h"
#include "formats/perfetto/defects.h"
#include "formats/perfetto/map/own_event_mapper.h"
#include "formats/perfetto/map/own_ids.h"
#include "formats/perfetto/map/track_event_mapper.h"
#include "formats/perfetto/wire/hidden_records.h"
#include "formats/perfetto/wire/inflating_source.h"
#include "formats/perfetto/wire/packet_parts.h"
#include "formats/perfetto/wire/packet_reader.h"
#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/wire/perfetto_sniff.h"
#include "formats/shared/rank_builder.h"

namespace lockstep::formats::perfetto {
namespace {

using Wire = protozero::pbf_wire_type;

constexpr std::size_t kInflatedChunkBytes = 64 * 1024;

constexpr std::uint32_t tag(PacketField field, Wire type) {
  return protozero::tag_and_type(field, type);
}

// The fields of a packet, laid out; the order in the file says nothing.
struct PacketContent {
  PacketFacts facts;
  std::uint32_t sequence = 0;
  std::uint32_t flags = 0;
  bool is_cleared = false;
  bool is_after_loss = false;
  bool has_wrong_type = false;
  bool hides_record = false;
  std::optional<protozero::data_view> interned_data;
  std::optional<protozero::data_view> defaults;
  std::optional<protozero::data_view> clock_snapshot;
  std::optional<protozero::data_view> track_descriptor;
  std::optional<protozero::data_view> process_descriptor;
  std::optional<protozero::data_view> thread_descriptor;
  std::optional<protozero::data_view> process_tree;
  std::optional<protozero::data_view> track_event;
  std::optional<protozero::data_view> gpu_stage;
  std::optional<protozero::data_view> compressed;
  std::optional<protozero::data_view> zstd_compressed;
};

bool is_known(PacketField field) {
  switch (field) {
    case PacketField::kTimestamp:
    case PacketField::kSequenceId:
    case PacketField::kTrackEvent:
    case PacketField::kInternedData:
    case PacketField::kSequenceFlags:
    case PacketField::kClockSnapshot:
    case PacketField::kTrackDescriptor:
    case PacketField::kTimestampClockId:
    case PacketField::kDefaults:
    case PacketField::kProcessTree:
    case PacketField::kProcessDescriptor:
    case PacketField::kThreadDescriptor:
    case PacketField::kGpuRenderStageEvent:
    case PacketField::kCompressedPackets:
    case PacketField::kZstdCompressedPackets:
      return true;
    default:
      return false;
  }
}

// The numbers of a packet; false when the field is none of them.
bool lay_out_number(protozero::pbf_message<PacketField>& packet, PacketContent& content) {
  switch (packet.tag_and_type()) {
    case tag(PacketField::kTimestamp, Wire::varint):
      content.facts.timestamp = packet.get_uint64();
      return true;
    case tag(PacketField::kTimestampClockId, Wire::varint):
      content.facts.clock = packet.get_uint32();
      return true;
    case tag(PacketField::kSequenceId, Wire::varint):
      content.sequence = packet.get_uint32();
      return true;
    case tag(PacketField::kSequenceFlags, Wire::varint):
      content.flags = packet.get_uint32();
      return true;
    case tag(PacketField::kIncrementalStateCleared, Wire::varint):
      content.is_cleared |= packet.get_bool();
      return true;
    case tag(PacketField::kPreviousPacketDropped, Wire::varint):
      content.is_after_loss |= packet.get_bool();
      return true;
    default:
      return false;
  }
}

// Where the message of a field belongs; null when nobody reads it.
std::optional<protozero::data_view>* message_of(PacketField field, PacketContent& content) {
  switch (field) {
    case PacketField::kTrackEvent:
      return &content.track_event;
    case PacketField::kInternedData:
      return &content.interned_data;
    case PacketField::kDefaults:
      return &content.defaults;
    case PacketField::kClockSnapshot:
      return &content.clock_snapshot;
    case PacketField::kTrackDescriptor:
      return &content.track_descriptor;
    case PacketField::kProcessDescriptor:
      return &content.process_descriptor;
    case PacketField::kThreadDescriptor:
      return &content.thread_descriptor;
    case PacketField::kProcessTree:
      return &content.process_tree;
    case PacketField::kGpuRenderStageEvent:
      return &content.gpu_stage;
    case PacketField::kCompressedPackets:
      return &content.compressed;
    case PacketField::kZstdCompressedPackets:
      return &content.zstd_compressed;
    default:
      return nullptr;
  }
}

class TraceReader {
 public:
  TraceReader(const std::string& path, const shared::ReadOptions& options, trace::Trace& trace)
      : path_(path),
        options_(options),
        trace_(trace),
        first_rank_(trace.ranks.size()),
        tracks_(trace.strings),
        decoder_(trace.strings, options.keep_arguments) {}

  Status read(io::ByteSource& bytes) {
    PacketReader packets(bytes, std::max<std::size_t>(options_.chunk_bytes, 1), diagnostics_);
    packets.on_read = [&] {
      if (options_.on_progress) options_.on_progress(bytes.raw_bytes_read());
    };
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<Packet> packet, packets.next());
      if (!packet) break;
      ++packets_seen_;
      take(*packet, packet->offset, false);
    }
    return finish();
  }

 private:
  void take(const Packet& packet, std::uint64_t offset, bool is_inflated) {
    try {
      PacketContent content;
      content.facts.offset = offset;
      lay_out({packet.bytes.data(), packet.bytes.size()}, content);
      take_content(content, is_inflated);
    } catch (const protozero::exception&) {
      diagnostics_.add(kDamagedPacket, Place::byte(offset));
    }
  }

  void lay_out(protozero::data_view bytes, PacketContent& content);
  void take_content(PacketContent& content, bool is_inflated);
  void take_event(const PacketContent& content, SequenceState& sequence);
  void take_track(protozero::data_view bytes);
  void take_compressed(PacketCompression compression, protozero::data_view bytes,
                       std::uint64_t offset, bool is_inflated);
  SequenceState& sequence(std::uint32_t id);
  TrackEventMapper& mapper();
  Status finish();
  void finish_own();
  void finish_other();

  const std::string& path_;
  const shared::ReadOptions& options_;
  trace::Trace& trace_;
  std::size_t first_rank_;
  Diagnostics diagnostics_;
  TrackRegistry tracks_;
  ClockMap clocks_;
  TrackEventDecoder decoder_;
  std::unordered_map<std::uint32_t, SequenceState> sequences_;
  SequenceState* recent_sequence_ = nullptr;
  UnusedPackets unused_;
  std::unique_ptr<OwnEventMapper> own_;  // either this one or the other
  std::optional<shared::RankBuilder> builder_;
  std::unique_ptr<TrackEventMapper> other_;
  std::uint64_t packets_seen_ = 0;
};

void TraceReader::lay_out(protozero::data_view bytes, PacketContent& content) {
  protozero::pbf_message<PacketField> packet(bytes);
  while (packet.next()) {
    if (lay_out_number(packet, content)) continue;
    const PacketField field = packet.tag();
    const bool is_message = packet.wire_type() == Wire::length_delimited;
    std::optional<protozero::data_view>* message =
        is_message ? message_of(field, content) : nullptr;
    if (message != nullptr) {
      content.hides_record |= message->has_value();
      *message = packet.get_view();
      continue;
    }
    if (is_message && !is_known(field)) {
      const protozero::data_view view = packet.get_view();
      content.hides_record |= may_hide_record({view.data(), view.size()});
      unused_.note(static_cast<std::uint32_t>(field));
      continue;
    }
    content.has_wrong_type |= is_known(field);
    packet.skip();
  }
}

SequenceState& TraceReader::sequence(std::uint32_t id) {
  if (recent_sequence_ != nullptr && recent_sequence_->id == id) return *recent_sequence_;
  SequenceState& found = sequences_[id];
  found.id = id;
  recent_sequence_ = &found;
  return found;
}

void TraceReader::take_content(PacketContent& content, bool is_inflated) {
  const std::uint64_t offset = content.facts.offset;
  const Place place = Place::byte(offset);
  if (content.has_wrong_type) diagnostics_.add(kWrongWireType, place);
  if (content.hides_record) diagnostics_.add(kMisplacedField, place);
  SequenceState& state = sequence(content.sequence);
  if (content.is_after_loss) {
    // The first packet of a sequence has this mark too: nothing of it was lost.
    if (state.is_valid) diagnostics_.add(kDroppedPackets, place);
    state.is_valid = false;
  }
  if (content.is_cleared || (content.flags & kStateCleared) != 0) {
    state.clear();
    state.is_valid = true;
  }
  if (content.clock_snapshot) clocks_.take(*content.clock_snapshot, content.sequence);
  if (content.interned_data) state.intern(*content.interned_data, trace_.strings);
  if (content.defaults) state.take_defaults(*content.defaults);
  if (content.process_descriptor) {
    const auto pid = tracks_.take_process(*content.process_descriptor);
    if (pid) state.pid = pid;
  }
  if (content.thread_descriptor) {
    const TrackRegistry::Thread thread = tracks_.take_thread(*content.thread_descriptor);
    if (thread.pid) state.pid = thread.pid;
    state.tid = thread.tid;
    state.last_time_us = thread.reference_time_us;
  }
  if (content.process_tree) tracks_.take_process_tree(*content.process_tree);
  if (content.track_descriptor) take_track(*content.track_descriptor);
  if (content.compressed) {
    take_compressed(PacketCompression::kDeflate, *content.compressed, offset, is_inflated);
  }
  if (content.zstd_compressed) {
    take_compressed(PacketCompression::kZstd, *content.zstd_compressed, offset, is_inflated);
  }
  if (!content.track_event && !content.gpu_stage) return;
  if ((content.flags & kNeedsState) != 0 && !state.is_valid) {
    diagnostics_.add(kLostState, place);
    return;
  }
  if (!content.facts.clock) content.facts.clock = state.default_clock;
  take_event(content, state);
}

void TraceReader::take_event(const PacketContent& content, SequenceState& state) {
  if (content.gpu_stage && !own_) {
    mapper().take_gpu_stage(*content.gpu_stage, content.facts, state);
  }
  if (!content.track_event) return;
  const DecodedEvent& event = decoder_.decode(*content.track_event, state);
  const Place place = Place::byte(content.facts.offset);
  if (event.misses_string) diagnostics_.add(kUnknownInternedString, place);
  if (event.has_wrong_type) diagnostics_.add(kWrongWireType, place);
  if (event.has_long_text || event.annotations.is_too_long) diagnostics_.add(kOversizedText, place);
  if (event.annotations.is_too_deep) diagnostics_.add(kDeepAnnotation, place);
  if (own_) {
    own_->take(event, content.facts, state);
  } else {
    mapper().take(event, content.facts, state);
  }
}

void TraceReader::take_track(protozero::data_view bytes) {
  const TrackFacts& track = tracks_.take_track(bytes);
  const bool is_header = track.uuid == kHeaderUuid && trace_.text(track.name) == kHeaderName &&
                         !track.description.empty();
  if (own_ && track.is_counter) own_->describe_counter(track.uuid, track.description);
  if (!is_header || other_) return;
  if (own_) finish_own();  // another file of ours follows in the same stream
  auto header = restore_header(track.description, path_, trace_);
  if (!header) {
    diagnostics_.add(kDamagedHeader);
    return;
  }
  own_ = std::make_unique<OwnEventMapper>(std::move(*header), trace_, options_.keep_arguments,
                                          diagnostics_);
}

void TraceReader::take_compressed(PacketCompression compression, protozero::data_view bytes,
                                  std::uint64_t offset, bool is_inflated) {
  if (is_inflated) {
    diagnostics_.add(kNestedCompression, Place::byte(offset));
    return;
  }
  const auto source = make_inflating_source(compression, {bytes.data(), bytes.size()});
  Diagnostics inside;  // places in the inflated bytes mean nothing to people
  PacketReader packets(*source, kInflatedChunkBytes, inside);
  while (true) {
    const auto packet = packets.next();
    if (!packet.ok() || !packet.value()) break;
    take(*packet.value(), offset, true);
  }
  for (const Diagnostic& found : inside.entries()) {
    diagnostics_.add(*found.kind, Place::byte(offset), {}, found.count);
  }
  for (const Diagnostic& found : source->diagnostics().entries()) {
    const bool is_limit = found.kind == &kInflationLimit;
    diagnostics_.add(is_limit ? kInflationLimit : kDamagedCompressedPackets, Place::byte(offset));
  }
}

TrackEventMapper& TraceReader::mapper() {
  if (!other_) {
    builder_.emplace(trace_, path_, "perfetto", options_.keep_arguments);
    other_ = std::make_unique<TrackEventMapper>(*builder_, tracks_, clocks_);
  }
  return *other_;
}

Status TraceReader::finish() {
  if (own_) finish_own();
  if (other_ && other_->track_events() + other_->gpu_stages() > 0) {
    finish_other();
  } else if (builder_) {
    builder_->discard();
  }
  if (trace_.ranks.size() == first_rank_) {
    const bool is_damaged = diagnostics_.has_loss();
    return input_error(path_,
                       is_damaged ? "is Perfetto protobuf but no event of it can be read"
                                  : "is Perfetto protobuf but holds no track events",
                       is_damaged ? "The file is damaged or cut off"
                                  : "lockstep reads track events and GPU render stages");
  }
  trace_.diagnostics.absorb(diagnostics_, path_);
  return {};
}

void TraceReader::finish_own() {
  own_->finish();
  trace::Rank& rank = trace_.ranks[own_->header().first_rank];
  rank.parts.push_back({trace::SourcePart::Use::kUsed, "track_event", own_->events(),
                        "written by lockstep from " + own_->header().format});
  unused_.add_parts(rank);
  unused_ = {};
  own_.reset();
}

void TraceReader::finish_other() {
  other_->finish();
  if (tracks_.cut_names() > 0) {
    diagnostics_.add(kOversizedText, Place::none(), {}, tracks_.cut_names());
  }
  const auto add_used = [this](std::string name, std::uint64_t count) {
    if (count > 0) builder_->add_part(trace::SourcePart::Use::kUsed, std::move(name), count);
  };
  add_used("track_event", other_->track_events());
  add_used("gpu_render_stage_event", other_->gpu_stages());
  unused_.add_parts(builder_->rank());
  builder_->finish();
}

Status read(io::ByteSource& bytes, const std::string& path, const shared::ReadOptions& options,
            trace::Trace& trace) {
  return TraceReader(path, options, trace).read(bytes);
}

}  // namespace

shared::Format perfetto_format() { return {"perfetto", sniff, read}; }

}  // namespace lockstep::formats::perfetto
