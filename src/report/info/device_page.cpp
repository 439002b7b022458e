// One row a device and one a stream; a device with a single stream takes one row.
#include "report/info/device_page.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "formats/chrome_json/defects.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::info {
namespace {

using Align = layout::Table::Align;

// Some runtimes make hundreds of streams; JSON has them all.
constexpr std::size_t kMaxStreams = 16;
constexpr std::size_t kMaxDevices = 32;
// Longer ids are shortened; addresses in hexadecimal (48 bits) are not.
constexpr std::size_t kMaxIdWidth = 14;
constexpr std::size_t kMaxNameWidth = 60;

std::string shown_id(const std::string& id) {
  return layout::or_dash(layout::shorten_middle(one_line(id), kMaxIdWidth));
}

class DeviceRows {
 public:
  DeviceRows(const analysis::summary::Summary& summary, bool with_communication)
      : summary_(summary), with_communication_(with_communication) {}

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

  [[nodiscard]] std::vector<std::vector<std::string>> take() { return std::move(rows_); }

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
    if (more > 0) rows_.push_back({"", "", "", fmt::format("and {} more", more)});
    if (idle > 0) rows_.push_back({"", "", "", fmt::format("{} without work", idle)});
  }

  void add_row(std::vector<std::string> cells, std::uint64_t kernels, WideTime busy,
               const std::array<std::string, 2>& shares) {
    cells.push_back(grouped(kernels));
    cells.push_back(layout::human_time_of(busy));
    cells.push_back(layout::share_of(busy, summary_.device_span));
    if (with_communication_) cells.insert(cells.end(), shares.begin(), shares.end());
    rows_.push_back(std::move(cells));
  }

  const analysis::summary::Summary& summary_;
  bool with_communication_;
  std::vector<std::vector<std::string>> rows_;
};

bool has_communication(const analysis::summary::Summary& summary) {
  return std::ranges::any_of(summary.ranks, [](const analysis::summary::RankSummary& rank) {
    return std::ranges::any_of(rank.devices, [](const analysis::summary::DeviceSummary& device) {
      return device.communication_busy > 0;
    });
  });
}

}  // namespace

bool is_inside_kernels(const analysis::summary::Summary& summary) {
  return std::ranges::any_of(summary.diagnostics.entries(), [](const Diagnostic& entry) {
    return entry.kind == &formats::chrome_json::kInKernelTimeline;
  });
}

void add_devices(const analysis::summary::Summary& summary, layout::Page& page) {
  std::vector<layout::Table::Column> columns = {{"rank", Align::kRight},
                                                {"device", Align::kRight},
                                                {"name", Align::kLeft, true, 2},
                                                {"stream", Align::kRight},
                                                {"kernels", Align::kRight},
                                                {"busy", Align::kRight},
                                                {"of span", Align::kRight, false, 1}};
  const bool with_communication = has_communication(summary);
  if (with_communication) {
    columns.push_back({"computing", Align::kRight, false, 3});
    columns.push_back({"communicating", Align::kRight, false, 4});
  }
  DeviceRows rows(summary, with_communication);
  std::size_t devices = 0;
  // Blocks of a kernel stand where other files have devices.
  const bool has_blocks = is_inside_kernels(summary);
  for (const analysis::summary::RankSummary& rank : summary.ranks) {
    for (const analysis::summary::DeviceSummary& device : rank.devices) {
      if (has_blocks && device.kernels == 0 && device.busy == 0) continue;
      if (++devices <= kMaxDevices) rows.add(rank, device);
    }
  }
  if (devices == 0) return;
  page.heading("Devices");
  page.table(std::move(columns), rows.take());
  if (devices > kMaxDevices) {
    const std::size_t more = devices - kMaxDevices;
    page.line(fmt::format("and {} (--json has all)", counted(more, "more device")));
  }
}

}  // namespace lockstep::report::info
