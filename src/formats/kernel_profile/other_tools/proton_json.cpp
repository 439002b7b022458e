// What Proton writes for scopes inside kernels. A block's scopes lie where the device's timer was
// when the block began, and behind that in cycles: the file divides both by one frequency, which
// for want of the true one is 1000 MHz.
#include "formats/kernel_profile/other_tools/proton_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/kernel_format.h"
#include "formats/kernel_profile/other_tools/kernel_json.h"
#include "formats/kernel_profile/other_tools/proton_launches.h"
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

// The scope of an event, or what is wrong with it.
class ScopeReader {
 public:
  [[nodiscard]] std::optional<ProtonScope> read(dom::element event) {
    const auto block = proton_block(member_text(event, "pid"));
    const auto warp = proton_warp(member_text(event, "tid"));
    if (!block) return no("its pid names no CTA");
    if (!warp) return no("its tid names no warp");
    ProtonScope scope{.block = *block,
                      .warp = warp->warp,
                      .line = warp->line,
                      .name = member_text(event, "name")};
    const auto args = event["args"];
    if (args[kFrequency].get(scope.megahertz) == simdjson::SUCCESS && !(scope.megahertz >= 1)) {
      return no("its frequency is none");
    }
    const double rate = scope.megahertz > 0 ? scope.megahertz : kAssumedMegahertz;
    if (!ticks_of(event, "ts", rate, scope.begin)) return no("its time cannot be read");
    if (!ticks_of(event, "dur", rate, scope.length)) return no("its length cannot be read");
    if (args["Finalization Time (ns)"].get(scope.finalization) != simdjson::SUCCESS)
      scope.finalization = 0;
    scope.stack = stack_of(args["call_stack"]);
    return scope;
  }
  [[nodiscard]] std::string_view reason() const { return reason_; }

 private:
  std::nullopt_t no(std::string_view reason) {
    reason_ = reason;
    return std::nullopt;
  }

  // The number of the call stack, in the order in which they come.
  std::uint32_t stack_of(const simdjson::simdjson_result<dom::element>& value) {
    std::string joined;
    dom::array frames;
    if (value.get(frames) == simdjson::SUCCESS) {
      for (const dom::element frame : frames) {
        std::string_view text;
        if (frame.get(text) == simdjson::SUCCESS) joined.append(text).push_back('\0');
      }
    }
    return stacks_.try_emplace(std::move(joined), static_cast<std::uint32_t>(stacks_.size()))
        .first->second;
  }

  // Microseconds of whole ticks: whatever was lost in the division comes back.
  static bool ticks_of(dom::element event, std::string_view key, double megahertz,
                       std::int64_t& ticks) {
    const double exact = kernel_json::decimal(event, key).value_or(-1) * megahertz;
    if (!(exact >= 0 && exact < kMaxScopeTicks)) return false;
    ticks = std::llround(exact);
    return true;
  }

  std::string_view reason_;
  std::unordered_map<std::string, std::uint32_t> stacks_;
};

class ProtonJsonDecoder {
 public:
  explicit ProtonJsonDecoder(Diagnostics& findings) : findings_(findings) {
    builder_.profile.format = name_of(KernelFormat::kProton);
  }

  Result<trace::KernelProfile> run(dom::array events, const ProfileMeta& meta) {
    std::uint64_t row = 0;
    for (const dom::element event : events) {
      read(event, row);
      ++row;
    }
    add_scopes();
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
  void read(dom::element event, std::uint64_t row) {
    const std::string_view phase = member_text(event, "ph");
    if (shared::repeats_a_key(event)) return refuse(row, "it repeats a key");
    if (phase == "M") return;
    if (phase != "X") return refuse(row, "it is no scope");
    std::optional<ProtonScope> scope = reader_.read(event);
    if (!scope) return refuse(row, reader_.reason());
    scope->row = row;
    scopes_.push_back(*scope);
  }

  void refuse(std::uint64_t row, std::string_view reason) {
    if (first_reason_.empty()) first_reason_ = reason;
    findings_.add(kBadRecord, Place::row(row),
                  fmt::format("event {} of the list: {}", row, reason));
  }

  // In the order of Proton, whatever that of the file is, so that events get the same numbers.
  void add_scopes() {
    const ProtonLaunches launches = tell_launches(scopes_);
    if (!launches.is_told) findings_.add(kLaunchesNotTold);
    std::vector<std::size_t> order(scopes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!launches.is_in_order) {
      std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        return std::tuple(launches.of_scope[i], scopes_[i].place(), scopes_[i].begin,
                          -scopes_[i].length);
      });
    }
    for (const std::size_t i : order) add_scope(scopes_[i], launches.of_scope[i]);
    if (findings_.count_of(kTruncatedProfile) > 0 && !scopes_.empty()) {
      cut_block_ = {launches.of_scope.back(), scopes_.back().block.cta};
    }
  }

  void add_scope(const ProtonScope& scope, std::uint32_t launch) {
    const auto number = builder_.event_named(scope.name);
    if (!number) return refuse(scope.row, "the file has more names than can be told apart");
    if (builder_.lanes().empty()) megahertz_ = scope.megahertz;
    auto& launches = builder_.profile.launches;
    while (launches.size() <= launch) {
      const auto next = static_cast<std::uint32_t>(launches.size());
      launches.emplace_back().id = next;
    }
    launches[launch].kernel = scope.block.kernel;
    LaneDraft& draft = builder_.lane(launch, scope.block.cta, scope.warp);
    draft.lane.sm = scope.block.core;
    add_region(draft.records, scope.begin, scope.begin + scope.length, {.event = *number});
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
    std::map<BlockOfLaunch, std::int64_t> begins;
    for (const LaneDraft& draft : builder_.lanes()) {
      const std::int64_t first = draft.records.front().ticks;
      const auto [at, is_new] = begins.try_emplace({draft.lane.launch, draft.lane.block}, first);
      at->second = std::min(at->second, first);
    }
    const bool has_stamps = megahertz_ > 0;
    for (LaneDraft& draft : builder_.lanes()) {
      draft.lane.clock = has_stamps ? trace::LaneClock::kStampedCycles : trace::LaneClock::kCycles;
      draft.lane.stamp_ns = begins.at({draft.lane.launch, draft.lane.block});
    }
    // The warp that began first may be behind the cut: what is first then is no time of the timer.
    if (cut_block_) begins.erase(*cut_block_);
    std::uint64_t bits = 0;
    for (const auto& [block, begin] : begins) bits |= static_cast<std::uint64_t>(begin);
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

  using BlockOfLaunch = std::pair<std::uint32_t, std::uint64_t>;

  Diagnostics& findings_;
  ProfileBuilder builder_;
  ScopeReader reader_;
  std::optional<BlockOfLaunch> cut_block_;  // the last of a file that ends too early
  std::vector<ProtonScope> scopes_;
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
