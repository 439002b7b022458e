// Fields of GpuRenderStageEvent.
#include "formats/perfetto/decode/gpu_stage.h"

#include <string_view>

#include <protozero/pbf_message.hpp>

#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/wire/text_limits.h"
#include "formats/perfetto/write/string_interner.h"

namespace lockstep::formats::perfetto {
namespace {

using Wire = protozero::pbf_wire_type;
using StageField = GpuStageField;

std::string text_of(protozero::data_view view) {
  std::string scratch;
  return std::string(as_utf8({view.data(), view.size()}, scratch));
}

void read_old_names(protozero::data_view bytes, std::vector<std::string>& queues,
                    std::vector<std::string>& stages) {
  protozero::pbf_message<GpuOldSpecificationsField> message(bytes);
  while (message.next()) {
    const bool is_queue = message.tag() == GpuOldSpecificationsField::kQueues;
    const bool is_stage = message.tag() == GpuOldSpecificationsField::kStages;
    if (message.wire_type() != Wire::length_delimited || (!is_queue && !is_stage)) {
      message.skip();
      continue;
    }
    std::string name;
    protozero::pbf_message<GpuDescriptionField> description(message.get_view());
    while (description.next(GpuDescriptionField::kName, Wire::length_delimited)) {
      name = text_of(description.get_view());
    }
    (is_queue ? queues : stages).push_back(std::move(name));
  }
}

trace::Argument read_extra(protozero::data_view bytes, StringPool& strings) {
  StringId name{};
  StringId value{};
  protozero::pbf_message<GpuExtraDataField> message(bytes);
  while (message.next()) {
    if (message.wire_type() != Wire::length_delimited) {
      message.skip();
      continue;
    }
    const GpuExtraDataField field = message.tag();
    const StringId text = strings.intern(text_of(message.get_view()));
    if (field == GpuExtraDataField::kName) name = text;
    if (field == GpuExtraDataField::kValue) value = text;
  }
  return trace::Argument::string(name, value);
}

}  // namespace

GpuStage read_gpu_stage(protozero::data_view bytes, const SequenceState& sequence,
                        StringPool& strings, std::vector<std::string>& old_queues,
                        std::vector<std::string>& old_stages) {
  GpuStage stage;
  const auto interned = [&](const InternTable<StringId>& table, std::uint64_t iid) {
    const StringId* found = table.find(iid);
    return found == nullptr ? std::string_view() : strings.view(*found);
  };
  const auto old_name = [](const std::vector<std::string>& names, std::uint64_t index,
                           std::string_view word) {
    return index < names.size() ? names[index] : std::string(word) + std::to_string(index);
  };
  std::string stage_text;
  protozero::pbf_message<StageField> message(bytes);
  while (message.next()) {
    const StageField field = message.tag();
    if (message.wire_type() == Wire::length_delimited) {
      const protozero::data_view view = message.get_view();
      if (field == StageField::kOldSpecifications) read_old_names(view, old_queues, old_stages);
      if (field == StageField::kExtraData) stage.arguments.push_back(read_extra(view, strings));
      if (field == StageField::kName) stage.name = strings.intern(text_of(view));
      continue;
    }
    if (message.wire_type() != Wire::varint) {
      message.skip();
      continue;
    }
    const std::uint64_t value = message.get_uint64();
    stage.is_event |= field != StageField::kOldSpecifications;
    switch (field) {
      case StageField::kDuration:
        stage.duration_ns = value;
        break;
      case StageField::kGpuId:
        stage.gpu = static_cast<std::int32_t>(value);
        break;
      case StageField::kQueueIid:
        stage.queue = interned(sequence.gpu_specifications, value);
        if (stage.queue.empty()) stage.queue = "queue " + std::to_string(value);
        break;
      case StageField::kOldQueueId:
        stage.queue = old_name(old_queues, value, "queue ");
        break;
      case StageField::kStageIid:
        stage_text = interned(sequence.gpu_specifications, value);
        if (stage_text.empty()) stage_text = "stage " + std::to_string(value);
        break;
      case StageField::kOldStageId:
        stage_text = old_name(old_stages, value, "stage ");
        break;
      case StageField::kNameIid:
        stage.name = strings.intern(interned(sequence.event_names, value));
        break;
      case StageField::kSubmissionId:
        stage.arguments.push_back(trace::Argument::integer(strings.intern("submission_id"),
                                                           static_cast<std::int64_t>(value)));
        break;
      default:
        break;
    }
  }
  if (stage.queue.empty()) stage.queue = "queue";
  // Every device that has a queue of this name repeats it.
  stage.queue.resize(cut_name(stage.queue).size());
  if (stage.name == kEmptyString) stage.name = strings.intern(stage_text);
  return stage;
}

}  // namespace lockstep::formats::perfetto
