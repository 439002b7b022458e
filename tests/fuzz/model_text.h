// A trace as lines of text in an order that does not depend on that of its rows, so that two traces
// can be compared by what a format promises to carry.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "trace/trace.h"

namespace lockstep {

class ModelText {
 public:
  enum class Of : std::uint8_t {
    kPerfetto,  // counters lose flows and correlations, and their booleans are numbers
    kXSpace,
  };

  ModelText(const trace::Trace& trace, Of of) : trace_(trace), of_(of) {
    for (std::size_t i = 0; i < trace.events.size(); ++i) rows_.push_back(row(i));
    lines_ = rows_;
    add_relations();
    add_owners();
    std::ranges::sort(lines_);
  }

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  // Bytes that are not UTF-8 become U+FFFD in every format.
  [[nodiscard]] std::string text(StringId id) const {
    return "'" + valid_utf8(trace_.text(id)) + "'";
  }
  template <typename Number>
  [[nodiscard]] static std::string number(const std::optional<Number>& value) {
    return value ? std::to_string(*value) : "none";
  }
  [[nodiscard]] static std::string time(const std::optional<Time>& value) {
    return value ? std::to_string(value->ps) : "none";
  }
  [[nodiscard]] bool is_lossy_counter(std::size_t row) const {
    return of_ == Of::kPerfetto && trace_.events.shape[row] == trace::Shape::kCounter;
  }

  [[nodiscard]] std::string argument(const trace::Argument& argument, bool in_counter) const {
    const std::string key = text(argument.key);
    switch (argument.type) {
      case trace::Argument::Type::kString:
        return key + "=" + text(argument.as_string());
      case trace::Argument::Type::kJson: {
        const std::string_view json = trace_.text(argument.as_string());
        // The nearest double stands for the digits that none holds.
        const bool is_number = !json.empty() && json.find_first_of("[{n") == std::string_view::npos;
        if (in_counter && is_number) return key + "=number";
        return key + "=json " + (is_number ? "number" : valid_utf8(json));
      }
      case trace::Argument::Type::kBoolean:
        return key + "=" + (in_counter ? "number" : argument.as_boolean() ? "true" : "false");
      default:
        return key + "=" + (in_counter ? "number" : std::to_string(argument.bits));
    }
  }

  [[nodiscard]] std::string lane(const trace::Track& track) const {
    const trace::Process& process = trace_.processes[trace::index_of(track.process)];
    std::string out = "rank " + std::to_string(trace::index_of(process.rank)) + " process " +
                      text(process.id.text) + " " + text(process.name) + " " +
                      text(process.labels) + " track " + text(track.id.text) + " " +
                      text(track.name);
    if (track.device != trace::kNoDevice) {
      out += " device " + text(trace_.devices[trace::index_of(track.device)].id);
    }
    return out;
  }

  [[nodiscard]] std::string row(std::size_t i) const {
    const trace::EventTable& events = trace_.events;
    const bool is_lossy = is_lossy_counter(i);
    std::string out = lane(trace_.track_of(i)) + " event " + std::to_string(events.start[i].ps) +
                      "+" + std::to_string(events.duration[i].ps) + " " + text(events.name[i]) +
                      " " + text(events.category[i]) + " " + std::string(name_of(events.kind[i])) +
                      " " + std::to_string(static_cast<int>(events.shape[i]));
    if (!is_lossy) out += " " + std::to_string(events.correlation[i]);
    std::vector<std::string> arguments;
    for (const trace::Argument& a :
         trace_.arguments.of(trace::EventId{static_cast<std::uint32_t>(i)})) {
      arguments.push_back(" " + argument(a, is_lossy));
    }
    if (is_lossy) std::ranges::sort(arguments);
    for (const std::string& one : arguments) out += one;
    return out;
  }

  void add_relations() {
    for (const trace::Flow& flow : trace_.flows) {
      if (is_lossy_counter(trace::index_of(flow.from)) ||
          is_lossy_counter(trace::index_of(flow.to)))
        continue;
      lines_.push_back("flow " + std::to_string(static_cast<int>(flow.kind)) + " " +
                       text(flow.name) + " " + rows_[trace::index_of(flow.from)] + " -> " +
                       rows_[trace::index_of(flow.to)]);
    }
    for (const trace::Step& step : trace_.steps) {
      lines_.push_back("step " + text(step.name) + " rank " +
                       std::to_string(trace::index_of(step.rank)) + " " +
                       std::to_string(step.start.ps) + ".." + std::to_string(step.end.ps));
    }
    for (const trace::Collective& c : trace_.collectives) {
      lines_.push_back("collective " + text(c.op) + " " + text(c.group) + " " + text(c.dtype) +
                       " " + number(c.sequence) + " " + number(c.elements_in) + " " +
                       number(c.elements_out) + " " + number(c.bytes) + " " + time(c.transit) +
                       " " + time(c.wait) + " " + time(c.idle) + " " +
                       rows_[trace::index_of(c.event)]);
    }
  }

  void add_owners() {
    for (const trace::Device& device : trace_.devices) {
      lines_.push_back("device " + text(device.id) + " " + text(device.name) + " rank " +
                       std::to_string(trace::index_of(device.rank)));
    }
    for (const trace::Rank& rank : trace_.ranks) {
      std::string line = "rank " + number(rank.number) + " " + std::to_string(rank.origin.ns) +
                         " " + std::string(name_of(rank.origin.clock));
      for (const trace::Metadata& entry : rank.metadata)
        line += " " + valid_utf8(entry.key) + "=" + valid_utf8(entry.json);
      lines_.push_back(std::move(line));
    }
  }

  const trace::Trace& trace_;
  Of of_;
  std::vector<std::string> rows_;
  std::vector<std::string> lines_;
};

}  // namespace lockstep
