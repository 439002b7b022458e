// What moving lanes leaves behind.
#pragma once

#include "formats/chrome_json/dialects/dialect.h"

namespace lockstep::formats::chrome_json {

// Forgets tracks of the file without events and processes without tracks. Ends of flows must be
// bound by then.
void drop_empty_lanes(MappedFile& file);

}  // namespace lockstep::formats::chrome_json
