// Writes a simulated execution in every in-kernel format, with the truth beside it.
//
//   kernel_sim DIRECTORY [NAME=VALUE ...]
//
// DIRECTORY/sim.<format>, for Proton, Mosaic and IKP DIRECTORY/sim.<format>.json for --meta, and
// DIRECTORY/truth.json: launches, and by lane every marker with its true ns (3 decimals).
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sim_writers.h"
#include "simulator.h"

namespace lockstep::sim {
namespace {

using Setters = std::map<std::string_view, std::function<void(SimOptions&, double)>>;

template <typename T>
auto set(T SimOptions::* member) {
  return [member](SimOptions& options, double value) { options.*member = static_cast<T>(value); };
}

const Setters& setters() {
  static const Setters all = {
      {"seed", set(&SimOptions::seed)},
      {"multiprocessors", set(&SimOptions::multiprocessors)},
      {"cluster", set(&SimOptions::cluster)},
      {"blocks", set(&SimOptions::blocks)},
      {"groups", set(&SimOptions::groups)},
      {"launches", set(&SimOptions::launches)},
      {"channels", set(&SimOptions::channels)},
      {"events", set(&SimOptions::events)},
      {"max_markers", set(&SimOptions::max_markers)},
      {"max_pause_ns", set(&SimOptions::max_pause_ns)},
      {"capacity", set(&SimOptions::capacity)},
      {"ring", set(&SimOptions::is_ring)},
      {"timer_tick_ns", set(&SimOptions::timer_tick_ns)},
      {"anchor_interval_ns", set(&SimOptions::anchor_interval_ns)},
      {"read_cycles", set(&SimOptions::read_cycles)},
      {"migration", set(&SimOptions::migration)},
      {"lost_marker", set(&SimOptions::lost_marker)},
      {"not_finalized", set(&SimOptions::not_finalized)},
      {"wraps_timer", set(&SimOptions::wraps_timer)},
      {"spread", [](SimOptions& options, double value) { options.wander.spread = value; }},
  };
  return all;
}

bool parse(std::string_view argument, SimOptions& options) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const auto setter = setters().find(argument.substr(0, equals));
  if (setter == setters().end()) return false;
  setter->second(options, std::strtod(argument.data() + equals + 1, nullptr));
  return true;
}

std::string_view name_of(trace::RecordType type) {
  switch (type) {
    case trace::RecordType::kBegin:
      return "begin";
    case trace::RecordType::kEnd:
      return "end";
    case trace::RecordType::kInstant:
      return "instant";
    case trace::RecordType::kSwitch:
      return "switch";
    case trace::RecordType::kRegion:
      break;
  }
  return "region";
}

std::string ns(const TrueExecution& execution, std::int64_t at_ps) {
  const std::int64_t whole = execution.timer.origin_ns + at_ps / 1000;
  const std::string rest = std::to_string(1000 + at_ps % 1000);
  return std::to_string(whole) + "." + rest.substr(1);
}

void write_truth(const TrueExecution& execution, const std::string& path) {
  std::ofstream out(path);
  out << "{\"timer_tick_ns\": " << execution.timer.tick_ns << ", \"lanes\": [\n";
  const char* between_lanes = "";
  for (const TrueLane& lane : execution.lanes) {
    out << between_lanes << "{\"launch\": " << lane.launch << ", \"block\": " << lane.block
        << ", \"group\": " << lane.group << ", \"sm\": " << lane.sm
        << ", \"sm_end\": " << lane.sm_end << ", \"markers\": [";
    between_lanes = ",\n";
    const char* between = "";
    for (const TrueMarker& marker : lane.markers) {
      out << between << "{\"type\": \"" << name_of(marker.type) << "\", \"name\": \""
          << execution.event_names[marker.event] << "\", \"at_ns\": " << ns(execution, marker.at_ps)
          << "}";
      between = ", ";
    }
    out << "]}";
  }
  out << "]}\n";
}

int run(int count, char** arguments) {
  SimOptions options;
  for (int i = 2; i < count; ++i) {
    if (parse(arguments[i], options)) continue;
    std::fprintf(stderr, "kernel_sim: what is %s? Known: ", arguments[i]);
    for (const auto& [name, setter] : setters()) std::fprintf(stderr, "%s ", name.data());
    std::fprintf(stderr, "\n");
    return 2;
  }
  if (count < 2) {
    std::fprintf(stderr, "usage: kernel_sim DIRECTORY [NAME=VALUE ...]\n");
    return 2;
  }
  const std::string stem = std::string(arguments[1]) + "/sim.";
  const TrueExecution execution = simulate(options);
  for (const SimFile& file : write_all(execution)) {
    std::ofstream(stem + file.format, std::ios::binary) << file.bytes;
    if (!file.meta.empty()) std::ofstream(stem + file.format + ".json") << file.meta;
  }
  write_truth(execution, std::string(arguments[1]) + "/truth.json");
  return 0;
}

}  // namespace
}  // namespace lockstep::sim

int main(int count, char** arguments) { return lockstep::sim::run(count, arguments); }
