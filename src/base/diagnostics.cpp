// Counting of diagnostics.
#include "base/diagnostics.h"

#include <algorithm>

#include "base/one_line.h"
#include "base/text.h"

namespace lockstep {
namespace {

// What one source reports is absorbed together, so that it is not looked for behind more entries of
// others: thousands of files would look at each other's.
constexpr std::size_t kLookBack = 1024;

}  // namespace

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kDataLoss:
      return "data_loss";
    case Severity::kError:
      return "error";
  }
  return "info";
}

std::string Diagnostic::example_words() const {
  if (first.unit != Place::Unit::kTime) return example;
  return example + " at " + human_time(Time{static_cast<std::int64_t>(first.at)});
}

std::string Diagnostic::text() const {
  std::string out(kind->help);
  const std::string words = example_words();
  if (!words.empty()) out += " (first: " + words + ")";
  return one_line(out);
}

void Diagnostics::add(const DiagnosticKind& kind, Place place, std::string_view example,
                      std::uint64_t count) {
  if (count == 0) return;
  for (Diagnostic& entry : entries_) {
    if (entry.kind == &kind && entry.source.empty()) {
      entry.count += count;
      return;
    }
  }
  entries_.push_back({&kind, count, place, std::string(example), {}});
}

void Diagnostics::absorb(const Diagnostics& other, std::string_view source) {
  for (const Diagnostic& entry : other.entries_) {
    const std::string_view origin = entry.source.empty() ? source : entry.source;
    const auto first =
        entries_.end() - static_cast<std::ptrdiff_t>(std::min(entries_.size(), kLookBack));
    auto same = std::find_if(first, entries_.end(), [&](const Diagnostic& mine) {
      return mine.kind == entry.kind && mine.source == origin;
    });
    if (same != entries_.end()) {
      same->count += entry.count;
      continue;
    }
    entries_.push_back(entry);
    entries_.back().source = origin;
  }
}

std::uint64_t Diagnostics::count_of(const DiagnosticKind& kind) const {
  std::uint64_t total = 0;
  for (const Diagnostic& entry : entries_) {
    if (entry.kind == &kind) total += entry.count;
  }
  return total;
}

bool Diagnostics::has_loss() const {
  return std::ranges::any_of(
      entries_, [](const Diagnostic& entry) { return entry.kind->severity != Severity::kInfo; });
}

}  // namespace lockstep
