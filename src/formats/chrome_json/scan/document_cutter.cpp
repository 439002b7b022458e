// The list of events and the recovery from damage in it; document_cutter_root.cpp has the rest.
#include "formats/chrome_json/scan/document_cutter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/scan/careful_scan.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::size_t kMarkCapacity = 4096;

// Whether the last member of an object has a comma behind it: the parser will not have it. One in
// its arguments may stand where nobody reads.
bool ends_behind_comma(std::string_view object) {
  object.remove_suffix(1);
  while (!object.empty() && is_json_space(object.back())) object.remove_suffix(1);
  return object.ends_with(',');
}

// Whether "ph", a key or not, stands in the text more than once.
bool has_two_phases(std::string_view text) {
  constexpr std::string_view kRest = "ph\"";
  std::size_t phases = 0;
  for (std::size_t at = text.find(kRest, 1); at != std::string_view::npos;
       at = text.find(kRest, at + kRest.size())) {
    if (text[at - 1] == '"' && ++phases == 2) return true;
  }
  return false;
}

// Whether there is more blank in one place than any writer leaves.
bool has_blank_stretch(std::string_view text) {
  constexpr std::size_t kStretch = 64;  // found wherever it begins when it is twice as long
  for (std::size_t at = 0; at + kStretch <= text.size(); at += kStretch) {
    if (std::ranges::all_of(text.substr(at, kStretch), is_json_space)) return true;
  }
  return false;
}

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
      case State::kBehind:
        LOCKSTEP_RETURN_IF_ERROR(behind_document());
        break;
      case State::kDone:
        break;
    }
  }
  return finish();
}

void DocumentCutter::consume(std::size_t count) {
  window_.consume(count);
  scan_at_ -= std::min(scan_at_, count);
  last_end_ -= std::min(last_end_, count);
  open_at_ -= std::min(open_at_, count);
  suspect_end_ -= std::min(suspect_end_, count);
}

void DocumentCutter::begin_events(std::size_t at) {
  found_event_array_ = true;
  resume_events(at);
  scan_ahead_ = kMaxValueBytes;
}

void DocumentCutter::resume_events(std::size_t at) {
  consume(at);
  state_ = State::kEvents;
  scan_ = {};
  scan_at_ = last_end_ = open_at_ = 0;
  open_ = false;
  unclosed_limit_ = kFirstUnclosedLimit;
  scan_ahead_ = kFirstScanAhead;
  commas_ = 0;
  cuts_.clear();
  gaps_.clear();
}

Status DocumentCutter::events() {
  while (scan_at_ < window_.size()) {
    const std::size_t stop = scan_at_ + std::min(scan_ahead_, window_.size() - scan_at_);
    const ScanResult r =
        scan_elements(window_.data(), scan_at_, stop, scan_, marks_.data(), marks_.size());
    scan_at_ += r.scanned;
    suspect_end_ = std::max(suspect_end_, r.suspect_end);
    if (!take_marks(r.marks)) return {};
    if (scan_ahead_ >= window_.size()) continue;
    const bool looks = open_ && most_levels_ < kMaxOpenLevels;
    if (looks ? !flush() : !flush_but_last()) return {};
    if (looks) {
      look_at_unclosed_event();
      if (state_ != State::kEvents) return {};
    }
    scan_ahead_ *= 2;
  }
  const std::size_t odd = open_ ? window_.size() : odd_byte(last_end_, window_.size());
  if (odd < window_.size()) {
    if (flush()) lose_way(last_end_, odd, kDamagedStructure);
    return {};
  }
  return read_behind_events();
}

// The window is scanned to its end: hands over what is sure and reads on.
Status DocumentCutter::read_behind_events() {
  const bool waits = last_cut_waits();
  if (waits ? !flush_but_last() : !flush()) return {};
  if (waits && window_.size() - last_end_ > kMaxValueBytes) {
    lose_way(cuts_.back().begin + 1, cuts_.back().begin, kDamagedEvent);
    return {};
  }
  if (open_ && window_.size() - open_at_ > unclosed_limit_) {
    look_at_unclosed_event();
    if (state_ != State::kEvents) return {};
  }
  if (waits) {
    EventCut& last = cuts_.back();
    consume(last.begin);
    last = {0, last.end - last.begin};
  } else {
    consume(open_ ? open_at_ : window_.size());
  }
  // What waits is looked at again with whatever comes: as often as the window doubles.
  LOCKSTEP_ASSIGN_OR_RETURN(const bool more, waits ? grow() : window_.fill());
  if (!more) end_of_stream_in_events();
  return {};
}

// Whether nothing but whitespace follows the last cut, so that it must wait for the byte behind it.
// Behind much of that, only one that is damaged waits on: every other is taken whatever follows.
bool DocumentCutter::last_cut_waits() const {
  if (open_ || cuts_.empty()) return false;
  if (skip_space(window_.text(), last_end_) < window_.size()) return false;
  if (window_.size() - last_end_ <= kFirstUnclosedLimit) return true;
  return check_value(window_.text(), cuts_.back().begin).verdict == WalkVerdict::kBroken;
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
    const std::size_t odd = odd_byte(last_end_, mark.position);
    if (odd < mark.position) {
      if (flush()) lose_way(last_end_, odd, kDamagedStructure);
      return false;
    }
    if (mark.kind == Mark::Kind::kOutside) return take_array_end(mark.position);
    if (std::exchange(commas_, 0) > 1) {
      gaps_.push_back({cuts_.size(), window_.offset() + mark.position});
    }
    if (window_.text()[mark.position] == '[') {  // events are objects, never lists
      if (flush()) lose_way(mark.position + 1, mark.position, kDamagedStructure);
      return false;
    }
    open_at_ = mark.position;
    open_ = true;
  }
  return true;
}

bool DocumentCutter::take_array_end(std::size_t position) {
  if (!flush()) return false;
  const std::string_view text = window_.text();
  const std::uint64_t place = window_.offset() + position;
  if (text[position] == ']') {
    if (std::exchange(commas_, 0) > 1) say_damage_at(place);
    state_ = root_is_list_ ? State::kBehind : State::kRoot;
    consume(position + 1);
    scan_at_ = last_end_ = 0;
    return false;
  }
  // Closing braces too many; the events go on behind them.
  std::size_t braces = 0;
  for (; position < text.size() && text[position] == '}'; ++position) ++braces;
  say_damage_at(place, braces);
  consume(position);
  scan_at_ = last_end_ = 0;
  scan_ = {};
  return false;
}

// Hands the cuts over; false when one was bad and the way behind it must be found.
bool DocumentCutter::flush() {
  if (cuts_.empty() && gaps_.empty()) return true;
  const std::size_t good = count_unsuspected();
  const std::size_t taken =
      good == 0 ? 0 : visitor_.on_events(window_, std::span(cuts_).first(good));
  say_flaws(taken);
  if (taken == cuts_.size()) {
    cuts_.clear();
    return true;
  }
  const EventCut bad = cuts_[taken];
  diagnostics_.add(kDamagedEvent, Place::byte(window_.offset() + bad.begin));
  well_formed_ = false;
  const CarefulResult element = check_value(window_.text().substr(0, bad.end), bad.begin);
  if (element.verdict == WalkVerdict::kWhole && element.end == bad.end) {
    resume_events(bad.end);  // well cut but unreadable
  } else {
    consume(bad.begin + 1);
    state_ = State::kLost;
  }
  cuts_.clear();
  gaps_.clear();
  return false;
}

// In their order in the stream. What stands behind a bad cut is come by again.
void DocumentCutter::say_flaws(std::size_t taken) {
  auto gap = gaps_.begin();
  const auto say_gaps_before = [&](std::size_t cut) {
    for (; gap != gaps_.end() && gap->cut <= cut; ++gap) say_damage_at(gap->place);
  };
  for (const Flaw& flaw : flaws_) {
    if (flaw.cut >= taken) break;
    say_gaps_before(flaw.cut);
    diagnostics_.add(flaw.kind, Place::byte(window_.offset() + cuts_[flaw.cut].begin));
  }
  say_gaps_before(taken);
  gaps_.erase(gaps_.begin(), gap);
  for (Gap& later : gaps_) later.cut -= taken;
}

void DocumentCutter::say_damage_at(std::uint64_t place, std::size_t count) {
  diagnostics_.add(kDamagedStructure, Place::byte(place), {}, count);
  well_formed_ = false;
}

std::size_t DocumentCutter::count_unsuspected() {
  flaws_.clear();
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const std::size_t size = cuts_[i].end - cuts_[i].begin;
    if (size < kLargeEvent && cuts_[i].begin >= suspect_end_) continue;
    if (!is_suspected(cuts_[i])) continue;
    const std::string_view text = window_.text().substr(cuts_[i].begin, size);
    const CarefulResult event = check_value(text, 0);
    if (event.verdict != WalkVerdict::kWhole || event.end != text.size()) return i;
    if (event.has_stray_comma && ends_behind_comma(text)) return i;
    if (event.has_bad_escape) flaws_.push_back({i, kInvalidEscape});
    if (event.has_stray_comma) flaws_.push_back({i, kStrayComma});
  }
  return cuts_.size();
}

// By itself: how the stream was cut and what its neighbours hold must not matter.
bool DocumentCutter::is_suspected(const EventCut& cut) const {
  const std::string_view text = window_.text().substr(cut.begin, cut.end - cut.begin);
  if (text.size() >= kLargeEvent && (has_two_phases(text) || has_blank_stretch(text))) return true;
  if (cut.begin >= suspect_end_) return false;
  std::array<Mark, 128> marks{};
  ScanState state;
  for (std::size_t at = cut.begin; at < cut.end;) {
    const ScanResult r =
        scan_elements(window_.text().data(), at, cut.end, state, marks.data(), marks.size());
    if (r.suspect_end != 0) return true;
    if (r.scanned == 0 || r.stopped_outside) return false;
    at += r.scanned;
  }
  return false;
}

// The last cut waits for the byte behind it: where the stream ends, it may be a damaged event that
// has swallowed all that follow.
bool DocumentCutter::flush_but_last() {
  if (cuts_.empty()) return flush();
  const EventCut last = cuts_.back();
  cuts_.pop_back();
  if (!flush()) return false;
  cuts_.push_back(last);
  return true;
}

std::size_t DocumentCutter::odd_byte(std::size_t begin, std::size_t end) {
  const std::string_view text = window_.text();
  std::size_t commas = 0;  // not in memory: this is between any two events
  for (; begin < end && (text[begin] == ',' || is_json_space(text[begin])); ++begin) {
    commas += text[begin] == ',' ? 1 : 0;
  }
  commas_ += commas;
  return begin;
}

void DocumentCutter::look_at_unclosed_event() {
  const CarefulResult element =
      check_value(window_.text().substr(0, scan_at_), open_at_, most_levels_);
  const bool too_large = window_.size() - open_at_ > kMaxValueBytes;
  if (element.verdict == WalkVerdict::kIncomplete && !too_large) {
    if (scan_at_ - open_at_ > unclosed_limit_) unclosed_limit_ *= 2;
    return;
  }
  most_levels_ = kMaxNesting;
  lose_way(open_at_ + 1, open_at_, kDamagedEvent);
}

void DocumentCutter::end_of_stream_in_events() {
  const std::size_t at = open_ ? open_at_ : 0;
  const bool has_last = open_ || !cuts_.empty();
  if (has_last && check_value(window_.text(), at).verdict == WalkVerdict::kBroken) {
    lose_way(at + 1, at, kDamagedEvent);
    return;
  }
  if (!flush()) return;
  if (!open_) consume(window_.size());
  diagnostics_.add(kTruncatedJson, Place::byte(window_.offset()));
  well_formed_ = false;
  state_ = State::kDone;
}

void DocumentCutter::lose_way(std::size_t from, std::size_t place, const DiagnosticKind& why) {
  diagnostics_.add(why, Place::byte(window_.offset() + place));
  well_formed_ = false;
  consume(from);
  cuts_.clear();
  gaps_.clear();
  state_ = State::kLost;
}

// Looks for the next object that is an event and goes on there.
Status DocumentCutter::find_next_event() {
  using Found = FoundEvent::Verdict;
  std::size_t from = 0;
  for (;;) {
    const FoundEvent found = find_event(window_.text(), from, window_.ended(), kMaxValueBytes);
    diagnostics_.add(kDamagedEvent, Place::byte(window_.offset() + found.first_damaged), {},
                     found.damaged);
    if (found.verdict == Found::kFound) {
      found_event_array_ = true;
      resume_events(found.at);
      return {};
    }
    consume(found.at);
    if (window_.ended()) break;
    from = found.verdict == Found::kNone ? window_.size() : 0;
    LOCKSTEP_RETURN_IF_ERROR(grow());
  }
  consume(window_.size());
  state_ = State::kDone;
  return {};
}

}  // namespace lockstep::formats::chrome_json
