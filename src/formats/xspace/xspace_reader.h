// Reads XSpace, the traces of JAX, TensorFlow and XLA: *.xplane.pb.
//
// The inflated file is held in memory. Planes are walked twice, because metadata stands behind the
// events that need it and the start of the profile in another plane. docs/formats/xspace.md says
// what maps to what.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::xspace {

[[nodiscard]] shared::Format xspace_format();

}  // namespace lockstep::formats::xspace
