// The words of the command line for the options, in the order of the documentation.
#include "report/cycles/cycles_parameters.h"

namespace lockstep::report::cycles {

std::string_view name_of(analysis::cycles::CycleMethod method) {
  return method == analysis::cycles::CycleMethod::kAnchor ? "anchor" : "repetitions";
}

std::string_view name_of(analysis::cycles::CycleMode mode) {
  switch (mode) {
    case analysis::cycles::CycleMode::kPrefill:
      return "prefill";
    case analysis::cycles::CycleMode::kDecode:
      return "decode";
    case analysis::cycles::CycleMode::kAuto:
      break;
  }
  return "auto";
}

nlohmann::ordered_json cycles_parameters(const analysis::cycles::CyclesOptions& options) {
  const analysis::cycles::AnchorOptions& anchor = options.anchor;
  using Json = nlohmann::ordered_json;
  Json parameters = Json::object();
  parameters["method"] = name_of(options.method);
  parameters["mode"] = name_of(options.mode);
  parameters["symbol"] = options.symbol ? Json(name_of(*options.symbol)) : Json(nullptr);
  parameters["pass_tolerance"] = options.pass_tolerance;
  parameters["layer_tolerance"] = options.layer_tolerance;
  parameters["anchor_min_count"] = anchor.min_count;
  parameters["anchor_max_share"] = anchor.max_share;
  parameters["anchor_min_length"] = anchor.min_length;
  parameters["anchor_gap_tolerance"] = anchor.gap_tolerance;
  parameters["anchor_match"] = anchor.match;
  parameters["anchor_min_repetitions"] = anchor.min_repetitions;
  parameters["anchor_min_outer_for_sub"] = anchor.min_outer_for_sub;
  parameters["anchor_min_sub_length"] = anchor.min_sub_length;
  parameters["anchor_min_sub_count"] = anchor.min_sub_count;
  parameters["anchor_sub_gap_tolerance"] = anchor.sub_gap_tolerance;
  parameters["anchor_sub_match"] = anchor.sub_match;
  parameters["anchor_min_sub_pairs"] = anchor.min_sub_pairs;
  return parameters;
}

}  // namespace lockstep::report::cycles
