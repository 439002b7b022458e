// Filling of a batch.
#include "formats/chrome_json/parse/event_batch.h"

namespace lockstep::formats::chrome_json {

void EventBatch::clear(std::shared_ptr<const void> text_owner) {
  count_ = 0;
  arguments_.clear();
  kept_.clear();
  text_owner_ = std::move(text_owner);
}

void EventBatch::make_room(std::size_t events) {
  // One more than asked for: the last one is begun before it is known to be good.
  const std::size_t needed = count_ + events + 1;
  if (events_.size() < needed) events_.resize(needed);
}

RawEvent& EventBatch::begin(std::uint64_t offset) {
  RawEvent& event = events_[count_];
  if (count_ > 0) {
    const RawEvent& last = events_[count_ - 1];
    arguments_.resize(last.first_argument + last.argument_count);
  } else {
    arguments_.clear();
  }
  event.offset = offset;
  event.first_argument = static_cast<std::uint32_t>(arguments_.size());
  event.seen = 0;
  event.has_duplicate_key = false;
  event.has_damaged_argument = false;
  event.has_wrong_type = false;
  event.has_evidence = false;
  event.is_repaired = false;
  event.has_damaged_text = false;
  return event;
}

void EventBatch::add() {
  RawEvent& event = events_[count_++];
  event.argument_count = static_cast<std::uint32_t>(arguments_.size()) - event.first_argument;
}

std::string_view EventBatch::keep(std::string_view text, std::size_t padding) {
  kept_.push_back(std::make_unique<std::string>(text));
  std::string& copy = *kept_.back();
  copy.append(padding, '\0');
  return std::string_view(copy).substr(0, text.size());
}

}  // namespace lockstep::formats::chrome_json
