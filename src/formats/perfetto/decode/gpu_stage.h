// Decodes a GpuRenderStageEvent: a piece of work on a hardware queue of a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <protozero/data_view.hpp>

#include "formats/perfetto/decode/sequence_state.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

struct GpuStage {
  bool is_event = false;  // false: the message only names queues and stages
  std::uint64_t duration_ns = 0;
  std::int64_t gpu = 0;
  std::string queue;
  StringId name{};
  std::vector<trace::Argument> arguments;
};

// `old_queues` and `old_stages` are what earlier messages named in the old way; this one may add.
[[nodiscard]] GpuStage read_gpu_stage(protozero::data_view bytes, const SequenceState& sequence,
                                      StringPool& strings, std::vector<std::string>& old_queues,
                                      std::vector<std::string>& old_stages);

}  // namespace lockstep::formats::perfetto
