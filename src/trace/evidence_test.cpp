// Claims on the arguments that analyses read.
#include "trace/evidence.h"

#include <array>

#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

class Evidence : public testing::Test {
 protected:
  EventId event(std::initializer_list<Argument> arguments) {
    const EventId id = trace_.events.add(Event{});
    trace_.arguments.set(id, std::span(arguments.begin(), arguments.size()));
    return id;
  }
  StringId id(std::string_view text) { return trace_.strings.intern(text); }
  Argument text(std::string_view key, std::string_view value) {
    return Argument::string(id(key), id(value));
  }

  Trace trace_;
};

TEST(ArgumentRoles, EveryProfilersNameIsKnown) {
  for (const char* key : {"Input Dims", "Input Shapes", "input shapes"}) {
    EXPECT_EQ(role_of_argument(key), ArgumentRole::kShapes) << key;
  }
  for (const char* key : {"Wait Time(us)", "Task Wait Time(us)"}) {
    EXPECT_EQ(role_of_argument(key), ArgumentRole::kExportedWait) << key;
  }
  for (const char* key :
       {"Accelerator Core", "Core Type", "Task Type", "task type", "kernel_type"}) {
    EXPECT_EQ(role_of_argument(key), ArgumentRole::kTaskType) << key;
  }
}

TEST(ArgumentRoles, OtherNamesTellNothing) {
  for (const char* key : {"", "Input type", "Input Strides", "Output Shapes", "Input", "stream"}) {
    EXPECT_EQ(role_of_argument(key), ArgumentRole::kNone) << key;
  }
}

TEST_F(Evidence, EqualShapesHaveEqualNumbers) {
  const EventId a = event({text("Input Dims", "[[2, 3]]")});
  const EventId b = event({text("Input Shapes", "[[2, 3]]"), text("x", "[[4]]")});
  const EventId c = event({Argument::json(id("Input Dims"), id("[[4]]"))});
  const EventId none = event({text("Input type", "[[2, 3]]")});
  const EvidenceReader evidence(trace_);
  EXPECT_EQ(evidence.shapes(a), evidence.shapes(b));
  EXPECT_NE(evidence.shapes(a), evidence.shapes(c));
  EXPECT_FALSE(evidence.shapes(none));
}

TEST_F(Evidence, AShapeThatIsABareNumberIsNoText) {
  const EventId text_shape = event({text("Input Shapes", "7")});
  const auto same_bits = static_cast<std::int64_t>(id("7"));
  const EventId number = event({Argument::integer(id("Input Shapes"), same_bits)});
  const EvidenceReader evidence(trace_);
  ASSERT_TRUE(evidence.shapes(number));
  EXPECT_NE(evidence.shapes(number), evidence.shapes(text_shape));
}

TEST_F(Evidence, TheTableBehindTheTimelineKnowsTheTypeBetter) {
  const EventId both =
      event({text("Task Type", "KERNEL_AICORE"), text("Accelerator Core", "AI_CORE")});
  const EventId none = event({text("stream", "2"), Argument::integer(id("Task Type"), 4)});
  const EvidenceReader evidence(trace_);
  EXPECT_EQ(trace_.text(evidence.task_type(both)), "AI_CORE");
  EXPECT_EQ(evidence.task_type(none), kEmptyString);
}

TEST_F(Evidence, WaitsAreExact) {
  const StringId key = id("Wait Time(us)");
  const EvidenceReader before(trace_);
  const EventId decimal = event({Argument::json(key, id("48.123456"))});
  const EventId whole = event({Argument::integer(key, 3)});
  const EventId real = event({Argument::real(key, 0.5)});
  const EvidenceReader evidence(trace_);
  EXPECT_EQ(evidence.exported_wait(decimal), Time{48'123'456});
  EXPECT_EQ(evidence.exported_wait(whole), Time{3'000'000});
  EXPECT_EQ(evidence.exported_wait(real), Time{500'000});
}

TEST_F(Evidence, WaitsThatMakeNoSenseAreNone) {
  const StringId key = id("Wait Time(us)");
  const std::array bad = {Argument::json(key, id("-1.5")), Argument::string(key, id("N/A")),
                          Argument::integer(key, -1),      Argument::real(key, 1e300),
                          Argument::boolean(key, true),    Argument::string(key, id("1e30"))};
  std::vector<EventId> events;
  for (const Argument& argument : bad) events.push_back(event({argument}));
  const EvidenceReader evidence(trace_);
  for (const EventId one : events) EXPECT_FALSE(evidence.exported_wait(one)) << index_of(one);
}

TEST_F(Evidence, WithoutArgumentsThereIsNothingToLookFor) {
  EXPECT_FALSE(EvidenceReader(trace_).has(ArgumentRole::kShapes));
  (void)event({text("Input Dims", "[]")});
  const EvidenceReader evidence(trace_);
  EXPECT_TRUE(evidence.has(ArgumentRole::kShapes));
  EXPECT_FALSE(evidence.has(ArgumentRole::kExportedWait));
}

}  // namespace
}  // namespace lockstep::trace
