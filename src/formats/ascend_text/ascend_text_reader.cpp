// Single files.
#include "formats/ascend_text/ascend_text_reader.h"

#include <string>

#include "formats/ascend/ascend_names.h"
#include "formats/ascend/ascend_tasks.h"
#include "formats/ascend_text/bundle_files.h"
#include "formats/ascend_text/communication_json.h"
#include "formats/ascend_text/defects.h"
#include "formats/ascend_text/device_row_mapper.h"
#include "formats/ascend_text/summary_tables.h"
#include "formats/shared/byte_order_mark.h"

namespace lockstep::formats::ascend_text {
namespace {

constexpr std::string_view kFormatWord = "ascend_text";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_json(std::string_view head) {
  head.remove_prefix(shared::byte_order_mark_size(head));
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

// {"step50": {"p2p": ... or "collective": both files begin so, and nothing else does. Words further
// on are no proof: a converted trace carries the same sums as metadata.
bool has_steps_of_communication(std::string_view head) {
  std::string plain;
  for (const char c : head.substr(0, 512)) {
    if (static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x80) plain += c;
  }
  const std::size_t second = plain.find(":{");
  if (!plain.starts_with("{\"") || second == std::string::npos) return false;
  const std::string_view inner = std::string_view(plain).substr(second + 2);
  const bool is_first_value = plain.find('"', 2) + 1 == second;
  return is_first_value && (inner.starts_with("\"p2p\"") || inner.starts_with("\"collective\""));
}

shared::Sniff refuse(std::string_view path, const std::string& what) {
  return {shared::Sniff::Verdict::kNo, input_error(std::string(path), what,
                                                   "Give the directory that it lies in, or "
                                                   "kernel_details.csv or trace_view.json")};
}

shared::Sniff sniff(std::string_view head, std::string_view path) {
  if (is_json(head)) {
    if (!has_steps_of_communication(head)) return {};
    if (contains(head, "\"Communication Time Info\"")) return {shared::Sniff::Verdict::kYes, {}};
    if (contains(head, "\"Transport Type\"") && contains(head, "\"Transit Size(MB)\"")) {
      return refuse(path,
                    "is Ascend's communication_matrix.json: sums by pairs of ranks, no timeline");
    }
    return {};
  }
  const std::string_view line = head.substr(0, head.find('\n'));
  if (const std::string_view summary = name_of_summary(line); !summary.empty()) {
    return refuse(path, "is Ascend's " + std::string(summary) + ": sums, no timeline");
  }
  return {table_sort(line) == TableSort::kNone ? shared::Sniff::Verdict::kNo
                                               : shared::Sniff::Verdict::kYes,
          {}};
}

Status read_communication(io::ByteSource& bytes, const std::string& path,
                          const shared::ReadOptions& options, trace::Trace& trace) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string json, read_text(bytes, path));
  const CommunicationFile file = parse_communication(json);
  shared::RankBuilder rank(trace, path, kFormatWord, options.keep_arguments);
  const std::uint64_t added = add_as_events(rank, "0", file.ops);
  if (added == 0) {
    rank.discard();
    return input_error(path, "is Ascend's communication.json, and no operation in it can be read");
  }
  if (file.is_damaged) rank.diagnostics().add(kDamagedFile);
  rank.add_part(trace::SourcePart::Use::kUsed, "communication.json", added, "collectives");
  rank.add_part(trace::SourcePart::Use::kMissing, "kernel_details.csv", 0,
                "no kernels besides collectives");
  rank.finish();
  return {};
}

Status read_table(io::ByteSource& bytes, const std::string& path,
                  const shared::ReadOptions& options, trace::Trace& trace) {
  const std::size_t first_row = trace.events.size();
  shared::RankBuilder rank(trace, path, kFormatWord, options.keep_arguments);
  DeviceTable table(bytes, path, options, rank.diagnostics());
  DeviceRowMapper mapper(rank, nullptr, process_in(path));
  Status status = table.open();
  if (status.ok()) status = mapper.read(table, device_in(path), false);
  if (status.ok() && trace.events.size() == first_row) {
    status = input_error(path, "is a table of kernels without a row that can be read");
  }
  if (!status.ok()) {
    if (trace.events.size() == first_row) rank.discard();
    return status;
  }
  mapper.add_steps();
  rank.diagnostics().add(ascend::kDuplicateCollective, Place::none(), {},
                         ascend::settle_second_records(trace, first_row));
  const bool is_kernels = table.sort() == TableSort::kKernels;
  rank.add_part(trace::SourcePart::Use::kUsed, is_kernels ? "table of kernels" : "table of tasks",
                table.rows());
  if (is_kernels && !table.has_steps()) {
    rank.add_part(trace::SourcePart::Use::kMissing, "kernel_details.csv", 0, kWithoutKernelDetails);
  }
  rank.add_part(
      trace::SourcePart::Use::kMissing, "trace_view.json", 0,
      is_kernels ? "no host events, no copies, no launches" : "no host events, no launches");
  rank.finish();
  return {};
}

Status read(io::ByteSource& bytes, const std::string& path, const shared::ReadOptions& options,
            trace::Trace& trace);

// Bytes that were read for a look, then the rest.
class PeekedSource : public io::ByteSource {
 public:
  explicit PeekedSource(io::ByteSource& below) : below_(below) {}
  [[nodiscard]] Status peek(std::size_t bytes) {
    head_.resize(bytes);
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t got, below_.read(head_));
    head_.resize(got);
    return {};
  }
  [[nodiscard]] std::string_view head() const { return head_; }
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t from_head = std::min(buffer.size(), head_.size() - given_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(given_), from_head, buffer.begin());
    given_ += from_head;
    if (from_head == buffer.size()) return from_head;
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t rest, below_.read(buffer.subspan(from_head)));
    return from_head + rest;
  }
  [[nodiscard]] const Diagnostics& diagnostics() const override { return below_.diagnostics(); }
  [[nodiscard]] std::uint64_t raw_bytes_read() const override { return below_.raw_bytes_read(); }

 private:
  io::ByteSource& below_;
  std::string head_;
  std::size_t given_ = 0;
};

Status read(io::ByteSource& bytes, const std::string& path, const shared::ReadOptions& options,
            trace::Trace& trace) {
  PeekedSource peeked(bytes);
  constexpr std::size_t kFirstBytes = 4096;
  LOCKSTEP_RETURN_IF_ERROR(peeked.peek(kFirstBytes));
  return is_json(peeked.head()) ? read_communication(peeked, path, options, trace)
                                : read_table(peeked, path, options, trace);
}

}  // namespace

shared::Format ascend_text_format() { return {"ascend_text", sniff, read}; }

}  // namespace lockstep::formats::ascend_text
