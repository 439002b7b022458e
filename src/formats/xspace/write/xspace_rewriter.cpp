// The passes of a rewrite.
#include "formats/xspace/write/xspace_rewriter.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <protozero/buffer_string.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include "formats/xspace/read/event_judge.h"
#include "formats/xspace/read/space_survey.h"
#include "formats/xspace/read/wire_stream.h"
#include "formats/xspace/xspace_fields.h"

namespace lockstep::formats::xspace {
namespace {

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

bool is_bytes(const WireField& field, auto number) {
  return field.number == static_cast<std::uint32_t>(number) && field.type == WireType::kBytes;
}

// New length of a plane or line, and whether anything in it changes.
struct NewSize {
  std::uint64_t length = 0;
  bool is_changed = false;
  bool is_kept = true;
};

// The varint with which a line says its timestamp, where it is shifted.
std::string shifted_timestamp(std::uint64_t value, std::int64_t shift) {
  std::string bytes;
  protozero::add_varint_to_buffer(&bytes, value + static_cast<std::uint64_t>(shift));
  return bytes;
}

class Rewriter {
 public:
  Rewriter(const OpenXSpace& open, const std::string& path, const XSpaceEdit& edit,
           io::ByteSink& sink)
      : open_(open), path_(path), edit_(edit), sink_(sink) {}

  Status run();

 private:
  enum class Pass { kCollect, kMeasure, kWrite };

  [[nodiscard]] Status copy_all();
  [[nodiscard]] Status walk(Pass pass);
  void walk_plane(Pass pass, const WireField& plane);
  void walk_line(Pass pass, const WireField& line);
  void walk_event(Pass pass, WireField& field, NewSize& size);
  void walk_timestamp(Pass pass, const WireField& field, std::int64_t shift, NewSize& size);

  void put_resized(const WireField& field, const NewSize& size);
  void put_copy(const WireField& field);
  void put(std::string_view bytes);
  [[nodiscard]] static std::uint64_t resized(const WireField& field, const NewSize& size);
  [[nodiscard]] std::int64_t shift_of(const LineSurvey& line) const;

  const OpenXSpace& open_;
  const std::string& path_;
  const XSpaceEdit& edit_;
  io::ByteSink& sink_;
  SpaceSurvey survey_;
  std::optional<EventJudge> judge_;
  std::optional<WireStream> stream_;
  std::string out_;
  std::size_t plane_ = 0;
  std::size_t line_ = 0;  // over all planes
  std::size_t first_line_ = 0;
  bool plane_is_kept_ = true;
  std::vector<NewSize> plane_sizes_;
  std::vector<NewSize> line_sizes_;
};

Status Rewriter::run() {
  if (edit_.changes_nothing()) return copy_all();
  {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSource> source, open_());
    const bool with_names = static_cast<bool>(edit_.keep_event);
    LOCKSTEP_ASSIGN_OR_RETURN(survey_, survey_space(*source, path_, with_names));
  }
  judge_.emplace(survey_, edit_);
  if (edit_.keep_event && edit_.wants_launches) LOCKSTEP_RETURN_IF_ERROR(walk(Pass::kCollect));
  LOCKSTEP_RETURN_IF_ERROR(walk(Pass::kMeasure));
  LOCKSTEP_RETURN_IF_ERROR(walk(Pass::kWrite));
  return sink_.write(out_);
}

Status Rewriter::copy_all() {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSource> source, open_());
  std::vector<char> buffer(kWireBufferBytes);
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t got, source->read(buffer));
    if (got == 0) break;
    LOCKSTEP_RETURN_IF_ERROR(sink_.write({buffer.data(), got}));
  }
  if (source->diagnostics().count_of(io::kFileShrank) == 0) return {};
  return input_error(path_, "became shorter while it was read");
}

Status Rewriter::walk(Pass pass) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSource> source, open_());
  stream_.emplace(*source, path_);
  plane_ = line_ = 0;
  WireField field;
  while (stream_->has_more() && stream_->next(kNoEnd, field)) {
    if (is_bytes(field, SpaceField::kPlanes)) {
      if (plane_ == survey_.planes.size()) {
        stream_->fail(stream_->damaged(field.at));  // the file has changed since
        break;
      }
      walk_plane(pass, field);
      ++plane_;
    } else if (pass == Pass::kWrite) {
      put_copy(field);
    } else {
      stream_->skip(field.payload);
    }
  }
  return stream_->status();
}

void Rewriter::walk_plane(Pass pass, const WireField& plane) {
  const PlaneSurvey& survey = survey_.planes[plane_];
  const std::uint64_t end = stream_->position() + plane.payload;
  first_line_ = line_;
  const auto pass_over = [&] {
    line_ += survey.lines.size();
    pass == Pass::kWrite ? put_copy(plane) : stream_->skip(plane.payload);
  };
  if (pass == Pass::kWrite) {
    const NewSize& size = plane_sizes_[plane_];
    if (!size.is_kept) {
      line_ += survey.lines.size();
      return stream_->skip(plane.payload);
    }
    if (!size.is_changed) return pass_over();
    put_resized(plane, size);
  }
  judge_->begin_plane(plane_);
  NewSize size{plane.payload, false,
               !edit_.keep_plane || edit_.keep_plane(survey.name, survey.device)};
  const bool is_on_device = survey.sort == PlaneSort::kGpu || survey.sort == PlaneSort::kTpu;
  // Calls that launched work on devices which go must be known too.
  plane_is_kept_ = size.is_kept;
  const bool is_skipped = pass == Pass::kCollect ? !is_on_device : !size.is_kept;
  if (is_skipped && pass != Pass::kWrite) {
    line_sizes_.resize(line_sizes_.size() + (pass == Pass::kMeasure ? survey.lines.size() : 0));
    pass_over();
  }
  WireField field;
  while (stream_->position() < end && stream_->next(end, field)) {
    if (is_bytes(field, PlaneField::kLines)) {
      const std::uint64_t old_size = field.size();
      if (line_ - first_line_ == survey.lines.size()) {
        stream_->fail(stream_->damaged(field.at));
        return;
      }
      walk_line(pass, field);
      if (pass == Pass::kMeasure && line_sizes_.back().is_changed) {
        size.is_changed = true;
        size.length += resized(field, line_sizes_.back()) - old_size;
      }
      ++line_;
    } else if (pass == Pass::kWrite) {
      put_copy(field);
    } else {
      stream_->skip(field.payload);
    }
  }
  if (pass == Pass::kMeasure) plane_sizes_.push_back(size);
}

std::int64_t Rewriter::shift_of(const LineSurvey& line) const {
  return edit_.shift_ns ? edit_.shift_ns(survey_.planes[plane_].name, line.name) : 0;
}

// `line` is read only before the stream moves on, but for its sizes.
void Rewriter::walk_line(Pass pass, const WireField& line) {
  const LineSurvey& survey = survey_.planes[plane_].lines[line_ - first_line_];
  const std::uint64_t end = stream_->position() + line.payload;
  const std::int64_t shift = shift_of(survey);
  if (pass == Pass::kWrite) {
    if (!line_sizes_[line_].is_changed) return put_copy(line);
    put_resized(line, line_sizes_[line_]);
  }
  judge_->begin_line(line_ - first_line_);
  NewSize size{line.payload, false, true};
  WireField field;
  while (stream_->position() < end && stream_->next(end, field)) {
    if (is_bytes(field, LineField::kEvents)) {
      walk_event(pass, field, size);
    } else if (field.number == static_cast<std::uint32_t>(LineField::kTimestampNs) &&
               field.type == WireType::kVarint && shift != 0) {
      walk_timestamp(pass, field, shift, size);
    } else if (pass == Pass::kWrite) {
      put_copy(field);
    } else {
      stream_->skip(field.payload);
    }
  }
  if (shift != 0 && !survey.has_timestamp) {
    // The line counts from 0 without saying so.
    const std::string added =
        std::string(1, static_cast<char>(varint_field(LineField::kTimestampNs))) +
        shifted_timestamp(0, shift);
    size.length += added.size();
    size.is_changed = true;
    if (pass == Pass::kWrite) put(added);
  }
  if (pass == Pass::kMeasure) line_sizes_.push_back(size);
}

void Rewriter::walk_event(Pass pass, WireField& field, NewSize& size) {
  if (!edit_.keep_event) {
    pass == Pass::kWrite ? put_copy(field) : stream_->skip(field.payload);
    return;
  }
  std::string_view bytes;
  if (!stream_->payload(field, bytes)) return;
  bool is_kept = false;
  try {
    is_kept = judge_->keeps(bytes, field.at);
  } catch (const protozero::exception&) {
    return stream_->fail(stream_->damaged(field.at));
  }
  if (pass == Pass::kCollect) {
    judge_->note_device_event(is_kept && plane_is_kept_);
  } else if (is_kept) {
    if (pass == Pass::kWrite) put({field.head.data(), field.head.size() + bytes.size()});
  } else {
    size.length -= field.size();
    size.is_changed = true;
  }
}

void Rewriter::walk_timestamp(Pass pass, const WireField& field, std::int64_t shift,
                              NewSize& size) {
  const std::string value = shifted_timestamp(field.value, shift);
  size.length += field.tag_bytes + value.size() - field.head.size();
  size.is_changed = true;
  if (pass != Pass::kWrite) return;
  put(field.tag());
  put(value);
}

std::uint64_t Rewriter::resized(const WireField& field, const NewSize& size) {
  const auto length_bytes = static_cast<std::uint64_t>(protozero::length_of_varint(size.length));
  return field.tag_bytes + length_bytes + size.length;
}

void Rewriter::put_resized(const WireField& field, const NewSize& size) {
  put(field.tag());
  std::string length;
  protozero::add_varint_to_buffer(&length, size.length);
  put(length);
}

void Rewriter::put_copy(const WireField& field) {
  put(field.head);
  stream_->copy(field.payload, out_, sink_);
}

void Rewriter::put(std::string_view bytes) {
  out_.append(bytes);
  if (const Status status = flush(out_, sink_); !status.ok()) stream_->fail(status.error());
}

bool overlaps(const XSpaceEvent& event, const XSpaceCut& cut) {
  const bool is_point = event.end == event.start;
  const bool starts_before_end = !cut.end || event.start < *cut.end;
  const bool ends_after_start =
      !cut.start || event.end > *cut.start || (is_point && event.start == *cut.start);
  return starts_before_end && ends_after_start;
}

}  // namespace

Status rewrite_xspace(const OpenXSpace& open, const std::string& path, const XSpaceEdit& edit,
                      io::ByteSink& sink) {
  return Rewriter(open, path, edit, sink).run();
}

XSpaceEdit edit_for(XSpaceCut cut) {
  XSpaceEdit edit;
  if (cut.devices) {
    edit.keep_plane = [devices = *cut.devices](std::string_view, std::string_view device) {
      return device.empty() || std::ranges::find(devices, device) != devices.end();
    };
  }
  if (cut.start || cut.end || cut.kinds || cut.devices) {
    edit.wants_launches = cut.start || cut.end || cut.devices;
    edit.keep_event = [cut = std::move(cut)](const XSpaceEvent& event) {
      if (event.is_step) return overlaps(event, cut);
      if (cut.kinds && std::ranges::find(*cut.kinds, event.kind) == cut.kinds->end()) return false;
      if (!event.has_time || event.launches_kept) return true;
      if (event.launches_gone && cut.devices) return false;
      return overlaps(event, cut);
    };
  }
  return edit;
}

}  // namespace lockstep::formats::xspace
