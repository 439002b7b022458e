// From records of rocprofv3 to events.
#include "formats/rocprofv3_json/process_records.h"

#include <algorithm>
#include <array>

#include "base/json_quote.h"
#include "formats/rocprofv3_json/record_values.h"
#include "formats/shared/record_defects.h"

namespace lockstep::formats::rocprofv3_json {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::array;
using simdjson::dom::element;

constexpr std::int64_t kGpuType = 2;

bool is_sample_list(std::string_view name) { return name.starts_with("pc_sample"); }

// Records of the host tell by their kind what they are; these lists hold nothing else.
constexpr std::array<std::string_view, 9> kHostLists = {
    "hip_api",        "hsa_api",       "marker_api",  "rccl_api", "memory_allocation",
    "scratch_memory", "rocdecode_api", "rocjpeg_api", "ompt"};

}  // namespace

std::uint64_t collect_times(RecordParser& parser, const ProcessSections& sections,
                            std::vector<WideTime>& times) {
  std::uint64_t seen = 0;
  const auto take = [&](element record, std::size_t) {
    const std::int64_t time = number_of(dispatch_of(record), "start_timestamp");
    if (time != kNoNumber) times.push_back(picoseconds(time));
    return times.size() < shared::kTimesForOrigin;
  };
  const auto look = [&](Range list) {
    if (times.size() < shared::kTimesForOrigin) seen += parser.for_each(list, take);
  };
  look(sections.list("kernel_dispatch"));
  for (const RecordList& list : sections.lists) {
    if (list.name != "kernel_dispatch" && !is_sample_list(list.name)) look(list.range);
  }
  look(sections.counter_collection);
  return seen;
}

ProcessReader::ProcessReader(RecordParser& parser, const ProcessSections& sections,
                             shared::RankBuilder& builder, bool keeps_correlations)
    : parser_(parser),
      sections_(sections),
      builder_(builder),
      keeps_correlations_(keeps_correlations),
      arguments_(builder) {}

void ProcessReader::read(std::vector<ListUse>& uses) {
  read_metadata();
  read_agents();
  read_symbols();
  read_strings();
  const auto each = [&](Range list, auto add) {
    return parser_.for_each(list, [&](element record, std::size_t offset) {
      (this->*add)(record, offset);
      return true;
    });
  };
  std::uint64_t kernels = 0;
  for (const RecordList& list : sections_.lists) {
    ListUse use{list.name, 0, true};
    if (list.name == "kernel_dispatch") {
      use.records = each(list.range, &ProcessReader::add_kernel);
      kernels += use.records;
    } else if (list.name == "memory_copy") {
      use.records = each(list.range, &ProcessReader::add_copy);
    } else if (is_sample_list(list.name)) {
      use.is_used = false;
      use.records = parser_.for_each(list.range, [](element, std::size_t) { return true; });
    } else if (std::ranges::find(kHostLists, list.name) != kHostLists.end()) {
      use.records = each(list.range, &ProcessReader::add_host_record);
    } else {
      use.records = read_unknown_list(list, kernels);
    }
    uses.push_back(std::move(use));
  }
  look_at_other_callbacks();
  // With counters alone the dispatches stand beside their counters.
  ListUse use{"counter_collection", 0, kernels == 0};
  use.records = kernels == 0 ? each(sections_.counter_collection, &ProcessReader::add_kernel)
                             : parser_.for_each(sections_.counter_collection,
                                                [](element, std::size_t) { return true; });
  uses.push_back(std::move(use));
}

std::uint64_t ProcessReader::read_unknown_list(const RecordList& list, std::uint64_t& kernels) {
  std::uint64_t on_devices = 0;
  const std::uint64_t records =
      parser_.for_each(list.range, [&](element record, std::size_t offset) {
        const bool dispatch = is_dispatch(record);
        const bool copy = !dispatch && is_copy(record);
        on_devices += dispatch || copy ? 1 : 0;
        kernels += dispatch ? 1 : 0;
        const auto add = dispatch ? &ProcessReader::add_kernel
                         : copy   ? &ProcessReader::add_copy
                                  : &ProcessReader::add_host_record;
        (this->*add)(record, offset);
        return true;
      });
  const DiagnosticKind& kind = on_devices > 0 ? kMisnamedList : kUnknownList;
  if (records > 0) builder_.diagnostics().add(kind, Place::byte(list.range.begin), list.name);
  return records;
}

// With counters, the dispatches may stand nowhere else than under their name.
void ProcessReader::look_at_other_callbacks() {
  for (const RecordList& list : sections_.other_callbacks) {
    bool has_dispatch = false;
    parser_.for_each(list.range, [&](element record, std::size_t) {
      has_dispatch = is_dispatch(record);
      return !has_dispatch;
    });
    if (!has_dispatch) continue;
    builder_.diagnostics().add(kMisnamedList, Place::byte(list.range.begin), list.name);
  }
}

void ProcessReader::read_metadata() {
  const auto metadata = parser_.parse(sections_.metadata);
  // Of a section that is cut off the end of the document tells.
  if (!metadata && !sections_.metadata.empty() && sections_.metadata.is_closed) {
    builder_.diagnostics().add(kDamagedStructure, Place::byte(sections_.metadata.begin));
  }
  std::string pid = "0";
  std::string command;
  std::string hostname;
  if (metadata) {
    pid = std::to_string(number_of(*metadata, "pid", 0));
    element node;
    if ((*metadata)["node"].get(node) == SUCCESS) hostname = text_of(node, "hostname");
    array words;
    if ((*metadata)["command"].get_array().get(words) == SUCCESS) {
      for (const element word : words) {
        std::string_view text;
        if (word.get_string().get(text) != SUCCESS) continue;
        command += (command.empty() ? "" : " ") + std::string(text);
      }
    }
  }
  const std::size_t processes_before = builder_.trace().processes.size();
  process_ = builder_.process(pid);
  const bool is_taken = builder_.trace().processes.size() == processes_before;
  if (is_taken) {
    process_ = builder_.process(pid + " (" + std::to_string(processes_before + 1) + ")");
  }
  const std::string_view program = std::string_view(command).substr(0, command.find(' '));
  const std::size_t slash = program.rfind('/');
  builder_.at(process_).name =
      builder_.intern(slash == std::string_view::npos ? program : program.substr(slash + 1));
  if (is_taken || processes_before > 0) return;
  const auto say = [&](std::string key, std::string_view text) {
    if (!text.empty()) builder_.rank().metadata.push_back({std::move(key), quoted_json(text)});
  };
  say("hostname", hostname);
  say("command", command);
}

void ProcessReader::read_agents() {
  std::int64_t gpus = 0;
  parser_.for_each(sections_.agents, [&](element agent, std::size_t) {
    Agent made;
    made.is_gpu = number_of(agent, "type", 0) == kGpuType;
    // The number among the agents of its type, as HIP counts; older versions do not write it.
    const std::int64_t index = number_of(agent, "logical_node_type_id", made.is_gpu ? gpus : 0);
    gpus += made.is_gpu ? 1 : 0;
    made.number = index;
    made.index = (made.is_gpu ? "" : "CPU ") + std::to_string(index);
    made.name = text_of(agent, "product_name");
    if (made.name.empty()) made.name = text_of(agent, "name");
    agents_.insert_or_assign(handle_of(agent, "id"), std::move(made));
    return true;
  });
}

void ProcessReader::read_symbols() {
  parser_.for_each(sections_.kernel_symbols, [&](element symbol, std::size_t) {
    std::string_view name = text_of(symbol, "kernel_name");
    if (name.empty()) name = text_of(symbol, "formatted_kernel_name");
    if (name.empty()) name = text_of(symbol, "demangled_kernel_name");
    const std::int64_t id = number_of(symbol, "kernel_id");
    // Symbol 0 stands for none.
    if (id != kNoNumber && id != 0) kernels_.set(id, builder_.intern(rocm::kernel_of_symbol(name)));
    return true;
  });
}

void ProcessReader::read_strings() {
  const auto strings = parser_.parse(sections_.strings);
  if (!strings) return;
  array kinds;
  if ((*strings)["buffer_records"].get_array().get(kinds) == SUCCESS) {
    for (const element kind : kinds) {
      Domain& domain = domains_.emplace_back();
      domain.kind = rocm::kind_of_rocm_domain(text_of(kind, "kind"));
      array operations;
      if (kind["operations"].get_array().get(operations) != SUCCESS) continue;
      for (const element operation : operations) {
        std::string_view text;
        if (operation.get_string().get(text) != SUCCESS) text = {};
        domain.operations.push_back(builder_.intern(text));
      }
    }
  }
  array markers;
  if ((*strings)["marker_api"].get_array().get(markers) != SUCCESS) return;
  for (const element marker : markers) {
    const std::string_view message = text_of(marker, "value");
    if (!message.empty()) messages_[number_of(marker, "key")] = builder_.intern(message);
  }
}

void ProcessReader::add_kernel(element record, std::size_t offset) {
  const element dispatch = dispatch_of(record);
  Times times;
  if (!take_times(dispatch, offset, times)) return;
  element info;
  if (dispatch["dispatch_info"].get(info) != SUCCESS) {
    info = dispatch;
  } else if (has_times(info)) {
    // Half of another record stands in this one.
    builder_.diagnostics().add(kDamagedStructure, Place::byte(offset));
  }
  const std::int64_t agent = handle_of(info, "agent_id");
  const std::int64_t queue = handle_of(info, "queue_id", 0);
  // Versions before streams were recorded have queues only.
  const std::int64_t stream = handle_of(record, "stream_id", queue);
  const std::int64_t kernel = number_of(info, "kernel_id", -1);
  trace::Event made;
  made.kind = trace::Kind::kKernel;
  made.name = kernels_.find(kernel);
  if (made.name == kEmptyString) {
    builder_.diagnostics().add(rocm::kDanglingId, Place::byte(offset));
    made.name = builder_.intern("kernel " + std::to_string(kernel));
  }
  made.track = stream_track(agent, stream, offset);
  made.correlation = correlation_of(dispatch);
  const trace::EventId id = builder_.add_span(made, times.start, times.end, Place::byte(offset));
  if (!builder_.keeps_arguments() || id == trace::kNoEvent) return;
  const rocm::Extent group = extent_of(info, "workgroup_size");
  say_device(agent);
  arguments_.integer("stream", stream);
  arguments_.integer("queue", queue);
  arguments_.extent("grid", rocm::groups_of(extent_of(info, "grid_size"), group));
  arguments_.extent("block", group);
  arguments_.integer("shared memory", number_of(info, "group_segment_size", 0));
  arguments_.integer("private segment", number_of(info, "private_segment_size", 0));
  arguments_.integer("dispatch", number_of(info, "dispatch_id", 0));
  arguments_.give_to(id);
}

void ProcessReader::add_copy(element record, std::size_t offset) {
  Times times;
  if (!take_times(record, offset, times)) return;
  // The GPU at its end, else the one at its start; between GPUs the receiving one.
  const std::int64_t to = handle_of(record, "dst_agent_id");
  const std::int64_t from = handle_of(record, "src_agent_id");
  const bool on_host =
      agents_.contains(to) && agents_.contains(from) && !is_gpu(to) && !is_gpu(from);
  const std::int64_t agent = !is_gpu(to) && is_gpu(from) ? from : to;
  const std::int64_t stream = handle_of(record, "stream_id", 0);
  trace::Event made;
  made.kind = trace::Kind::kMemcpy;
  made.name = operation_of(record, offset);
  made.track = on_host ? thread_track(number_of(record, "thread_id", 0))
                       : stream_track(agent, stream, offset);
  made.correlation = correlation_of(record);
  const trace::EventId id = builder_.add_span(made, times.start, times.end, Place::byte(offset));
  if (!builder_.keeps_arguments() || id == trace::kNoEvent) return;
  arguments_.integer("bytes", number_of(record, "bytes", 0));
  if (!on_host) say_device(agent);
  arguments_.integer("stream", stream);
  arguments_.give_to(id);
}

void ProcessReader::add_host_record(element record, std::size_t offset) {
  Times times;
  if (!take_times(record, offset, times)) return;
  const std::int64_t kind = number_of(record, "kind", -1);
  const bool is_known = kind >= 0 && static_cast<std::size_t>(kind) < domains_.size();
  trace::Event made;
  made.kind = is_known ? domains_[static_cast<std::size_t>(kind)].kind : trace::Kind::kHostOp;
  made.track = thread_track(number_of(record, "thread_id", 0));
  const std::int64_t correlation = correlation_of(record);
  const auto message = made.kind == trace::Kind::kAnnotation && !messages_.empty()
                           ? messages_.find(correlation)
                           : messages_.end();
  made.name = message == messages_.end() ? operation_of(record, offset) : message->second;
  if (made.kind == trace::Kind::kRuntimeCall && keeps_correlations_) made.correlation = correlation;
  if (made.kind == trace::Kind::kAnnotation && times.start == times.end) {
    builder_.add_point(made, times.start, trace::Shape::kInstant, Place::byte(offset));
    return;
  }
  const trace::EventId id = builder_.add_span(made, times.start, times.end, Place::byte(offset));
  const std::int64_t bytes = number_of(record, "allocation_size");
  if (!builder_.keeps_arguments() || bytes == kNoNumber) return;
  arguments_.integer("bytes", bytes);
  arguments_.give_to(id);
}

void ProcessReader::say_device(std::int64_t agent) {
  const auto known = agents_.find(agent);
  if (known != agents_.end()) arguments_.integer("device", known->second.number);
}

bool ProcessReader::take_times(element record, std::size_t offset, Times& times) {
  const std::int64_t start = number_of(record, "start_timestamp");
  const std::int64_t end = number_of(record, "end_timestamp");
  if (start == kNoNumber || end == kNoNumber) {
    builder_.diagnostics().add(shared::kMissingTime, Place::byte(offset));
    return false;
  }
  times = {picoseconds(start), picoseconds(end)};
  return true;
}

StringId ProcessReader::operation_of(element record, std::size_t offset) {
  const std::int64_t kind = number_of(record, "kind", -1);
  const std::int64_t operation = number_of(record, "operation", -1);
  if (kind >= 0 && static_cast<std::size_t>(kind) < domains_.size()) {
    const auto& operations = domains_[static_cast<std::size_t>(kind)].operations;
    if (operation >= 0 && static_cast<std::size_t>(operation) < operations.size()) {
      return operations[static_cast<std::size_t>(operation)];
    }
  }
  builder_.diagnostics().add(rocm::kDanglingId, Place::byte(offset));
  return builder_.intern("operation " + std::to_string(kind) + "." + std::to_string(operation));
}

bool ProcessReader::is_gpu(std::int64_t handle) const {
  const auto known = agents_.find(handle);
  return known != agents_.end() && known->second.is_gpu;
}

trace::DeviceId ProcessReader::device_of(std::int64_t handle, std::size_t offset) {
  const auto known = agents_.find(handle);
  if (known == agents_.end()) {
    builder_.diagnostics().add(rocm::kDanglingId, Place::byte(offset));
    return builder_.device("agent " + (handle == kNoNumber ? "?" : std::to_string(handle)));
  }
  const trace::DeviceId device = builder_.device(known->second.index);
  builder_.at(device).name = builder_.intern(known->second.name);
  return device;
}

trace::TrackId ProcessReader::stream_track(std::int64_t agent, std::int64_t stream,
                                           std::size_t offset) {
  return stream_tracks_.find({0, agent, stream}, [&] {
    return builder_.stream(process_, device_of(agent, offset), std::to_string(stream));
  });
}

trace::TrackId ProcessReader::thread_track(std::int64_t thread) {
  return thread_tracks_.find(
      {0, 0, thread}, [&] { return builder_.host_thread(process_, std::to_string(thread)); });
}

std::int64_t ProcessReader::correlation_of(element record) const {
  element ids;
  if (!keeps_correlations_ || record["correlation_id"].get(ids) != SUCCESS)
    return trace::kNoCorrelation;
  const std::int64_t id = number_of(ids, "internal", 0);
  return id > 0 ? id : trace::kNoCorrelation;  // 0 is work that no call is known for
}

}  // namespace lockstep::formats::rocprofv3_json
