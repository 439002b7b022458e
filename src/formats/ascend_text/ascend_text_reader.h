// The reader of Ascend's text products: single files (kernel_details.csv, op_summary, task_time,
// communication.json). ascend_bundle.h has the directories that they stand in.
//
// Clock: microseconds since 1970 as decimal text, exact. Kinds: formats/ascend/ascend_tasks.cpp.
// What is used for what, and what is dropped: docs/formats/ascend_text.md.
#pragma once

#include "formats/shared/format.h"

namespace lockstep::formats::ascend_text {

[[nodiscard]] shared::Format ascend_text_format();

}  // namespace lockstep::formats::ascend_text
