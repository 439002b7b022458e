// What the program tells its caller when it ends.
#pragma once

#include "base/result.h"

namespace lockstep::cli {

enum class ExitCode : int {
  kDone = 0,
  kFinding = 1,   // only for commands that were asked to fail on one
  kUsage = 2,     // the command line does not make sense
  kUnusable = 3,  // an input cannot be used (here) or an output cannot be written
  kInternal = 4,  // our fault
};

[[nodiscard]] constexpr ExitCode exit_code_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return ExitCode::kUsage;
    case ErrorCode::kInput:
    case ErrorCode::kOutput:
      return ExitCode::kUnusable;
    case ErrorCode::kInternal:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

}  // namespace lockstep::cli
