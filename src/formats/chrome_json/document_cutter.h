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
#include "formats/chrome_json/structural_scan.h"
#include "formats/chrome_json/window_buffer.h"

namespace lockstep::chrome_json {

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
  // Whole events of a window; returns how many it could take, in order: fewer than all stops at the
  // first bad one. The bytes around the cuts may be written to and must be restored.
  virtual std::size_t on_events(WindowBuffer& window, std::span<const EventCut> cuts) = 0;
};

class DocumentCutter {
 public:
  DocumentCutter(ReadAhead& chunks, DocumentVisitor& visitor, Diagnostics& diagnostics)
      : window_(chunks), visitor_(visitor), diagnostics_(diagnostics) {}

  // Reads to the end of the stream. Damage is a diagnostic; only failing to read is an error.
  [[nodiscard]] Status run();

  [[nodiscard]] bool found_event_array() const { return found_event_array_; }
  // The root was an object or a list and nothing had to be repaired on the way to its end.
  [[nodiscard]] bool well_formed() const { return well_formed_; }

 private:
  enum class State : std::uint8_t { kStart, kRoot, kEvents, kLost, kDone };

  Status start();
  Status root_member();
  Status root_value(std::string_view key);
  Status skip_root_value();
  [[nodiscard]] Result<bool> is_event_array(std::size_t bracket, std::string_view key);
  Status events();
  Status find_next_event();
  Status finish();

  void begin_events(std::size_t at);
  void resume_events(std::size_t at);
  bool take_marks(std::size_t count);
  bool take_array_end(std::size_t position);
  bool flush();
  void look_at_unclosed_event();
  void end_of_stream_in_events();
  void lose_way(std::size_t from, const DiagnosticKind& why);
  [[nodiscard]] bool gap_is_clean(std::size_t begin, std::size_t end) const;
  // Drops what lies before `at` and reads until a byte that is no whitespace; false at the end.
  [[nodiscard]] Result<bool> next_token();
  void consume(std::size_t count);

  WindowBuffer window_;
  DocumentVisitor& visitor_;
  Diagnostics& diagnostics_;
  State state_ = State::kStart;
  bool root_is_list_ = false;
  bool found_event_array_ = false;
  bool well_formed_ = true;

  // While cutting events; positions in the window.
  ScanState scan_;
  std::size_t scan_at_ = 0;
  std::size_t last_end_ = 0;  // behind the last event
  std::size_t open_at_ = 0;   // of the event that is not closed yet
  bool open_ = false;
  std::size_t unclosed_limit_ = 0;
  std::vector<Mark> marks_;
  std::vector<EventCut> cuts_;
};

}  // namespace lockstep::chrome_json
