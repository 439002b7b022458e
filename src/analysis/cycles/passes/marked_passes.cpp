// From each mark to the next, as far as they are alike.
#include "analysis/cycles/passes/marked_passes.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algo/sequences/edit_distance.h"

namespace lockstep::analysis::cycles {
namespace {

// Of what lies between two marks, so much must be like another one.
constexpr double kAlikeShare = 0.8;
// To find d edits, or to look for them in vain, takes d^2 steps. So many a kernel are spent on all
// that lies between marks; what is left then is not looked at.
constexpr std::uint64_t kStepsPerKernel = 64;
// Share of the kernels that two steps have in common once both are as long.
constexpr double kSameMix = 0.85;
// So many times the kernels of an optimizer are those of two updates.
constexpr double kTwoUpdates = 1.5;
// By role: products that another batch cuts in parts are summed behind.
constexpr Likeness kLikeRoles{.replaced = 0.1, .added = 0.25};
// Passes of fewer kernels are layers or less.
constexpr std::uint32_t kSmallestPass = kSmallestInnerPeriod * kFewestInnerIterations;

class MarkedPasses {
 public:
  MarkedPasses(const Stretch& stretch, const MarkClass& mark, const Likeness& likeness)
      : stretch_(stretch),
        mark_(mark),
        likeness_(likeness),
        steps_(kStepsPerKernel * stretch.size()) {}

  [[nodiscard]] std::vector<FoundLoop> run() {
    find_segments();
    if (segments_.size() < 2) return {};
    std::vector<FoundLoop> loops;
    std::size_t in_loops = 0;
    for (std::size_t first = 0; first < segments_.size();) {
      std::size_t last = first + 1;
      while (last < segments_.size() && is_one_more(first, last)) ++last;
      if (last - first >= 2) {
        in_loops += last - first;
        loops.push_back(loop_of(first, last));
      }
      first = last;
    }
    const auto all = static_cast<double>(inner_);
    if (static_cast<double>(in_loops) < kAlikeShare * all) return {};
    for (FoundLoop& loop : loops) add_edges(loop);
    return loops;
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> names(const Iteration& kernels) const {
    return std::span(stretch_.stream.names).subspan(kernels.start, kernels.size());
  }

  // Between two marks each. Empty ones are none: two marks may stand for one kernel.
  void find_segments() {
    const auto& marks = mark_.first_kernels;
    const auto first = std::ranges::lower_bound(marks, stretch_.lo);
    for (auto at = first; at != marks.end() && *at <= stretch_.hi; ++at) {
      if (!starts_.empty() && *at <= starts_.back()) continue;
      if (!starts_.empty()) segments_.push_back({starts_.back(), *at});
      starts_.push_back(*at);
    }
    inner_ = segments_.size();
  }

  // One more of the run that begins at `first`: like the one before it, or like the first. What the
  // user calls a step is one, whatever runs in it.
  [[nodiscard]] bool is_one_more(std::size_t first, std::size_t next) {
    return mark_.is_step || are_alike(segments_[next - 1], segments_[next]) ||
           (next - first > 1 && are_alike(segments_[first], segments_[next]));
  }

  // Batches of other lengths run other products, but in the same places: what an optimizer closes
  // is compared by role as well.
  [[nodiscard]] bool are_alike(const Iteration& a, const Iteration& b) {
    if (std::ranges::equal(names(a), names(b))) return true;
    const bool is_longer = b.size() > a.size();
    const Iteration& longer = is_longer ? b : a;
    const Iteration& shorter = is_longer ? a : b;
    if (is_near(names(longer), names(shorter), likeness_)) return true;
    if (!mark_.closes) return false;
    return is_near(roles(longer), roles(shorter), kLikeRoles) || have_same_mix(longer, shorter);
  }

  [[nodiscard]] bool is_near(std::span<const std::uint32_t> longer,
                             std::span<const std::uint32_t> shorter, const Likeness& likeness) {
    const std::uint64_t edits = most_edits(likeness, static_cast<std::uint32_t>(longer.size()));
    if (longer.size() - shorter.size() > edits || steps_ < edits * edits) return false;
    const std::optional<std::uint64_t> distance = distance_if_alike(likeness, longer, shorter);
    const std::uint64_t spent = distance.value_or(edits);
    steps_ -= spent * spent;
    return distance.has_value();
  }

  [[nodiscard]] std::span<const std::uint32_t> roles(const Iteration& kernels) {
    if (roles_.empty())
      roles_ = stretch_.stream.sequence(SymbolLevel::kRole, stretch_.lo, stretch_.hi);
    return std::span(roles_).subspan(kernels.start - stretch_.lo, kernels.size());
  }

  // Steps with unlike numbers of micro-steps run every kernel so much more often, but for those of
  // the optimizer: where only some steps are marked, a mark may close two of them. A step that
  // begins with passes that only look at a model runs more of what goes forward.
  [[nodiscard]] bool have_same_mix(const Iteration& longer, const Iteration& shorter) const {
    const auto updates = static_cast<double>(updates_in(shorter));
    if (updates > 0 && updates_in(longer) >= kTwoUpdates * updates) return false;
    std::unordered_map<std::uint32_t, std::array<std::uint64_t, 2>> counts;
    for (const std::uint32_t name : names(longer)) ++counts[name][0];
    for (const std::uint32_t name : names(shorter)) ++counts[name][1];
    const double scale = static_cast<double>(longer.size()) / static_cast<double>(shorter.size());
    double common = 0;
    for (const auto& [name, count] : counts) {
      common += std::min(static_cast<double>(count[0]), scale * static_cast<double>(count[1]));
    }
    return common >= kSameMix * static_cast<double>(longer.size());
  }

  [[nodiscard]] std::uint32_t updates_in(const Iteration& kernels) const {
    std::uint32_t updates = 0;
    for (std::uint32_t i = kernels.start; i < kernels.end; ++i)
      updates += stretch_.stream.symbol(i).facts.role == kernels::KernelRole::kOptimizer ? 1 : 0;
    return updates;
  }

  [[nodiscard]] FoundLoop loop_of(std::size_t first, std::size_t last) const {
    FoundLoop loop;
    loop.iterations.assign(segments_.begin() + static_cast<std::ptrdiff_t>(first),
                           segments_.begin() + static_cast<std::ptrdiff_t>(last));
    loop.holds_loop = true;
    loop.border = BorderEvidence::kAnnotation;
    const Iteration model = usual(loop.iterations);
    loop.period = model.size();
    loop.body_start = model.start;
    loop.run_start = model.start;
    loop.run_end = model.end;
    settle_body(stretch_.stream.names, loop);
    return loop;
  }

  // The first of the size that most have; of sizes that as many have, the largest.
  [[nodiscard]] static Iteration usual(const std::vector<Iteration>& iterations) {
    std::map<std::uint32_t, std::uint32_t> sizes;
    for (const Iteration& iteration : iterations) ++sizes[iteration.size()];
    const auto most = std::ranges::max_element(
        sizes, {}, [](const auto& size) { return std::pair(size.second, size.first); });
    return *std::ranges::find(iterations, most->first, &Iteration::size);
  }

  // What lies before the first mark and behind the last may be one more: it is where nothing says
  // that the capture cut it off.
  void add_edges(FoundLoop& loop) {
    if (loop.start() == starts_.front() && loop.start() > stretch_.lo) {
      const Iteration before{stretch_.lo, loop.start()};
      if (mark_.closes && is_whole(loop, before))
        loop.iterations.insert(loop.iterations.begin(), before);
    }
    if (loop.end() == starts_.back() && loop.end() < stretch_.hi) {
      if (const auto last = last_one(loop)) loop.iterations.push_back(*last);
    }
    settle_body(stretch_.stream.names, loop);
  }

  // Where annotations hold what they mark, the last one says where it ends; else what is most like
  // the body. What the host launches behind the last annotation may be of it as well.
  [[nodiscard]] std::optional<Iteration> last_one(const FoundLoop& loop) {
    const std::uint32_t marked = starts_.back() - starts_.front();
    const bool is_told = static_cast<double>(mark_.kernels) >= kAlikeShare * marked &&
                         mark_.last_end > loop.end() && mark_.last_end <= stretch_.hi;
    const Iteration told{loop.end(), mark_.last_end};
    if (is_told && (mark_.is_step || is_whole(loop, told))) return told;
    const Iteration likely{loop.end(), likely_end(loop)};
    const bool ends_in_told = is_told && likely.end <= told.end;
    if (!ends_in_told && is_whole(loop, likely)) return likely;
    if (is_told && is_like_one(loop, told)) return told;
    return is_whole(loop, likely) ? std::optional(likely) : std::nullopt;
  }

  [[nodiscard]] std::uint32_t likely_end(const FoundLoop& loop) const {
    const std::uint32_t edits = most_edits(likeness_, loop.period);
    const std::uint32_t hi = std::min(stretch_.hi, loop.end() + loop.period + edits);
    const auto nearest = algo::nearest_prefix(
        names({loop.body_start, loop.body_start + loop.period}), names({loop.end(), hi}), edits);
    return loop.end() + (nearest ? nearest->length : 1);
  }

  // A marked part that is like the body, or like the iteration before it.
  [[nodiscard]] bool is_like_one(const FoundLoop& loop, const Iteration& part) {
    return are_alike({loop.body_start, loop.body_start + loop.period}, part) ||
           are_alike(loop.iterations.back(), part);
  }

  // At the edge of a capture an iteration is whole where it has both ends of the body. What an
  // optimizer closes may begin with another kernel, for another batch, if nothing is missing.
  [[nodiscard]] bool is_whole(const FoundLoop& loop, const Iteration& part) {
    const Iteration body{loop.body_start, loop.body_start + loop.period};
    const bool has_ends =
        names(part).front() == names(body).front() && names(part).back() == names(body).back();
    const bool is_longer = part.size() > body.size();
    if (mark_.closes) return (has_ends || part.size() >= body.size()) && are_alike(body, part);
    return has_ends && distance_if_alike(likeness_, names(is_longer ? part : body),
                                         names(is_longer ? body : part))
                           .has_value();
  }

  const Stretch& stretch_;
  const MarkClass& mark_;
  Likeness likeness_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> roles_;  // of the stretch, once they are asked for
  std::vector<Iteration> segments_;
  std::size_t inner_ = 0;
  std::uint64_t steps_;
};

}  // namespace

std::vector<FoundLoop> loops_between_marks(const Stretch& stretch, const MarkClass& mark,
                                           const Likeness& likeness) {
  std::vector<FoundLoop> loops = MarkedPasses(stretch, mark, likeness).run();
  std::erase_if(loops, [](const FoundLoop& loop) { return loop.period < kSmallestPass; });
  return loops;
}

}  // namespace lockstep::analysis::cycles
