// The structural scan as one would write it without thinking of speed: a byte at a time. Tests and
// the fuzz target hold the fast ones against it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/chrome_json/scan/structural_scan.h"

namespace lockstep::formats::chrome_json {

// The implementations that this machine can run.
[[nodiscard]] inline std::vector<ScanImplementation> supported() {
  std::vector<ScanImplementation> out;
  for (const ScanImplementation& one : std::span(scan_implementations(), kScanImplementations)) {
    if (one.supported) out.push_back(one);
  }
  return out;
}

struct ScannedMarks {
  std::vector<Mark> marks;
  std::size_t scanned = 0;
  bool stopped_outside = false;
  bool in_string = false;
  bool escaped = false;
  std::int64_t depth = 0;
};

[[nodiscard]] inline ScannedMarks scan_slowly(std::string_view text) {
  ScannedMarks out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    ++out.scanned;
    const char c = text[i];
    const auto here = static_cast<std::uint32_t>(i);
    // A backslash escapes wherever it stands, as in the fast scan: outside of strings it is damage
    // either way.
    if (out.escaped) {
      out.escaped = false;
      if (c == '"' || c == '\\') continue;
    } else if (c == '\\') {
      out.escaped = true;
      continue;
    }
    if (c == '"') out.in_string = !out.in_string;
    if (out.in_string) continue;
    if (c == '{' || c == '[') {
      if (out.depth++ == 0) out.marks.push_back({here, Mark::Kind::kOpen});
    } else if (c == '}' || c == ']') {
      if (out.depth == 0) {
        out.marks.push_back({here, Mark::Kind::kOutside});
        out.stopped_outside = true;
        return out;
      }
      if (--out.depth == 0) out.marks.push_back({here, Mark::Kind::kClose});
    }
  }
  return out;
}

// The same by a fast implementation, in calls that end at `splits` (ascending) and at the end, with
// room for `capacity` marks a call.
[[nodiscard]] inline ScannedMarks scan_in_parts(const ScanImplementation& implementation,
                                                std::string_view text,
                                                const std::vector<std::size_t>& splits,
                                                std::size_t capacity) {
  ScannedMarks out;
  ScanState state;
  std::vector<Mark> marks(capacity);
  std::vector<std::size_t> ends = splits;
  ends.push_back(text.size());
  for (const std::size_t end : ends) {
    while (out.scanned < end && !out.stopped_outside) {
      const ScanResult result =
          implementation.scan(text.data(), out.scanned, end, state, marks.data(), capacity);
      out.marks.insert(out.marks.end(), marks.begin(),
                       marks.begin() + static_cast<std::ptrdiff_t>(result.marks));
      out.scanned += result.scanned;
      out.stopped_outside = result.stopped_outside;
    }
  }
  out.in_string = state.in_string != 0;
  out.escaped = state.escaped;
  out.depth = state.depth;
  return out;
}

// All that a scan tells, as text.
[[nodiscard]] inline std::string describe(const ScannedMarks& scan) {
  std::string out = std::to_string(scan.scanned) + " scanned";
  for (const Mark& mark : scan.marks) {
    const char* const kind = mark.kind == Mark::Kind::kOpen    ? " open@"
                             : mark.kind == Mark::Kind::kClose ? " close@"
                                                               : " outside@";
    out.append(kind).append(std::to_string(mark.position));
  }
  if (scan.stopped_outside) return out.append(" stopped");
  out.append(scan.in_string ? " in string" : "").append(scan.escaped ? " escaped" : "");
  return out.append(" depth ").append(std::to_string(scan.depth));
}

}  // namespace lockstep::formats::chrome_json
