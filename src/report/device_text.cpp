// One row a device and one a stream; a device with a single stream takes one row.
#include "report/device_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/quantities.h"
#include "report/table.h"

namespace lockstep {
namespace {

// Some runtimes make hundreds of streams; JSON has them all.
constexpr std::size_t kMaxStreams = 16;

class DeviceRows {
 public:
  DeviceRows(const Summary& summary, Table& table) : summary_(summary), table_(table) {}

  void add(const RankSummary& rank, const DeviceSummary& device) {
    const std::string number = rank.number ? std::to_string(*rank.number) : "-";
    const std::string name = device.name.empty() ? "-" : device.name;
    const bool is_single = device.streams.size() == 1;
    const std::string stream = is_single ? device.streams.front().id : "all";
    add_row({number, device.id, name, stream}, device.kernels, device.busy);
    if (is_single) return;
    const std::size_t shown = std::min(device.streams.size(), kMaxStreams);
    for (std::size_t i = 0; i < shown; ++i) {
      const StreamSummary& one = device.streams[i];
      add_row({"", "", "", one.id}, one.kernels, one.busy);
    }
    if (shown < device.streams.size()) {
      table_.add_row({"", "", "", fmt::format("and {} more", device.streams.size() - shown)});
    }
  }

 private:
  void add_row(std::vector<std::string> cells, std::uint64_t kernels, WideTime busy) {
    cells.push_back(grouped(kernels));
    cells.push_back(human_time_of(busy));
    cells.push_back(share_of(busy, summary_.device_span));
    table_.add_row(std::move(cells));
  }

  const Summary& summary_;
  Table& table_;
};

}  // namespace

std::string devices_section(const Summary& summary, const TextStyle& style) {
  Table table({{"rank", Table::Align::kRight},
               {"device", Table::Align::kRight},
               {"name", Table::Align::kLeft, true},
               {"stream", Table::Align::kRight},
               {"kernels", Table::Align::kRight},
               {"busy", Table::Align::kRight},
               {"of span", Table::Align::kRight}});
  DeviceRows rows(summary, table);
  for (const RankSummary& rank : summary.ranks) {
    for (const DeviceSummary& device : rank.devices) rows.add(rank, device);
  }
  if (table.is_empty()) return {};
  return "\n" + style.heading("Devices") + "\n" + table.render(style.width);
}

}  // namespace lockstep
