// The directories that torch_npu, MindSpore and msprof write, each read as one rank.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::ascend_text {

[[nodiscard]] shared::BundleFormat ascend_bundle_format();

}  // namespace lockstep::formats::ascend_text
