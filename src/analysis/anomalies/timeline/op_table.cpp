// Kernels summed by name and kind, then ranked.
#include "analysis/anomalies/timeline/op_table.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <unordered_map>

#include "algo/intervals/covering_index.h"
#include "algo/part_table.h"
#include "analysis/anomalies/timeline/aicpu.h"
#include "analysis/anomalies/timeline/wait_anchors.h"
#include "base/letters.h"
#include "base/text.h"
#include "trace/evidence.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::uint32_t kNoRow = 0xFFFF'FFFF;

// Task types are written in capitals ("AI_CORE"); "N/A" and the categories of other formats
// ("kernel") say no more than our own kinds.
bool is_task_type(std::string_view text) {
  const auto is_one = [](char c) { return is_upper(c) || is_digit(c) || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, is_one);
}

// Sums rows in the order in which their first kernels ran.
class RowSums {
 public:
  RowSums(const trace::Trace& trace, const DeviceTimeline& timeline,
          std::span<const KernelGaps> gaps)
      : trace_(trace),
        timeline_(timeline),
        gaps_(gaps),
        evidence_(trace),
        has_waits_(evidence_.has(trace::ArgumentRole::kExportedWait)),
        communicating_(timeline.communicating),
        by_name_(trace.strings.size(), timeline.kernels.size(), kNoRow) {}

  void add_all() {
    row_of_.reserve(timeline_.kernels.size());
    for (std::size_t i = 0; i < timeline_.kernels.size(); ++i) {
      const std::uint32_t row = row_for(timeline_.kernels[i]);
      row_of_.push_back(row);
      add(rows_[row], i);
    }
    for (Sums& sums : rows_) {
      OpRow& row = sums.row;
      if (row.to_stream > 0) {
        row.comm_wait_share =
            static_cast<double>(sums.comm_wait) / static_cast<double>(row.to_stream);
      }
    }
  }

  // Rows by total cost, greatest first; the same order for equal ones whatever the file's.
  void move_to(OpTable& table) {
    std::vector<std::uint32_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::uint32_t i) -> const OpRow& { return rows_[i].row; };
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      const OpRow& x = key(a);
      const OpRow& y = key(b);
      if (x.total_cost() != y.total_cost()) return x.total_cost() > y.total_cost();
      if (x.duration != y.duration) return x.duration > y.duration;
      return x.text != y.text ? x.text < y.text : a < b;
    });
    std::vector<std::uint32_t> place(rows_.size());
    for (std::uint32_t to = 0; to < order.size(); ++to) {
      place[order[to]] = to;
      table.rows.push_back(std::move(rows_[order[to]].row));
    }
    table.row_of = std::move(row_of_);
    for (std::uint32_t& row : table.row_of) row = place[row];
  }

 private:
  struct Sums {
    OpRow row;
    std::uint64_t comm_wait = 0;
    std::uint32_t other_kind = kNoRow;  // the next row of the same name
  };

  std::uint32_t row_for(const DeviceWork& kernel) {
    std::uint32_t* at = &by_name_[static_cast<std::size_t>(kernel.name)];
    if (*at == kNoRow) *at = first_row_of(trace_.text(kernel.name));
    while (*at != kNoRow && rows_[*at].row.kind != kernel.kind) at = &rows_[*at].other_kind;
    if (*at != kNoRow) return *at;
    const auto next = static_cast<std::uint32_t>(rows_.size());
    *at = next;
    Sums sums;
    sums.row.name = kernel.name;
    sums.row.text = demangled(trace_.text(kernel.name));
    sums.row.kind = kernel.kind;
    sums.row.type = type_of(kernel);
    rows_.push_back(std::move(sums));
    return next;
  }

  // Of another spelling of this name; kNoRow where it is new, and the next row is the one.
  std::uint32_t first_row_of(std::string_view name) {
    const auto next = static_cast<std::uint32_t>(rows_.size());
    const auto [known, is_new] = by_text_.try_emplace(demangled(name), next);
    return is_new ? kNoRow : known->second;
  }

  [[nodiscard]] std::string_view type_of(const DeviceWork& kernel) const {
    const std::string_view told = trace_.text(evidence_.task_type(kernel.event));
    if (is_task_type(told)) return told;
    const std::string_view category =
        trace_.text(trace_.events.category[trace::index_of(kernel.event)]);
    return is_task_type(category) ? category : name_of(kernel.kind);
  }

  void add(Sums& sums, std::size_t i) {
    const DeviceWork& kernel = timeline_.kernels[i];
    const KernelGaps& gap = gaps_[i];
    OpRow& row = sums.row;
    ++row.count;
    row.duration += kernel.duration().ps;
    row.to_device += gap.to_device.ps;
    row.to_stream += gap.to_stream.ps;
    row.to_compute += gap.to_compute.ps;
    if (has_waits_) {
      const std::optional<Time> wait = evidence_.exported_wait(kernel.event);
      if (wait) row.exported_wait = row.exported_wait.value_or(0) + wait->ps;
    }
    const algo::Interval waited{(kernel.start - gap.to_stream).ps, kernel.start.ps};
    sums.comm_wait += communicating_.length_in(waited);
  }

  const trace::Trace& trace_;
  const DeviceTimeline& timeline_;
  std::span<const KernelGaps> gaps_;
  trace::EvidenceReader evidence_;
  bool has_waits_;
  algo::CoveringIndex communicating_;
  algo::PartTable<std::uint32_t> by_name_;                  // first row of a name
  std::unordered_map<std::string, std::uint32_t> by_text_;  // the same by what people read
  std::vector<Sums> rows_;
  std::vector<std::uint32_t> row_of_;
};

// Collectives queue behind each other; only what computes is polluted by their time.
bool is_polluted(const OpRow& row, const Thresholds& thresholds) {
  const Time mean{static_cast<std::int64_t>(row.to_stream / static_cast<WideTime>(row.count))};
  return row.kind != trace::Kind::kCommunication &&
         row.comm_wait_share >= thresholds.wait_pollution &&
         mean >= limit_of(thresholds.wait_anchor_us, 0, Time{});
}

std::vector<std::uint32_t> order_by_duration(std::span<const OpRow> rows) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t i) { return rows[i].duration; });
  return order;
}

void set_wait_anchors(OpTable& table, const Thresholds& thresholds) {
  std::vector<std::uint32_t> all(table.rows.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::uint32_t> computing;
  std::ranges::copy_if(all, std::back_inserter(computing), [&](std::uint32_t i) {
    return table.rows[i].kind != trace::Kind::kCommunication;
  });
  table.wait_anchors = find_wait_anchors(table.rows, std::move(all), thresholds);
  table.compute_wait_anchors = find_wait_anchors(table.rows, std::move(computing), thresholds);
  for (const std::uint32_t row : table.wait_anchors) table.rows[row].is_wait_anchor = true;
}

}  // namespace

OpTable make_op_table(const trace::Trace& trace, const DeviceTimeline& timeline,
                      std::span<const KernelGaps> gaps, const Thresholds& thresholds) {
  OpTable table;
  RowSums sums(trace, timeline, gaps);
  sums.add_all();
  sums.move_to(table);
  for (OpRow& row : table.rows) row.has_wait_pollution = is_polluted(row, thresholds);
  table.by_duration = order_by_duration(table.rows);
  set_wait_anchors(table, thresholds);
  table.aicpu = aicpu_rows(timeline, thresholds);
  return table;
}

}  // namespace lockstep::analysis::anomalies
