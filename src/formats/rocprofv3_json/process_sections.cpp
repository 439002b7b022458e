// The walk from the root of the document down to lists of records.
#include "formats/rocprofv3_json/process_sections.h"

#include <algorithm>

#include "formats/shared/byte_order_mark.h"

namespace lockstep::formats::rocprofv3_json {
namespace {

constexpr std::string_view kRecordsKey = "\"buffer_records\"";

class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::vector<ProcessSections> run() {
    const std::size_t start = shared::byte_order_mark_size(text_);
    const std::size_t end =
        walk_members(text_, skip_space(text_, start), [&](std::string_view key, std::size_t at) {
          return key == kRootKey ? processes(at) : skip(at);
        });
    // Text behind the document: a bracket of it came too early.
    is_whole_ = end != kNowhere && skip_space(text_, end) == text_.size();
    if (end == kNowhere) look_for_records();
    return std::move(found_);
  }

  [[nodiscard]] bool is_whole() const { return is_whole_; }
  // The walk came to the end of the text, not to damage before it.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  // Older versions write the only process without a list around it.
  std::size_t processes(std::size_t at) {
    if (at < text_.size() && text_[at] == '{') return process(at);
    return walk_elements(text_, at, [&](std::size_t element) { return process(element); });
  }

  std::size_t process(std::size_t at) {
    found_.emplace_back();
    return walk_members(text_, at, [&](std::string_view key, std::size_t value) {
      ProcessSections& made = found_.back();
      if (key == "metadata") return keep(value, made.metadata);
      if (key == "agents") return keep(value, made.agents);
      if (key == "kernel_symbols") return keep(value, made.kernel_symbols);
      if (key == "strings") return keep(value, made.strings);
      if (key == "buffer_records") return record_lists(value);
      if (key == "callback_records") return callback_lists(value);
      return skip(value);
    });
  }

  std::size_t record_lists(std::size_t at) {
    found_.back().has_records = true;
    return walk_members(text_, at, [&](std::string_view key, std::size_t value) {
      RecordList list{std::string(key), {}};
      const std::size_t end = keep(value, list.range);
      found_.back().lists.push_back(std::move(list));
      return end;
    });
  }

  std::size_t callback_lists(std::size_t at) {
    return walk_members(text_, at, [&](std::string_view key, std::size_t value) {
      if (key == "counter_collection") return keep(value, found_.back().counter_collection);
      RecordList list{std::string(key), {}};
      const std::size_t end = keep(value, list.range);
      found_.back().other_callbacks.push_back(std::move(list));
      return end;
    });
  }

  std::size_t keep(std::size_t at, Range& range) {
    range = value_at(text_, at);
    last_ = at;
    is_cut_ |= !range.is_closed;
    return range.is_closed && !range.empty() ? range.end : kNowhere;
  }

  std::size_t skip(std::size_t at) {
    Range ignored;
    return keep(at, ignored);
  }

  // Damage before the records must not lose them.
  void look_for_records() {
    if (found_.empty()) found_.emplace_back();
    if (!found_.back().lists.empty()) return;
    for (std::size_t at = text_.find(kRecordsKey, last_); at != std::string_view::npos;
         at = text_.find(kRecordsKey, at)) {
      at = skip_space(text_, at + kRecordsKey.size());
      if (at >= text_.size() || text_[at] != ':') continue;
      at = skip_space(text_, at + 1);
      // The strings have a list of this name.
      if (at >= text_.size() || text_[at] != '{') continue;
      (void)record_lists(at);
      return;
    }
  }

  std::string_view text_;
  std::vector<ProcessSections> found_;
  std::size_t last_ = 0;
  bool is_whole_ = false;
  bool is_cut_ = false;
};

}  // namespace

Range ProcessSections::list(std::string_view name) const {
  const auto found = std::ranges::find(lists, name, &RecordList::name);
  return found == lists.end() ? Range{} : found->range;
}

std::vector<ProcessSections> find_processes(const Document& document, Diagnostics& diagnostics) {
  Walk walk(document.text());
  std::vector<ProcessSections> found = walk.run();
  if (!walk.is_whole()) {
    diagnostics.add(walk.is_cut() ? kTruncatedJson : kDamagedStructure,
                    Place::byte(document.size()));
    return found;
  }
  const auto without = std::ranges::count(found, false, &ProcessSections::has_records);
  diagnostics.add(kMissingRecords, Place::none(), {}, static_cast<std::uint64_t>(without));
  return found;
}

}  // namespace lockstep::formats::rocprofv3_json
