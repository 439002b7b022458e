// Which events need which arguments.
#include "formats/chrome_json/parse/argument_need.h"

#include "formats/shared/event_categories.h"
#include "trace/collective_names.h"

namespace lockstep::formats::chrome_json {
namespace {

ArgumentNeed need_of(std::string_view category, trace::KeepArguments keep) {
  const shared::CategoryMeaning what = shared::meaning_of_category(category);
  if (!what.known) return ArgumentNeed::kScalars;
  if (what.kind == trace::Kind::kRuntimeCall || what.side == trace::Track::Side::kDevice) {
    return ArgumentNeed::kUntilCorrelation;
  }
  if (what.kind == trace::Kind::kAnnotation) return ArgumentNeed::kScalars;  // the number of a step
  if (what.kind != trace::Kind::kHostOp) return ArgumentNeed::kNone;
  return keep == trace::KeepArguments::kEvidence ? ArgumentNeed::kFirstAndShapes
                                                 : ArgumentNeed::kFirst;
}

bool may_be_collective(std::string_view category) {
  return category == "kernel" || category == "Kernel" || category == "collective_comm" ||
         category == "mtia_ccp_events";
}

}  // namespace

ArgumentNeed ArgumentNeeds::of(bool is_span, std::string_view category, std::string_view name) {
  if (keep_arguments_ == trace::KeepArguments::kAll) return ArgumentNeed::kAll;
  if (!is_span || category.empty()) return ArgumentNeed::kScalars;
  const Recent& known = of_category(category);
  const bool is_asked = known.may_be_collective && (name.empty() || is_collective(name));
  return is_asked ? ArgumentNeed::kScalars : known.need;
}

const ArgumentNeeds::Recent& ArgumentNeeds::of_category(std::string_view category) {
  const std::size_t slot =
      (category.size() + static_cast<unsigned char>(category.back())) % recent_.size();
  Recent& recent = recent_[slot];
  if (recent.category != category) {
    recent = {std::string(category), need_of(category, keep_arguments_),
              may_be_collective(category)};
  }
  return recent;
}

bool ArgumentNeeds::is_collective(std::string_view name) {
  const auto id = static_cast<std::size_t>(names_.intern(name));
  while (is_collective_.size() <= id) {
    const auto next = static_cast<std::uint32_t>(is_collective_.size());
    is_collective_.push_back(trace::is_collective_kernel(names_.view(StringId{next})));
  }
  return is_collective_[id];
}

}  // namespace lockstep::formats::chrome_json
