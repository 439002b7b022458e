// Storage of arguments.
#include "trace/arguments.h"

#include <algorithm>
#include <bit>

namespace lockstep::trace {

Argument Argument::integer(StringId key, std::int64_t value) {
  return {key, Type::kInteger, static_cast<std::uint64_t>(value)};
}
Argument Argument::real(StringId key, double value) {
  return {key, Type::kReal, std::bit_cast<std::uint64_t>(value)};
}
Argument Argument::boolean(StringId key, bool value) {
  return {key, Type::kBoolean, value ? 1U : 0U};
}
Argument Argument::string(StringId key, StringId value) {
  return {key, Type::kString, static_cast<std::uint64_t>(value)};
}
Argument Argument::json(StringId key, StringId text) {
  return {key, Type::kJson, static_cast<std::uint64_t>(text)};
}

double Argument::as_real() const { return std::bit_cast<double>(bits); }

void ArgumentTable::set(EventId event, std::span<const Argument> arguments) {
  if (arguments.empty()) return;
  const std::size_t i = index_of(event);
  while (ranges_.size() <= i) ranges_.push_back({0, 0});
  const std::span<const Argument> kept = arguments.first(std::min(arguments.size(), kMaxCount));
  ranges_[i].first = arguments_.size() & kMaxFirst;
  ranges_[i].count = kept.size() & kMaxCount;
  for (const Argument& argument : kept) arguments_.push_back(argument);
}

std::span<const Argument> ArgumentTable::of(EventId event) const {
  const std::size_t i = index_of(event);
  if (i >= ranges_.size()) return {};
  return {arguments_.data() + ranges_[i].first, ranges_[i].count};
}

}  // namespace lockstep::trace
