// What the sinks of a comparison share: its sides, what pairs and rows are called, and which pairs
// got slower.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "formats/input/load.h"
#include "report/compare/name_change.h"
#include "trace/trace.h"

namespace lockstep::report::compare {

struct ComparedSide {
  const analysis::cycles::Cycles& cycles;
  std::span<const formats::input::InputFacts> inputs;
  std::vector<std::string> devices = {};  // names, each once; none where the trace has none
};

// Names of the devices that ran kernels, each once, in the order of their streams.
[[nodiscard]] std::vector<std::string> device_names(const trace::Trace& trace,
                                                    const analysis::cycles::Cycles& cycles);

struct ComparedTraces {
  const analysis::compare::Comparison& comparison;
  ComparedSide a;
  ComparedSide b;
};

// "decode pass", "prefill segment"; "prefill segment -> decode pass" where the sides are unlike.
[[nodiscard]] std::string pair_words(const analysis::compare::ComparePair& pair);

// Names joined by " + "; "idle" and "overlap" for those rows.
[[nodiscard]] std::string kernels_words(const analysis::compare::CompareRow& row,
                                        const analysis::compare::RowSide& side);

// Rows that the text would show alike: what a kernel of every layer cost together.
struct RowGroup {
  const analysis::compare::CompareRow* first = nullptr;  // of those that are alike
  // "gemm", "3 kernels"; "triton_fused_add*" where the names end in different numbers.
  std::string name_a;
  std::string name_b;
  std::size_t rows = 0;
  std::size_t significant = 0;
  std::int64_t mean_ns_a = 0;
  std::int64_t mean_ns_b = 0;

  [[nodiscard]] std::int64_t delta_ns() const { return mean_ns_b - mean_ns_a; }
  // By what is shown: what would read "+0.0 %" has not changed.
  [[nodiscard]] bool is_unchanged() const;
  [[nodiscard]] std::optional<double> percent() const;
};

// In the order of the first row of each; idle and overlap last.
// Kernels have their telling names, or their whole ones.
[[nodiscard]] std::vector<RowGroup> grouped_rows(const analysis::compare::ComparePair& pair,
                                                 bool has_full_names);

// "gemm", "gemm -> gemm_splitk", "3 kernels -> triton_fused", in a table with a column for kinds or
// without one: "norm (only in A)". What is said behind names is brief where lines are.
[[nodiscard]] RowName row_name(const RowGroup& group, bool has_kinds, bool is_brief);

[[nodiscard]] bool is_matched(const analysis::compare::ComparePair& pair);

// "its phase is not known on A, so that it may be other work"; empty where both or none is known.
[[nodiscard]] std::string unknown_phase_words(const analysis::compare::ComparePair& pair);

// Says that nothing of A could be compared with anything of B, and what may be done; empty where
// something was.
[[nodiscard]] std::string nothing_compared_words(const analysis::compare::Comparison& comparison);

[[nodiscard]] Time time_of_ns(std::int64_t ns);
[[nodiscard]] std::string signed_ns(std::int64_t ns);  // "+1.500 us"

// "+1.5 %"; "" of nothing.
[[nodiscard]] std::string percent_words(std::optional<double> percent);

// Whether a change would be shown as more than "+0.0 %".
[[nodiscard]] bool is_shown_change(std::int64_t a_ns, std::int64_t b_ns);

// A sentence for every matched pair whose iterations got slower by more than `percent`, beyond
// noise. The total decides nothing: it has pairs of one iteration in it, of which no noise is
// known, and without those it can only exceed what some pair exceeds.
[[nodiscard]] std::vector<std::string> regressions(const analysis::compare::Comparison& comparison,
                                                   double percent);

}  // namespace lockstep::report::compare
