// Common values and sums over inputs.
#include "report/input_words.h"

namespace lockstep {
namespace {

template <typename Word>
std::string common_word(std::span<const InputFacts> inputs, Word word) {
  std::string common;
  for (const InputFacts& input : inputs) {
    const std::string one(word(input));
    if (!common.empty() && common != one) return "mixed";
    common = one;
  }
  return common;
}

}  // namespace

std::string shown_input(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string common_format(std::span<const InputFacts> inputs) {
  return common_word(inputs, [](const InputFacts& input) { return input.format; });
}

std::string common_compression(std::span<const InputFacts> inputs) {
  return common_word(inputs, [](const InputFacts& input) { return name_of(input.compression); });
}

std::uint64_t total_size(std::span<const InputFacts> inputs) {
  std::uint64_t bytes = 0;
  for (const InputFacts& input : inputs) bytes += input.size_bytes;
  return bytes;
}

std::uint64_t total_inflated(std::span<const InputFacts> inputs) {
  std::uint64_t bytes = 0;
  for (const InputFacts& input : inputs) bytes += input.inflated_bytes;
  return bytes;
}

}  // namespace lockstep
