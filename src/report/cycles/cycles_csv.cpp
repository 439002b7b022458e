// The columns are those that scripts for cycle files know; durations are in microseconds.
#include "report/cycles/cycles_csv.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "base/letters.h"
#include "report/layout/quantities.h"

namespace lockstep::report::cycles {
namespace {

constexpr std::size_t kMaxIdBytes = 40;  // of a device or stream in the name of a file

// `text` as a part of a file's name.
std::string file_word(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMaxIdBytes)) {
    out += is_letter(c) || is_digit(c) || c == '-' ? c : '_';
  }
  return out;
}

std::string stream_prefix(const analysis::cycles::KernelStream& stream) {
  const std::string rank =
      stream.rank_number ? fmt::format("rank{}_", *stream.rank_number) : std::string();
  return fmt::format("{}device{}_stream{}_", rank, file_word(stream.device_id),
                     file_word(stream.stream_id));
}

// Counts on from the number that a stem had last: there may be thousands of equal loops.
class FileNames {
 public:
  std::string distinct(const std::string& stem) {
    std::uint32_t& number = numbers_[stem];
    std::string name;
    do {
      name = ++number == 1 ? stem + ".csv" : fmt::format("{}_{}.csv", stem, number);
    } while (!taken_.insert(name).second);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::uint32_t> numbers_;
};

// Whole nanoseconds, rounded as in the JSON, in microseconds.
std::string us(std::int64_t ns) { return fmt::format("{:.3f}", static_cast<double>(ns) / 1e3); }

std::int64_t mean_ns(WideTime sum, std::uint64_t count) {
  return count == 0 ? 0 : layout::floored_ns(sum / static_cast<WideTime>(count));
}

std::string row_of(std::size_t index, const analysis::cycles::Position& one) {
  return fmt::format("{},{},{},{},{},{},{},{:.4f}\n", index, sinks::csv_name(one.name),
                     us(mean_ns(one.sum, one.count)), us(floor_ns(one.min)), us(floor_ns(one.max)),
                     us(layout::floored_ns_of(one.stddev_ps)), one.count, 100 * one.share);
}

std::string content_of(const analysis::cycles::NestLoop& nest, const analysis::cycles::Loop& loop) {
  WideTime total = 0;
  for (const analysis::cycles::IterationTime& iteration : loop.iterations)
    total += iteration.kernel_sum.ps;
  const std::size_t count = loop.iterations.size();
  std::string out = fmt::format(
      "# Cycle Statistics\n# Iterations,{}\n# Kernels per cycle,{}\n# Avg cycle time (us),{}\n"
      "# Total time (us),{}\n\n"
      "index,kernel_name,avg_duration_us,min_duration_us,max_duration_us,stddev_us,count,"
      "pct_of_cycle\n",
      count, nest.period, us(mean_ns(total, count)), us(layout::floored_ns(total)));
  for (std::size_t i = 0; i < loop.positions.size(); ++i) out += row_of(i, loop.positions[i]);
  return out;
}

}  // namespace

std::vector<sinks::CsvFile> cycles_csv(const analysis::cycles::Cycles& cycles) {
  std::vector<sinks::CsvFile> files;
  FileNames names;
  for (const analysis::cycles::StreamCycles& stream : cycles.streams) {
    const std::string prefix = cycles.streams.size() > 1 ? stream_prefix(stream.stream) : "";
    for (std::size_t i = 0; i < stream.loops.size(); ++i) {
      const analysis::cycles::NestLoop& nest = stream.nest.loops[i];
      const analysis::cycles::Loop& loop = stream.loops[i];
      const std::string stem = fmt::format("{}cycle_{}_{}", prefix, nest.id, name_of(loop.role));
      files.push_back({names.distinct(stem), content_of(nest, loop)});
    }
  }
  return files;
}

}  // namespace lockstep::report::cycles
