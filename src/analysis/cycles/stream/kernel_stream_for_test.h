// Kernel streams and nests built by hand, for tests.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"
#include "base/string_pool.h"

namespace lockstep::analysis::cycles {

class TestStream {
 public:
  void add_ps(std::string_view name, std::int64_t start, std::int64_t duration) {
    stream.names.push_back(symbol(name));
    stream.starts.push_back(Time{start});
    stream.ends.push_back(Time{start + duration});
    stream.events.push_back(trace::EventId{static_cast<std::uint32_t>(stream.events.size())});
    stream.launched_by.push_back(trace::kNoEvent);
  }
  void add(std::string_view name, std::int64_t start_ns, std::int64_t duration_ns) {
    add_ps(name, start_ns * kPicosecondsPerNanosecond, duration_ns * kPicosecondsPerNanosecond);
  }
  // Kernels named by single letters, each 10 ns after the one before begins and 4 ns long.
  void add_letters(std::string_view letters) {
    for (const char letter : letters) {
      const std::int64_t start =
          stream.size() == 0 ? 0 : stream.starts.back().ps / kPicosecondsPerNanosecond + 10;
      add(std::string_view(&letter, 1), start, 4);
    }
  }

  // The symbol of a name, made when it is new. What people see of it begins with "K:".
  std::uint32_t symbol(std::string_view name) {
    const StringId id = strings.intern(name);
    for (std::uint32_t i = 0; i < stream.symbols.size(); ++i) {
      if (stream.symbols[i].name == id) return i;
    }
    KernelSymbol made;
    made.name = id;
    made.text = "K:" + std::string(name);
    made.signature = static_cast<std::uint32_t>(stream.symbols.size());
    stream.symbols.push_back(made);
    return static_cast<std::uint32_t>(stream.symbols.size() - 1);
  }

  KernelStream stream;
  StringPool strings;
};

// Iterations of `period` kernels from `start` on.
inline LoopInstance instance_of(std::uint32_t start, std::uint32_t period, std::uint32_t count) {
  LoopInstance instance;
  for (std::uint32_t i = 0; i < count; ++i) {
    instance.iterations.push_back({start + i * period, start + (i + 1) * period});
  }
  return instance;
}

inline NestLoop loop_of(std::uint32_t id, std::uint32_t period,
                        std::vector<LoopInstance> instances) {
  NestLoop loop;
  loop.id = id;
  loop.period = period;
  loop.body_start = instances.front().start();
  loop.run_start = instances.front().start();
  loop.run_end = instances.front().end();
  loop.instances = std::move(instances);
  return loop;
}

}  // namespace lockstep::analysis::cycles
