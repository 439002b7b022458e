// Kernel bodies that take a profiler, and a stand-in that makes them kernels without markers.
#ifndef LOCKSTEP_TESTS_BODIES_H
#define LOCKSTEP_TESTS_BODIES_H

#include "portable.h"

// Not of the header under test: what remains is the kernel without markers.
struct NoMarkers {
  struct Begun {};
  DEVICE void init(unsigned) {}
  DEVICE void start(unsigned) {}
  DEVICE void end(unsigned) {}
  DEVICE void next(unsigned, unsigned) {}
  DEVICE Begun region_begin(unsigned) { return {}; }
  DEVICE void region_end(unsigned, Begun) {}
  DEVICE void finalize() {}
};

// Markers markers in a row, one FMA behind each.
template <int Markers, class Profiler>
DEVICE void straight_line(Profiler& profiler, float* io) {
  float x = io[thread_index()];
  profiler.init(0);
#pragma unroll
  for (int i = 0; i < Markers / 2; ++i) {
    profiler.start(3);
    x = x * 1.0001f + 1.0f;
    profiler.end(3);
    x = x * 1.0001f + 1.0f;
  }
  profiler.finalize();
  io[thread_index()] = x;
}

// The same with a region record for each pair of edges.
template <int Edges, class Profiler>
DEVICE void straight_line_of_regions(Profiler& profiler, float* io) {
  float x = io[thread_index()];
  profiler.init(0);
#pragma unroll
  for (int i = 0; i < Edges / 2; ++i) {
    auto begun = profiler.region_begin(3);
    x = x * 1.0001f + 1.0f;
    profiler.region_end(3, begun);
    x = x * 1.0001f + 1.0f;
  }
  profiler.finalize();
  io[thread_index()] = x;
}

// Values values that live through markers, as the accumulators of a tile do.
template <int Values, class Profiler>
DEVICE void many_values(Profiler& profiler, float* io, int rounds) {
  float values[Values];
  profiler.init(0);
#pragma unroll
  for (int i = 0; i < Values; ++i) values[i] = io[thread_index() + i * 128];
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const float factor = io[round];
    profiler.start(1);
#pragma unroll
    for (int i = 0; i < Values; ++i) values[i] = values[i] * factor + 1.0f;
    profiler.end(1);
  }
#pragma unroll
  for (int i = 0; i < Values; ++i) io[thread_index() + i * 128] = values[i];
  profiler.finalize();
}

#endif  // LOCKSTEP_TESTS_BODIES_H
