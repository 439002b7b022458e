// Families by layers and matrix work; classes of a family by the names of their kernels.
#include "analysis/cycles/phases/pass_families.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "algo/sequences/edit_distance.h"
#include "analysis/cycles/nest/likeness.h"
#include "analysis/cycles/stream/layer_count.h"

namespace lockstep::analysis::cycles {
namespace {

// Passes of one model differ by at most this share of their matrix kernels: splits of one product.
constexpr double kSameModel = 0.3;
// Passes whose names differ in more than this share are of two classes.
constexpr double kSameClass = 0.25;
// To compare names takes time: of so many classes in a family, no more are told apart.
constexpr std::size_t kMostClasses = 16;
// A pass of the same layers that takes so many times as long reads more words at once.
constexpr double kLongerPrefill = 1.5;
// Decode passes come in numbers.
constexpr std::size_t kManyPasses = 4;

// What tells one unit from another.
struct Look {
  std::vector<std::uint32_t> names;
  AttentionLook attention;
  WideTime attention_time = 0;
};

// Units that are alike.
struct UnitClass {
  Look look;  // of the first
  std::vector<PassUnit*> units;
  std::size_t passes = 0;
  // The same kernels may split keys or not, which their helpers tell: whether any of the units do.
  bool reads_few_words = false;
  bool is_split = false;

  [[nodiscard]] const PassUnit& first() const { return *units.front(); }
};

struct Family {
  std::uint32_t layers = 0;
  std::uint32_t gemms = 0;
  std::vector<UnitClass> classes;
};

class FamilyFinder {
 public:
  explicit FamilyFinder(FamilyInput input) : input_(std::move(input)) {}

  [[nodiscard]] std::vector<PassFamily> run() {
    std::ranges::stable_sort(input_.units, {},
                             [](const PassUnit& unit) { return unit.passes.front().start; });
    for (PassUnit& unit : input_.units) place(unit);
    std::vector<PassFamily> found;
    for (Family& family : families_) {
      judge(family);
      found.push_back(told(family));
    }
    return found;
  }

 private:
  // Matrix kernels: libraries choose them by the number of words. All, where there are none.
  [[nodiscard]] std::vector<std::uint32_t> names(Iteration body) const {
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> matrix_work;
    for (std::uint32_t i = body.start; i < body.end; ++i) {
      all.push_back(input_.stream.names[i]);
      if (is_matrix_work(input_.stream.symbol(i).facts.role)) matrix_work.push_back(all.back());
    }
    return matrix_work.empty() ? all : matrix_work;
  }

  void place(PassUnit& unit) {
    const std::uint32_t gemms = input_.work.count(unit.body).gemms;
    const auto is_one = [&](const Family& family) {
      const double most = std::max(family.gemms, gemms);
      const double least = std::min(family.gemms, gemms);
      return family.layers == unit.layers && most - least <= kSameModel * most;
    };
    auto family = std::ranges::find_if(families_, is_one);
    if (family == families_.end())
      family = families_.insert(families_.end(), {unit.layers, gemms, {}});
    Look look{names(unit.body), input_.looks.of(unit.body), attention_time(unit)};
    const auto is_like = [&](const UnitClass& one) { return are_alike(one.look, look); };
    auto one = std::ranges::find_if(family->classes, is_like);
    if (one == family->classes.end() && family->classes.size() == kMostClasses)
      one = family->classes.end() - 1;
    if (one == family->classes.end()) one = family->classes.insert(one, {std::move(look), {}, 0});
    add_to(*one, unit);
  }

  void add_to(UnitClass& one, PassUnit& unit) const {
    const bool reads_few = reads_few_words(input_.looks.of(unit.body), unit.layers);
    const bool is_split = input_.work.count(unit.body).split_attention > 0;
    one.reads_few_words = one.reads_few_words || reads_few;
    one.is_split = one.is_split || (reads_few && is_split);
    one.units.push_back(&unit);
    one.passes += unit.passes.size();
  }

  // By names, of attention too, and by how long attention takes: prefill and decode may differ in
  // one of these only.
  [[nodiscard]] static bool are_alike(const Look& a, const Look& b) {
    if (is_much_longer(a.attention_time, b.attention_time)) return false;
    if (is_much_longer(b.attention_time, a.attention_time)) return false;
    return have_like_attention(a.attention, b.attention) && have_like_names(a, b);
  }

  [[nodiscard]] static bool have_like_names(const Look& a, const Look& b) {
    if (a.names == b.names) return true;
    const std::size_t longer = std::max(a.names.size(), b.names.size());
    const auto limit =
        std::min(kMostEdits, static_cast<std::uint32_t>(kSameClass * static_cast<double>(longer)));
    return algo::bounded_edit_distance(a.names, b.names, limit).has_value();
  }

  // Attention over a prompt takes at least this many times as long as over one word.
  static bool is_much_longer(WideTime longer, WideTime shorter) {
    return shorter > 0 && longer / 4 >= shorter;
  }

  // What is known of a class is known of all its units; then the classes tell each other.
  void judge(Family& family) const {
    for (UnitClass& one : family.classes) spread(one);
    if (input_.work.trains()) return;
    judge_by_split(family);
    UnitClass* const decode = decode_class(family);
    if (decode == nullptr) return;
    for (UnitClass& one : family.classes) {
      if (&one != decode && is_known_or(one, PhaseName::kPrefill)) compare(*decode, one);
    }
  }

  // Attention is split over keys where words are few: decode passes do that, and so do short
  // prompts. So it tells where other passes do not, or where there are no others.
  void judge_by_split(Family& family) const {
    std::size_t split = 0;
    std::size_t whole = 0;
    for (const UnitClass& one : family.classes) {
      if (!reads_both(one)) (one.is_split ? split : whole) += one.passes;
    }
    const bool comes_in_numbers = split >= kManyPasses && split >= 2 * whole;
    if (!comes_in_numbers || (whole == 0 && family.classes.size() > 1)) return;
    // Of several such classes the others may be short prompts.
    UnitClass* best = nullptr;
    for (UnitClass& one : family.classes) {
      if (one.is_split && (best == nullptr || one.passes > best->passes)) best = &one;
    }
    const bool samples = input_.work.count(best->first().body).samplings > 0;
    if (best->passes < kManyPasses || !is_known_or(*best, PhaseName::kDecode) || !samples) return;
    accept(*best, PhaseName::kDecode,
           {.strength = whole > 0 ? Strength::kProbable : Strength::kPossible,
            .ground = PhaseGround::kSplitAttention});
  }

  // Every layer attends over few words, and again over those of prompts: both are in one pass.
  [[nodiscard]] static bool reads_both(const AttentionLook& look, std::uint32_t layers) {
    return look.reads_both() && 2 * look.attention() >= 3 * layers;
  }
  [[nodiscard]] static bool reads_both(const UnitClass& one) {
    return reads_both(one.look.attention, one.first().layers);
  }

  // Attention of some layers may look at a window, and need no split.
  [[nodiscard]] static bool reads_few_words(const AttentionLook& look, std::uint32_t layers) {
    return (look.reads_few_words() || look.reads_both()) && !reads_both(look, layers);
  }

  [[nodiscard]] static bool is_known_or(const UnitClass& one, PhaseName phase) {
    const PhaseName own = one.first().span->phase;
    return own == PhaseName::kUnknown || own == phase;
  }

  // By attention first, then by all kernels of a pass.
  void compare(UnitClass& decode, UnitClass& other) const {
    const std::uint32_t few = input_.work.count(decode.first().body).forward_attention;
    const std::uint32_t many = input_.work.count(other.first().body).forward_attention;
    // Words of prompts and next words of answers in one pass, each with attention of its own.
    if (few > 0 && 2 * many >= 3 * few) {
      if (decode.first().span->phase == PhaseName::kDecode)
        accept(other, PhaseName::kMixed,
               {.ground = PhaseGround::kMoreAttention, .count = many, .of = few});
      return;
    }
    const WideTime short_attention = decode.look.attention_time;
    const WideTime long_attention = other.look.attention_time;
    const bool is_known = decode.first().span->phase == PhaseName::kDecode;
    if (is_much_longer(long_attention, short_attention)) {
      // Inputs of two lengths look the same where nothing says that one of them decodes.
      if (!is_known && !stands_before(other, decode)) return;
      const Strength strength = is_known ? Strength::kProbable : Strength::kPossible;
      accept(other, PhaseName::kPrefill,
             timed(strength, PhaseGround::kLongAttention, long_attention, short_attention));
      accept(decode, PhaseName::kDecode,
             timed(strength, PhaseGround::kShortAttention, short_attention, long_attention));
      return;
    }
    if (decode.reads_few_words && other.reads_few_words) return;
    const WideTime short_time = kernel_time(decode.first());
    const WideTime long_time = kernel_time(other.first());
    const bool is_other_attention = decode.reads_few_words && !other.reads_few_words;
    if (!is_other_attention && have_like_names(decode.look, other.look)) return;
    if (long_time <= short_time) {
      if (is_known && is_other_attention)
        accept(other, PhaseName::kPrefill, {.ground = PhaseGround::kOtherKernels});
      return;
    }
    if (!is_known && !stands_before(other, decode)) return;
    const bool is_clear =
        static_cast<double>(long_time) >= kLongerPrefill * static_cast<double>(short_time);
    const Strength strength = is_known && is_clear ? Strength::kProbable : Strength::kPossible;
    accept(other, PhaseName::kPrefill,
           timed(strength, PhaseGround::kLongerPass, long_time, short_time));
    accept(decode, PhaseName::kDecode,
           timed(strength, PhaseGround::kShorterPass, short_time, long_time));
  }

  // Prompts come before answers, and an answer has more words than its prompt has parts.
  [[nodiscard]] static bool stands_before(const UnitClass& one, const UnitClass& other) {
    return 2 * one.passes <= other.passes &&
           one.first().passes.front().start < other.first().passes.front().start;
  }

  // Passes that attend to earlier words keep their keys and values, in most layers; an encoder that
  // tells the class of a text looks words up and takes the largest of its outputs as well.
  [[nodiscard]] static bool remembers(const UnitClass& one, const WorkCount& work) {
    const AttentionLook& look = one.look.attention;
    const bool has_states_only =
        look.mixers == look.kernels && work.forward_attention == look.kernels;
    return has_states_only || one.reads_few_words || 2 * work.keeps >= one.first().layers;
  }

  // The class that decodes, or may: known ones first, else many passes that each look a word up and
  // sample the next.
  [[nodiscard]] UnitClass* decode_class(Family& family) const {
    UnitClass* best = nullptr;
    for (UnitClass& one : family.classes) {
      const PhaseName phase = one.first().span->phase;
      if (phase == PhaseName::kDecode) return &one;
      const WorkCount work = input_.work.count(one.first().body);
      const bool may_be = phase == PhaseName::kUnknown && one.passes >= kManyPasses &&
                          !reads_both(one) && work.samplings > 0 &&
                          (work.lookups > 0 || one.is_split) && remembers(one, work);
      if (may_be && (best == nullptr || one.passes > best->passes)) best = &one;
    }
    return best;
  }

  [[nodiscard]] WideTime kernel_time(const PassUnit& unit) const {
    WideTime sum = 0;
    for (std::uint32_t i = unit.body.start; i < unit.body.end; ++i)
      sum += input_.stream.duration(i).ps;
    return sum;
  }

  // The median of the pass: the first layer may wait for what others need not.
  [[nodiscard]] WideTime attention_time(const PassUnit& unit) const {
    std::vector<Time> times;
    for (std::uint32_t i = unit.body.start; i < unit.body.end; ++i) {
      if (input_.work.is_forward_attention(i)) times.push_back(input_.stream.duration(i));
    }
    if (times.empty()) return 0;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return middle->ps;
  }

  [[nodiscard]] static Evidence timed(Strength strength, PhaseGround ground, WideTime time,
                                      WideTime other) {
    return {.strength = strength,
            .ground = ground,
            .time = Time{static_cast<std::int64_t>(time)},
            .other_time = Time{static_cast<std::int64_t>(other)}};
  }

  static void spread(UnitClass& one) {
    const PhaseSpan* known = nullptr;
    for (const PassUnit* unit : one.units) {
      if (unit->span->phase == PhaseName::kUnknown) continue;
      if (known != nullptr && known->phase != unit->span->phase) return;
      if (known == nullptr) known = unit->span;
    }
    if (known == nullptr) return;
    for (PassUnit* unit : one.units) {
      if (unit->span->phase != PhaseName::kUnknown) continue;
      unit->span->phase = known->phase;
      unit->span->evidence = known->evidence;
    }
  }

  static void accept(UnitClass& one, PhaseName phase, const Evidence& evidence) {
    for (PassUnit* unit : one.units) {
      if (unit->span->phase == PhaseName::kUnknown) unit->span->phase = phase;
      if (unit->span->phase == phase) unit->span->evidence.push_back(evidence);
    }
  }

  // By phase: prefills of different lengths use different kernels.
  [[nodiscard]] static PassFamily told(const Family& family) {
    PassFamily out;
    out.layers = family.layers;
    for (const UnitClass& one : family.classes) {
      for (const PassUnit* unit : one.units) {
        PassClass& to = class_of(out, unit->span->phase);
        if (to.evidence.empty()) to.evidence = unit->span->evidence;
        to.passes.insert(to.passes.end(), unit->passes.begin(), unit->passes.end());
      }
    }
    for (PassClass& one : out.classes) std::ranges::sort(one.passes, {}, &Iteration::start);
    std::ranges::stable_sort(out.classes, {},
                             [](const PassClass& one) { return one.passes.front().start; });
    return out;
  }

  static PassClass& class_of(PassFamily& family, PhaseName phase) {
    const auto known = std::ranges::find(family.classes, phase, &PassClass::phase);
    if (known != family.classes.end()) return *known;
    family.classes.push_back({phase, {}, {}});
    return family.classes.back();
  }

  FamilyInput input_;
  std::vector<Family> families_;
};

}  // namespace

std::vector<PassFamily> find_families(FamilyInput input) {
  return FamilyFinder(std::move(input)).run();
}

}  // namespace lockstep::analysis::cycles
