// What a rewrite must know of an XSpace before it comes to the events: names, times and metadata,
// which may stand behind them. Read from front to back; needs memory for names, not for events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/shared/rows_by_id.h"
#include "formats/xspace/read/plane_metadata.h"
#include "formats/xspace/read/plane_names.h"
#include "formats/xspace/read/plane_reader.h"
#include "formats/xspace/read/wire_stream.h"

namespace lockstep::formats::xspace {

struct LineSurvey {
  std::string name;
  std::int64_t timestamp_ns = 0;
  bool has_timestamp = false;
};

struct EventNames {
  std::string name;
  trace::Kind host_kind = trace::Kind::kHostOp;
  trace::Kind stream_kind = trace::Kind::kKernel;
  bool is_collective = false;
  std::optional<trace::Kind> kind;  // as lockstep wrote it
  // Its first stat, when that is a reference: where lockstep writes the kind.
  std::int64_t first_stat = 0;
  std::uint64_t first_reference = 0;
};

struct SurveyedRole {
  StatRole role = StatRole::kArgument;
  bool is_own = false;  // marked by lockstep as what it has in place of the profiler's stat
};

struct PlaneSurvey {
  std::string name;
  std::string device;  // as the reader names it; empty for other planes
  PlaneSort sort = PlaneSort::kHost;
  std::vector<LineSurvey> lines;
  shared::RowsById<EventNames> events;
  shared::RowsById<SurveyedRole> roles;  // of the stats that matter
};

struct SpaceSurvey {
  std::vector<PlaneSurvey> planes;
  SpaceClock clock;
};

// `with_names`: also the metadata of events.
[[nodiscard]] Result<SpaceSurvey> survey_space(io::ByteSource& source, const std::string& path,
                                               bool with_names);

}  // namespace lockstep::formats::xspace
