// A small Kineto trace whose bytes are known one by one: which event each belongs to. For tests
// that damage it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::formats::chrome_json {

// Bytes [begin, end) of the document.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] bool contains(std::size_t position) const {
    return position >= begin && position < end;
  }
};

struct SampleEvent {
  std::string name;      // unique; of a pair on both of its events; empty: not a row of the trace
  ByteRange text;        // the object
  ByteRange name_value;  // the member "name", key and quotes included
};

struct SampleTrace {
  std::string json;
  std::vector<SampleEvent> events;  // in the order of the file
};

enum class SampleStyle {
  kPretty,   // as Kineto writes: a line a member, "ph" first
  kCompact,  // as tools write that go through a JSON library: no whitespace, "ph" in the middle
  kList,     // compact, and the document is the list of events alone
};

namespace sample {

class Writer {
 public:
  explicit Writer(SampleStyle style) : pretty_(style == SampleStyle::kPretty), style_(style) {}

  SampleTrace write() {
    if (style_ == SampleStyle::kList) {
      add("[");
    } else {
      add_header();
    }
    add_events();
    add(pretty_ ? "\n  ]" : "]");
    if (style_ == SampleStyle::kList) return std::move(trace_);
    add(pretty_ ? ",\n  \"traceName\": \"sample.json\"\n}\n" : ",\"traceName\":\"sample.json\"}");
    return std::move(trace_);
  }

 private:
  void add(std::string_view text) { trace_.json.append(text); }

  void add_member(std::string_view key, std::string_view value, bool last = false) {
    add("\"");
    add(key);
    add(pretty_ ? "\": " : "\":");
    add(value);
    if (!last) add(pretty_ ? ", " : ",");
  }

  void add_header() {
    const std::string_view line = pretty_ ? "\n  " : "";
    add("{");
    add(line);
    add_member("schemaVersion", "1");
    add(line);
    add_member("deviceProperties", pretty_ ? "[\n    {\n      \"id\": 0, \"name\": \"H200\"\n    }]"
                                           : "[{\"id\":0,\"name\":\"H200\"}]");
    add(line);
    add_member("distributedInfo", pretty_ ? "{\"backend\": \"nccl\", \"rank\": 3}"
                                          : "{\"backend\":\"nccl\",\"rank\":3}");
    add(line);
    add_member("baseTimeNanoseconds", "1762000000000000000");
    add(line);
    add_member("traceEvents", "[", true);
  }

  // `arguments` is the JSON text of an object, or empty. `rest` are further members.
  void add_event(std::string_view phase, std::string_view category, std::string_view name,
                 std::string_view lane, std::string_view rest, std::string_view arguments,
                 bool is_row) {
    if (!trace_.events.empty()) add(",");
    if (pretty_) add("\n  ");
    SampleEvent event;
    if (is_row) event.name = name;
    event.text.begin = trace_.json.size();
    add(pretty_ ? "{\n    " : "{");
    if (pretty_) {
      add_member("ph", phase);
      add_member("cat", category);
    }
    event.name_value.begin = trace_.json.size();
    add_member("name", "\"" + std::string(name) + "\"", true);
    event.name_value.end = trace_.json.size();
    add(pretty_ ? ", " : ",");
    if (!pretty_) {
      add_member("cat", category);
      add_member("ph", phase);
    }
    add(lane);
    if (!rest.empty()) add(pretty_ ? ",\n    " : ",");
    add(rest);
    if (!arguments.empty()) {
      add(pretty_ ? ",\n    " : ",");
      add_member("args", arguments, true);
    }
    add(pretty_ ? "\n  }" : "}");
    event.text.end = trace_.json.size();
    trace_.events.push_back(std::move(event));
  }

  [[nodiscard]] std::string time(int microseconds, int duration = -1) const {
    const std::string colon = pretty_ ? "\": " : "\":";
    std::string out = "\"ts" + colon + std::to_string(7'000'000 + microseconds) + ".125";
    if (duration < 0) return out;
    return out + (pretty_ ? ", " : ",") + "\"dur" + colon + std::to_string(duration) + ".5";
  }

  [[nodiscard]] std::string numbers(std::string_view first, int a, std::string_view second,
                                    int b) const {
    const std::string colon = pretty_ ? "\": " : "\":";
    return "\"" + std::string(first) + colon + std::to_string(a) + (pretty_ ? ", \"" : ",\"") +
           std::string(second) + colon + std::to_string(b);
  }

  [[nodiscard]] std::string object(std::string_view members) const {
    return pretty_ ? "{\n      " + std::string(members) + "\n    }"
                   : "{" + std::string(members) + "}";
  }

  // An operator, its launch call and the kernel that it launches, with the arrow between them.
  void add_launch(int i) {
    const std::string number = std::to_string(i);
    const std::string host = numbers("pid", 50, "tid", 51);
    const std::string stream = numbers("pid", 0, "tid", 7);
    const std::string quoted = i % 2 == 0 ? "\"dims\":[[2,3],[]]" : "\"note\":\"a{\\\"b\\\":[\"";
    add_event("\"X\"", "\"cpu_op\"", "aten::op" + number, host, time(100 * i, 60),
              object("\"External id\":" + number + "," + quoted), true);
    const std::string link = object(numbers("External id", i, "correlation", 900 + i));
    add_event("\"X\"", "\"cuda_runtime\"", "launch" + number, host, time(100 * i + 5, 8), link,
              true);
    add_event("\"s\"", "\"ac2g\"", "ac2g", host, id_and_time(i, 5), {}, false);
    const std::string kernel = "kern<" + number + ">(int[], {}*)";
    add_event("\"X\"", "\"kernel\"", kernel, stream, time(100 * i + 40, 30), link, true);
    add_event("\"f\"", "\"ac2g\"", "ac2g", stream, id_and_time(i, 40), {}, false);
  }

  [[nodiscard]] std::string id_and_time(int i, int offset) const {
    const std::string id = (pretty_ ? "\"id\": " : "\"id\":") + std::to_string(900 + i);
    return id + (pretty_ ? ", " : ",") + time(100 * i + offset);
  }

  void add_events() {
    const std::string host = numbers("pid", 50, "tid", 51);
    add_event("\"M\"", "\"\"", "process_name", host, {}, object("\"name\":\"python\""), false);
    add_event("\"X\"", "\"user_annotation\"", "ProfilerStep#4", host, time(1, 990), {}, true);
    for (int i = 1; i <= 4; ++i) add_launch(i);
    add_event("\"i\"", "\"cpu_instant_event\"", "[memory]", host, time(510), {}, true);
    add_event("\"C\"", "\"\"", "power", host, time(520), object("\"watt\":350"), true);
    add_event("\"B\"", "\"cpu_op\"", "paired", host, time(530), {}, true);
    add_event("\"E\"", "\"cpu_op\"", "paired", host, time(540), {}, true);
    for (int i = 6; i <= 8; ++i) add_launch(i);
    add_event("\"M\"", "\"\"", "thread_name", host, {}, object("\"name\":\"thread 51\""), false);
  }

  bool pretty_;
  SampleStyle style_;
  SampleTrace trace_;
};

}  // namespace sample

// 42 events that make 25 rows.
[[nodiscard]] inline SampleTrace sample_trace(SampleStyle style) {
  return sample::Writer(style).write();
}

}  // namespace lockstep::formats::chrome_json
