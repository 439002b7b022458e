// Storage of arguments.
#include "trace/arguments.h"

#include <bit>

namespace lockstep {

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
  if (ranges_.size() <= i) ranges_.resize(i + 1);
  ranges_[i] = {static_cast<std::uint32_t>(arguments.size()), arguments_.size()};
  arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
}

std::span<const Argument> ArgumentTable::of(EventId event) const {
  const std::size_t i = index_of(event);
  if (i >= ranges_.size()) return {};
  return std::span(arguments_).subspan(ranges_[i].first, ranges_[i].count);
}

}  // namespace lockstep
