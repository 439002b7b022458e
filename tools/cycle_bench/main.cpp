// lockstep-cycle-bench: times one search for loops in one sequence and prints a line of JSON.
//
// One process a measurement, since the peak of memory is that of the whole process.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "algo/sequences/repetitions.h"
#include "analysis/cycles/cycles.h"
#include "sequences.h"

namespace lockstep::cycle_bench {
namespace {

struct Usage {
  double seconds = 0;
  double processor_seconds = 0;
  double peak_mb = 0;
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

Usage usage_now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {.seconds = std::chrono::duration<double>(now).count(),
          .processor_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
          .peak_mb = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6};
}

// "14388 x 695, 16 x 42": the loops that hold most of the stream, with the number of all.
std::string loops_found(const analysis::cycles::Cycles& cycles) {
  constexpr std::size_t kShown = 2;
  std::vector<std::pair<const analysis::cycles::Loop*, const analysis::cycles::NestLoop*>> loops;
  for (const analysis::cycles::StreamCycles& stream : cycles.streams) {
    for (std::size_t at = 0; at < stream.loops.size(); ++at) {
      loops.emplace_back(&stream.loops[at], &stream.nest.loops[at]);
    }
  }
  std::ranges::stable_sort(loops, std::ranges::greater{},
                           [](const auto& loop) { return loop.first->coverage; });
  std::string text = fmt::format("{} loops", loops.size());
  for (std::size_t at = 0; at < std::min(kShown, loops.size()); ++at) {
    text += fmt::format("{} {} x {}", at == 0 ? ":" : ",", loops[at].first->complete,
                        loops[at].second->period);
  }
  return text;
}

int measure(Case which, std::size_t kernels, const std::string& method) {
  std::vector<std::uint32_t> sequence = make_sequence(which, kernels);
  const bool only_repetitions = method == "repetitions";
  const trace::Trace trace = only_repetitions ? trace::Trace() : make_trace(sequence);
  if (!only_repetitions) sequence = {};
  analysis::cycles::CyclesOptions options;
  if (method == "anchor") options.method = analysis::cycles::CycleMethod::kAnchor;

  const Usage before = usage_now();
  const std::string found =
      only_repetitions ? fmt::format("{} repetitions", algo::maximal_repetitions(sequence).size())
                       : loops_found(analysis::cycles::find_cycles(trace, options));
  const Usage after = usage_now();
  fmt::print(
      "{{\"seconds\": {:.4f}, \"processor_seconds\": {:.4f}, \"input_mb\": {:.1f}, "
      "\"peak_mb\": {:.1f}, \"found\": \"{}\"}}\n",
      after.seconds - before.seconds, after.processor_seconds - before.processor_seconds,
      before.peak_mb, after.peak_mb, found);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("Times one search for loops on kernels made in memory.", "lockstep-cycle-bench");
  std::string name;
  std::string method;
  std::size_t kernels = 0;
  const std::vector<std::string> cases(std::begin(kCaseNames), std::end(kCaseNames));
  app.add_option("CASE", name)->required()->check(CLI::IsMember(cases));
  app.add_option("KERNELS", kernels)->required()->check(CLI::Range(1, 1'000'000'000));
  app.add_option("METHOD", method, "loops: the default method; repetitions: only their first part")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"loops", "anchor", "repetitions"}));
  CLI11_PARSE(app, argc, argv);
  const auto index = std::ranges::find(kCaseNames, name) - std::begin(kCaseNames);
  return measure(static_cast<Case>(index), kernels, method);
}

}  // namespace
}  // namespace lockstep::cycle_bench

int main(int argc, char** argv) { return lockstep::cycle_bench::run(argc, argv); }
