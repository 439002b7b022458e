// What the packets of one sequence build up and later ones rely on: interned strings, defaults, the
// thread that writes, incremental clocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <protozero/data_view.hpp>

#include "base/string_pool.h"
#include "formats/perfetto/decode/known_words.h"

namespace lockstep::formats::perfetto {

// Values by interning id. Ids are chosen by the writer, so only small ones index a vector, whose
// size stays in proportion to the number of entries.
template <typename Value>
class InternTable {
 public:
  void set(std::uint64_t iid, Value value) {
    ++count_;
    if (iid >= kDenseAtFirst + kDensePerEntry * count_) {
      if (!sparse_) sparse_ = std::make_unique<std::unordered_map<std::uint64_t, Value>>();
      (*sparse_)[iid] = value;
      return;
    }
    if (iid >= dense_.size()) dense_.resize(iid + 1);
    dense_[iid] = value;
  }

  [[nodiscard]] const Value* find(std::uint64_t iid) const {
    if (iid < dense_.size() && dense_[iid]) return &*dense_[iid];
    if (!sparse_) return nullptr;
    const auto found = sparse_->find(iid);
    return found == sparse_->end() ? nullptr : &found->second;
  }

  void clear() { *this = {}; }

 private:
  // Little, and no map before it is needed: a file may have a sequence for every packet.
  static constexpr std::uint64_t kDenseAtFirst = 16;
  static constexpr std::uint64_t kDensePerEntry = 16;

  std::vector<std::optional<Value>> dense_;
  std::unique_ptr<std::unordered_map<std::uint64_t, Value>> sparse_;
  std::uint64_t count_ = 0;
};

struct AnnotationName {
  StringId text{};
  KnownWord word = KnownWord::kNone;
};

struct SequenceState {
  std::uint32_t id = 0;
  bool is_valid = false;  // its state was started afresh once, and nothing was lost since

  InternTable<StringId> event_names;
  InternTable<StringId> categories;
  InternTable<AnnotationName> annotation_names;
  InternTable<StringId> annotation_strings;
  InternTable<StringId> correlation_texts;
  InternTable<StringId> gpu_specifications;

  std::optional<std::uint32_t> default_clock;
  std::optional<std::uint64_t> default_track;
  std::vector<std::uint64_t> default_counters;  // of the values of extra_counter_values, in turn
  std::vector<std::uint64_t> default_double_counters;

  // Of the thread that writes the sequence, by the old ThreadDescriptor.
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> tid;
  std::int64_t last_time_us = 0;  // timestamp_delta_us counts on from it

  // Takes the InternedData of a packet.
  void intern(protozero::data_view bytes, StringPool& strings);
  void take_defaults(protozero::data_view bytes);
  // What SEQ_INCREMENTAL_STATE_CLEARED means.
  void clear();
};

}  // namespace lockstep::formats::perfetto
