// How much of the arguments of an event is read; less is faster.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "trace/evidence.h"

namespace lockstep::formats::chrome_json {

enum class ArgumentNeed : std::uint8_t {
  kNone,
  kFirst,             // the first one only: the External id of an operator
  kFirstAndShapes,    // the first one and the shapes
  kUntilCorrelation,  // no lists and objects, nothing behind "correlation"
  kScalars,           // no lists and objects
  kAll,
};

// Decides by category and name, with a memory for the few that there are.
class ArgumentNeeds {
 public:
  explicit ArgumentNeeds(trace::KeepArguments keep_arguments) : keep_arguments_(keep_arguments) {}

  // Fields that stand behind "args" in the file are not known yet and are passed as empty; what is
  // not known is assumed to need more.
  [[nodiscard]] ArgumentNeed of(bool is_span, std::string_view category, std::string_view name);

 private:
  struct Recent {
    std::string category;
    ArgumentNeed need = ArgumentNeed::kScalars;
    bool may_be_collective = false;
  };
  [[nodiscard]] const Recent& of_category(std::string_view category);
  [[nodiscard]] bool is_collective(std::string_view name);

  trace::KeepArguments keep_arguments_;
  std::array<Recent, 16> recent_;
  StringPool names_;                 // of device events
  std::vector<bool> is_collective_;  // by StringId
};

}  // namespace lockstep::formats::chrome_json
