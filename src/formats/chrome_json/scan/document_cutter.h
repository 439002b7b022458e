// Walks a trace document from a stream of chunks: hands over the values of the root object and
// windows of whole events, and finds its way again behind damage.
//
// Events are cut by the structural scan. When a cut cannot be parsed, when something other than
// commas lies between events, or when an event does not end, the careful scan looks for the next
// object with a "ph" of its own and cutting goes on there: one bad event costs one event.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/chrome_json/scan/careful_scan.h"
#include "formats/chrome_json/scan/structural_scan.h"
#include "formats/chrome_json/scan/window_buffer.h"

namespace lockstep::formats::chrome_json {

// One element of the event array: window[begin, end).
struct EventCut {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class DocumentVisitor {
 public:
  virtual ~DocumentVisitor() = default;
  // A member of the root object other than the events, as JSON text.
  virtual void on_root_value(std::string_view key, std::string_view json) = 0;
  // One that is too large to be kept, in pieces of whole characters; the last one may be empty.
  virtual void on_large_root_value(std::string_view key, std::string_view piece, bool is_last) = 0;
  // Whole events of a window; returns how many it could take, in order: fewer than all stops at the
  // first bad one. The bytes around the cuts may be written to and must be restored.
  virtual std::size_t on_events(WindowBuffer& window, std::span<const EventCut> cuts) = 0;
};

class DocumentCutter {
 public:
  DocumentCutter(io::ReadAhead& chunks, DocumentVisitor& visitor, Diagnostics& diagnostics)
      : window_(chunks), visitor_(visitor), diagnostics_(diagnostics) {}

  // Reads to the end of the stream. Damage is a diagnostic; only failing to read is an error.
  [[nodiscard]] Status run();

  [[nodiscard]] bool found_event_array() const { return found_event_array_; }
  // The root was an object or a list and nothing had to be repaired on the way to its end.
  [[nodiscard]] bool well_formed() const { return well_formed_; }

 private:
  enum class State : std::uint8_t { kStart, kRoot, kEvents, kLost, kBehind, kDone };

  // An event that is still open after this many bytes is looked at with the careful scan; the limit
  // doubles while it turns out to be whole so far, so that the looking stays linear.
  static constexpr std::size_t kFirstUnclosedLimit = 64 * 1024;
  // An event that is as deep as this and not closed never will be: text that only opens brackets
  // would be held up to the limit below, and then be searched. Behind one that was given up, events
  // that are not closed are looked at sooner and may be kMaxNesting deep: there may be many.
  static constexpr std::size_t kMaxOpenLevels = 1024;
  // An event of this size may have taken in others, or a blank in their place, where a bracket was
  // lost and another one fits: the bytes of `"args": {"a": [1], {"ph":` stand in an order that good
  // JSON has elsewhere.
  static constexpr std::size_t kLargeEvent = 1024;
  // No event is larger than this; beyond it, it is damage. Larger values of the root are not kept.
  static constexpr std::size_t kMaxValueBytes = 16 * 1024 * 1024;
  // Behind damage the scan goes only so far before its cuts are parsed, then twice as far: one more
  // bad event voids all cuts behind it, and a whole window of them for every bad event is too much.
  static constexpr std::size_t kFirstScanAhead = 256;

  Status start();
  Status root_member();
  Status root_value(std::string_view key);
  Status pass_over_value(std::string_view key);
  [[nodiscard]] Result<bool> is_followed_well(std::size_t end, bool is_nested);
  [[nodiscard]] Result<bool> is_event_array(std::string_view key);
  [[nodiscard]] Result<bool> goes_on_behind_brackets();
  Status events();
  Status find_next_event();
  Status behind_document();
  Status finish();

  // The value at the front of the window, reading as needed; judged by its first `limit` bytes.
  [[nodiscard]] Result<CarefulResult> front_value(std::size_t limit);
  // Whether an event stands at the front of the window.
  [[nodiscard]] Result<bool> is_event();
  // Whether the document begins with an event: the bracket of its list is missing.
  [[nodiscard]] Result<bool> root_is_event();
  void begin_events(std::size_t at);
  void resume_events(std::size_t at);
  bool take_marks(std::size_t count);
  bool take_array_end(std::size_t position);
  bool flush();
  bool flush_but_last();
  [[nodiscard]] bool last_cut_waits() const;
  // Says what is wrong with the first `taken` cuts and before them.
  void say_flaws(std::size_t taken);
  void say_damage_at(std::uint64_t place, std::size_t count = 1);
  // How many of the cuts are JSON, as far as they are suspected; all when none is. Notes what is
  // wrong with those that can be kept.
  [[nodiscard]] std::size_t count_unsuspected();
  [[nodiscard]] bool is_suspected(const EventCut& cut) const;
  [[nodiscard]] Status read_behind_events();
  void look_at_unclosed_event();
  void end_of_stream_in_events();
  // Goes on with the careful search from `from`; the damage showed at `place`.
  void lose_way(std::size_t from, std::size_t place, const DiagnosticKind& why);
  // The first byte of a gap between events that is neither comma nor whitespace, or `end`. Counts
  // the commas.
  [[nodiscard]] std::size_t odd_byte(std::size_t begin, std::size_t end);
  // Drops whitespace and reads until a byte that is none; false at the end.
  [[nodiscard]] Result<bool> next_token();
  // The first byte from `at` on that is no whitespace, reading as needed; size() at the end.
  [[nodiscard]] Result<std::size_t> token_from(std::size_t at);
  // Reads until the window is twice as large; false when nothing came.
  [[nodiscard]] Result<bool> grow();
  void consume(std::size_t count);

  WindowBuffer window_;
  DocumentVisitor& visitor_;
  Diagnostics& diagnostics_;
  State state_ = State::kStart;
  bool root_is_list_ = false;
  bool found_event_array_ = false;
  bool well_formed_ = true;
  bool closed_ = false;  // the closing bracket of the root was there

  // While cutting events; positions in the window.
  ScanState scan_;
  std::size_t scan_at_ = 0;
  std::size_t scan_ahead_ = kMaxValueBytes;
  std::size_t last_end_ = 0;  // behind the last event
  std::size_t open_at_ = 0;   // of the event that is not closed yet
  bool open_ = false;
  std::size_t commas_ = 0;       // behind the last event
  std::size_t suspect_end_ = 0;  // cuts that begin before it must be looked at carefully
  std::size_t unclosed_limit_ = 0;
  std::size_t most_levels_ = kMaxOpenLevels;  // of an event that is not closed yet
  std::vector<Mark> marks_;
  std::vector<EventCut> cuts_;
  struct Flaw {
    std::size_t cut;
    const DiagnosticKind& kind;
  };
  std::vector<Flaw> flaws_;  // of cuts that can be kept
  struct Gap {
    std::size_t cut;      // that stands behind it
    std::uint64_t place;  // of that cut in the stream
  };
  std::vector<Gap> gaps_;  // between cuts, with several commas: what stood between them is lost
};

}  // namespace lockstep::formats::chrome_json
