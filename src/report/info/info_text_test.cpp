// Claims on the text of `info` and its Markdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/defects.h"
#include "report/info/info_page.h"
#include "report/layout/text_width.h"
#include "trace/flow_binder.h"

namespace lockstep::report::info {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<formats::input::InputFacts> kOneInput = {
    {"trace.json.gz", "kineto", io::Compression::kGzip, 2'300'000, 36'700'000}};

constexpr WideTime ms(std::int64_t count) { return WideTime{count} * 1'000'000'000; }

analysis::summary::Summary busy_summary() {
  analysis::summary::Summary summary;
  summary.clock = Clock::kEpoch;
  summary.origin_ns = 1'790'857'026'000'000'000;
  summary.events = 1'234;
  summary.by_kind[static_cast<std::size_t>(trace::Kind::kKernel)] = 1'000;
  summary.kernels = 1'000;
  summary.host_events = 234;
  summary.host_threads = 2;
  summary.flows = 900;
  summary.span = ms(500);
  summary.device_span = ms(400);
  summary.device_busy = ms(100);
  summary.kernel_time = ms(100);
  summary.kernel_names = 5;
  summary.top_kernels.push_back(
      {std::string(300, 'x') + "_end", 10, ms(50), Time{1'000'000}, Time{9'000'000}});
  summary.ranks.push_back({0, {{"0", "NVIDIA H200", 1'000, ms(100), {{"7", "", 1'000, ms(100)}}}}});
  return summary;
}

TEST(InfoText, HeadTellsFileDateAndBusyShare) {
  const std::string text = info_text(busy_summary(), kOneInput, {});
  EXPECT_THAT(text, HasSubstr("trace.json.gz  kineto, gzip, 2.3 MB -> 36.7 MB\n"));
  EXPECT_THAT(text, HasSubstr("captured     2026-10-01 "));
  EXPECT_THAT(text, HasSubstr("device busy  100.000 ms, 25.0 % of the 400.000 ms"));
  EXPECT_THAT(text, HasSubstr("1,234: 1,000 kernels, 234 on 2 host threads; 900 flows"));
}

TEST(InfoText, BlocksOfAKernelAreNoDevices) {
  analysis::summary::Summary summary = busy_summary();
  summary.ranks.push_back({0, {{"add Core0 CTA216", "", 0, 0, {{"warp 0", "", 0, 0}}}}});
  EXPECT_THAT(info_text(summary, kOneInput, {}), HasSubstr("CTA216"));
  summary.diagnostics.add(formats::chrome_json::kInKernelTimeline);
  const std::string text = info_text(summary, kOneInput, {});
  EXPECT_THAT(text, Not(HasSubstr("CTA216")));
  EXPECT_THAT(text, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(text, HasSubstr("36.7 MB\n\nThis is the inside of kernels: 'lockstep kernel decode' "
                              "reads it.\n"));
}

TEST(InfoText, ADeviceWithoutAnIdHasADash) {
  analysis::summary::Summary summary = busy_summary();
  summary.ranks[0].devices[0].id.clear();
  EXPECT_THAT(info_text(summary, kOneInput, {}), HasSubstr("\n     0       -  NVIDIA H200"));
}

TEST(InfoText, PlainFileTellsOneSize) {
  const std::vector<formats::input::InputFacts> plain = {
      {"a.json", "chrome", io::Compression::kNone, 100, 100}};
  EXPECT_THAT(info_text(analysis::summary::Summary{}, plain, {}),
              HasSubstr("a.json  chrome, 100 B\n"));
}

TEST(InfoText, DateIsLeftOutWhenTheClockHasNone) {
  analysis::summary::Summary summary = busy_summary();
  summary.clock = Clock::kBoot;
  EXPECT_THAT(info_text(summary, kOneInput, {}), Not(HasSubstr("captured")));
}

TEST(InfoText, TellsWhereTheNumbersOfRanksComeFrom) {
  analysis::summary::Summary summary = busy_summary();
  EXPECT_THAT(info_text(summary, kOneInput, {}), Not(HasSubstr("ranks  ")));
  summary.ranks[0].number_from = trace::RankEvidence::kName;
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("ranks        1, numbered by the names of the inputs\n"));
  summary.ranks.emplace_back();
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("ranks        2, 1 numbered by name, 1 without a number\n"));
  for (analysis::summary::RankSummary& rank : summary.ranks)
    rank.number_from = trace::RankEvidence::kMetadata;
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("ranks        2, numbered by the inputs themselves\n"));
}

TEST(InfoText, CommunicationHasColumnsOfItsOwnWhereThereIsAny) {
  analysis::summary::Summary summary = busy_summary();
  EXPECT_THAT(info_text(summary, kOneInput, {}), Not(HasSubstr("communicating")));
  summary.ranks[0].devices[0].communication_busy = ms(30);
  summary.ranks[0].devices[0].compute_busy = ms(80);
  EXPECT_THAT(info_text(summary, kOneInput, {}), HasSubstr("25.0 %  80.000 ms      30.000 ms\n"));
}

TEST(InfoText, NoLineIsWiderThanTheTerminal) {
  layout::TextStyle style;
  for (const std::size_t width : {60U, 90U, 120U, 200U}) {
    style.width = width;
    const std::string text = info_text(busy_summary(), kOneInput, style);
    std::size_t from = 0;
    for (std::size_t to = text.find('\n'); to != std::string::npos; to = text.find('\n', from)) {
      EXPECT_LE(layout::display_width(text.substr(from, to - from)), width);
      from = to + 1;
    }
    EXPECT_THAT(text, HasSubstr("x_end"));
  }
}

TEST(InfoText, EmptySectionsAreLeftOut) {
  const std::string text = info_text(analysis::summary::Summary{}, kOneInput, {});
  for (const char* section : {"Devices", "Steps", "Annotations", "Collectives", "Top kernels"}) {
    EXPECT_THAT(text, Not(HasSubstr(section)));
  }
  EXPECT_THAT(text, HasSubstr("Health\n  nothing repaired, nothing dropped\n"));
}

TEST(InfoText, ArrowsThatLeadNowhereAreToldWhereWorkLacksItsLaunch) {
  analysis::summary::Summary summary;
  summary.diagnostics.add(trace::kUnmatchedFlow, Place::none(), {}, 7);
  EXPECT_THAT(info_text(summary, kOneInput, {}), HasSubstr("7  A flow event has no partner"));
  summary.is_all_launched = true;
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("Health\n  nothing repaired, nothing dropped\n"));
}

TEST(InfoText, ThousandStepsTakeThreeLines) {
  analysis::summary::Summary summary;
  for (std::int64_t i = 1; i <= 1'000; ++i) {
    const auto start = static_cast<std::int64_t>(ms(i * 10));
    summary.steps.push_back(
        {"ProfilerStep#" + std::to_string(i), Time{start}, Time{start + i * 1'000'000}});
  }
  for (analysis::summary::StepSummary& step : summary.steps)
    step.work = {3, analysis::summary::DeviceWindow{step.start, step.start + Time{7'000'000}}};
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("Steps (1,000 marked)\n"
                        "  ProfilerStep#1 to ProfilerStep#1000\n"
                        "  on the host: shortest 1.000 us, median 500.500 us, longest 1.000 ms\n"
                        "  on the device: shortest 7.000 us, "
                        "median 7.000 us, longest 7.000 us\n"));
}

TEST(InfoText, MedianOfTwoStepsIsTheirMean) {
  analysis::summary::Summary summary;
  summary.steps.push_back({"ProfilerStep#1", Time{0}, Time{2'000'000}});
  summary.steps.push_back({"ProfilerStep#2", Time{0}, Time{5'000'000}});
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("shortest 2.000 us, median 3.500 us, longest 5.000 us"));
  summary.steps.push_back({"ProfilerStep#3", Time{0}, Time{3'000'000}});
  EXPECT_THAT(info_text(summary, kOneInput, {}), HasSubstr("median 3.000 us"));
}

TEST(InfoText, IdsAndStepNamesAreShortened) {
  const std::string huge(200'000, 'x');
  analysis::summary::Summary summary = busy_summary();
  summary.steps.push_back({huge + "1", Time{0}, Time{2'000'000}});
  summary.steps.push_back({huge + "2", Time{0}, Time{2'000'000}});
  summary.ranks[0].devices[0] = {huge, huge, 1, ms(1), {{huge, "", 1, ms(1)}, {"7", "", 0, 0}}};
  const std::string text = info_text(summary, kOneInput, {});
  EXPECT_LT(text.size(), 2'000U);
  EXPECT_THAT(text, HasSubstr("\n  xxxxxxxxxxxxxxxxxxxxx\xE2\x80\xA6xxxxxxxxxxxxxxxxxxx1 to "
                              "xxxxxxxxxxxxxxxxxxxxx\xE2\x80\xA6xxxxxxxxxxxxxxxxxxx2\n"));
  EXPECT_THAT(text, HasSubstr("\n     0  xxxxxxx\xE2\x80\xA6xxxxxx  "
                              "xxxxxxxxxxxxxxxx\xE2\x80\xA6xxxxxxxxxxxxxxx  "));
}

TEST(InfoText, TablesFitInSixtyColumns) {
  layout::TextStyle style;
  style.width = 60;
  analysis::summary::Summary summary = busy_summary();
  summary.collectives.push_back({"reduce_scatter", 100, ms(5)});
  summary.kernel_names = 1;
  const std::string text = info_text(summary, kOneInput, style);
  for (const char* section : {"Devices\n", "Collectives\n", "kernel time)\n"}) {
    std::size_t from = text.find(section) + std::string_view(section).size();
    for (int line = 0; line < 2; ++line) {
      const std::size_t to = text.find('\n', from);
      EXPECT_LE(layout::display_width(text.substr(from, to - from)), 60U) << text;
      from = to + 1;
    }
  }
}

TEST(InfoText, HostEventsWithoutADurationAreOnTheHost) {
  analysis::summary::Summary summary = busy_summary();
  summary.host_events = 1;
  summary.host_threads = 0;
  EXPECT_THAT(info_text(summary, kOneInput, {}), HasSubstr("1 on the host; 900 flows"));
}

TEST(InfoText, NamelessKernelIsSaidToHaveNoName) {
  analysis::summary::Summary summary = busy_summary();
  summary.top_kernels[0].name.clear();
  EXPECT_THAT(info_text(summary, kOneInput, {}), HasSubstr("  (no name)\n"));
}

TEST(InfoText, HundredsOfDevicesAreCutShort) {
  analysis::summary::Summary summary = busy_summary();
  const analysis::summary::DeviceSummary device = summary.ranks[0].devices[0];
  summary.ranks[0].devices.assign(40, device);
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("  and 8 more devices (--json has all)\n"));
  summary.ranks[0].devices.assign(32, device);
  EXPECT_THAT(info_text(summary, kOneInput, {}), Not(HasSubstr("more devices")));
}

TEST(InfoText, StandardInputIsCalledThat) {
  const std::vector<formats::input::InputFacts> pipe = {
      {"-", "chrome", io::Compression::kNone, 100, 100}};
  EXPECT_THAT(info_text(analysis::summary::Summary{}, pipe, {}),
              HasSubstr("standard input  chrome, 100 B\n"));
}

TEST(InfoText, InputsBeyondTheFirstFewAreCounted) {
  std::vector<formats::input::InputFacts> many(9,
                                               {"a.json", "chrome", io::Compression::kNone, 1, 1});
  EXPECT_THAT(info_text(analysis::summary::Summary{}, many, {}), HasSubstr("\nand 1 more input\n"));
  many.push_back(many.front());
  EXPECT_THAT(info_text(analysis::summary::Summary{}, many, {}),
              HasSubstr("\nand 2 more inputs\n"));
}

TEST(InfoText, SingleStepHasNoSpread) {
  analysis::summary::Summary summary;
  summary.steps.push_back({"ProfilerStep#6", Time{0}, Time{4'000'000}});
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("Steps (1 marked)\n  ProfilerStep#6\n  on the host: 4.000 us\n\n"));
}

TEST(InfoText, StepOfSeveralRanksIsNamedOnce) {
  analysis::summary::Summary summary;
  for (int rank = 0; rank < 2; ++rank) {
    summary.steps.push_back({"ProfilerStep#3", Time{0}, Time{4'000'000}});
  }
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("  ProfilerStep#3\n  on the host: shortest"));
}

TEST(InfoText, AnnotationsBeyondTheFirstFewAreCounted) {
  analysis::summary::Summary summary;
  for (int i = 0; i < 12; ++i) summary.annotations.push_back({"phase " + std::to_string(i), 1});
  const std::string text = info_text(summary, kOneInput, {});
  EXPECT_THAT(text, HasSubstr("phase 7\n  and 4 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("phase 8")));
}

TEST(InfoText, StreamsAreListedBelowTheirDevice) {
  analysis::summary::Summary summary = busy_summary();
  summary.ranks[0].devices[0].streams.push_back({"20", "", 5, ms(1)});
  EXPECT_THAT(info_text(summary, kOneInput, {}),
              HasSubstr("     0       0  NVIDIA H200     all    1,000  100.000 ms   25.0 %\n"
                        "                                  7    1,000  100.000 ms   25.0 %\n"
                        "                                 20        5    1.000 ms    0.2 %\n"));
}

TEST(InfoText, HundredsOfStreamsAreCutShort) {
  analysis::summary::Summary summary = busy_summary();
  for (int i = 0; i < 566; ++i) {
    summary.ranks[0].devices[0].streams.push_back({std::to_string(100 + i), "", 1, 0});
  }
  EXPECT_THAT(info_text(summary, kOneInput, {}), HasSubstr("and 551 more"));
}

TEST(InfoMarkdown, IsToTheLetter) {
  analysis::summary::Summary summary = busy_summary();
  summary.top_kernels = {{"void at::native::elementwise_kernel<4, F|G>(int, T*)", 10, ms(50),
                          Time{1'000'000}, Time{9'000'000}}};
  summary.steps = {{"ProfilerStep#1", Time{}, Time{9'000'000}},
                   {"ProfilerStep#2", Time{9'000'000}, Time{20'000'000}}};
  summary.annotations = {{"zero_grad", 3}};
  summary.ranks.front().parts = {{trace::SourcePart::Use::kMissing, "a.csv", 0, "no host events"}};
  static const DiagnosticKind kLoss{"a_loss", Severity::kDataLoss, "Events could not be read."};
  summary.diagnostics.add(kLoss);
  EXPECT_EQ(info_markdown(summary, kOneInput), R"(# What the trace holds

**trace.json.gz** (kineto, gzip, 2.3 MB -> 36.7 MB)

- **captured** 2026-10-01 12:17:06 UTC
- **span** 500.000 ms
- **device busy** 100.000 ms, 25.0 % of the 400.000 ms from first to last device work
- **events** 1,234: 1,000 kernels, 234 on 2 host threads; 900 flows
- **kinds** kernel 1,000

## Devices

| rank | device | name | stream | kernels | busy | of span |
|---:|---:|---|---:|---:|---:|---:|
| 0 | 0 | NVIDIA H200 | 7 | 1,000 | 100.000 ms | 25.0 % |

## Steps (2 marked)

ProfilerStep\#1 to ProfilerStep\#2

on the host: shortest 9.000 us, median 10.000 us, longest 11.000 us

## Annotations

| count | name |
|---:|---|
| 3 | zero_grad |

## Top kernels by time (1 of 5 names, 50.0 % of 100.000 ms kernel time)

| count | total | share | min | mean | max | kernel |
|---:|---:|---:|---:|---:|---:|---|
| 10 | 50.000 ms | 50.0 % | 1.000 us | 5.000 ms | 9.000 us | void at::native::elementwise_kernel\<4, F\|G>(int, T\*) |

## Sources

| use | records | part | note |
|---|---:|---|---|
| missing |  | a.csv | no host events |

## Health

| kind | count | what |
|---|---:|---|
| **data loss** | 1 | Events could not be read. |
)");
}

}  // namespace
}  // namespace lockstep::report::info
