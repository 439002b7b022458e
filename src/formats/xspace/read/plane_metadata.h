// The metadata of one plane, decoded: names, kinds and roles by id.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/shared/rank_builder.h"
#include "formats/shared/rows_by_id.h"
#include "formats/xspace/read/space_index.h"

namespace lockstep::formats::xspace {

// What a stat is to the reader. Everything but kArgument is also decoded when arguments are not
// kept.
enum class StatRole : std::uint8_t {
  kArgument,
  kCorrelation,
  kStepNumber,
  kMemcpyDetails,
  kMemsetDetails,
  kKernelDetails,  // kArgument with more to it
  kHloOp,          // likewise
  kFlow,
  kProducerType,
  kProducerId,
  kConsumerType,
  kConsumerId,
  kCollectiveOp,
  kCollectiveGroup,
  kCollectiveDtype,
  kCollectiveSequence,
  kCollectiveElementsIn,
  kCollectiveElementsOut,
  kCollectiveBytes,
  kCollectiveTransit,
  kCollectiveWait,
  kCollectiveIdle,
};

struct StatMetadata {
  std::string_view name;
  StringId key{};
  StatRole role = StatRole::kArgument;
  bool is_argument = true;
  bool tells = false;  // analyses read it; see trace/evidence.h
  bool is_boolean = false;
  bool is_json = false;
  StringId flow_name{};
  std::optional<trace::Flow::Kind> flow_kind;
};

struct EventMetadata {
  StringId name{};
  StringId long_name{};  // where `name` is the one for display
  trace::Kind host_kind = trace::Kind::kHostOp;
  trace::Kind stream_kind = trace::Kind::kKernel;
  bool stream_kind_is_named = false;  // by the name; else the line says
  bool is_missing = false;            // made up for events that name what is not there
  // What lockstep wrote.
  std::optional<trace::Kind> kind;
  StringId category{};
  trace::Shape shape = trace::Shape::kSpan;
  std::vector<std::string_view> stats;
};

class PlaneMetadata {
 public:
  // `is_ours`: the file was written by lockstep, where only marked stats have a role.
  PlaneMetadata(shared::RankBuilder& builder, const SpaceIndex& index, const PlaneView& plane,
                Diagnostics& defects, bool is_ours);

  [[nodiscard]] const StatMetadata* stat(std::int64_t id) { return stats_.find(id); }
  // Made when it is missing, so that the event keeps a name.
  [[nodiscard]] const EventMetadata& event(std::int64_t id);

  // A string, or the name that a reference stands for.
  [[nodiscard]] std::string_view text(const StatValue& value);
  [[nodiscard]] StringId text_id(const StatValue& value);

 private:
  void add_stat(std::string_view entry);
  void add_event(std::string_view entry);
  void note_own_facts(EventMetadata& made);
  [[nodiscard]] EventMetadata named(std::string_view name, std::string_view display_name);

  shared::RankBuilder& builder_;
  Diagnostics& defects_;
  bool is_ours_;
  shared::RowsById<StatMetadata> stats_;
  shared::RowsById<EventMetadata> events_;
};

// The stats of a plane by name.
struct PlaneFacts {
  struct Fact {
    std::string_view name;
    StatValue value;
    std::string_view text;  // of strings and references
  };
  std::vector<Fact> facts;

  [[nodiscard]] const Fact* find(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  // Also of a number: its decimal text.
  [[nodiscard]] std::string text(std::string_view name) const;
};
[[nodiscard]] PlaneFacts facts_of(const SpaceIndex& index, const PlaneView& plane,
                                  Diagnostics& defects);

}  // namespace lockstep::formats::xspace
