// What Proton writes for scopes inside kernels. A block's scopes lie where the device's timer was
// when the block began, and behind that in cycles: the file divides both by one frequency, which
// for want of the true one is 1000 MHz.
//
// Launches have no number. Proton writes them one after the other, in each the blocks by
// multiprocessor and number, in each block the warps: where that order starts again, the next
// launch begins.
#include "formats/kernel_profile/other_tools/proton_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/kernel_format.h"
#include "formats/kernel_profile/other_tools/proton_place.h"
#include "formats/kernel_profile/profile_builder.h"
#include "formats/shared/repeated_key.h"

namespace lockstep::formats::kernel_profile {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kFrequency = "Frequency (MHz)";
constexpr double kAssumedMegahertz = 1000;  // what Proton says of every device
constexpr double kMegahertzPerGigahertz = 1000;
constexpr double kMaxScopeTicks = 1LL << 52;  // exact in a double; 52 days

std::string_view member_text(dom::element event, std::string_view key) {
  std::string_view value;
  return event[key].get(value) == simdjson::SUCCESS ? value : std::string_view();
}

// One scope of one warp. Texts are of the document.
struct Scope {
  ProtonBlock block;
  std::uint32_t warp = 0;
  std::string_view name;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  std::string launched_by = {};    // the call stack, joined
  std::uint64_t finalization = 0;  // how long the end of the block took: one number a block
  double megahertz = 0;            // 0: not said

  [[nodiscard]] auto place() const { return std::tuple(block.core, block.cta, warp); }
};

// The scope of an event, or what is wrong with it.
class ScopeReader {
 public:
  [[nodiscard]] std::optional<Scope> read(dom::element event) {
    const auto block = proton_block(member_text(event, "pid"));
    const auto warp = proton_warp(member_text(event, "tid"));
    if (!block) return no("its pid names no CTA");
    if (!warp) return no("its tid names no warp");
    Scope scope{.block = *block, .warp = *warp, .name = member_text(event, "name")};
    const auto args = event["args"];
    if (args[kFrequency].get(scope.megahertz) == simdjson::SUCCESS && !(scope.megahertz >= 1)) {
      return no("its frequency is none");
    }
    const double rate = scope.megahertz > 0 ? scope.megahertz : kAssumedMegahertz;
    if (!ticks_of(event, "ts", rate, scope.begin)) return no("its time cannot be read");
    if (!ticks_of(event, "dur", rate, scope.length)) return no("its length cannot be read");
    if (args["Finalization Time (ns)"].get(scope.finalization) != simdjson::SUCCESS)
      scope.finalization = 0;
    dom::array frames;
    if (args["call_stack"].get(frames) == simdjson::SUCCESS) {
      for (const dom::element frame : frames) {
        std::string_view text;
        if (frame.get(text) == simdjson::SUCCESS) scope.launched_by.append(text).push_back('\0');
      }
    }
    return scope;
  }
  [[nodiscard]] std::string_view reason() const { return reason_; }

 private:
  std::nullopt_t no(std::string_view reason) {
    reason_ = reason;
    return std::nullopt;
  }

  // Microseconds of whole ticks: whatever was lost in the division comes back.
  static bool ticks_of(dom::element event, std::string_view key, double megahertz,
                       std::int64_t& ticks) {
    double us = 0;
    if (event[key].get(us) != simdjson::SUCCESS) return false;
    const double exact = us * megahertz;
    if (!(exact >= 0 && exact < kMaxScopeTicks)) return false;
    ticks = std::llround(exact);
    return true;
  }

  std::string_view reason_;
};

// Says where the next launch begins.
class LaunchBorders {
 public:
  [[nodiscard]] bool is_next(const Scope& scope) {
    const bool is_next = !last_ || opens_launch(scope);
    if (is_next) blocks_.clear();
    blocks_.try_emplace(scope.block.cta, scope.block.core, scope.finalization);
    last_ = scope;
    return is_next;
  }

 private:
  // A block runs once a launch, on one multiprocessor, and ends once.
  [[nodiscard]] bool opens_launch(const Scope& scope) const {
    if (scope.block.kernel != last_->block.kernel || scope.launched_by != last_->launched_by ||
        scope.place() < last_->place()) {
      return true;
    }
    const auto known = blocks_.find(scope.block.cta);
    return known != blocks_.end() &&
           known->second != std::pair(scope.block.core, scope.finalization);
  }

  std::optional<Scope> last_;
  std::unordered_map<std::uint64_t, std::pair<std::int32_t, std::uint64_t>> blocks_;
};

class ProtonJsonDecoder {
 public:
  explicit ProtonJsonDecoder(Diagnostics& findings) : findings_(findings) {
    builder_.profile.format = name_of(KernelFormat::kProton);
  }

  Result<trace::KernelProfile> run(dom::array events, const ProfileMeta& meta) {
    std::uint64_t row = 0;
    for (const dom::element event : events) {
      add(event, row);
      ++row;
    }
    if (builder_.lanes().empty()) {
      return input_error({},
                         "is Proton's timeline inside kernels, but none of its scopes can be "
                         "placed: " +
                             first_reason_,
                         "Proton writes a pid \"KERNEL Core0 CTA1\" and a tid \"warp 2 (line 0)\"");
    }
    describe_file(meta);
    for (LaneDraft& draft : builder_.lanes()) {
      std::ranges::stable_sort(draft.records, {}, &trace::KernelRecord::ticks);
    }
    stamp_blocks();
    count_warps();
    return builder_.finish(false, findings_);
  }

 private:
  void add(dom::element event, std::uint64_t row) {
    const std::string_view phase = member_text(event, "ph");
    std::string_view reason = "it repeats a key";
    if (!shared::repeats_a_key(event)) {
      if (phase == "M") return;
      const std::optional<Scope> scope = phase == "X" ? reader_.read(event) : std::nullopt;
      reason = phase == "X" ? reader_.reason() : "it is no scope";
      if (scope && add_scope(*scope)) return;
      if (scope) reason = "the file has more names than can be told apart";
    }
    if (first_reason_.empty()) first_reason_ = reason;
    findings_.add(kBadRecord, Place::row(row),
                  fmt::format("event {} of the list: {}", row, reason));
  }

  bool add_scope(const Scope& scope) {
    const auto number = builder_.event_named(scope.name);
    if (!number) return false;
    if (builder_.lanes().empty()) megahertz_ = scope.megahertz;
    if (borders_.is_next(scope)) {
      trace::KernelLaunch& launch = builder_.profile.launches.emplace_back();
      launch.id = static_cast<std::uint32_t>(builder_.profile.launches.size() - 1);
      launch.kernel = scope.block.kernel;
    }
    const auto launch = static_cast<std::uint32_t>(builder_.profile.launches.size() - 1);
    LaneDraft& draft = builder_.lane(launch, scope.block.cta, scope.warp);
    draft.lane.sm = scope.block.core;
    add_region(draft.records, scope.begin, scope.begin + scope.length, {.event = *number});
    return true;
  }

  void describe_file(const ProfileMeta& meta) {
    builder_.profile.device = meta.device;
    builder_.profile.arch = meta.arch;
    builder_.profile.timer_tick_ns = meta.timer_tick_ns;
    builder_.profile.clock_ghz = meta.clock_ghz;
    if (meta.clock_ghz > 0) return;
    if (megahertz_ == kAssumedMegahertz) {
      findings_.add(kClockRateAssumed, Place::none(), {}, builder_.lanes().size());
    } else {
      builder_.profile.clock_ghz = megahertz_ / kMegahertzPerGigahertz;
    }
  }

  // The first scope of a block lies where the timer was when the block began. Files without a
  // frequency are of older versions, which read no timer: every launch begins at a round number.
  void stamp_blocks() {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::int64_t> begins;
    for (const LaneDraft& draft : builder_.lanes()) {
      const std::int64_t first = draft.records.front().ticks;
      const auto [at, is_new] = begins.try_emplace({draft.lane.launch, draft.lane.block}, first);
      at->second = std::min(at->second, first);
    }
    const bool has_stamps = megahertz_ > 0;
    std::uint64_t bits = 0;
    for (LaneDraft& draft : builder_.lanes()) {
      draft.lane.clock = has_stamps ? trace::LaneClock::kStampedCycles : trace::LaneClock::kCycles;
      draft.lane.stamp_ns = begins.at({draft.lane.launch, draft.lane.block});
      bits |= static_cast<std::uint64_t>(draft.lane.stamp_ns);
    }
    if (has_stamps && builder_.profile.timer_tick_ns == 0) {
      builder_.profile.timer_tick_ns = timer_step_ns(bits, begins.size());
    }
  }

  void count_warps() {
    std::vector<std::uint64_t> lanes(builder_.profile.launches.size());
    for (const LaneDraft& draft : builder_.lanes()) {
      trace::KernelLaunch& launch = builder_.profile.launches[draft.lane.launch];
      launch.groups = std::max(launch.groups, draft.lane.group + 1);
      ++lanes[draft.lane.launch];
    }
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i] == 1)
        findings_.add(kLaunchMayBeSeveral, Place::row(i), fmt::format("launch {}", i));
    }
  }

  Diagnostics& findings_;
  ProfileBuilder builder_;
  ScopeReader reader_;
  LaunchBorders borders_;
  std::string first_reason_;
  double megahertz_ = 0;  // of the first scope
};

}  // namespace

bool is_proton_scope(dom::element event) {
  return proton_warp(member_text(event, "tid")).has_value();
}

Result<trace::KernelProfile> decode_proton_json(dom::array events, const ProfileMeta& meta,
                                                Diagnostics& findings) {
  return ProtonJsonDecoder(findings).run(events, meta);
}

}  // namespace lockstep::formats::kernel_profile
