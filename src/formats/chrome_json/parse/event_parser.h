// From the JSON text of events to batches of their fields, with simdjson.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "formats/chrome_json/parse/event_batch.h"
#include "formats/chrome_json/scan/document_cutter.h"
#include "trace/evidence.h"

namespace lockstep::formats::chrome_json {

class EventParser {
 public:
  // Arguments that nothing asks for are left out; see argument_need.h.
  explicit EventParser(trace::KeepArguments keep_arguments);
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  // Adds the events of a window to `batch`, in order. Returns how many were whole; a window that
  // simdjson refuses is gone through event by event, and a refused event is tried once more after
  // repair. `offset` is that of window[0] in the stream.
  [[nodiscard]] std::size_t parse_window(char* window, std::span<const EventCut> cuts,
                                         std::uint64_t offset, EventBatch& batch);

 private:
  class Machine;  // simdjson's parser and the iteration over it
  std::unique_ptr<Machine> machine_;
};

}  // namespace lockstep::formats::chrome_json
