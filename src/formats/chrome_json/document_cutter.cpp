// The state machine of a trace document: root members, event array, recovery.
#include "formats/chrome_json/document_cutter.h"

#include <algorithm>
#include <cstring>

#include "formats/chrome_json/careful_scan.h"
#include "formats/chrome_json/defects.h"

namespace lockstep::chrome_json {
namespace {

using Verdict = CarefulResult::Verdict;

constexpr std::size_t kMarkCapacity = 4096;
// An event that is still open after this many bytes is looked at with the careful scan; the limit
// doubles while it turns out to be whole so far, so that the looking stays linear.
constexpr std::size_t kFirstUnclosedLimit = 64 * 1024;
// No event and no kept root value is larger than this; beyond it, it is damage.
constexpr std::size_t kMaxValueBytes = 16 * 1024 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Status DocumentCutter::run() {
  marks_.resize(kMarkCapacity);
  while (state_ != State::kDone) {
    switch (state_) {
      case State::kStart:
        LOCKSTEP_RETURN_IF_ERROR(start());
        break;
      case State::kRoot:
        LOCKSTEP_RETURN_IF_ERROR(root_member());
        break;
      case State::kEvents:
        LOCKSTEP_RETURN_IF_ERROR(events());
        break;
      case State::kLost:
        LOCKSTEP_RETURN_IF_ERROR(find_next_event());
        break;
      case State::kDone:
        break;
    }
  }
  return finish();
}

Result<bool> DocumentCutter::next_token() {
  for (;;) {
    consume(skip_space(window_.text(), 0));
    if (window_.size() > 0) return true;
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) return false;
  }
}

void DocumentCutter::consume(std::size_t count) {
  window_.consume(count);
  scan_at_ -= std::min(scan_at_, count);
  last_end_ -= std::min(last_end_, count);
  open_at_ -= std::min(open_at_, count);
}

Status DocumentCutter::start() {
  LOCKSTEP_ASSIGN_OR_RETURN(bool more, window_.fill());
  while (more && window_.size() < kByteOrderMark.size()) {
    LOCKSTEP_ASSIGN_OR_RETURN(more, window_.fill());
  }
  if (window_.text().starts_with(kByteOrderMark)) consume(kByteOrderMark.size());
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  if (!any) {
    well_formed_ = false;
    state_ = State::kDone;
  } else if (window_.text()[0] == '{') {
    consume(1);
    state_ = State::kRoot;
  } else if (window_.text()[0] == '[') {
    root_is_list_ = true;
    begin_events(1);
  } else {
    lose_way(0, kDamagedStructure);
  }
  return {};
}

// One step at the level of the root object: a comma, a member, or its end.
Status DocumentCutter::root_member() {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  if (!any) {
    diagnostics_.add(kTruncatedJson, Place::byte(window_.offset()));
    well_formed_ = false;
    state_ = State::kDone;
    return {};
  }
  const char c = window_.text()[0];
  if (c == ',' && !root_is_list_) {
    consume(1);
    return {};
  }
  if (c == '}' && !root_is_list_) {
    consume(1);
    state_ = State::kDone;
    return {};
  }
  CarefulResult key = check_value(window_.text(), 0);
  while (c == '"' && key.verdict == Verdict::kIncomplete && window_.size() < kMaxValueBytes) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) break;
    key = check_value(window_.text(), 0);
  }
  if (c != '"' || key.verdict != Verdict::kWhole || root_is_list_) {
    lose_way(0, kDamagedStructure);
    return {};
  }
  const std::string name(window_.text().substr(1, key.end - 2));
  consume(key.end);
  LOCKSTEP_ASSIGN_OR_RETURN(const bool colon, next_token());
  if (!colon) return {};  // the next step says that the document is cut off
  if (window_.text()[0] != ':') {
    lose_way(0, kDamagedStructure);
    return {};
  }
  consume(1);
  return root_value(name);
}

Status DocumentCutter::root_value(std::string_view key) {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  if (!any) return {};
  LOCKSTEP_ASSIGN_OR_RETURN(const bool has_events, is_event_array(0, key));
  if (has_events) {
    if (key != "traceEvents") diagnostics_.add(kUnnamedEventArray, Place::byte(window_.offset()));
    if (found_event_array_) diagnostics_.add(kRepeatedEventArray, Place::byte(window_.offset()));
    begin_events(1);
    return {};
  }
  CarefulResult value = check_value(window_.text(), 0);
  while (value.verdict == Verdict::kIncomplete && window_.size() < kMaxValueBytes) {
    const std::size_t before = window_.size();
    bool more = true;
    while (more && window_.size() < 2 * before) {
      LOCKSTEP_ASSIGN_OR_RETURN(more, window_.fill());
    }
    value = check_value(window_.text(), 0);
    if (!more) break;
  }
  if (value.verdict == Verdict::kWhole) {
    visitor_.on_root_value(key, window_.text().substr(0, value.end));
    consume(value.end);
    return {};
  }
  if (value.verdict == Verdict::kBroken) {
    lose_way(0, kDamagedStructure);
    return {};
  }
  return skip_root_value();
}

// An event array goes by its name, or by an event as its first element.
Result<bool> DocumentCutter::is_event_array(std::size_t bracket, std::string_view key) {
  if (window_.text()[bracket] != '[') return false;
  if (key == "traceEvents") return true;
  for (;;) {
    const std::string_view text = window_.text();
    const std::size_t first = skip_space(text, bracket + 1);
    if (first < text.size()) {
      if (text[first] != '{') return false;
      const CarefulResult element = check_value(text, first);
      if (element.verdict == Verdict::kWhole) return element.has_phase;
      if (element.verdict == Verdict::kBroken || window_.size() >= kMaxValueBytes) return false;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) return false;
  }
}

// A value that is cut off or too large to keep: passed over with the fast scan.
Status DocumentCutter::skip_root_value() {
  if (!window_.ended()) diagnostics_.add(kOversizedValue, Place::byte(window_.offset()));
  ScanState scan;
  std::size_t at = 0;
  for (;;) {
    while (at < window_.size()) {
      const ScanResult r =
          scan_elements(window_.data(), at, window_.size(), scan, marks_.data(), marks_.size());
      at += r.scanned;
      if (r.marks == 0) continue;
      // The value is one bracketed element: its end is the first closing mark.
      const auto closing =
          std::find_if(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(r.marks),
                       [](const Mark& m) { return m.kind != Mark::Kind::kOpen; });
      if (closing != marks_.begin() + static_cast<std::ptrdiff_t>(r.marks)) {
        consume(closing->position + 1);
        return {};
      }
    }
    consume(at);
    at = 0;
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) return {};  // the next step says that the document is cut off
  }
}

void DocumentCutter::begin_events(std::size_t at) {
  found_event_array_ = true;
  resume_events(at);
}

void DocumentCutter::resume_events(std::size_t at) {
  consume(at);
  state_ = State::kEvents;
  scan_ = {};
  scan_at_ = last_end_ = open_at_ = 0;
  open_ = false;
  unclosed_limit_ = kFirstUnclosedLimit;
  cuts_.clear();
}

Status DocumentCutter::events() {
  while (scan_at_ < window_.size()) {
    const ScanResult r = scan_elements(window_.data(), scan_at_, window_.size(), scan_,
                                       marks_.data(), marks_.size());
    scan_at_ += r.scanned;
    if (!take_marks(r.marks)) return {};
  }
  if (!flush()) return {};
  if (!open_) {
    if (!gap_is_clean(last_end_, window_.size())) {
      lose_way(last_end_, kDamagedStructure);
      return {};
    }
    last_end_ = window_.size();
  } else if (window_.size() - open_at_ > unclosed_limit_) {
    look_at_unclosed_event();
    if (state_ != State::kEvents) return {};
  }
  consume(open_ ? open_at_ : last_end_);
  LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
  if (!more) end_of_stream_in_events();
  return {};
}

// Turns marks into cuts; false when the state changed and the rest of the marks is void.
bool DocumentCutter::take_marks(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Mark mark = marks_[i];
    if (mark.kind == Mark::Kind::kClose) {
      cuts_.push_back({static_cast<std::uint32_t>(open_at_), mark.position + 1});
      last_end_ = mark.position + 1;
      open_ = false;
      unclosed_limit_ = kFirstUnclosedLimit;
      continue;
    }
    if (!gap_is_clean(last_end_, mark.position)) {
      if (flush()) lose_way(last_end_, kDamagedStructure);
      return false;
    }
    if (mark.kind == Mark::Kind::kOutside) return take_array_end(mark.position);
    open_at_ = mark.position;
    open_ = true;
  }
  return true;
}

bool DocumentCutter::take_array_end(std::size_t position) {
  if (!flush()) return false;
  const bool list_ends = window_.text()[position] == ']';
  consume(position + 1);
  scan_at_ = last_end_ = 0;
  if (list_ends) {
    state_ = root_is_list_ ? State::kDone : State::kRoot;
    return false;
  }
  // A closing brace too many; the events go on behind it.
  diagnostics_.add(kDamagedStructure, Place::byte(window_.offset() - 1));
  well_formed_ = false;
  scan_ = {};
  return false;
}

// Hands the cuts over; false when one was bad and the way behind it must be found.
bool DocumentCutter::flush() {
  if (cuts_.empty()) return true;
  const std::size_t taken = visitor_.on_events(window_, cuts_);
  if (taken == cuts_.size()) {
    cuts_.clear();
    return true;
  }
  const EventCut bad = cuts_[taken];
  diagnostics_.add(kDamagedEvent, Place::byte(window_.offset() + bad.begin));
  well_formed_ = false;
  const CarefulResult element = check_value(window_.text(), bad.begin);
  if (element.verdict == Verdict::kWhole && element.end == bad.end) {
    resume_events(bad.end);  // well cut but unreadable
  } else {
    consume(bad.begin + 1);
    state_ = State::kLost;
  }
  cuts_.clear();
  return false;
}

bool DocumentCutter::gap_is_clean(std::size_t begin, std::size_t end) const {
  const std::string_view gap = window_.text().substr(begin, end - begin);
  return std::ranges::all_of(gap, [](char c) { return c == ',' || is_json_space(c); });
}

void DocumentCutter::look_at_unclosed_event() {
  const CarefulResult element = check_value(window_.text(), open_at_);
  const bool too_large = window_.size() - open_at_ > kMaxValueBytes;
  if (element.verdict == Verdict::kIncomplete && !too_large) {
    unclosed_limit_ *= 2;
    return;
  }
  lose_way(open_at_ + 1, kDamagedEvent);
}

void DocumentCutter::end_of_stream_in_events() {
  if (open_ && check_value(window_.text(), open_at_).verdict == Verdict::kBroken) {
    lose_way(open_at_ + 1, kDamagedEvent);
    return;
  }
  diagnostics_.add(kTruncatedJson, Place::byte(window_.offset()));
  well_formed_ = false;
  state_ = State::kDone;
}

void DocumentCutter::lose_way(std::size_t from, const DiagnosticKind& why) {
  diagnostics_.add(why, Place::byte(window_.offset() + (from > 0 ? from - 1 : 0)));
  well_formed_ = false;
  consume(from);
  cuts_.clear();
  state_ = State::kLost;
}

// Looks for the next object that is an event and goes on there.
Status DocumentCutter::find_next_event() {
  std::size_t at = 0;
  for (;;) {
    const std::size_t brace = window_.text().find('{', at);
    if (brace == std::string_view::npos) {
      consume(window_.size());
      at = 0;
      LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
      if (more) continue;
      state_ = State::kDone;
      return {};
    }
    const CarefulResult element = check_value(window_.text(), brace);
    if (element.verdict == Verdict::kWhole && element.has_phase) {
      found_event_array_ = true;
      resume_events(brace);
      return {};
    }
    at = element.verdict == Verdict::kWhole ? element.end : brace + 1;
    if (element.verdict != Verdict::kIncomplete || window_.size() - brace > kMaxValueBytes)
      continue;
    consume(brace);
    at = 0;
    const std::size_t before = window_.size();
    bool more = true;
    while (more && window_.size() < 2 * before) {
      LOCKSTEP_ASSIGN_OR_RETURN(more, window_.fill());
    }
    if (!more && window_.size() == before) at = 1;  // nothing will complete it
  }
}

// Whatever stands behind the document is named and read past, so that a pipe is drained and the
// compression layer sees its end.
Status DocumentCutter::finish() {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  if (!any) return {};
  diagnostics_.add(kTrailingData, Place::byte(window_.offset()));
  for (;;) {
    consume(window_.size());
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) return {};
  }
}

}  // namespace lockstep::chrome_json
