// Lanes of JAX. A device process has streams, and lines that are derived from them.
#include "formats/chrome_json/dialects/jax.h"

#include "formats/chrome_json/dialects/lane_roles.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::string_view kHostProcess = "/host:";
constexpr std::string_view kDeviceProcess = "/device:";

class JaxDialect : public NamedLanes {
 private:
  [[nodiscard]] LaneRole role_of(std::string_view process, std::string_view lane) const override {
    if (process.starts_with(kHostProcess)) return LaneRole::kAsItIs;
    if (!process.starts_with(kDeviceProcess)) return LaneRole::kNone;
    if (lane.starts_with("Stream #")) return LaneRole::kDeviceStream;
    const bool is_tpu = process.find("TPU") != std::string_view::npos;
    if (is_tpu && lane == "XLA Ops") return LaneRole::kDeviceOps;
    return LaneRole::kDeviceDerived;
  }
};

}  // namespace

bool is_jax_process(std::string_view name) {
  return name.starts_with(kHostProcess) || name.starts_with(kDeviceProcess);
}

const Dialect& jax_dialect() {
  static const JaxDialect dialect;
  return dialect;
}

}  // namespace lockstep::formats::chrome_json
