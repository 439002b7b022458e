// Lays iterations, and makes room for a loop that has moved or grown.
#include "analysis/cycles/nest/found_loop.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "algo/sequences/edit_distance.h"
#include "algo/sequences/least_rotation.h"
#include "analysis/cycles/nest/likeness.h"

namespace lockstep::analysis::cycles {
namespace {

// A longer way from one iteration to the next is not searched.
constexpr std::uint32_t kMostDifference = 8 * kMostEdits;

// The name that more than half have, if there is one, is left where others cancel each other.
ModalName majority_of(const std::vector<std::uint32_t>& column) {
  ModalName modal;
  for (const std::uint32_t name : column) {
    if (modal.count == 0) modal.name = name;
    if (name == modal.name) {
      ++modal.count;
    } else {
      --modal.count;
    }
  }
  modal.count = static_cast<std::uint32_t>(std::ranges::count(column, modal.name));
  return modal;
}

ModalName most_frequent(std::vector<std::uint32_t>& column) {
  ModalName modal = majority_of(column);
  if (2 * std::size_t{modal.count} > column.size()) return modal;
  std::sort(column.begin(), column.end());
  modal = {};
  for (auto at = column.begin(); at != column.end();) {
    const auto next = std::upper_bound(at, column.end(), *at);
    const auto count = static_cast<std::uint32_t>(next - at);
    if (count > modal.count) modal = {*at, count};
    at = next;
  }
  return modal;
}

// Iterations of one loop differ by no more edits, beside those by which they are longer or shorter.
// Marked steps may differ more: then all kernels are exceptions.
std::optional<std::uint32_t> distance_in_loop(std::span<const std::uint32_t> body,
                                              std::span<const std::uint32_t> part) {
  const auto longer = static_cast<std::uint32_t>(std::max(body.size(), part.size()));
  const auto shorter = static_cast<std::uint32_t>(std::min(body.size(), part.size()));
  const std::uint32_t difference = longer - shorter;
  if (difference > kMostDifference) return std::nullopt;
  return algo::bounded_edit_distance(body, part, std::min(longer, 2 * kMostEdits + difference));
}

}  // namespace

std::vector<ModalName> modal_names(std::span<const std::uint32_t> names, std::uint32_t start,
                                   std::uint32_t period, std::uint32_t complete) {
  std::vector<ModalName> modal(period);
  std::vector<std::uint32_t> column(complete);
  for (std::uint32_t place = 0; place < period; ++place) {
    for (std::uint32_t i = 0; i < complete; ++i) column[i] = names[start + i * period + place];
    modal[place] = most_frequent(column);
  }
  return modal;
}

void lay_iterations(std::span<const std::uint32_t> names, std::uint32_t start,
                    std::uint32_t complete, FoundLoop& loop) {
  loop.iterations.clear();
  loop.iterations.reserve(complete);
  for (std::uint32_t i = 0; i < complete; ++i)
    loop.iterations.push_back({start + i * loop.period, start + (i + 1) * loop.period});
  loop.body_start = start;
  loop.exceptions = 0;
  if (loop.level == SymbolLevel::kName) return;
  const std::vector<ModalName> modal = modal_names(names, start, loop.period, complete);
  std::uint32_t fewest = loop.period + 1;
  for (const Iteration& iteration : loop.iterations) {
    std::uint32_t differ = 0;
    for (std::uint32_t i = 0; i < loop.period; ++i)
      differ += names[iteration.start + i] == modal[i].name ? 0 : 1;
    loop.exceptions += differ;
    if (differ < fewest) loop.body_start = iteration.start;
    fewest = std::min(fewest, differ);
  }
}

std::vector<std::uint32_t> canonical_body(std::span<const std::uint32_t> names,
                                          const FoundLoop& loop) {
  const auto there = names.subspan(loop.body_start, loop.period);
  std::vector<std::uint32_t> body(there.begin(), there.end());
  std::rotate(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(algo::least_rotation(body)),
              body.end());
  return body;
}

void settle_body(std::span<const std::uint32_t> names, FoundLoop& loop) {
  // What most iterations of the period have at each place.
  std::vector<std::uint32_t> usual(loop.period);
  std::vector<std::uint32_t> column;
  for (std::uint32_t place = 0; place < loop.period; ++place) {
    column.clear();
    for (const Iteration& iteration : loop.iterations) {
      if (iteration.size() == loop.period) column.push_back(names[iteration.start + place]);
    }
    usual[place] = column.empty() ? names[loop.body_start + place] : most_frequent(column).name;
  }
  // The iteration nearest to it is the body; better one inside the repetition, where offsets are
  // offsets in the body.
  loop.exceptions = 0;
  std::tuple<std::uint32_t, bool> nearest{std::numeric_limits<std::uint32_t>::max(), false};
  for (const Iteration& iteration : loop.iterations) {
    const std::uint32_t all = std::max(loop.period, iteration.size());
    const auto distance = distance_in_loop(usual, names.subspan(iteration.start, iteration.size()));
    loop.exceptions += distance.value_or(all);
    if (iteration.size() != loop.period) continue;
    const bool is_in_run = iteration.start >= loop.run_start && iteration.end <= loop.run_end;
    const std::tuple rank{distance.value_or(all), !is_in_run};
    if (rank < nearest) loop.body_start = iteration.start;
    nearest = std::min(nearest, rank);
  }
  // Kernels put in at different places shift the columns; then one iteration is the better model.
  std::uint64_t from_body = 0;
  for (const Iteration& iteration : loop.iterations) {
    const std::uint32_t all = std::max(loop.period, iteration.size());
    from_body += distance_in_loop(names.subspan(loop.body_start, loop.period),
                                  names.subspan(iteration.start, iteration.size()))
                     .value_or(all);
  }
  loop.exceptions = std::min(loop.exceptions, from_body);
}

void clear_overlapped(std::vector<FoundLoop>& loops, std::size_t winner) {
  const FoundLoop& kept = loops[winner];
  for (std::size_t i = winner + 1; i < loops.size(); ++i) {
    if (!loops[i].is_gone() && loops[i].start() >= kept.end()) break;
    loops[i].iterations.clear();
  }
  for (std::size_t i = winner; i-- > 0;) {
    if (!loops[i].is_gone() && loops[i].end() <= kept.start()) break;
    loops[i].iterations.clear();
  }
}

}  // namespace lockstep::analysis::cycles
