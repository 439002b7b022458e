// The kernels of one device stream in the order in which they ran, as a sequence of symbols.
//
// Symbols are dense and numbered by first appearance, so that neither the order of a file nor the
// spelling of names changes what is found in the sequence. Indices everywhere in this folder are
// positions in this order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernels/role.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::cycles {

// What makes two kernels the same kernel.
enum class SymbolLevel : std::uint8_t { kName, kSignature, kRole };
[[nodiscard]] std::string_view name_of(SymbolLevel level);  // "name", "signature", "role"
[[nodiscard]] std::optional<SymbolLevel> symbol_level_named(std::string_view name);

// One distinct kernel name of a stream.
struct KernelSymbol {
  StringId name{};              // as the file wrote it
  std::string text;             // for people: demangled
  std::uint32_t signature = 0;  // equal for names with one signature
  kernels::KernelFacts facts;   // role, attention
};

struct KernelStream {
  trace::RankId rank{};
  trace::DeviceId device{};
  trace::TrackId track{};
  std::optional<std::int64_t> rank_number;
  std::string device_id;
  std::string stream_id;
  std::string source;           // the input of the rank
  bool is_told_by_rank = true;  // no other input has its rank: people need not see the source

  std::vector<trace::EventId> events;  // by (start, end, name, correlation)
  std::vector<std::uint32_t> names;    // symbol of each, an index of `symbols`
  std::vector<Time> starts;
  std::vector<Time> ends;
  std::vector<trace::EventId> launched_by;  // the host call, kNoEvent where the file does not say
  std::vector<KernelSymbol> symbols;

  [[nodiscard]] std::size_t size() const { return names.size(); }
  [[nodiscard]] Time duration(std::size_t i) const { return ends[i] - starts[i]; }
  [[nodiscard]] const KernelSymbol& symbol(std::size_t i) const { return symbols[names[i]]; }
  // The kernels [lo, hi) as symbols of a level.
  [[nodiscard]] std::vector<std::uint32_t> sequence(SymbolLevel level, std::size_t lo,
                                                    std::size_t hi) const;
  // How many different symbols of a level the kernels [lo, hi) have.
  [[nodiscard]] std::size_t alphabet(SymbolLevel level, std::size_t lo, std::size_t hi) const;
  // What a name is at a level.
  [[nodiscard]] std::uint32_t symbol_at(SymbolLevel level, std::uint32_t name) const;
};

// Every device stream that ran a kernel, by (rank, device, stream) as people order ids.
[[nodiscard]] std::vector<KernelStream> kernel_streams(const trace::Trace& trace);

}  // namespace lockstep::analysis::cycles
