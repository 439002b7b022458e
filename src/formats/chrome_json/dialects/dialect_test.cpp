// Which dialects a file speaks, and what the list makes of several.
#include "formats/chrome_json/dialects/dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;

TEST(Dialects, AFileWithoutAnyMarkIsChromesOnAClockThatIsNotKnown) {
  const trace::Trace trace =
      read_every_way(R"([{"ph":"X","name":"a","pid":1,"tid":2,"ts":5,"dur":1}])");
  EXPECT_EQ(trace.ranks[0].format, "chrome");
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kUnknown);
}

TEST(Dialects, KinetoNamesTheFormatAndSaysNoClock) {
  const trace::Trace trace =
      read_every_way(R"([{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":5,"dur":1}])");
  EXPECT_EQ(trace.ranks[0].format, "kineto");
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kUnknown);
}

// Kineto names the format, Proton's lanes say what times count from.
TEST(Dialects, AFileOfTwoToolsIsReadAsBoth) {
  const trace::Trace trace = read_every_way(R"([
  {"ph":"M","name":"thread_name","pid":9,"tid":1,"args":{"name":"GPU Stream 7"}},
  {"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":2,"ts":5,"dur":1},
  {"ph":"X","name":"scope","pid":9,"tid":1,"ts":6,"dur":1}])");
  EXPECT_EQ(trace.ranks[0].format, "kineto");
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kSession);
  EXPECT_THAT(brief(trace),
              ElementsAre("op host_op host 1/2 0+1000", "scope annotation device 9/1 1000+1000"));
}

TEST(Dialects, LanesOfAscendAndOfJaxMayStandInOneFile) {
  const trace::Trace trace = read_every_way(R"([
  {"ph":"M","name":"process_name","pid":3,"args":{"name":"/device:GPU:0"}},
  {"ph":"M","name":"thread_name","pid":3,"tid":1,"args":{"name":"Stream #1"}},
  {"ph":"M","name":"process_name","pid":4,"args":{"name":"Ascend Hardware"}},
  {"ph":"X","name":"fusion","pid":3,"tid":1,"ts":5,"dur":1},
  {"ph":"X","name":"Add","pid":4,"tid":2,"ts":6,"dur":1,"args":{"Task Type":"AI_CORE"}}])");
  EXPECT_EQ(trace.ranks[0].format, "ascend_trace");
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kSession);
  ASSERT_EQ(trace.events.size(), 2);
  EXPECT_EQ(trace.events.kind[0], trace::Kind::kKernel);
  EXPECT_EQ(trace.events.kind[1], trace::Kind::kKernel);
}

TEST(Dialects, TheLastOfTheListNamesTheFormatOfEveryFile) {
  EXPECT_EQ(all_dialects().back()->format(), "chrome");
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
