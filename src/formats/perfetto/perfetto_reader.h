// The reader of Perfetto's protobuf: track events of lockstep itself, of rocprofv3, of XProf and of
// whatever else uses Perfetto's SDK, and render stages of GPUs.
//
// Clock: nanoseconds in the clock of each packet, brought to one clock by the snapshots of the
// file; since the epoch when a snapshot has the real time. Kinds: shared/event_categories.h and
// map/lane_roles.cpp. Dropped: packets of other kinds (scheduling, memory, power), which info
// lists.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::perfetto {

[[nodiscard]] shared::Format perfetto_format();

}  // namespace lockstep::formats::perfetto
