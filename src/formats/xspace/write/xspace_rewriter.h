// Rewrites an XSpace on the wire: drops planes and events and shifts lines, and copies every other
// byte as it is, unknown fields and odd varints included. Without changes the output is the input.
//
// The input is read from front to back several times, so that nothing but names and a few numbers
// per line is held: a survey (names, clock, metadata, which stand behind the events that need
// them), a pass that collects the correlations of the device events that stay (only when asked
// for), one that measures (the length of a plane and of a line stands before it), one that writes.
// A plane or line in which nothing changes keeps its bytes; of one that changes only the length
// before it is written anew. An input that is damaged or cut is refused before anything is written,
// except by a rewrite without changes, which copies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"
#include "trace/kind.h"

namespace lockstep::formats::xspace {

// Opens the inflated bytes once more, from the front. A pipe must be spooled first
// (io/temporary_folder.h).
using OpenXSpace = std::function<Result<std::unique_ptr<io::ByteSource>>()>;

// An event that a rewrite asks about. Views are valid during the call.
struct XSpaceEvent {
  std::string_view plane;
  std::string_view line;
  std::string_view name;
  // As the reader has it, but for TPUs: operations that contain others count as kernels here.
  trace::Kind kind = trace::Kind::kHostOp;
  bool is_on_device = false;
  bool has_time = true;  // sums over many occurrences have none
  WideTime start = 0;    // absolute ps, on the clock of the reader
  WideTime end = 0;
  std::int64_t correlation = -1;
  // A host call that launched device work, by correlation or by an arrow of lockstep's: some of it
  // stays, or none.
  bool launches_kept = false;
  bool launches_gone = false;
  bool is_step = false;  // in the table of steps that lockstep writes; of no kind
};

// What to change. Empty functions change nothing.
struct XSpaceEdit {
  // `device` is the id that the reader gives it; empty for planes of the host.
  std::function<bool(std::string_view plane, std::string_view device)> keep_plane;
  std::function<bool(const XSpaceEvent& event)> keep_event;
  bool wants_launches = false;  // fill in launches_kept and launches_gone; costs a pass
  std::function<std::int64_t(std::string_view plane, std::string_view line)> shift_ns;

  [[nodiscard]] bool changes_nothing() const { return !keep_plane && !keep_event && !shift_ns; }
};

// Writes the edited space to `sink`, which the caller closes. `path` is for messages.
[[nodiscard]] Status rewrite_xspace(const OpenXSpace& open, const std::string& path,
                                    const XSpaceEdit& edit, io::ByteSink& sink);

// The edit that cuts a trace to a window, to devices and to kinds, each where given, as keep_only()
// does. Inside the window is what overlaps it, what has no time, and host calls that launched
// device work inside it. Devices are named as the reader names them; host planes stay, without the
// calls that launched work on other devices only. Steps that lockstep wrote are cut by the window
// alone.
struct XSpaceCut {
  std::optional<WideTime> start;  // absolute ps: the origin of the rank and a time of the trace
  std::optional<WideTime> end;
  std::optional<std::vector<std::string>> devices;
  std::optional<std::vector<trace::Kind>> kinds;
};
[[nodiscard]] XSpaceEdit edit_for(XSpaceCut cut);

}  // namespace lockstep::formats::xspace
