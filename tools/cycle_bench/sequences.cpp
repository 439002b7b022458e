// Makes the sequences and the traces around them.
#include "sequences.h"

#include <algorithm>
#include <utility>

#include "../trace_gen/kernel_names.h"
#include "../trace_gen/rng.h"

namespace lockstep::cycle_bench {
namespace {

using Symbols = std::vector<std::uint32_t>;
using tracegen::Rng;

constexpr std::uint64_t kSeed = 4;
constexpr std::uint32_t kNames = 51;
constexpr std::uint32_t kKernelsInNoise = 1000;  // one of so many is replaced

// The decode pass of a model of 16 layers: 695 kernels, the first of which runs once a pass, after
// a pause.
constexpr std::uint32_t kFirstOfPass = 0;
constexpr std::int64_t kPauseNs = 20'000;
constexpr std::size_t kBeforeLayers = 12;
constexpr std::size_t kLayers = 16;
constexpr std::size_t kLayerSize = 42;
constexpr std::size_t kAfterLayers = 11;

std::uint32_t any_name(tracegen::Rng& rng) { return kFirstOfPass + 1 + rng.below(kNames - 1); }

Symbols some_names(std::size_t count, tracegen::Rng& rng) {
  Symbols symbols(count);
  for (std::uint32_t& symbol : symbols) symbol = any_name(rng);
  return symbols;
}

Symbols nested(std::size_t kernels, tracegen::Rng& rng) {
  Symbols pass = some_names(kBeforeLayers, rng);
  pass.front() = kFirstOfPass;
  const Symbols layer = some_names(kLayerSize, rng);
  const Symbols after = some_names(kAfterLayers, rng);
  for (std::size_t nth = 0; nth < kLayers; ++nth) {
    pass.insert(pass.end(), layer.begin(), layer.end());
  }
  pass.insert(pass.end(), after.begin(), after.end());

  Symbols symbols(kernels);
  for (std::size_t at = 0; at < kernels; ++at) {
    const bool is_noise = rng.below(kKernelsInNoise) == 0;
    symbols[at] = is_noise ? any_name(rng) : pass[at % pass.size()];
  }
  return symbols;
}

// Each word is the one before it followed by the one before that, which is a prefix of it.
Symbols fibonacci(std::size_t kernels) {
  Symbols symbols = {0, 1};
  symbols.reserve(kernels + 1);
  std::size_t before = 1;
  while (symbols.size() < kernels) {
    const std::size_t size = symbols.size();
    const std::size_t added = std::min(before, kernels - size);
    for (std::size_t at = 0; at < added; ++at) symbols.push_back(symbols[at]);
    before = size;
  }
  symbols.resize(kernels);
  return symbols;
}

Symbols blocks(std::size_t kernels, tracegen::Rng& rng) {
  constexpr std::uint32_t kLongestBody = 50;
  constexpr std::uint32_t kMostIterations = 20;
  constexpr std::uint32_t kFewNames = 3;  // so that bodies hold loops, too
  Symbols symbols;
  symbols.reserve(kernels + kLongestBody * kMostIterations);
  while (symbols.size() < kernels) {
    Symbols body(1 + rng.below(kLongestBody));
    for (std::uint32_t& symbol : body) symbol = kFirstOfPass + 1 + rng.below(kFewNames);
    const std::uint32_t iterations = 1 + rng.below(kMostIterations);
    for (std::uint32_t nth = 0; nth < iterations; ++nth) {
      symbols.insert(symbols.end(), body.begin(), body.end());
    }
  }
  symbols.resize(kernels);
  return symbols;
}

}  // namespace

std::vector<std::uint32_t> make_sequence(Case which, std::size_t kernels) {
  tracegen::Rng rng(kSeed);
  switch (which) {
    case Case::kNested:
      return nested(kernels, rng);
    case Case::kFibonacci:
      return fibonacci(kernels);
    case Case::kOne:
      return Symbols(kernels, 0);
    case Case::kRandom:
      return some_names(kernels, rng);
    case Case::kBlocks:
      return blocks(kernels, rng);
  }
  std::unreachable();
}

trace::Trace make_trace(std::span<const std::uint32_t> sequence) {
  trace::Trace trace;
  trace::Rank rank;
  rank.number = 0;
  rank.source = "memory";
  trace.ranks.push_back(rank);
  trace::Process process;
  process.id.text = trace.strings.intern("100");
  trace.processes.push_back(process);
  trace.devices.push_back(
      {trace::RankId{0}, trace.strings.intern("0"), trace.strings.intern("device")});
  trace::Track stream;
  stream.side = trace::Track::Side::kDevice;
  stream.device = trace::DeviceId{0};
  stream.id.text = trace.strings.intern("7");
  trace.tracks.push_back(stream);

  // One in two: families of names stand together in the pool, and all should occur.
  const auto pool = tracegen::make_kernel_names();
  std::vector<StringId> names;
  for (std::size_t at = 0; at < kNames; ++at) {
    names.push_back(trace.strings.intern(pool[2 * at % pool.size()].text));
  }

  tracegen::Rng rng(kSeed + 1);
  trace::Event event;
  event.kind = trace::Kind::kKernel;
  event.category = trace.strings.intern("kernel");
  trace.events.reserve(sequence.size());
  std::int64_t now_ns = 0;
  for (const std::uint32_t symbol : sequence) {
    const std::int64_t duration_ns = 2'000 + 400 * symbol + rng.below(200);
    now_ns += symbol == kFirstOfPass ? kPauseNs : rng.between(800, 1'200);
    event.name = names[symbol];
    event.start = Time{now_ns * kPicosecondsPerNanosecond};
    event.duration = Time{duration_ns * kPicosecondsPerNanosecond};
    trace.events.add(event);
    now_ns += duration_ns;
  }
  return trace;
}

}  // namespace lockstep::cycle_bench
