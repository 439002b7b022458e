// A step of a device: its window, its kernels, and what is known and said of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/anomalies/steps/step_facts.h"
#include "analysis/anomalies/verdict/tag_reason.h"
#include "analysis/anomalies/verdict/tags.h"
#include "analysis/cycles/cycles.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

// What the window of a step is: from the host's marker to the next one, from the first kernel of a
// pass to the first of the next one, or all of the device's time.
enum class StepWindow : std::uint8_t { kHost, kDevice, kPseudo };
[[nodiscard]] std::string_view name_of(StepWindow window);  // "host", "device", "pseudo"

// Where a step lies and which kernels are its own.
struct StepFrame {
  std::string id;  // unique: "0", or "r1.d0.0" with several devices
  StepWindow window = StepWindow::kPseudo;
  std::string marker;  // its name, "ProfilerStep#3"; empty for a pass and the capture
  cycles::PhaseName phase = cycles::PhaseName::kUnknown;  // of a pass
  std::uint32_t number = 0;  // of a pass, from 1 among those of its phase
  Time start;
  Time end;
  Time marker_end;  // of the marker, or of the pass's last kernel
  // Work that the step launched: from its first kernel's start to its last one's end.
  std::optional<std::pair<Time, Time>> device_window;
  std::vector<std::uint32_t> kernels;  // own ones: launched in the window, else begun in it

  [[nodiscard]] Time service() const { return end - start; }
  [[nodiscard]] Time device_shift() const {
    return device_window ? device_window->first - start : Time{};
  }
};

struct AnomalyStep : StepFrame {
  std::uint32_t group = 0;  // of DeviceAnomalies::groups
  StepFacts facts;
  Tags tags;
  std::vector<TagReason> reasons;
  SoftLabels labels;  // of its heavy bubbles, else of most of its bubble time
};

}  // namespace lockstep::analysis::anomalies
