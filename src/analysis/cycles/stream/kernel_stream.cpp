// Sorts the kernels of every stream and names them by symbols.
#include "analysis/cycles/stream/kernel_stream.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/kernels/signature.h"
#include "analysis/summary/natural_order.h"
#include "base/text.h"
#include "trace/host/launches.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::array<std::string_view, 3> kLevelNames = {"name", "signature", "role"};
constexpr std::uint32_t kNotSeen = 0xFFFF'FFFF;

// What every stream needs to know of a name, worked out once a name.
class NameBook {
 public:
  explicit NameBook(const trace::Trace& trace) : trace_(trace) {}

  const KernelSymbol& of(StringId name, trace::Kind kind) {
    const auto [found, is_new] = known_.try_emplace({name, kind == trace::Kind::kCommunication});
    KernelSymbol& symbol = found->second;
    if (!is_new) return symbol;
    const std::string_view raw = trace_.text(name);
    symbol.name = name;
    symbol.text = demangled(raw);
    const auto next = static_cast<std::uint32_t>(signatures_.size());
    symbol.signature = signatures_.try_emplace(kernels::kernel_signature(raw), next).first->second;
    symbol.facts = kernels::kernel_facts(raw);
    // The reader knows from the collective's own record; names alone are a guess.
    if (kind == trace::Kind::kCommunication)
      symbol.facts = {.role = kernels::KernelRole::kCommunication};
    return symbol;
  }

 private:
  const trace::Trace& trace_;
  std::map<std::pair<StringId, bool>, KernelSymbol> known_;
  std::unordered_map<std::string, std::uint32_t> signatures_;
};

bool runs_before(const trace::Trace& trace, trace::EventId a, trace::EventId b) {
  const std::size_t i = trace::index_of(a);
  const std::size_t j = trace::index_of(b);
  const trace::EventTable& events = trace.events;
  if (events.start[i] != events.start[j]) return events.start[i] < events.start[j];
  if (events.end(i) != events.end(j)) return events.end(i) < events.end(j);
  if (events.name[i] != events.name[j])
    return trace.text(events.name[i]) < trace.text(events.name[j]);
  return events.correlation[i] < events.correlation[j];
}

// Kernels by track, in the order of the table.
std::vector<std::vector<trace::EventId>> kernels_by_track(const trace::Trace& trace) {
  std::vector<std::size_t> counts(trace.tracks.size(), 0);
  const auto is_one = [&](std::size_t i) {
    return trace::is_kernel(trace.events.kind[i]) && trace.events.shape[i] == trace::Shape::kSpan &&
           trace.on_device(i);
  };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (is_one(i)) ++counts[trace::index_of(trace.events.track[i])];
  }
  std::vector<std::vector<trace::EventId>> kernels(trace.tracks.size());
  for (std::size_t t = 0; t < kernels.size(); ++t) kernels[t].reserve(counts[t]);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (!is_one(i)) continue;
    kernels[trace::index_of(trace.events.track[i])].push_back(
        trace::EventId{static_cast<std::uint32_t>(i)});
  }
  return kernels;
}

void fill_times(const trace::Trace& trace, const std::vector<trace::EventId>& calls,
                KernelStream& stream) {
  stream.starts.reserve(stream.events.size());
  stream.ends.reserve(stream.events.size());
  if (!calls.empty()) stream.launched_by.reserve(stream.events.size());
  for (const trace::EventId event : stream.events) {
    stream.starts.push_back(trace.events.start[trace::index_of(event)]);
    stream.ends.push_back(trace.events.end(trace::index_of(event)));
    if (!calls.empty()) stream.launched_by.push_back(calls[trace::index_of(event)]);
  }
  if (calls.empty()) stream.launched_by.assign(stream.events.size(), trace::kNoEvent);
}

// Symbols of one stream by name; kept between streams, because there may be hundreds of them.
class SymbolTable {
 public:
  explicit SymbolTable(const trace::Trace& trace) : slots_(2 * trace.strings.size(), kNotSeen) {}

  std::uint32_t& slot(StringId name, trace::Kind kind) {
    return slots_[2 * static_cast<std::size_t>(name) +
                  (kind == trace::Kind::kCommunication ? 1 : 0)];
  }
  void forget(const KernelStream& stream) {
    for (const KernelSymbol& symbol : stream.symbols) {
      slots_[2 * static_cast<std::size_t>(symbol.name)] = kNotSeen;
      slots_[2 * static_cast<std::size_t>(symbol.name) + 1] = kNotSeen;
    }
  }

 private:
  std::vector<std::uint32_t> slots_;
};

void fill_symbols(const trace::Trace& trace, NameBook& book, SymbolTable& table,
                  KernelStream& stream) {
  std::map<std::uint32_t, std::uint32_t> signatures;  // of the book to ours, by first appearance
  stream.names.reserve(stream.events.size());
  for (const trace::EventId event : stream.events) {
    const StringId name = trace.events.name[trace::index_of(event)];
    const trace::Kind kind = trace.events.kind[trace::index_of(event)];
    std::uint32_t& slot = table.slot(name, kind);
    if (slot == kNotSeen) {
      slot = static_cast<std::uint32_t>(stream.symbols.size());
      stream.symbols.push_back(book.of(name, kind));
      KernelSymbol& symbol = stream.symbols.back();
      const auto next = static_cast<std::uint32_t>(signatures.size());
      symbol.signature = signatures.try_emplace(symbol.signature, next).first->second;
    }
    stream.names.push_back(slot);
  }
  table.forget(stream);
}

KernelStream stream_of(const trace::Trace& trace, std::size_t t,
                       std::vector<trace::EventId> kernels) {
  const trace::Track& track = trace.tracks[t];
  KernelStream stream;
  stream.track = trace::TrackId{static_cast<std::uint32_t>(t)};
  stream.device = track.device;
  stream.rank = trace.rank_of(track);
  const trace::Rank& rank = trace.ranks[trace::index_of(stream.rank)];
  stream.rank_number = rank.number;
  stream.source = rank.source;
  const auto has_number = [&](const trace::Rank& other) { return other.number == rank.number; };
  stream.is_told_by_rank = std::ranges::count_if(trace.ranks, has_number) == 1;
  if (track.device != trace::kNoDevice)
    stream.device_id = trace.text(trace.devices[trace::index_of(track.device)].id);
  stream.stream_id = trace.text(track.id.text);
  stream.events = std::move(kernels);
  const auto before = [&](trace::EventId a, trace::EventId b) { return runs_before(trace, a, b); };
  if (!std::is_sorted(stream.events.begin(), stream.events.end(), before))
    std::stable_sort(stream.events.begin(), stream.events.end(), before);
  return stream;
}

bool is_listed_before(const KernelStream& a, const KernelStream& b) {
  if (a.rank != b.rank) {
    const auto key = [](const KernelStream& s) {
      return std::tuple(!s.rank_number.has_value(), s.rank_number.value_or(0), s.rank);
    };
    return key(a) < key(b);
  }
  if (a.device_id != b.device_id) return summary::comes_before(a.device_id, b.device_id);
  if (a.stream_id != b.stream_id) return summary::comes_before(a.stream_id, b.stream_id);
  return a.track < b.track;
}

}  // namespace

std::string_view name_of(SymbolLevel level) { return kLevelNames[static_cast<std::size_t>(level)]; }

std::optional<SymbolLevel> symbol_level_named(std::string_view name) {
  const auto* found = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  if (found == kLevelNames.end()) return std::nullopt;
  return static_cast<SymbolLevel>(found - kLevelNames.begin());
}

std::vector<std::uint32_t> KernelStream::sequence(SymbolLevel level, std::size_t lo,
                                                  std::size_t hi) const {
  std::vector<std::uint32_t> result;
  result.reserve(hi - lo);
  for (std::size_t i = lo; i < hi; ++i) result.push_back(symbol_at(level, names[i]));
  return result;
}

std::size_t KernelStream::alphabet(SymbolLevel level, std::size_t lo, std::size_t hi) const {
  std::vector<std::uint32_t> used = sequence(level, lo, hi);
  std::sort(used.begin(), used.end());
  return static_cast<std::size_t>(std::unique(used.begin(), used.end()) - used.begin());
}

std::uint32_t KernelStream::symbol_at(SymbolLevel level, std::uint32_t name) const {
  if (level == SymbolLevel::kSignature) return symbols[name].signature;
  if (level == SymbolLevel::kRole) return static_cast<std::uint32_t>(symbols[name].facts.role);
  return name;
}

std::vector<KernelStream> kernel_streams(const trace::Trace& trace) {
  std::vector<std::vector<trace::EventId>> kernels = kernels_by_track(trace);
  const std::vector<trace::EventId> calls = trace::find_launches(trace).calls;
  NameBook book(trace);
  SymbolTable table(trace);
  std::vector<KernelStream> streams;
  for (std::size_t t = 0; t < kernels.size(); ++t) {
    if (kernels[t].empty()) continue;
    KernelStream stream = stream_of(trace, t, std::move(kernels[t]));
    fill_times(trace, calls, stream);
    fill_symbols(trace, book, table, stream);
    streams.push_back(std::move(stream));
  }
  std::stable_sort(streams.begin(), streams.end(), is_listed_before);
  return streams;
}

}  // namespace lockstep::analysis::cycles
