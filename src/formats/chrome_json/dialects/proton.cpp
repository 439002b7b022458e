// Lanes of Proton.
#include "formats/chrome_json/dialects/proton.h"

#include "formats/chrome_json/dialects/jax.h"
#include "formats/chrome_json/dialects/lane_roles.h"

namespace lockstep::formats::chrome_json {
namespace {

bool is_warp_lane(std::string_view lane) {
  return lane.starts_with("warp ") && lane.size() > 5 && lane[5] >= '0' && lane[5] <= '9';
}

class ProtonDialect : public NamedLanes {
 private:
  [[nodiscard]] LaneRole role_of(std::string_view process, std::string_view lane) const override {
    if (is_jax_process(process)) return LaneRole::kNone;
    if (lane.starts_with("GPU Stream ") || lane.starts_with("Graph: Stream ")) {
      return LaneRole::kDeviceDerived;
    }
    if (lane.starts_with("CPU Thread ")) return LaneRole::kHostThread;
    return is_warp_lane(lane) ? LaneRole::kWarp : LaneRole::kNone;
  }
};

}  // namespace

const Dialect& proton_dialect() {
  static const ProtonDialect dialect;
  return dialect;
}

}  // namespace lockstep::formats::chrome_json
