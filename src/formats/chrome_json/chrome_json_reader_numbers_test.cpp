// Times and ids as files write them: exact, bare or quoted, in any notation.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string span(std::string_view name, std::string_view ts, std::string_view dur) {
  return R"({"ph":"X","cat":"cpu_op","name":")" + std::string(name) + R"(","pid":1,"tid":2,"ts":)" +
         std::string(ts) + ",\"dur\":" + std::string(dur) + "}";
}

// Picoseconds of start and duration of the event in the list [anchor at 1 us, event].
std::pair<std::int64_t, std::int64_t> read_times(std::string_view ts, std::string_view dur) {
  const trace::Trace trace =
      read_every_way(document({span("anchor", "1", "0"), span("e", ts, dur)}));
  if (trace.events.size() != 2) return {-1, -1};
  return {trace.events.start[1].ps, trace.events.duration[1].ps};
}

using Times = std::pair<std::int64_t, std::int64_t>;

TEST(ChromeJsonReaderNumbers, TimesAreReadToThePicosecond) {
  EXPECT_EQ(read_times("1", "0"), Times(0, 0));
  EXPECT_EQ(read_times("2.5", "0.001"), Times(1'500'000, 1'000));
  EXPECT_EQ(read_times("3.000001", "0.000001"), Times(2'000'001, 1));
  EXPECT_EQ(read_times("123456789.123456", "9.999999"), Times(123'456'788'123'456, 9'999'999));
}

TEST(ChromeJsonReaderNumbers, DigitsBelowAPicosecondAreRoundedHalfToEven) {
  EXPECT_EQ(read_times("2.0000004", "0.0000005"), Times(1'000'000, 0));
  EXPECT_EQ(read_times("2.0000005", "0.0000015"), Times(1'000'000, 2));
  EXPECT_EQ(read_times("2.0000015", "0.0000025"), Times(1'000'002, 2));
  EXPECT_EQ(read_times("2.00000050000000000000000000000000000001", "0.00000251"),
            Times(1'000'001, 3));
}

TEST(ChromeJsonReaderNumbers, EpochTimesOfNineteenDigitsLoseNothing) {
  const trace::Trace trace = read_every_way(document(
      {span("a", "1727743512123456.789", "0.001"), span("b", "1727743512123456.790", "1727.743512"),
       span("c", "1727743512123457.123456", "0")}));
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'727'743'512'123'456'789);
  EXPECT_THAT(brief(trace),
              ElementsAre("a host_op host 1/2 0+1", "b host_op host 1/2 1+1727743.512",
                          "c host_op host 1/2 334.456+0"));
}

TEST(ChromeJsonReaderNumbers, TheOriginIsAWholeNanosecond) {
  const trace::Trace trace =
      read_every_way(document({span("a", "10.123456", "1"), span("b", "10.123", "1")}));
  EXPECT_EQ(trace.ranks[0].origin.ns, 10'123);
  EXPECT_THAT(brief(trace),
              ElementsAre("a host_op host 1/2 0.456+1000", "b host_op host 1/2 0+1000"));
}

TEST(ChromeJsonReaderNumbers, ExponentNotationIsExact) {
  EXPECT_EQ(read_times("1e1", "5E-1"), Times(9'000'000, 500'000));
  EXPECT_EQ(read_times("1.5e+3", "25e-2"), Times(1'499'000'000, 250'000));
  EXPECT_EQ(read_times("1234567890123.456e-6", "0e5"), Times(1'234'566'890'123, 0));
}

TEST(ChromeJsonReaderNumbers, QuotedNumbersAreNumbers) {
  EXPECT_EQ(read_times("\"2.5\"", "\"0.125\""), Times(1'500'000, 125'000));
  EXPECT_EQ(read_times("\"2.5\\t\"", "\"1\""), Times(-1, -1)) << "an escape is no digit";
  EXPECT_EQ(read_times("\"2.5 \"", "\"1\t\""), Times(1'500'000, 1'000'000));
}

TEST(ChromeJsonReaderNumbers, WhitespaceAroundNumbersDoesNotMatter) {
  EXPECT_EQ(read_times(" 2.5 ", "\n1\t"), Times(1'500'000, 1'000'000));
}

TEST(ChromeJsonReaderNumbers, NegativeTimesLieBeforeTheOrigin) {
  EXPECT_EQ(read_times("-2.5", "1"), Times(-3'500'000, 1'000'000));
}

TEST(ChromeJsonReaderNumbers, QuotedAndBareIdsAreTheSameLane) {
  const trace::Trace trace = read_every_way(
      document({R"({"ph":"X","cat":"cpu_op","name":"a","pid":10,"tid":20,"ts":1,"dur":1})",
                R"({"ph":"X","cat":"cpu_op","name":"b","pid":"10","tid":"20","ts":2,"dur":1})"}));
  ASSERT_EQ(trace.tracks.size(), 1U);
  EXPECT_EQ(trace.processes.size(), 1U);
  EXPECT_TRUE(trace.tracks[0].id.is_number);
}

TEST(ChromeJsonReaderNumbers, IdsMayBeAnyText) {
  const trace::Trace trace = read_every_way(document(
      {R"({"ph":"X","cat":"cpu_op","name":"a","pid":"Spans","tid":"main thread","ts":1,"dur":1})",
       R"({"ph":"X","cat":"overhead","name":"b","pid":-1,"tid":0,"ts":2,"dur":1})",
       R"({"ph":"X","cat":"cpu_op","name":"c","pid":"","tid":"","ts":3,"dur":1})",
       R"({"ph":"X","cat":"cpu_op","name":"d","ts":4,"dur":1})",
       R"({"ph":"X","cat":"cpu_op","name":"e","pid":18446744073709551615,"tid":1.5,"ts":5,"dur":1})"}));
  EXPECT_THAT(brief(trace), ElementsAre("a host_op host Spans/main thread 0+1000",
                                        "b overhead host -1/0 1000+1000",
                                        "c host_op host / 2000+1000", "d host_op host / 3000+1000",
                                        "e host_op host 18446744073709551615/1.5 4000+1000"));
  EXPECT_FALSE(trace.processes[0].id.is_number);
  EXPECT_TRUE(trace.processes[1].id.is_number);
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderNumbers, CorrelationsMayBeQuotedAndLarge) {
  const trace::Trace trace = read_every_way(
      document({R"({"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":2,"ts":1,"dur":1,)"
                R"("args":{"correlation":"4294967296123"}})",
                R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":3,"dur":1,)"
                R"("args":{"correlation":4294967296123}})",
                R"({"ph":"X","cat":"kernel","name":"zero","pid":0,"tid":7,"ts":5,"dur":1,)"
                R"("args":{"correlation":0}})"}));
  EXPECT_THAT(flows_of(trace), ElementsAre("launch launch -> k"));
  EXPECT_EQ(trace.events.correlation[2], trace::kNoCorrelation);
}

TEST(ChromeJsonReaderNumbers, CorrelationsMayBeWholeDecimalsOrHexadecimal) {
  const auto correlation = [](std::string_view written) {
    const trace::Trace trace = read_every_way(
        document({R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":)"
                  R"({"correlation":)" +
                  std::string(written) + "}}"}));
    EXPECT_THAT(findings(trace), IsEmpty()) << written;
    return trace.events.correlation[0];
  };
  EXPECT_EQ(correlation("12.0"), 12);
  EXPECT_EQ(correlation("7.77e2"), 777);
  EXPECT_EQ(correlation("7.77E+2"), 777);
  EXPECT_EQ(correlation("12000e-3"), 12);
  EXPECT_EQ(correlation("9007199254740993.0"), 9'007'199'254'740'993);
  EXPECT_EQ(correlation("9223372036854775807.000"), 9'223'372'036'854'775'807);
  EXPECT_EQ(correlation("\"0x1F\""), 31);
  EXPECT_EQ(correlation("\"12\""), 12);
  EXPECT_EQ(correlation("0.0"), trace::kNoCorrelation);
}

TEST(ChromeJsonReaderNumbers, FlowsOfDecimalCorrelationsAreToldOnce) {
  const trace::Trace trace = read_every_way(
      document({R"({"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":2,"ts":1,"dur":1,)"
                R"("args":{"correlation":7.0}})",
                R"({"ph":"s","cat":"ac2g","name":"ac2g","pid":1,"tid":2,"ts":1,"id":7.0})",
                R"({"ph":"f","cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":3,"id":7.0,"bp":"e"})",
                R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":3,"dur":1,)"
                R"("args":{"correlation":7.0}})"}));
  EXPECT_THAT(flows_of(trace), ElementsAre("launch launch -> k"));
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderNumbers, ArgumentsKeepTheirTypesAndAllDigits) {
  const trace::Trace trace = read_every_way(document({
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":1,"dur":1,"args":{)"
      R"("int":-42,"big":18446744073709551616,"real":0.5,"exact":0.1234567890123456789,)"
      R"("text":"a\"b\u00e9","yes":true,"no":false,"none":null,"nan":NaN,)"
      R"("list":[1,[2, "]"]],"object":{"k":{"l":1}},"k\"ey":1,"empty":""}})",
  }));
  EXPECT_THAT(arguments_of(trace, 0),
              ElementsAre("int=-42", "big=json 18446744073709551616", "real=real 0.500000",
                          "exact=json 0.1234567890123456789", "text='a\"b\xC3\xA9'", "yes=true",
                          "no=false", "none=json null", "nan='NaN'", "list=json [1,[2, \"]\"]]",
                          "object=json {\"k\":{\"l\":1}}", "k\"ey=1", "empty=''"));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
