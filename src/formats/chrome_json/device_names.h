// Names of the devices of a file, from its header or from its processes.
#pragma once

#include <cstddef>

#include "formats/chrome_json/parse/header_facts.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// Names the devices from `first_device` on. The header lists devices by number; where it has one
// name only, as in a process that may use one device of many, that is the name of them all,
// whatever numbers the events go by. JAX names a device in the name of its process.
void name_devices(trace::Trace& trace, std::size_t first_device, std::size_t first_track,
                  const HeaderFacts& facts);

}  // namespace lockstep::formats::chrome_json
