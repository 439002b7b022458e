// Calls and ranges on host threads.
#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "formats/nsys_sqlite/nsys_reader.h"
#include "formats/shared/record_defects.h"
#include "formats/sqlite/sqlite_parts.h"

namespace lockstep::formats::nsys_sqlite {
namespace {

// "cudaLaunchKernel_v7000" is what people know as cudaLaunchKernel.
std::string_view without_version(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == name.size() || digits < 2) return name;
  return name.substr(digits - 1, 2) == "_v" ? name.substr(0, digits - 1) : name;
}

constexpr std::string_view kMpiThread = "MPI Rank ";

enum RangeColumn : int {
  kRangeStart,
  kRangeEnd,
  kRangeType,
  kText,
  kTextId,
  kGlobalTid,
  kDomain,
  kJson,
  kJsonId,
  kFirstPayload,
};
constexpr int kIntegerPayloads = 4;  // then two of floating point

bool is_range(NvtxType type) {
  return type == NvtxType::kPushPop || type == NvtxType::kStartEnd ||
         type == NvtxType::kTextPushPop || type == NvtxType::kTextStartEnd;
}

// torch.autograd.profiler.emit_nvtx marks every operator: "aten::add, seq = 7, op_id = 9, sizes =
// [[2]]". Those are operators, with a name that repeats.
std::optional<std::string_view> torch_operator(std::string_view text) {
  const std::size_t id = text.find(", op_id = ");
  if (id == std::string_view::npos) return std::nullopt;
  return text.substr(0, std::min(id, text.find(", seq = ")));
}

bool is_mark(NvtxType type) { return type == NvtxType::kMark || type == NvtxType::kTextMark; }

}  // namespace

StringId NsysReader::call_name(std::int64_t string, std::uint64_t row) {
  const auto [known, is_new] = call_names_.try_emplace(string);
  if (is_new) {
    known->second = name_of(string, row);
    known->second = builder_.intern(without_version(builder_.trace().text(known->second)));
  }
  return known->second;
}

void NsysReader::read_calls(const HostTable& table) {
  enum : int { kThread = 2, kName, kCallCorrelation, kReturn };
  sqlite::SqliteScan scan = file_.scan(
      table.name, {"start", "end", "globalTid", table.name_column, "correlationId", "returnValue"});
  const bool is_cuda = table.kind == trace::Kind::kRuntimeCall;
  trace::Event row;
  row.kind = table.kind;
  while (scan.next()) {
    Times times;
    if (!take_times(scan, times)) continue;
    const std::int64_t string = scan.integer(kName, sqlite::kNoId);
    row.name = is_cuda ? call_name(string, scan.rows()) : name_of(string, scan.rows());
    row.track = lanes_.thread(scan.integer(kThread));
    const std::int64_t correlation = is_cuda ? scan.integer(kCallCorrelation) : 0;
    row.correlation = correlation > 0 ? correlation : trace::kNoCorrelation;
    const trace::EventId event =
        builder_.add_span(row, times.start, times.end, Place::row(scan.rows()));
    if (!builder_.keeps_arguments() || event == trace::kNoEvent || scan.is_null(kReturn)) continue;
    kept_.clear();
    keep("return value", scan.integer(kReturn));
    set_kept(event);
  }
  sqlite::use_table(builder_, table.name, scan.rows(), std::string(table.what));
}

void NsysReader::read_ranges() {
  sqlite::SqliteScan scan =
      file_.scan(kRanges, {"start", "end", "eventType", "text", "textId", "globalTid", "domainId",
                           "jsonText", "jsonTextId", "uint64Value", "int64Value", "uint32Value",
                           "int32Value", "doubleValue", "floatValue"});
  std::uint64_t used = 0;
  while (scan.next()) read_range(scan, used);
  sqlite::use_table(builder_, kRanges, used, "ranges and marks of the user");
  if (scan.rows() > used) {
    builder_.add_part(trace::SourcePart::Use::kUnused, std::string(kRanges), scan.rows() - used,
                      "rows that name domains, threads and categories");
  }
}

std::string_view NsysReader::range_text(const sqlite::SqliteScan& scan) const {
  return scan.is_null(kText) ? strings_.text(scan.integer(kTextId, sqlite::kNoId))
                             : scan.text(kText);
}

StringId NsysReader::range_name(const sqlite::SqliteScan& scan) {
  if (!scan.is_null(kText)) return builder_.intern(scan.text(kText));
  if (scan.is_null(kTextId)) return builder_.intern("NVTX range");
  return name_of(scan.integer(kTextId, sqlite::kNoId), scan.rows());
}

void NsysReader::read_range(const sqlite::SqliteScan& scan, std::uint64_t& used) {
  // Exports that were cut down by hand may lack the type: then a row is a range.
  const auto type = scan.has(kRangeType) ? NvtxType{static_cast<int>(scan.integer(kRangeType))}
                                         : NvtxType::kPushPop;
  if (!is_range(type) && !is_mark(type)) return read_range_name(scan, type);
  ++used;
  const trace::EventId event = is_range(type) ? add_range(scan) : add_mark(scan);
  if (!builder_.keeps_arguments() || event == trace::kNoEvent) return;
  keep_range(scan);
  set_kept(event);
}

trace::EventId NsysReader::add_range(const sqlite::SqliteScan& scan) {
  Times times;
  if (!take_times(scan, times)) return trace::kNoEvent;
  trace::Event row;
  if (const auto name = torch_operator(range_text(scan))) {
    row.kind = trace::Kind::kHostOp;
    row.name = builder_.intern(*name);
  } else {
    row.kind = trace::Kind::kAnnotation;
    row.name = range_name(scan);
  }
  row.track = lanes_.thread(scan.integer(kGlobalTid));
  return builder_.add_span(row, times.start, times.end, Place::row(scan.rows()));
}

trace::EventId NsysReader::add_mark(const sqlite::SqliteScan& scan) {
  const Place place = Place::row(scan.rows());
  const std::int64_t time = scan.integer(kRangeStart, kNoTime);
  if (time == kNoTime) {
    builder_.diagnostics().add(shared::kMissingTime, place);
    return trace::kNoEvent;
  }
  trace::Event row;
  row.kind = trace::Kind::kAnnotation;
  row.name = range_name(scan);
  row.track = lanes_.thread(scan.integer(kGlobalTid));
  return builder_.add_point(row, absolute(time), trace::Shape::kInstant, place);
}

void NsysReader::read_range_name(const sqlite::SqliteScan& scan, NvtxType type) {
  // Names have no end. Where the table has no column for it, its columns are not what they were.
  if (!scan.is_null(kRangeEnd) || !scan.has(kRangeEnd)) {
    builder_.diagnostics().add(kRangeOfNoType, Place::row(scan.rows()),
                               "type " + std::string(scan.text(kRangeType)));
  }
  const std::int64_t thread = scan.integer(kGlobalTid);
  if (type == NvtxType::kDomain) {
    domains_.try_emplace({thread >> 24, scan.integer(kDomain)}, range_name(scan));
  }
  if (type != NvtxType::kThreadName) return;
  const StringId name = range_name(scan);
  lanes_.name_thread(thread, name);
  std::string_view text = builder_.trace().text(name);
  if (!text.starts_with(kMpiThread)) return;
  text.remove_prefix(kMpiThread.size());
  std::int64_t rank = 0;
  const auto [end, failure] = std::from_chars(text.begin(), text.end(), rank);
  if (failure == std::errc() && end == text.end()) lanes_.set_mpi_rank(thread, rank);
}

void NsysReader::keep_range(const sqlite::SqliteScan& scan) {
  kept_.clear();
  const std::string_view text = range_text(scan);
  if (torch_operator(text)) {
    kept_.push_back(trace::Argument::string(builder_.intern("range"), builder_.intern(text)));
  }
  const std::int64_t domain = scan.integer(kDomain);
  const auto name = domains_.find({scan.integer(kGlobalTid) >> 24, domain});
  if (name != domains_.end()) {
    kept_.push_back(trace::Argument::string(builder_.intern("domain"), name->second));
  } else if (domain != 0) {
    keep("domain", domain);
  }
  for (int i = 0; i < kIntegerPayloads + 2; ++i) {
    const int column = kFirstPayload + i;
    if (scan.is_null(column)) continue;
    if (i < kIntegerPayloads) {
      keep("payload", scan.integer(column));
    } else {
      kept_.push_back(trace::Argument::real(builder_.intern("payload"), scan.real(column)));
    }
    break;
  }
  if (!scan.is_null(kJson)) {
    kept_.push_back(
        trace::Argument::string(builder_.intern("json"), builder_.intern(scan.text(kJson))));
  } else if (const auto json = strings_.find(scan.integer(kJsonId, sqlite::kNoId))) {
    kept_.push_back(trace::Argument::string(builder_.intern("json"), *json));
  }
}

}  // namespace lockstep::formats::nsys_sqlite
