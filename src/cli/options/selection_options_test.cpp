// The words of --slice, --ranks, --devices and --kinds.
#include "cli/options/selection_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

trace::Trace small_trace() {
  trace::Trace trace;
  for (const std::int64_t number : {0, 3}) trace.ranks.emplace_back().number = number;
  for (const char* id : {"0", "1"}) trace.devices.push_back({{}, trace.strings.intern(id), {}});
  trace.steps.push_back({trace.strings.intern("Step#1"), {}, Time{1'000}, Time{2'000}});
  trace.steps.push_back({trace.strings.intern("Step#2"), {}, Time{2'000}, Time{3'000}});
  return trace;
}

trace::Selection resolved(const SelectionOptions& options) {
  const auto selection = options.resolve(small_trace());
  EXPECT_TRUE(selection.ok()) << selection.error().text();
  return selection.ok() ? selection.value() : trace::Selection{};
}

std::string refused(const SelectionOptions& options) {
  const auto selection = options.resolve(small_trace());
  EXPECT_FALSE(selection.ok());
  if (selection.ok()) return {};
  EXPECT_EQ(selection.error().code, ErrorCode::kUsage);
  return selection.error().text();
}

TEST(ParseDuration, IsExactInEveryUnit) {
  EXPECT_EQ(parse_duration("1.5s")->ps, 1'500'000'000'000);
  EXPECT_EQ(parse_duration("250ms")->ps, 250'000'000'000);
  EXPECT_EQ(parse_duration("12us")->ps, 12'000'000);
  EXPECT_EQ(parse_duration("7.001ns")->ps, 7'001);
  EXPECT_EQ(parse_duration("9ps")->ps, 9);
  EXPECT_EQ(parse_duration("-1ms")->ps, -1'000'000'000);
  for (const char* text : {"", "s", "12", "1.5 s", "1e99s", "abc"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(SelectionOptions, SlicesByTime) {
  const trace::Selection both = resolved({.slice = "1.5s..2s"});
  EXPECT_EQ(both.from->ps, 1'500'000'000'000);
  EXPECT_EQ(both.to->ps, 2'000'000'000'000);
  EXPECT_FALSE(resolved({.slice = "..2s"}).from.has_value());
  EXPECT_FALSE(resolved({.slice = "1ms.."}).to.has_value());
}

TEST(SelectionOptions, SlicesBySteps) {
  const trace::Selection both = resolved({.slice = "Step#1..Step#2"});
  EXPECT_EQ(both.from->ps, 1'000);
  EXPECT_EQ(both.to->ps, 3'000);
  const trace::Selection one = resolved({.slice = "Step#2"});
  EXPECT_EQ(one.from->ps, 2'000);
  EXPECT_EQ(one.to->ps, 3'000);
}

TEST(SelectionOptions, EveryRankHasItsOwnStep) {
  trace::Trace trace = small_trace();
  trace.ranks.emplace_back().origin = {77, Clock::kBoot};  // marks nothing, counts from elsewhere
  trace.steps.push_back(
      {trace.strings.intern("Step#1"), trace::RankId{1}, Time{5'000}, Time{6'000}});
  const auto selection = SelectionOptions{.slice = "Step#1"}.resolve(trace);
  ASSERT_TRUE(selection.ok());
  const auto& slices = selection.value().slices;
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[0]->from->ps, 1'000);
  EXPECT_EQ(slices[1]->from->ps, 5'000);
  EXPECT_EQ(slices[1]->to->ps, 6'000);
  EXPECT_FALSE(slices[2].has_value());
}

TEST(SelectionOptions, ARankThatMarkedOneOfTwoStepsKeepsItsOtherEndOpen) {
  trace::Trace trace = small_trace();
  trace.steps.push_back(
      {trace.strings.intern("Step#1"), trace::RankId{1}, Time{900'000}, Time{901'000}});
  const auto selection = SelectionOptions{.slice = "Step#1..Step#2"}.resolve(trace);
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection.value().slices[1]->from->ps, 900'000);
  EXPECT_FALSE(selection.value().slices[1]->to.has_value());
}

TEST(SelectionOptions, RefusesSlicesWithAReason) {
  EXPECT_THAT(refused({.slice = "5"}), HasSubstr("no '..' in it and no step of that name"));
  EXPECT_THAT(refused({.slice = "5..9"}), HasSubstr("'5' has no unit"));
  EXPECT_THAT(refused({.slice = "2s..1s"}), HasSubstr("it ends before it starts"));
  EXPECT_THAT(refused({.slice = "Step#9..2s"}),
              HasSubstr("'Step#9' is neither a time nor a step of the trace"));
}

TEST(SelectionOptions, RanksAreNumbersAndRanges) {
  EXPECT_THAT(*resolved({.ranks = "0,3"}).ranks, ElementsAre(0, 3));
  EXPECT_THAT(parse_numbers("1-3,7", "--ranks").value(), ElementsAre(1, 2, 3, 7));
  EXPECT_THAT(refused({.ranks = "0-3"}), HasSubstr("there is no rank 1 in the trace. It has 0, 3"));
  EXPECT_THAT(refused({.ranks = "a"}), HasSubstr("'a' is neither a number nor a range"));
  EXPECT_THAT(refused({.ranks = "9223372036854775807"}), HasSubstr("neither a number nor"));
  EXPECT_THAT(refused({.ranks = "3-1"}), HasSubstr("neither a number nor a range"));
  EXPECT_THAT(refused({.ranks = "0-9999999999"}), HasSubstr("neither a number nor a range"));
}

TEST(SelectionOptions, DevicesAndKindsMustExist) {
  EXPECT_THAT(*resolved({.devices = "1"}).devices, ElementsAre("1"));
  EXPECT_THAT(refused({.devices = "7"}),
              HasSubstr("there is no device '7' in the trace. It has 0, 1"));
  const auto without_devices = SelectionOptions{.devices = "0"}.resolve(trace::Trace{});
  ASSERT_FALSE(without_devices.ok());
  EXPECT_THAT(without_devices.error().text(),
              HasSubstr("there is no device '0' in the trace. It has no devices"));
  const trace::Selection kinds = resolved({.kinds = "kernel,memcpy"});
  EXPECT_EQ(kinds.kinds->count(), 2U);
  EXPECT_THAT(refused({.kinds = "kernels"}), HasSubstr("did you mean 'kernel'?"));
}

}  // namespace
}  // namespace lockstep::cli
