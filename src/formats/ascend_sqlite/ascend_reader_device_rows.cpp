// Tasks of the device, and the collectives that stand beside them.
#include <algorithm>

#include <fmt/format.h>

#include "formats/ascend/ascend_tasks.h"
#include "formats/ascend_sqlite/ascend_reader.h"

namespace lockstep::formats::ascend_sqlite {
namespace {

enum TaskColumn : int {
  kStart,
  kEnd,
  kDevice,
  kConnection,
  kTask,
  kPid,
  kType,
  kStream,
  kContext,
  kTaskNumber,
  kModel,
};

// Of COMPUTE_TASK_INFO: column and argument. Those of newer versions stand last.
struct Detail {
  std::string_view column;
  std::string_view argument;
  bool is_string;
};
constexpr std::array kComputeDetails = {
    Detail{"opType", "op type", true},
    Detail{"taskType", "task type", true},
    Detail{"blockDim", "block dim", false},
    Detail{"blockNum", "block dim", false},
    Detail{"mixBlockDim", "mix block dim", false},
    Detail{"inputFormats", "input formats", true},
    Detail{"inputDataTypes", "input data types", true},
    Detail{"inputShapes", "input shapes", true},
    Detail{"outputFormats", "output formats", true},
    Detail{"outputDataTypes", "output data types", true},
    Detail{"outputShapes", "output shapes", true},
    Detail{"opState", "op state", true},
};

// A database has a type for each task, and no other name beside it.
trace::Kind kind_of_task(std::string_view type) {
  return ascend::ascend_task_kind(type, type).value_or(trace::Kind::kAnnotation);
}

trace::Kind kind_of_step(std::string_view type) {
  const auto* const found =
      std::ranges::find(kCommunicationSteps, type, &CommunicationStepType::name);
  return found == kCommunicationSteps.end() ? kOtherCommunicationStep : found->kind;
}

std::int64_t connection_of(const sqlite::SqliteScan& scan, int column) {
  const std::int64_t connection = scan.integer(column, sqlite::kNoId);
  return connection == kNoConnection ? sqlite::kNoId : connection;
}

}  // namespace

void AscendReader::read_operators() {
  sqlite::SqliteScan types = file_.scan("ENUM_HCCL_DATA_TYPE", {"id", "name"});
  while (types.next()) data_types_.try_emplace(types.integer(0), types.text(1));
  sqlite::SqliteScan scan =
      file_.scan("COMMUNICATION_OP", {"startNs", "endNs", "opName", "connectionId", "groupName",
                                      "dataType", "count", "algType", "deviceId"});
  while (scan.next()) {
    Operator op;
    if (!take_times(scan, op.times)) continue;
    op.name = scan.integer(2, sqlite::kNoId);
    op.connection = connection_of(scan, 3);
    op.group = scan.integer(4, sqlite::kNoId);
    op.data_type = scan.integer(5, sqlite::kNoId);
    op.count = scan.integer(6, sqlite::kNoId);
    op.algorithm = scan.integer(7, sqlite::kNoId);
    if (!scan.is_null(8)) op.device = scan.integer(8);
    op.row = scan.rows();
    if (op.connection >= 0) {
      operator_rows_.add(op.connection, static_cast<std::uint32_t>(operators_.size()));
    }
    operators_.push_back(op);
  }
}

void AscendReader::read_computations() {
  sqlite::SqliteColumns columns{{"globalTaskId", "name", "taskType"}};
  for (std::size_t i = 0; i < kComputeDetails.size(); ++i) {
    const bool tells =
        trace::role_of_argument(kComputeDetails[i].argument) != trace::ArgumentRole::kNone;
    if (!builder_.keeps_arguments() && !(builder_.keeps_evidence() && tells)) continue;
    columns.details.push_back(kComputeDetails[i].column);
    kept_details_.push_back(i);
  }
  sqlite::SqliteScan scan = file_.scan("COMPUTE_TASK_INFO", columns);
  std::unordered_map<std::int64_t, bool> is_ai_cpu;  // by string
  while (scan.next()) {
    const auto position = static_cast<std::uint32_t>(computations_.size());
    if (scan.is_null(0) || !computation_rows_.add(scan.integer(0), position)) continue;
    const std::int64_t type = scan.integer(2, sqlite::kNoId);
    const auto [known, is_new] = is_ai_cpu.try_emplace(type);
    if (is_new) known->second = kind_of_task(strings_.text(type)) == trace::Kind::kAiCpu;
    Computation& made = computations_.emplace_back(scan.integer(1, sqlite::kNoId), known->second);
    for (std::size_t i = 0; i < columns.details.size(); ++i) {
      made.details.push_back(
          scan.integer(static_cast<int>(columns.needed.size() + i), sqlite::kNoId));
    }
  }
  use("COMPUTE_TASK_INFO", scan.rows(), "names of kernels");
}

void AscendReader::read_communication_steps() {
  sqlite::SqliteScan scan = file_.scan("COMMUNICATION_TASK_INFO",
                                       {"globalTaskId", "taskType", "name", "planeId", "size"});
  while (scan.next()) {
    const auto position = static_cast<std::uint32_t>(steps_.size());
    if (scan.is_null(0) || !step_rows_.add(scan.integer(0), position)) continue;
    steps_.push_back({scan.integer(1, sqlite::kNoId), scan.integer(2, sqlite::kNoId),
                      scan.integer(3, sqlite::kNoId), scan.integer(4)});
  }
  use("COMMUNICATION_TASK_INFO", scan.rows(), "steps inside collectives, never busy");
}

void AscendReader::read_copy_sizes() {
  if (!builder_.keeps_arguments()) return;
  sqlite::SqliteScan scan = file_.scan("MEMCPY_INFO", {"globalTaskId", "size"});
  while (scan.next()) {
    const auto position = static_cast<std::uint32_t>(copy_bytes_.size());
    if (scan.is_null(0) || !copy_rows_.add(scan.integer(0), position)) continue;
    copy_bytes_.push_back(scan.integer(1));
  }
  use("MEMCPY_INFO", scan.rows(), "bytes of copies");
}

trace::Kind AscendReader::kind_of_type(std::int64_t type) {
  const auto [known, is_new] = kinds_.try_emplace(type);
  if (is_new) known->second = kind_of_task(strings_.text(type));
  return known->second;
}

trace::TrackId AscendReader::stream(const Owner& owner, std::int64_t number) {
  const std::array<std::int64_t, 3> key = {owner.pid, owner.device, number};
  if (last_stream_ && last_stream_->first == key) return last_stream_->second;
  const auto [known, is_new] = streams_.try_emplace(key);
  if (is_new) {
    const trace::ProcessId process = builder_.process(std::to_string(owner.pid));
    const trace::DeviceId device = builder_.device(std::to_string(owner.device));
    known->second = builder_.stream(process, device, std::to_string(number));
    builder_.at(known->second).name = builder_.intern(fmt::format("Stream {}", number));
  }
  last_stream_ = *known;
  return known->second;
}

trace::Event AscendReader::computed(const Computation& computation, std::uint64_t row) {
  trace::Event event;
  event.name = name_of(computation.name, row);
  event.kind = computation.is_ai_cpu ? trace::Kind::kAiCpu : trace::Kind::kKernel;
  return event;
}

trace::Event AscendReader::unexplained(const sqlite::SqliteScan& scan) {
  trace::Event event;
  event.name = name_of(scan.integer(kType, sqlite::kNoId), scan.rows());
  event.kind = kind_of_type(scan.integer(kType, sqlite::kNoId));
  if (!trace::is_kernel(event.kind)) return event;
  // The cover around the parts of a mixed kernel or of a collective.
  const bool is_cover = !computations_.empty() || operator_rows_.find(connection_of(
                                                      scan, kConnection)) != shared::IdIndex::kNone;
  if (is_cover) event.kind = trace::Kind::kAnnotation;
  return event;
}

void AscendReader::read_task(const sqlite::SqliteScan& scan) {
  Times times;
  if (!take_times(scan, times)) return;
  const std::int64_t task = scan.integer(kTask, sqlite::kNoId);
  const std::uint32_t computed_row = computation_rows_.find(task);
  const std::uint32_t step_row = step_rows_.find(task);
  const std::int64_t connection = connection_of(scan, kConnection);
  const Owner owner{scan.integer(kPid), scan.integer(kDevice)};
  if (!first_owner_) first_owner_ = owner;
  if (operator_rows_.find(connection) != shared::IdIndex::kNone) {
    operator_owners_.try_emplace(connection, owner);
  }

  const Computation* computation = nullptr;
  const CommunicationStep* step = nullptr;
  trace::Event event;
  if (computed_row != shared::IdIndex::kNone) {
    computation = &computations_[computed_row];
    event = computed(*computation, scan.rows());
  } else if (step_row != shared::IdIndex::kNone) {
    step = &steps_[step_row];
    event.name = name_of(step->type, scan.rows());
    event.kind = kind_of_step(builder_.trace().text(event.name));
  } else {
    event = unexplained(scan);
  }
  event.track = stream(owner, scan.integer(kStream));
  const bool is_launched = step == nullptr && event.kind != trace::Kind::kAnnotation;
  if (is_launched) event.correlation = connection >= 0 ? connection : trace::kNoCorrelation;
  const trace::EventId id =
      builder_.add_span(event, times.start, times.end, Place::row(scan.rows()));
  if (id == trace::kNoEvent) return;
  if (event.correlation >= 0) device_joins_.push_back({event.correlation, id, false});
  if (builder_.keeps_evidence()) keep_task(scan, id, computation, step);
}

void AscendReader::keep_task(const sqlite::SqliteScan& scan, trace::EventId event,
                             const Computation* computation, const CommunicationStep* step) {
  kept_.clear();
  const auto keep = [this](std::string_view key, std::int64_t value) {
    kept_.push_back(trace::Argument::integer(builder_.intern(key), value));
  };
  const auto keep_string = [this](std::string_view key, std::int64_t string) {
    if (const auto text = strings_.find(string)) {
      kept_.push_back(trace::Argument::string(builder_.intern(key), *text));
    }
  };
  const bool keeps_all = builder_.keeps_arguments();
  if (keeps_all) {
    keep("stream", scan.integer(kStream));
    keep("task id", scan.integer(kTaskNumber));
    if (scan.integer(kModel, kNoModel) != kNoModel) keep("model id", scan.integer(kModel));
  }
  if (computation != nullptr) {
    for (std::size_t i = 0; i < computation->details.size(); ++i) {
      const Detail& detail = kComputeDetails[kept_details_[i]];
      const std::int64_t value = computation->details[i];
      if (detail.is_string) {
        keep_string(detail.argument, value);
      } else if (value >= 0) {
        keep(detail.argument, value);
      }
    }
  } else {
    keep_string("task type", scan.integer(kType, sqlite::kNoId));
  }
  if (keeps_all && step != nullptr) {
    keep_string("collective", step->op_name);
    keep("plane", step->plane);
    keep("bytes", step->bytes);
  }
  const std::uint32_t copy = copy_rows_.find(scan.integer(kTask, sqlite::kNoId));
  if (keeps_all && copy != shared::IdIndex::kNone) keep("bytes", copy_bytes_[copy]);
  builder_.set_arguments(event, kept_);
}

void AscendReader::read_tasks() {
  sqlite::SqliteColumns columns{{"startNs", "endNs", "deviceId", "connectionId", "globalTaskId",
                                 "globalPid", "taskType", "streamId"}};
  if (builder_.keeps_arguments()) columns.details = {"contextId", "taskId", "modelId"};
  sqlite::SqliteScan scan = file_.scan("TASK", columns);
  while (scan.next()) read_task(scan);
  use("TASK", scan.rows(), "work of the device");
}

trace::TrackId AscendReader::group_lane(const Owner& owner, std::int64_t group) {
  const StringId name = strings_.find(group).value_or(builder_.intern("unknown group"));
  const std::size_t number = groups_.try_emplace(group, groups_.size()).first->second;
  const trace::ProcessId process = builder_.process(std::to_string(owner.pid));
  const trace::DeviceId device = builder_.device(std::to_string(owner.device));
  const trace::TrackId lane = builder_.stream(process, device, builder_.trace().text(name));
  builder_.at(lane).name = builder_.intern(fmt::format("Group {} Communication", number));
  return lane;
}

void AscendReader::describe_collective(trace::EventId event, const Operator& op) {
  trace::Collective& collective = builder_.collective_of(event);
  collective.group = strings_.find(op.group).value_or(kEmptyString);
  collective.sequence = ascend::collective_sequence(strings_.text(op.name));
  const auto known = data_types_.find(op.data_type);
  const auto type =
      known == data_types_.end() ? std::nullopt : ascend::hccl_data_type(known->second);
  if (type) collective.dtype = builder_.intern(type->torch);
  if (op.count < 0) return;
  collective.elements_in = op.count;
  collective.elements_out = op.count;
  if (type && op.count <= std::numeric_limits<std::int64_t>::max() / type->bytes) {
    collective.bytes = op.count * type->bytes;
  }
}

void AscendReader::add_operators() {
  for (const Operator& op : operators_) {
    Owner owner = first_owner_.value_or(Owner{});
    const auto task = operator_owners_.find(op.connection);
    if (task != operator_owners_.end()) owner = task->second;
    if (op.device) owner.device = *op.device;
    trace::Event event;
    event.kind = trace::Kind::kCommunication;
    event.name = name_of(op.name, op.row);
    event.track = group_lane(owner, op.group);
    event.correlation = op.connection >= 0 ? op.connection : trace::kNoCorrelation;
    const trace::EventId id =
        builder_.add_span(event, op.times.start, op.times.end, Place::row(op.row));
    if (id == trace::kNoEvent) continue;
    describe_collective(id, op);
    if (event.correlation >= 0) device_joins_.push_back({event.correlation, id, false});
    const auto algorithm = strings_.find(op.algorithm);
    if (!builder_.keeps_arguments() || !algorithm) continue;
    kept_ = {trace::Argument::string(builder_.intern("algorithm"), *algorithm)};
    builder_.set_arguments(id, kept_);
  }
  use("COMMUNICATION_OP", operators_.size(), "collectives");
  builder_.diagnostics().add(ascend::kDuplicateCollective, Place::none(), {},
                             ascend::settle_second_records(builder_.trace(), builder_.first_row()));
}

}  // namespace lockstep::formats::ascend_sqlite
