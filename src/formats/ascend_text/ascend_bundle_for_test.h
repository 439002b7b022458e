// A directory as torch_npu writes it, made by tests file by file.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "formats/ascend_text/ascend_bundle.h"
#include "formats/input/builtin_formats.h"
#include "io/input.h"

namespace lockstep::formats::ascend_text {

inline constexpr std::string_view kTimelineText = R"json([
{"ph":"M","name":"process_name","pid":4711,"tid":0,"args":{"name":"Python"}},
{"name":"process_name","pid":4824480,"tid":0,"args":{"name":"Ascend Hardware"},"ph":"M"},
{"name":"process_name","pid":4824512,"tid":0,"args":{"name":"HCCL"},"ph":"M"},
{"name":"thread_name","pid":4824512,"tid":0,"args":{"name":"Group 0 Communication"},"ph":"M"},
{"ph":"X","name":"ProfilerStep#3","pid":4711,"tid":4712,"ts":"1700000000000000.000","dur":900,"cat":"cpu_op","args":{}},
{"name":"add","pid":4824480,"tid":2,"ts":"1700000000000010.000","dur":5.00003125,"args":{"Task Type":"AI_CORE","connection_id":1},"ph":"X"},
{"name":"cast","pid":4824480,"tid":2,"ts":"1700000000000020.000","dur":5.5,"args":{"Task Type":"AI_CORE","connection_id":2},"ph":"X"},
{"name":"inner","pid":4824480,"tid":4,"ts":"1700000000000031.000","dur":5.5,"args":{"Task Type":"AI_CORE","connection_id":3},"ph":"X"},
{"name":"MEMCPY_ASYNC","pid":4824480,"tid":2,"ts":"1700000000000040.000","dur":2,"args":{"Task Type":"SDMA_SQE","connection_id":4},"ph":"X"},
{"name":"hcom_allReduce__586_0_1","pid":4824512,"tid":0,"ts":"1700000000000030.001","dur":8.00003125,"args":{"connection_id":3,"data_type":"FP32","count":16},"ph":"X"})json";

inline constexpr std::string_view kTable =
    "Step Id,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Block Dim\n"
    "3,2,add,Add,AI_VECTOR_CORE,1700000000000010.000\t,5,16\n"
    "3,2,cast,Cast,AI_CPU,1700000000000020.000\t,5.5,1\n"
    "3,N/A,hcom_allReduce__586_0_1,hcom_allReduce_,HCCL,1700000000000030.000\t,8,0\n"
    "3,2,late,Add,AI_CORE,1700000000000050.000\t,1,16\n";

inline constexpr std::string_view kCommunicationText =
    R"json({"step3": {"p2p": {}, "collective": {"hcom_allReduce__586_0_1@1752": {"Communication Time Info": {"Start Timestamp(us)": 1700000000000030.0, "Elapse Time(ms)": 0.008, "Transit Time(ms)": 0.001, "Wait Time(ms)": 0.005, "Idle Time(ms)": 0.002}}}}})json";

inline constexpr std::string_view kInfo =
    R"json({"config": {"experimental_config": {"_profiler_level": "Level1"}}, "rank_id": 5})json";

class AscendBundle : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "ascend_bundle_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void file(const std::string& name, std::string_view text) {
    const std::filesystem::path path = root() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  [[nodiscard]] std::filesystem::path root() const { return folder_ / "h_1_2_ascend_pt"; }

  static Status read_one(const std::string& path, trace::Trace& trace) {
    auto input = io::Input::open(path);
    if (!input.ok()) return input.error();
    const auto json =
        std::ranges::find(input::builtin_formats(), "chrome_json", &shared::Format::name);
    return json->read(*input.value(), path, {}, trace);
  }

  Result<trace::Trace> try_load() {
    auto list = io::list_files(folder_.string());
    if (!list.ok()) return list.error();
    std::vector<std::string> files = std::move(list).value().files;
    const std::vector<shared::Bundle> bundles =
        ascend_bundle_format().claim(folder_.string(), files);
    EXPECT_EQ(bundles.size(), 1U);
    EXPECT_TRUE(files.empty());
    trace::Trace trace;
    const Status status = ascend_bundle_format().read(bundles[0], {}, read_one, trace);
    if (!status.ok()) return status.error();
    return trace;
  }

  trace::Trace load() {
    Result<trace::Trace> trace = try_load();
    EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().text());
    return trace.ok() ? std::move(trace).value() : trace::Trace();
  }

  static std::map<std::string, trace::Event> by_name(const trace::Trace& trace) {
    std::map<std::string, trace::Event> events;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      events[std::string(trace.text(trace.events.name[i]))] = trace.events.row(trace::EventId{i});
    }
    return events;
  }

  // "used 4 kernel_details.csv"
  static std::vector<std::string> parts(const trace::Trace& trace) {
    std::vector<std::string> lines;
    for (const trace::SourcePart& part : trace.ranks[0].parts) {
      lines.push_back(std::string(name_of(part.use)) + " " + std::to_string(part.records) + " " +
                      part.name);
    }
    return lines;
  }

  std::filesystem::path folder_;
};

inline constexpr auto kOut = "ASCEND_PROFILER_OUTPUT/";

}  // namespace lockstep::formats::ascend_text
