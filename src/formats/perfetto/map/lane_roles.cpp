// Names of tracks.
#include "formats/perfetto/map/lane_roles.h"

#include <algorithm>
#include <array>

#include "base/letters.h"

namespace lockstep::formats::perfetto {
namespace {

struct RocprofCategory {
  std::string_view category;
  trace::Kind kind;
  trace::Track::Side side;
};

constexpr std::array kRocprofCategories = {
    RocprofCategory{"kernel_dispatch", trace::Kind::kKernel, trace::Track::Side::kDevice},
    RocprofCategory{"memory_copy", trace::Kind::kMemcpy, trace::Track::Side::kDevice},
    RocprofCategory{"hip_api", trace::Kind::kRuntimeCall, trace::Track::Side::kHost},
    RocprofCategory{"hsa_api", trace::Kind::kRuntimeCall, trace::Track::Side::kHost},
    RocprofCategory{"rccl_api", trace::Kind::kHostOp, trace::Track::Side::kHost},
    RocprofCategory{"rocdecode_api", trace::Kind::kHostOp, trace::Track::Side::kHost},
    RocprofCategory{"rocjpeg_api", trace::Kind::kHostOp, trace::Track::Side::kHost},
    RocprofCategory{"marker_api", trace::Kind::kAnnotation, trace::Track::Side::kHost},
    RocprofCategory{"memory_allocation", trace::Kind::kAnnotation, trace::Track::Side::kHost},
    RocprofCategory{"scratch_memory", trace::Kind::kAnnotation, trace::Track::Side::kHost},
};

// What stands in the first brackets behind `word`, without blanks and quotes.
std::string in_brackets(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return {};
  const std::size_t open = text.find('[', at + word.size());
  const std::size_t close = text.find(']', open == std::string_view::npos ? at : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  std::string inside(text.substr(open + 1, close - open - 1));
  std::erase_if(inside, [](char c) { return c == ' ' || c == '"'; });
  return inside;
}

LaneRole rocprof_role(std::string_view name) {
  LaneRole role;
  const bool is_compute = name.starts_with("COMPUTE ");
  const bool is_copy = name.starts_with("COPY to ");
  if (is_compute || is_copy) {
    role.is_device = true;
    role.device = in_brackets(name, is_compute ? "COMPUTE " : "COPY to ");
    role.is_copy_to_host = is_copy && name.find("CPU") != std::string_view::npos;
    role.stream = in_brackets(name, "STREAM ");
    if (role.stream.empty()) role.stream = in_brackets(name, "QUEUE ");
    if (role.stream.empty()) role.stream = "copies of thread " + in_brackets(name, "THREAD ");
  } else if (name.starts_with("STREAM [")) {
    role.is_device = true;
    role.stream = in_brackets(name, "STREAM ");
  } else if (name.starts_with("THREAD ")) {
    const std::size_t open = name.find('(');
    const std::size_t close = name.find(')', open == std::string_view::npos ? 0 : open);
    if (open != std::string_view::npos && close != std::string_view::npos) {
      role.thread = name.substr(open + 1, close - open - 1);
    }
  }
  return role;
}

LaneRole xprof_role(std::string_view name, std::string_view device) {
  LaneRole role;
  role.is_device = true;
  role.device = number_at_end(device);
  role.device_name = device;
  role.stream = name;
  const bool is_tpu = device.find("TPU") != std::string_view::npos;
  role.work = name.starts_with("Stream #")  ? LaneRole::Work::kByName
              : is_tpu && name == "XLA Ops" ? LaneRole::Work::kLeaves
                                            : LaneRole::Work::kNone;
  return role;
}

// "GPU 0 NVIDIA H200", as TrackTree names devices.
LaneRole lockstep_role(std::string_view name, std::string_view device) {
  static constexpr std::string_view kStream = "stream ";
  LaneRole role;
  if (!name.starts_with(kStream) || !device.starts_with("GPU ")) return role;
  const std::string_view rest = device.substr(4);
  const std::size_t end = std::min(rest.find(' '), rest.size());
  if (end == 0 || !std::ranges::all_of(rest.substr(0, end), is_digit)) return role;
  role.is_device = true;
  role.device = rest.substr(0, end);
  role.device_name = end < rest.size() ? rest.substr(end + 1) : std::string_view();
  role.stream = name.substr(kStream.size());
  return role;
}

}  // namespace

LaneRole role_of_lane(std::span<const std::string_view> names) {
  if (names.empty()) return {};
  LaneRole role = rocprof_role(names[0]);
  if (role.is_device || !role.thread.empty()) return role;
  for (const std::string_view ancestor : names.subspan(1)) {
    if (ancestor.starts_with("/device:")) return xprof_role(names[0], ancestor);
  }
  if (names.size() > 1) return lockstep_role(names[0], names[1]);
  return role;
}

shared::CategoryMeaning meaning_in_perfetto(std::string_view category) {
  const auto found = std::ranges::find(kRocprofCategories, category, &RocprofCategory::category);
  if (found != kRocprofCategories.end()) return {found->kind, found->side, true, false};
  return shared::meaning_of_category(category);
}

std::string_view number_at_end(std::string_view text) {
  std::size_t first = text.size();
  while (first > 0 && is_digit(text[first - 1])) --first;
  return first == text.size() ? text : text.substr(first);
}

}  // namespace lockstep::formats::perfetto
