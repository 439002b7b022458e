// Asks an edit whether an event stays, having described it from its bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "formats/xspace/read/space_survey.h"
#include "formats/xspace/write/xspace_rewriter.h"

namespace lockstep::formats::xspace {

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

  // `at` tells events apart; it must be the same in every pass. Throws protozero::exception.
  [[nodiscard]] bool keeps(std::string_view bytes, std::uint64_t at);
  // The event that was asked about is device work. Before the first host event is asked about.
  void note_device_event(bool is_kept);

 private:
  // What the stats of an event say of its kind.
  struct Hints {
    bool has_step = false;
    trace::Kind stream_kind = trace::Kind::kKernel;
  };

  void describe(std::string_view bytes);
  void note_launches(std::uint64_t at);
  void take_stat(std::string_view bytes, Hints& hints);
  [[nodiscard]] bool is_first_call(std::uint64_t at);
  [[nodiscard]] trace::Kind kind_of(const EventNames* names, const Hints& hints) const;

  SpaceSurvey& survey_;
  const XSpaceEdit& edit_;
  PlaneSurvey* plane_ = nullptr;
  XSpaceEvent event_;
  WideTime base_ = 0;
  LineSort sort_ = LineSort::kThread;
  trace::Kind line_kind_ = trace::Kind::kKernel;
  // What device work was launched by, all of it and that which stays.
  struct Launches {
    CorrelationSet correlations;
    CorrelationSet arrows;
  };
  Launches all_;
  Launches kept_;
  std::vector<std::int64_t> arrows_in_;  // of the event at hand
  std::vector<std::int64_t> arrows_out_;
  shared::RowsById<std::uint64_t> first_calls_;  // by correlation: where it is
};

}  // namespace lockstep::formats::xspace
