// Common values and sums over inputs, and a line for each.
#include "report/layout/input_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::report::layout {
namespace {

constexpr std::size_t kMaxInputs = 8;

template <typename Word>
std::string common_word(std::span<const formats::input::InputFacts> inputs, Word word) {
  std::string common;
  for (const formats::input::InputFacts& input : inputs) {
    const std::string one(word(input));
    if (!common.empty() && common != one) return "mixed";
    common = one;
  }
  return common;
}

}  // namespace

std::string shown_input(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string common_format(std::span<const formats::input::InputFacts> inputs) {
  return common_word(inputs, [](const formats::input::InputFacts& input) { return input.format; });
}

std::string common_compression(std::span<const formats::input::InputFacts> inputs) {
  return common_word(
      inputs, [](const formats::input::InputFacts& input) { return name_of(input.compression); });
}

std::uint64_t total_size(std::span<const formats::input::InputFacts> inputs) {
  std::uint64_t bytes = 0;
  for (const formats::input::InputFacts& input : inputs) bytes += input.size_bytes;
  return bytes;
}

std::uint64_t total_inflated(std::span<const formats::input::InputFacts> inputs) {
  std::uint64_t bytes = 0;
  for (const formats::input::InputFacts& input : inputs) bytes += input.inflated_bytes;
  return bytes;
}

void add_inputs(std::span<const formats::input::InputFacts> inputs, Page& page,
                std::string_view mark) {
  std::vector<PageItem> items;
  const std::size_t shown = std::min(inputs.size(), kMaxInputs);
  for (const formats::input::InputFacts& input : inputs.first(shown)) {
    std::string facts = fmt::format("{}, {}", input.format, human_bytes(input.size_bytes));
    if (input.compression != io::Compression::kNone) {
      facts = fmt::format("{}, {}, {} -> {}", input.format, name_of(input.compression),
                          human_bytes(input.size_bytes), human_bytes(input.inflated_bytes));
    }
    items.push_back({items.empty() ? std::string(mark) : "", shown_input(input.path), {facts}});
  }
  const std::size_t hidden = inputs.size() - shown;
  page.title(std::move(items), hidden == 0 ? "" : "and " + counted(hidden, "more input"));
}

}  // namespace lockstep::report::layout
