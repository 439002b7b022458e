// Which loops the device runs: steps, forward passes, layers; what phase they belong to; how long
// their iterations take and where the time goes. `lockstep cycles` prints it, `compare` builds on
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::cycles {

enum class PhaseName : std::uint8_t {
  kPrefill,
  kDecode,
  kMixed,
  kForward,
  kBackward,
  kOptimizer,
  kTraining,  // a step: forward, backward and optimizer are its parts
  kEncoder,
  kRequest,  // a loop of prefill and decode
  kUnknown,
};
inline constexpr std::size_t kPhaseNameCount = 10;
[[nodiscard]] std::string_view name_of(PhaseName phase);  // "prefill", ...

enum class LoopRole : std::uint8_t {
  kRequest,
  kRound,  // several training steps, and what comes between: an evaluation
  kStep,
  kMicroStep,  // forward and backward several times in a step, before the weights change
  kPass,
  kLayer,
  kInner,
  kUnknown,
};
[[nodiscard]] std::string_view name_of(
    LoopRole role);  // "request", "round", "step", "micro_step", ...

// How sure a soft statement is.
enum class Strength : std::uint8_t { kFact, kProbable, kPossible };
[[nodiscard]] std::string_view name_of(Strength strength);

// What speaks for a phase. Which figures of an Evidence it has stands behind it.
enum class PhaseGround : std::uint8_t {
  kAnnotatedKernels,     // name; count of kernels
  kAnnotatedIterations,  // name; count of iterations
  kOnlyAnnotation,       // name
  kBackward,             // name of its attention
  kBackwardRecomputed,   // name; forward attention is computed again
  kOptimizer,
  kForwardInTraining,
  kClosedSteps,        // name of what updates the weights; count of iterations
  kTrainingWork,       // both directions, or an optimizer: count of kernels of it
  kPrefillThenDecode,  // names of both attentions, in passes of their own
  kPrefillAndDecode,   // names of both attentions, in one pass
  kPrefill,            // name of its attention
  kDecode,             // name of its attention
  kSplitAttention,     // over keys, unlike that of other passes
  kMoreAttention,      // count of attention kernels in a pass, of in a decode pass
  kGrowth,             // count of passes
  kLongAttention,      // time, other time in other passes
  kShortAttention,     // time, other time in a prefill
  kLongerPass,         // time of a pass, other time of a decode pass of the same layers
  kOtherKernels,       // other matrix kernels and attention than in decode passes of as many layers
  kShorterPass,        // time of a pass, other time of a prefill of the same layers
  kCutOff,             // from a pass of the phase
};

struct Evidence {
  Strength strength = Strength::kPossible;
  PhaseGround ground{};
  std::string name = {};
  std::string other_name = {};
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  Time time = {};
  Time other_time = {};
  PhaseName phase = PhaseName::kUnknown;
};

// What of a training step is forward, backward or optimizer: figures of its first iteration.
struct PhasePart {
  PhaseName phase = PhaseName::kUnknown;
  std::uint32_t kernels = 0;
  std::uint32_t first = 0;  // the first of them
  Time kernel_sum;
};

// A stretch of the stream: passes of one phase, or one pass that is no loop (a single prefill).
struct PhaseSpan {
  PhaseName phase = PhaseName::kUnknown;
  std::uint32_t start = 0;  // kernels [start, end)
  std::uint32_t end = 0;
  std::uint32_t passes = 0;
  std::uint32_t layers = 0;     // of the largest pass: repetitions x anchors per body; 0 unknown
  std::int32_t loop = kNoLoop;  // the loop of passes, where it is one
  std::vector<Evidence> evidence;
  breakdown::Breakdown breakdown = {};  // of its device, from its first kernel to its last end
  std::vector<PhasePart> parts = {};    // of a training step, in the order of their first kernels
};

// Passes of one phase in a family, wherever they run.
struct PassClass {
  PhaseName phase = PhaseName::kUnknown;
  std::vector<Evidence> evidence;       // of the first of them that has any
  std::vector<Iteration> passes;        // by start
  breakdown::Breakdown breakdown = {};  // of all of them
};

// All passes of one model, as far as they tell: they have the same number of layers and about as
// much matrix work.
struct PassFamily {
  std::uint32_t layers = 0;        // 0 unknown
  std::vector<PassClass> classes;  // by their first pass
};

struct Spread {
  Time p50;
  Time p95;
  Time min;
  Time max;
};

// From its first kernel to the first kernel of the next iteration of the same instance; the last
// one ends with its last kernel. The walls of an instance add up to its length.
struct IterationTime {
  Iteration kernels;
  Time start;
  Time wall;
  Time busy;        // union of its kernels inside the window
  Time kernel_sum;  // idle = wall - busy, overlap = kernel_sum - busy
};

// One kernel of the body over all iterations.
struct Position {
  std::string name;  // demangled
  std::string raw_name;
  kernels::KernelRole role = kernels::KernelRole::kOther;
  std::uint64_t count = 0;  // iterations that have it
  WideTime sum = 0;
  double mean_ps = 0;
  double stddev_ps = 0;  // of the population, as the original has it
  Time min;
  Time max;
  double share = 0;  // of the kernel time of all iterations
};

// Iterations [first, last] (numbers from 0 over all instances) that take alike, unlike the others.
struct Regime {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  Time median_wall;
};

struct Outlier {
  std::uint32_t iteration = 0;  // index in Loop::iterations
  Time wall;
  double score = 0;  // robust z: distance from the regime's median in scaled median deviations
  std::uint32_t place = 0;    // of the iteration in its instance, from 0: a layer of a pass
  bool is_recurring = false;  // iterations at this place are outliers in most instances
};

// A place of the body of the loop around it where most instances have an outlier: no iteration is
// out of order there, that layer is just so.
struct OddPlace {
  std::uint32_t place = 0;
  std::uint32_t outliers = 0;  // instances that have one there
  Time median_wall;            // of all iterations there
};

// How iteration times move: the Theil-Sen slope, and whether it is beyond chance (Mann-Kendall).
struct Trend {
  double ps_per_iteration = 0;
  double p = 1;
  bool is_significant = false;
  double drift =
      0;  // over all iterations, as a share of the median one; negative: they get shorter
};

// Statistics of nest.loops[i], at the same index.
struct Loop {
  LoopRole role = LoopRole::kUnknown;
  PhaseName phase = PhaseName::kUnknown;
  std::vector<Evidence> phase_evidence;
  std::uint32_t instances = 0;  // of this id in the whole stream
  std::uint32_t complete = 0;   // iterations of the first instance
  std::uint32_t partial = 0;    // cut-off iterations, over all instances
  double coverage = 0;          // share of the stream's kernels in all instances of this id
  Time start;                   // of the first instance
  Time end;
  std::vector<IterationTime> iterations;  // of all instances, in order
  // Walls and what is made of them leave out the last iteration of instances of three or more: it
  // lacks the gap to the next.
  Spread wall;
  Spread busy;
  Spread kernel_sum;
  Spread idle;
  std::optional<Trend> trend;   // nothing for fewer than 8 of them
  std::vector<Regime> regimes;  // one where all iterations take alike
  std::vector<Outlier> outliers;
  std::vector<OddPlace> odd_places;  // by place
  std::vector<Position> positions;
  breakdown::Breakdown breakdown;  // of its device, over all iterations
};

// What the anchor method found to repeat: a sub-cycle where the cycle has one, else the cycle.
struct AnchorPattern {
  std::uint32_t length = 0;
  std::uint64_t repetitions = 0;   // of a sub-cycle: those in a cycle times the cycles
  double centre_percent = 0;       // middle of what it spans, of the stream
  std::string anchor;              // name of the kernel that found the cycle
  std::string signature;           // of its first kernels, what patterns are told apart by
  std::uint32_t cycle_length = 0;  // of the cycle around; the same as `length` without sub-cycle
  std::uint32_t cycle_repetitions = 0;
  bool is_selected = false;  // the loops are those of a cycle with this signature
};

struct StreamCycles {
  KernelStream stream;
  Nest nest;
  std::vector<Loop> loops;                // as nest.loops
  std::vector<PhaseSpan> phases;          // by start; together they cover the stream
  std::vector<PassFamily> families;       // by their first pass
  std::uint32_t covered = 0;              // kernels inside outermost loops
  std::optional<std::uint32_t> selected;  // by --mode prefill or decode: an index of loops
  std::vector<AnchorPattern> patterns;    // by centre; --method anchor only
};

enum class CycleMethod : std::uint8_t { kRepetitions, kAnchor };
enum class CycleMode : std::uint8_t { kAuto, kPrefill, kDecode };

// The spec's thresholds for --method anchor. It is silent about those marked with *: they are the
// original's.
struct AnchorOptions {
  std::uint32_t min_count = 5;
  double max_share = 0.2;         // of all kernels
  std::uint32_t min_length = 10;  // *
  double gap_tolerance = 0.05;
  double match = 0.95;  // names of an iteration that equal the first one's
  // Iterations that match, the first one among them. Where the original looks for all cycles it
  // asks for 5.
  std::uint32_t min_repetitions = 2;
  std::uint32_t min_outer_for_sub = 20;  // sub-cycles are looked for in longer cycles only
  std::uint32_t min_sub_length = 5;
  std::uint32_t min_sub_count = 3;  // * occurrences of a signature in the cycle
  double sub_gap_tolerance = 0.10;  // *
  double sub_match = 0.80;          // signatures of a sub-cycle that equal the next one's
  std::uint32_t min_sub_pairs = 3;  // * neighbours that match
};

struct CyclesOptions {
  CycleMethod method = CycleMethod::kRepetitions;
  CycleMode mode = CycleMode::kAuto;
  std::optional<SymbolLevel> symbol;  // forced; else names, with the others as seeds
  double pass_tolerance = 0.05;       // edit distance by name, of the period
  double added_tolerance = 0.25;      // kernels that only some passes have, of the period
  double layer_tolerance = 0.25;      // edit distance by role, of the period
  AnchorOptions anchor;
  std::size_t threads = 0;  // 0: as many as the machine has; the answer does not depend on it
};

struct Cycles {
  std::vector<StreamCycles> streams;  // by (rank, device, stream)
  // Classes of annotations, and those that loops were asked about: fewer where there are too many.
  std::uint64_t mark_classes = 0;
  std::uint64_t asked_mark_classes = 0;
};

[[nodiscard]] Cycles find_cycles(const trace::Trace& trace, const CyclesOptions& options = {});

}  // namespace lockstep::analysis::cycles
