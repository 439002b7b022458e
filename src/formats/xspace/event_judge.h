// Asks an edit whether an event stays, having described it from its bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "formats/xspace/space_survey.h"
#include "formats/xspace/xspace_rewriter.h"

namespace lockstep::xspace {

// Correlations count up from 1, so that a bit each serves; others go to a hash set.
class CorrelationSet {
 public:
  void insert(std::int64_t id);
  [[nodiscard]] bool contains(std::int64_t id) const;

 private:
  static constexpr std::int64_t kDense = std::int64_t{1} << 26;
  std::vector<bool> dense_;
  std::unordered_set<std::int64_t> sparse_;
};

// Planes and lines are begun in the order of the file. Both arguments must outlive the judge.
class EventJudge {
 public:
  EventJudge(SpaceSurvey& survey, const XSpaceEdit& edit) : survey_(survey), edit_(edit) {}

  void begin_plane(std::size_t plane);
  void begin_line(std::size_t line);  // of the plane

  // Throws protozero::exception.
  [[nodiscard]] bool keeps(std::string_view bytes);
  // Host events with the correlation of the event that was asked about launched what stays.
  void note_kept() { kept_.insert(event_.correlation); }

 private:
  // What the stats of an event say of its kind.
  struct Hints {
    bool has_step = false;
    Kind stream_kind = Kind::kKernel;
  };

  void describe(std::string_view bytes);
  void take_stat(std::string_view bytes, Hints& hints);
  [[nodiscard]] Kind kind_of(const EventNames* names, const Hints& hints) const;

  SpaceSurvey& survey_;
  const XSpaceEdit& edit_;
  PlaneSurvey* plane_ = nullptr;
  XSpaceEvent event_;
  WideTime base_ = 0;
  LineSort sort_ = LineSort::kThread;
  Kind line_kind_ = Kind::kKernel;
  CorrelationSet kept_;
};

}  // namespace lockstep::xspace
