// Buckets and heights.
#include "report/layout/sparkline.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lockstep::report::layout {
namespace {

// From an eighth of a block to a full one.
constexpr std::array<std::string_view, 8> kBars = {"\u2581", "\u2582", "\u2583", "\u2584",
                                                   "\u2585", "\u2586", "\u2587", "\u2588"};

std::string_view bar_for(Time time, Time longest) {
  if (time.ps <= 0) return kBars.front();
  const WideTime eighths = WideTime{time.ps} * static_cast<WideTime>(kBars.size());
  const auto height = static_cast<std::size_t>((eighths + longest.ps - 1) / longest.ps);
  return kBars[height - 1];
}

}  // namespace

std::string sparkline(std::span<const Time> times, std::size_t cells) {
  if (times.empty() || cells == 0) return {};
  const Time longest = *std::ranges::max_element(times);
  const std::size_t bars = std::min(times.size(), cells);
  std::string out;
  for (std::size_t i = 0; i < bars; ++i) {
    const std::size_t from = i * times.size() / bars;
    const std::size_t to = (i + 1) * times.size() / bars;
    out += bar_for(*std::ranges::max_element(times.subspan(from, to - from)), longest);
  }
  return out;
}

}  // namespace lockstep::report::layout
