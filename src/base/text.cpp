// Formatting of numbers, dates and names for people.
#include "base/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"

namespace lockstep {
namespace {

// Insertions, deletions, substitutions and swaps of neighbours; swaps are what fingers do most.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // two rows up
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string human_time(Time duration) {
  const double ns = static_cast<double>(duration.ps) / kPicosecondsPerNanosecond;
  const double magnitude = ns < 0 ? -ns : ns;
  if (magnitude <= 0.5) return "0 ns";
  // The limits are where rounding would carry into the next unit.
  if (magnitude < 999.5) return fmt::format("{:.0f} ns", ns);
  if (magnitude < 999.9995e3) return fmt::format("{:.3f} us", ns / 1e3);
  if (magnitude < 999.9995e6) return fmt::format("{:.3f} ms", ns / 1e6);
  return fmt::format("{:.3f} s", ns / 1e9);
}

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string utc_date(std::int64_t epoch_ns) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(epoch_ns)).count();
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "unknown";
  std::array<char, 64> buffer{};
  const std::size_t n =
      std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {buffer.data(), n};
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t n = utf8_length(text);
    if (n == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      out += text.substr(0, n);
      text.remove_prefix(n);
    }
  }
  return out;
}

std::string beginning_of(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  return std::string(cut_between_characters(valid_utf8(text), bytes)) + "...";
}

}  // namespace lockstep
