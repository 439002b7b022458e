// Counting of diagnostics.
#include "base/diagnostics.h"

#include <algorithm>

#include "base/one_line.h"

namespace lockstep {
namespace {

// From the back: a thousand files of one folder begin with the same words.
bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.rbegin(), a.rend(), b.rbegin());
}

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

std::string Diagnostic::text() const {
  std::string out(kind->help);
  if (!example.empty()) out += " (first: " + example + ")";
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
    auto same = std::ranges::find_if(entries_, [&](const Diagnostic& mine) {
      return mine.kind == entry.kind && is_same(mine.source, origin);
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
