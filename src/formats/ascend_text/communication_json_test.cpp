// communication.json: what it says of each operation, exactly.
#include "formats/ascend_text/communication_json.h"

#include <gtest/gtest.h>

#include "formats/ascend_text/defects.h"

namespace lockstep::formats::ascend_text {
namespace {

constexpr std::string_view kFile = R"json({"step50": {"p2p": {}, "collective": {
"hcom_allReduce__586_0_1@1752": {"Communication Time Info": {"Start Timestamp(us)": 1736408883732241.5,
 "Elapse Time(ms)": 79.08952021875, "Transit Time(ms)": 0.23918478125, "Wait Time(ms)": 2e-05,
 "Synchronization Time(ms)": 5.6, "Idle Time(ms)": 73.2, "Wait Time Ratio": 0.9},
 "Communication Bandwidth Info": {"RDMA": {"Transit Size(MB)": 1}, "HCCS": {"Transit Size(MB)": 28.647232000000002},
 "SDMA": {"Transit Size(MB)": 28.647232000000002, "Size Distribution": {"2.0": [12, 1.5]}}}},
"hcom_allReduce__586_1_1@1752": {"Communication Time Info": {"Start Timestamp(us)": 1736408883811334.8,
 "Elapse Time(ms)": 2}},
"Total Op Info": {"Communication Time Info": {"Elapse Time(ms)": 81}}}}})json";

TEST(CommunicationJson, NumbersAreExact) {
  const CommunicationFile file = parse_communication(std::string(kFile));
  EXPECT_FALSE(file.is_damaged);
  ASSERT_EQ(file.ops.size(), 2U);
  const CommunicationOp& op = file.ops[0];
  EXPECT_EQ(op.name, "hcom_allReduce__586_0_1");
  EXPECT_EQ(op.group, "1752");
  EXPECT_TRUE(op.start == WideTime{1736408883732241} * 1'000'000 + 500'000);
  EXPECT_TRUE(op.elapse == WideTime{79'089'520'219});
  EXPECT_TRUE(op.transit == WideTime{239'184'781});
  EXPECT_TRUE(op.wait == WideTime{20'000});
  EXPECT_EQ(op.bytes, 29'647'232);
  EXPECT_FALSE(file.ops[1].bytes);
}

TEST(CommunicationJson, EveryCutIsNoticedAndKeepsWholeOperations) {
  const std::string text(kFile);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const CommunicationFile file = parse_communication(text.substr(0, size));
    EXPECT_TRUE(file.is_damaged) << size;
    const bool has_first = size >= text.find("hcom_allReduce__586_1_1");
    EXPECT_GE(file.ops.size(), has_first ? 1U : 0U) << size;
    EXPECT_LE(file.ops.size(), 2U);
  }
}

struct WrongType {
  std::string_view json;
  bool is_damaged;
  std::size_t ops;
  std::optional<std::uint64_t> links;
};

// What stands where steps, sorts or operations belong is damage; an operation may lack anything.
TEST(CommunicationJson, WrongTypesAreDamageOrNoValues) {
  for (const WrongType& wrong : std::vector<WrongType>{
           {"[]", true, 0, std::nullopt},
           {"null", true, 0, std::nullopt},
           {"{}", false, 0, 0},
           {R"({"step": 5})", true, 0, std::nullopt},
           {R"({"step": {"p2p": [1]}})", true, 0, std::nullopt},
           {R"({"step": {"p2p": {"a@b": 7}}})", false, 1, 0},
           {R"json({"s":{"p2p":{"a":{"Communication Time Info":{"Elapse Time(ms)":"x"}}}}})json",
            false, 1, 1}}) {
    const std::string text(wrong.json);
    const CommunicationFile file = parse_communication(text);
    EXPECT_EQ(file.is_damaged, wrong.is_damaged) << text;
    EXPECT_EQ(file.ops.size(), wrong.ops) << text;
    for (const CommunicationOp& op : file.ops) {
      EXPECT_FALSE(op.start || op.elapse || op.transit || op.wait || op.idle || op.bytes) << text;
    }
    EXPECT_EQ(count_links(text), wrong.links) << text;
  }
}

class CollectivesTest : public testing::Test {
 protected:
  CollectivesTest() { rank.set_origin(0, Clock::kSession); }

  void add(std::string_view name, std::int64_t start) {
    trace::Event row;
    row.name = rank.intern(name);
    row.track = rank.stream(rank.process("0"), rank.device("0"), "g");
    row.kind = trace::Kind::kCommunication;
    rank.add_span(row, start, start + 1);
  }

  trace::Trace trace;
  shared::RankBuilder rank{trace, "x", "ascend_text", trace::KeepArguments::kNone};
};

TEST_F(CollectivesTest, AreFoundByNameAndOrderNotByTime) {
  add("hcom_send__1_0_1", 500);
  add("hcom_send__1_0_1", 100);
  std::vector<CommunicationOp> ops(3);
  for (CommunicationOp& op : ops) op.name = "hcom_send__1_0_1";
  ops[0].group = "first";
  ops[1].group = "second";
  ops[1].wait = WideTime{7};
  Diagnostics diagnostics;
  EXPECT_EQ(describe_collectives(trace, 0, ops, diagnostics), 2U);
  EXPECT_EQ(diagnostics.count_of(kUnmatchedCommunication), 1U);
  EXPECT_EQ(trace.text(trace.collectives[1].group), "first");
  EXPECT_EQ(trace.text(trace.collectives[0].group), "second");
  EXPECT_EQ(trace.collectives[0].wait, Time{7});
  EXPECT_EQ(trace.collectives[0].sequence, 0);
}

TEST(CommunicationMatrix, LinksAreCounted) {
  EXPECT_EQ(count_links(
                R"json({"step": {"p2p": {}, "collective": {"a@g": {"0-1": {}, "0-2": {}}}}})json"),
            2U);
  EXPECT_FALSE(count_links("{\"step\": "));
}

TEST(CommunicationJson, TextBeyondAllMeasureIsRefused) {
  io::MemorySource source{std::string((std::size_t{2} << 20) + 1, ' ')};
  const Result<std::string> text = read_text(source, "x/communication.json", std::size_t{2} << 20);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().text(), "x/communication.json: is longer than 2 MiB");
  io::MemorySource just{std::string(std::size_t{2} << 20, ' ')};
  EXPECT_TRUE(read_text(just, "x", std::size_t{2} << 20).ok());
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
