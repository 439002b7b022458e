// One row a device and one a stream; a device with a single stream takes one row.
#include "report/info/device_page.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "report/layout/quantities.h"
#include "report/layout/table.h"
#include "report/layout/text_width.h"

namespace lockstep::report::info {
namespace {

// Some runtimes make hundreds of streams; JSON has them all.
constexpr std::size_t kMaxStreams = 16;
constexpr std::size_t kMaxDevices = 32;
// Longer ids are shortened; addresses in hexadecimal (48 bits) are not.
constexpr std::size_t kMaxIdWidth = 14;
constexpr std::size_t kMaxNameWidth = 60;

std::string shown_id(const std::string& id) {
  return layout::shorten_middle(one_line(id), kMaxIdWidth);
}

class DeviceRows {
 public:
  DeviceRows(const analysis::summary::Summary& summary, layout::Table& table,
             bool with_communication)
      : summary_(summary), table_(table), with_communication_(with_communication) {}

  void add(const analysis::summary::RankSummary& rank,
           const analysis::summary::DeviceSummary& device) {
    const std::string number = rank.number ? std::to_string(*rank.number) : "-";
    const std::string name =
        device.name.empty() ? "-" : layout::shorten_middle(one_line(device.name), kMaxNameWidth);
    const bool is_single = device.streams.size() == 1;
    const std::string stream = is_single ? shown_id(device.streams.front().id) : "all";
    add_row({number, shown_id(device.id), name, stream}, device.kernels, device.busy,
            {layout::human_time_of(device.compute_busy),
             layout::human_time_of(device.communication_busy)});
    if (!is_single) add_streams(device);
  }

 private:
  // Lanes that hold no work (waits, annotations, derived ones) are only counted.
  void add_streams(const analysis::summary::DeviceSummary& device) {
    std::size_t shown = 0;
    std::size_t more = 0;
    std::size_t idle = 0;
    for (const analysis::summary::StreamSummary& one : device.streams) {
      if (one.busy == 0 && one.kernels == 0) {
        ++idle;
      } else if (shown == kMaxStreams) {
        ++more;
      } else {
        ++shown;
        add_row({"", "", "", shown_id(one.id)}, one.kernels, one.busy, {"", ""});
      }
    }
    if (more > 0) table_.add_row({"", "", "", fmt::format("and {} more", more)});
    if (idle > 0) table_.add_row({"", "", "", fmt::format("{} without work", idle)});
  }

  void add_row(std::vector<std::string> cells, std::uint64_t kernels, WideTime busy,
               const std::array<std::string, 2>& shares) {
    cells.push_back(grouped(kernels));
    cells.push_back(layout::human_time_of(busy));
    cells.push_back(layout::share_of(busy, summary_.device_span));
    if (with_communication_) cells.insert(cells.end(), shares.begin(), shares.end());
    table_.add_row(std::move(cells));
  }

  const analysis::summary::Summary& summary_;
  layout::Table& table_;
  bool with_communication_;
};

bool has_communication(const analysis::summary::Summary& summary) {
  return std::ranges::any_of(summary.ranks, [](const analysis::summary::RankSummary& rank) {
    return std::ranges::any_of(rank.devices, [](const analysis::summary::DeviceSummary& device) {
      return device.communication_busy > 0;
    });
  });
}

}  // namespace

std::string devices_section(const analysis::summary::Summary& summary,
                            const layout::TextStyle& style) {
  std::vector<layout::Table::Column> columns = {
      {"rank", layout::Table::Align::kRight},
      {"device", layout::Table::Align::kRight},
      {"name", layout::Table::Align::kLeft, true, 2},
      {"stream", layout::Table::Align::kRight},
      {"kernels", layout::Table::Align::kRight},
      {"busy", layout::Table::Align::kRight},
      {"of span", layout::Table::Align::kRight, false, 1}};
  const bool with_communication = has_communication(summary);
  if (with_communication) {
    columns.push_back({"computing", layout::Table::Align::kRight, false, 3});
    columns.push_back({"communicating", layout::Table::Align::kRight, false, 4});
  }
  layout::Table table(std::move(columns));
  DeviceRows rows(summary, table, with_communication);
  std::size_t devices = 0;
  for (const analysis::summary::RankSummary& rank : summary.ranks) {
    for (const analysis::summary::DeviceSummary& device : rank.devices) {
      if (++devices <= kMaxDevices) rows.add(rank, device);
    }
  }
  if (table.is_empty()) return {};
  std::string out = "\n" + style.heading("Devices") + "\n" + table.render(style.width);
  if (devices > kMaxDevices) {
    const std::size_t more = devices - kMaxDevices;
    out += fmt::format("  and {} more device{} (--json has all)\n", grouped(more),
                       more == 1 ? "" : "s");
  }
  return out;
}

}  // namespace lockstep::report::info
