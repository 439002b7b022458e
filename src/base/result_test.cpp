// Claims on errors, results and the two macros.
#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Error, TextNamesPlaceMessageAndHint) {
  EXPECT_EQ(input_error("a.json", "is empty", "Record it again").text(),
            "a.json: is empty. Record it again");
}

TEST(Error, TextLeavesOutWhatIsNotKnown) {
  EXPECT_EQ(input_error("a.json", "is empty").text(), "a.json: is empty");
  EXPECT_EQ(usage_error("no input", "Name a file").text(), "no input. Name a file");
  EXPECT_EQ(usage_error("no input").text(), "no input");
}

TEST(Error, TextIsOneLineWhateverTheNamesInIt) {
  EXPECT_EQ(input_error("a\x1b]0;x\x07.json\n", "is '\u202E'", "See \xFF").text(),
            "a\uFFFD]0;x\uFFFD.json\uFFFD: is '\uFFFD'. See \uFFFD");
}

TEST(Error, ConstructorsSetTheCode) {
  EXPECT_EQ(input_error("a", "b").code, ErrorCode::kInput);
  EXPECT_EQ(output_error("a", "b").code, ErrorCode::kOutput);
  EXPECT_EQ(usage_error("b").code, ErrorCode::kUsage);
  EXPECT_EQ(Error{}.code, ErrorCode::kInternal);
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good.value(), 7);
  const Result<int> bad = usage_error("no");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().message, "no");
}

TEST(Result, ValueThatCannotBeCopiedIsMovedOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Status, DefaultIsSuccess) {
  EXPECT_TRUE(Status().ok());
  const Status failed = usage_error("no");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "no");
}

Result<int> half_of(int number) {
  if (number % 2 != 0) return input_error("number", "is odd");
  return number / 2;
}

Status check_even(int number, int& calls) {
  ++calls;
  LOCKSTEP_ASSIGN_OR_RETURN(const int half, half_of(number));
  return half >= 0 ? Status() : Status(input_error("number", "is negative"));
}

Result<int> quarter_of(int number, int& calls) {
  LOCKSTEP_RETURN_IF_ERROR(check_even(number, calls));
  LOCKSTEP_ASSIGN_OR_RETURN(const int half, half_of(number));
  int quarter = 0;
  LOCKSTEP_ASSIGN_OR_RETURN(quarter, half_of(half));
  return quarter;
}

TEST(ResultMacros, ValuesPassThrough) {
  int calls = 0;
  EXPECT_EQ(quarter_of(12, calls).value(), 3);
}

TEST(ResultMacros, FirstErrorLeavesTheFunction) {
  int calls = 0;
  EXPECT_EQ(quarter_of(3, calls).error().text(), "number: is odd");
  EXPECT_EQ(quarter_of(-4, calls).error().text(), "number: is negative");
  EXPECT_EQ(quarter_of(6, calls).error().text(), "number: is odd");
}

TEST(ResultMacros, ExpressionIsEvaluatedOnce) {
  int calls = 0;
  EXPECT_FALSE(quarter_of(3, calls).ok());
  EXPECT_EQ(calls, 1);
}

TEST(ResultMacros, ReturnIfErrorIsOneStatement) {
  const auto run = [](bool fails) -> Status {
    if (fails)
      LOCKSTEP_RETURN_IF_ERROR(Status(usage_error("no")));
    else
      return usage_error("else");
    return {};
  };
  EXPECT_EQ(run(true).error().message, "no");
  EXPECT_EQ(run(false).error().message, "else");
}

}  // namespace
}  // namespace lockstep
