// Reading of descriptors.
#include "formats/perfetto/decode/track_registry.h"

#include <algorithm>

#include <protozero/pbf_message.hpp>

#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/wire/text_limits.h"
#include "formats/perfetto/write/string_interner.h"

namespace lockstep::formats::perfetto {
namespace {

using Wire = protozero::pbf_wire_type;

// Ancestors of a track; people nest four or five.
constexpr std::size_t kMaxAncestors = 64;

// Calls `on_number(field, value)` and `on_bytes(field, view)` for the fields of a message.
template <typename Field, typename OnNumber, typename OnBytes>
void for_fields(protozero::data_view bytes, OnNumber&& on_number, OnBytes&& on_bytes) {
  protozero::pbf_message<Field> message(bytes);
  while (message.next()) {
    const Field field = message.tag();
    if (message.wire_type() == Wire::varint) {
      on_number(field, message.get_uint64());
    } else if (message.wire_type() == Wire::length_delimited) {
      on_bytes(field, message.get_view());
    } else {
      message.skip();
    }
  }
}

void read_counter(protozero::data_view bytes, TrackFacts& facts) {
  facts.is_counter = true;
  for_fields<CounterField>(
      bytes,
      [&](CounterField field, std::uint64_t value) {
        if (field == CounterField::kUnitMultiplier) {
          facts.unit_multiplier = static_cast<std::int64_t>(value);
        }
        if (field == CounterField::kIsIncremental) facts.is_incremental = value != 0;
      },
      [](CounterField, protozero::data_view) {});
}

}  // namespace

// Many tracks can have the name of one process, and a writer repeats it for each.
StringId TrackRegistry::intern_name(protozero::data_view text) {
  const std::string_view whole = as_utf8({text.data(), text.size()}, scratch_);
  const std::string_view name = cut_name(whole);
  if (name.size() < whole.size()) ++cut_names_;
  return strings_.intern(name);
}

const TrackFacts& TrackRegistry::take_track(protozero::data_view bytes) {
  using Field = TrackDescriptorField;
  TrackFacts facts;
  StringId own_name{};
  StringId thread_name{};
  StringId process_name{};
  for_fields<Field>(
      bytes,
      [&](Field field, std::uint64_t value) {
        if (field == Field::kUuid) facts.uuid = value;
        if (field == Field::kParentUuid) facts.parent = value;
      },
      [&](Field field, protozero::data_view view) {
        switch (field) {
          case Field::kName:
          case Field::kStaticName:
          case Field::kAtraceName:
            own_name = intern_name(view);
            return;
          case Field::kDescription:
            facts.description.assign(view.data(), view.size());
            return;
          case Field::kProcess:
            facts.pid = take_process(view);
            process_name = facts.pid ? process_names_[*facts.pid] : kEmptyString;
            return;
          case Field::kThread: {
            const Thread thread = take_thread(view);
            if (thread.pid) facts.pid = thread.pid;
            facts.tid = thread.tid;
            if (facts.pid && facts.tid) thread_name = this->thread_name(*facts.pid, *facts.tid);
            return;
          }
          case Field::kCounter:
            return read_counter(view, facts);
          default:
            return;
        }
      });
  facts.name = own_name != kEmptyString ? own_name : facts.tid ? thread_name : process_name;
  if (facts.pid && !facts.tid && own_name != kEmptyString) {
    StringId& known = process_names_[*facts.pid];
    if (known == kEmptyString) known = own_name;
  }
  TrackFacts& kept = tracks_[facts.uuid];
  // SDKs describe a thread's track again without its name.
  if (facts.name == kEmptyString) facts.name = kept.name;
  if (facts.parent == 0) facts.parent = kept.parent;
  if (!facts.pid) facts.pid = kept.pid;
  if (!facts.tid) facts.tid = kept.tid;
  kept = std::move(facts);
  return kept;
}

TrackRegistry::Thread TrackRegistry::take_thread(protozero::data_view bytes) {
  Thread thread;
  StringId name{};
  for_fields<ThreadField>(
      bytes,
      [&](ThreadField field, std::uint64_t value) {
        if (field == ThreadField::kPid) thread.pid = static_cast<std::int32_t>(value);
        if (field == ThreadField::kTid) thread.tid = static_cast<std::int64_t>(value);
        if (field == ThreadField::kReferenceTimeUs) {
          thread.reference_time_us = static_cast<std::int64_t>(value);
        }
      },
      [&](ThreadField field, protozero::data_view view) {
        if (field == ThreadField::kName) name = intern_name(view);
      });
  if (thread.pid && thread.tid && name != kEmptyString) {
    thread_names_[{*thread.pid, *thread.tid}] = name;
  }
  return thread;
}

std::optional<std::int64_t> TrackRegistry::take_process(protozero::data_view bytes) {
  std::optional<std::int64_t> pid;
  StringId name{};
  StringId command{};
  for_fields<ProcessField>(
      bytes,
      [&](ProcessField field, std::uint64_t value) {
        if (field == ProcessField::kPid) pid = static_cast<std::int32_t>(value);
      },
      [&](ProcessField field, protozero::data_view view) {
        if (field == ProcessField::kName) name = intern_name(view);
        if (field == ProcessField::kCommandLine && command == kEmptyString)
          command = intern_name(view);
      });
  if (name == kEmptyString) name = command;
  if (pid && name != kEmptyString) process_names_[*pid] = name;
  return pid;
}

void TrackRegistry::take_process_tree(protozero::data_view bytes) {
  const auto take_process_of_tree = [this](protozero::data_view process) {
    std::optional<std::int64_t> pid;
    StringId name{};
    for_fields<TreeProcessField>(
        process,
        [&](TreeProcessField field, std::uint64_t value) {
          if (field == TreeProcessField::kPid) pid = static_cast<std::int32_t>(value);
        },
        [&](TreeProcessField field, protozero::data_view view) {
          if (field == TreeProcessField::kCommandLine && name == kEmptyString)
            name = intern_name(view);
        });
    if (!pid || name == kEmptyString) return;
    StringId& known = process_names_[*pid];
    if (known == kEmptyString) known = name;
  };
  const auto take_thread_of_tree = [this](protozero::data_view thread) {
    std::optional<std::int64_t> pid;
    std::optional<std::int64_t> tid;
    StringId name{};
    for_fields<TreeThreadField>(
        thread,
        [&](TreeThreadField field, std::uint64_t value) {
          if (field == TreeThreadField::kTid) tid = static_cast<std::int32_t>(value);
          if (field == TreeThreadField::kProcess) pid = static_cast<std::int32_t>(value);
        },
        [&](TreeThreadField field, protozero::data_view view) {
          if (field == TreeThreadField::kName) name = intern_name(view);
        });
    if (!pid || !tid || name == kEmptyString) return;
    StringId& known = thread_names_[{*pid, *tid}];
    if (known == kEmptyString) known = name;
  };
  for_fields<ProcessTreeField>(
      bytes, [](ProcessTreeField, std::uint64_t) {},
      [&](ProcessTreeField field, protozero::data_view view) {
        if (field == ProcessTreeField::kProcesses) take_process_of_tree(view);
        if (field == ProcessTreeField::kThreads) take_thread_of_tree(view);
      });
}

const TrackFacts* TrackRegistry::find(std::uint64_t uuid) const {
  const auto found = tracks_.find(uuid);
  return found == tracks_.end() ? nullptr : &found->second;
}

std::vector<const TrackFacts*> TrackRegistry::line_of(std::uint64_t uuid, bool& is_cycle) const {
  std::vector<const TrackFacts*> line;
  is_cycle = false;
  for (const TrackFacts* at = find(uuid); at != nullptr;
       at = at->parent == 0 ? nullptr : find(at->parent)) {
    if (line.size() == kMaxAncestors || std::ranges::find(line, at) != line.end()) {
      is_cycle = true;
      break;
    }
    line.push_back(at);
  }
  return line;
}

StringId TrackRegistry::process_name(std::int64_t pid) const {
  const auto found = process_names_.find(pid);
  return found == process_names_.end() ? kEmptyString : found->second;
}

StringId TrackRegistry::thread_name(std::int64_t pid, std::int64_t tid) const {
  const auto found = thread_names_.find({pid, tid});
  return found == thread_names_.end() ? kEmptyString : found->second;
}

}  // namespace lockstep::formats::perfetto
