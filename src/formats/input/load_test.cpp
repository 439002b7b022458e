// Loading of inputs: what each kind of file, directory and mixture gives or is refused for.
#include "formats/input/load.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/byte_sink.h"

namespace lockstep::formats::input {
namespace {

namespace fs = std::filesystem;

using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// A trace of one kernel of this rank.
std::string trace_json(int rank, std::string_view kernel) {
  return "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":" + std::to_string(rank) +
         R"(},"baseTimeNanoseconds":1727740800000000000,"traceEvents":[{"ph":"X","cat":"kernel",)"
         R"("name":")" +
         std::string(kernel) + R"(","pid":0,"tid":7,"ts":100,"dur":5}]})";
}

constexpr std::string_view kExecutionGraph =
    R"({"schema":"1.1.1-chakra.0.0.4","pid":1,"nodes":[{"id":2,"name":"aten::add","ctrl_deps":1,)"
    R"("inputs":{"values":[],"shapes":[],"types":[]},"rf_id":7}]})";

class LoadTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "load_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(std::string_view name) const {
    return (folder_ / std::string(name)).string();
  }

  std::string write(std::string_view name, std::string_view bytes) {
    const fs::path file = folder_ / std::string(name);
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }

  std::string write_compressed(std::string_view name, std::string_view bytes) {
    auto sink = io::open_output(path(name));
    EXPECT_TRUE(sink.ok());
    EXPECT_TRUE(sink.value()->write(bytes).ok());
    EXPECT_TRUE(sink.value()->close().ok());
    return path(name);
  }

  static LoadedTrace loaded(const std::vector<std::string>& inputs) {
    Result<LoadedTrace> result = load(inputs, {});
    if (result.ok()) return std::move(result).value();
    ADD_FAILURE() << result.error().text();
    return {};
  }

  // The sentence for people; every refusal blames the input and says which one.
  static std::string refusal(const std::vector<std::string>& inputs, const std::string& culprit) {
    const Result<LoadedTrace> result = load(inputs, {});
    if (result.ok()) return "loaded";
    EXPECT_EQ(result.error().code, ErrorCode::kInput);
    EXPECT_EQ(result.error().where, culprit);
    return result.error().text();
  }
  static std::string refusal(const std::string& input) { return refusal({input}, input); }

 private:
  fs::path folder_;
};

std::vector<std::string> names(const LoadedTrace& loaded) {
  std::vector<std::string> out;
  for (const StringId name : loaded.trace.events.name) out.emplace_back(loaded.trace.text(name));
  return out;
}

TEST_F(LoadTest, AFileGivesItsTraceAndItsFacts) {
  const std::string json = trace_json(3, "gemm");
  const std::string file = write("a.json", json);
  const LoadedTrace trace = loaded({file});
  EXPECT_THAT(names(trace), ElementsAre("gemm"));
  ASSERT_EQ(trace.inputs.size(), 1U);
  EXPECT_EQ(trace.inputs[0].path, file);
  EXPECT_EQ(trace.inputs[0].format, "kineto");
  EXPECT_EQ(trace.inputs[0].compression, io::Compression::kNone);
  EXPECT_EQ(trace.inputs[0].size_bytes, json.size());
  EXPECT_EQ(trace.inputs[0].inflated_bytes, json.size());
  EXPECT_EQ(trace.trace.ranks[0].number, 3);
}

TEST_F(LoadTest, CompressedFilesAreToldByTheirContent) {
  const std::string json = trace_json(0, "gemm");
  const std::string gzip = write_compressed("a.json.gz", json);
  const std::string zstd = write_compressed("b.json.zst", json);
  fs::rename(gzip, path("a.json"));
  for (const auto& [file, compression] : {std::pair(path("a.json"), io::Compression::kGzip),
                                          std::pair(zstd, io::Compression::kZstd)}) {
    const LoadedTrace trace = loaded({file});
    EXPECT_THAT(names(trace), ElementsAre("gemm"));
    EXPECT_EQ(trace.inputs[0].compression, compression);
    EXPECT_EQ(trace.inputs[0].inflated_bytes, json.size());
    EXPECT_EQ(trace.inputs[0].size_bytes, fs::file_size(file));
  }
}

TEST_F(LoadTest, SeveralFilesAreRanksOfOneTrace) {
  const LoadedTrace trace =
      loaded({write("b.json", trace_json(1, "b")), write("a.json", trace_json(0, "a"))});
  EXPECT_THAT(names(trace), ElementsAre("b", "a"));
  ASSERT_EQ(trace.trace.ranks.size(), 2U);
  EXPECT_EQ(trace.trace.ranks[0].number, 1);
  EXPECT_EQ(trace.trace.ranks[1].number, 0);
  EXPECT_EQ(trace.trace.devices.size(), 2U);
}

TEST_F(LoadTest, ADirectoryGivesItsTracesInOrderAndPassesOverTheRest) {
  write("run/rank1.json", trace_json(1, "one"));
  write("run/deep/rank2.json", trace_json(2, "two"));
  write("run/rank0.json", trace_json(0, "zero"));
  write("run/README", "no trace");
  write("run/config.json", R"({"layers": 4})");
  write("run/empty.json", "");
  write("run/.hidden.json", trace_json(9, "hidden"));
  write("run/graph.pt.trace.json", kExecutionGraph);
  const LoadedTrace trace = loaded({path("run")});
  EXPECT_THAT(names(trace), ElementsAre("two", "zero", "one"));
  EXPECT_EQ(trace.inputs.size(), 3U);
}

TEST_F(LoadTest, ADirectoryWithoutTracesIsRefused) {
  write("run/README", "no trace");
  write("run/config.json", R"({"layers": 4})");
  EXPECT_THAT(refusal(path("run")), HasSubstr("holds no traces"));
  fs::create_directory(path("nothing"));
  EXPECT_THAT(refusal(path("nothing")), HasSubstr("holds no traces"));
}

TEST_F(LoadTest, ATraceWithALongHeaderIsFoundInADirectory) {
  write("run/a.json", R"({"schemaVersion":1,"note":")" + std::string(100'000, 'x') +
                          R"(","traceEvents":[{"ph":"X","cat":"kernel","name":"late",)"
                          R"("pid":0,"tid":7,"ts":1,"dur":1}]})");
  EXPECT_THAT(names(loaded({path("run")})), ElementsAre("late"));
}

TEST_F(LoadTest, AFileOfADirectoryThatCannotBeReadIsNamed) {
  write("run/a.json", trace_json(0, "a"));
  write("run/b.json.gz", "\x1F\x8B\x08\x00garbage garbage"sv);
  write("run/c.json", R"({"traceEvents": [)");
  write("run/readme.txt", "the key \"ph\" is not a trace");
  const LoadedTrace trace = loaded({path("run")});
  EXPECT_THAT(names(trace), ElementsAre("a"));
  ASSERT_EQ(trace.trace.ranks.size(), 1U);
  ASSERT_FALSE(trace.trace.diagnostics.entries().empty());
  const Diagnostic& found = trace.trace.diagnostics.entries().back();
  EXPECT_EQ(found.kind->name, "unreadable_file");
  EXPECT_EQ(found.count, 2U);
  EXPECT_THAT(found.example, HasSubstr("b.json.gz: is compressed, and nothing in it"));
}

TEST_F(LoadTest, TheSameFileTwiceIsRefused) {
  const std::string file = write("a.json", trace_json(0, "a"));
  const auto result = load({file, path("./a.json")}, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUsage);
  EXPECT_THAT(result.error().text(), HasSubstr("is given twice"));
}

TEST_F(LoadTest, TwoFilesOfOneRankAreAnError) {
  const LoadedTrace trace =
      loaded({write("a.json", trace_json(3, "a")), write("b.json", trace_json(3, "b"))});
  EXPECT_EQ(trace.trace.diagnostics.entries().back().kind->name, "repeated_rank");
  EXPECT_EQ(trace.trace.diagnostics.entries().back().kind->severity, Severity::kError);
}

TEST_F(LoadTest, FilesOfOtherKindsAreNamed) {
  EXPECT_THAT(refusal(write("a.xz",
                            "\xFD"
                            "7zXZ\0"sv)),
              HasSubstr("compressed with xz"));
  EXPECT_THAT(refusal(write("a.db", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")),
              HasSubstr("is a pointer of Git LFS; fetch the file with 'git lfs pull'"));
  EXPECT_THAT(refusal(write("a.zip", "PK\x03\x04...."sv)), HasSubstr("zip archive"));
  EXPECT_THAT(refusal(write("a.sqlite", "SQLite format 3\0"sv)), HasSubstr("SQLite database"));
}

TEST_F(LoadTest, ReportsOfOtherToolsNameTheWayOut) {
  EXPECT_THAT(
      refusal(write("a.nsys-rep", "\x01\x02 whatever")),
      HasSubstr("is a report of Nsight Systems, which only nsys opens. Export it with 'nsys "
                "export --type sqlite'"));
  EXPECT_THAT(refusal(write("a.ncu-rep", "\x01\x02 whatever")), HasSubstr("no timeline"));
  EXPECT_THAT(refusal(write("a.qdstrm", "\x01\x02 whatever")),
              HasSubstr("is raw data of Nsight Systems. Import it with nsys, then export it as "
                        "SQLite"));
}

TEST_F(LoadTest, OneCaptureInTwoFormsIsReadOnce) {
  write("run/a.json", trace_json(0, "a"));
  write_compressed("run/a.json.gz", trace_json(0, "a"));
  const LoadedTrace trace = loaded({path("run")});
  EXPECT_EQ(trace.inputs.size(), 1U);
  EXPECT_EQ(trace.trace.diagnostics.entries().back().kind->name, "other_export");
}

TEST_F(LoadTest, AnotherExportIsReadWhereTheBetterOneIsNone) {
  write("run/a.db", "not a database at all, only text");
  write("run/a.json", trace_json(0, "a"));
  const LoadedTrace trace = loaded({path("run")});
  ASSERT_EQ(trace.inputs.size(), 1U);
  EXPECT_THAT(trace.inputs[0].path, HasSubstr("a.json"));
}

TEST_F(LoadTest, ADamagedRankOfADirectoryIsNamed) {
  write("run/rank0.json", trace_json(0, "a"));
  std::string noise;
  for (int i = 0; i < 4096; ++i) noise += static_cast<char>((i * 167 + i / 7) % 256);
  write("run/rank1.db", noise);
  write("run/rank2.json", "");
  write("run/rank3.nsys-rep", "whatever");
  write("run/rank4.json.xz",
        "\xFD"
        "7zXZ and so on"sv);
  write("run/notes.txt", "");
  const LoadedTrace trace = loaded({path("run")});
  EXPECT_EQ(trace.inputs.size(), 1U);
  const Diagnostic& loss = trace.trace.diagnostics.entries().back();
  EXPECT_EQ(loss.kind->name, "unreadable_file");
  EXPECT_EQ(loss.count, 4U);
}

TEST_F(LoadTest, ARankOfADirectoryWhoseStartIsDamagedIsNamed) {
  write("run/rank0.json", trace_json(0, "a"));
  write("run/rank1.json.gz", "\x1B\x8B\x08\x00garbage garbage"sv);  // one bit of the magic
  write("run/rank2.json.zst", "\x28\xB5\x2F\xFC garbage"sv);
  write("run/rank3.pftrace", std::string(512, '\0') + "\x0A\x04\x50\x01\x40\x05");
  const LoadedTrace trace = loaded({path("run")});
  EXPECT_EQ(trace.inputs.size(), 1U);
  const Diagnostic& loss = trace.trace.diagnostics.entries().back();
  EXPECT_EQ(loss.kind->name, "unreadable_file");
  EXPECT_EQ(loss.count, 3U);
  EXPECT_THAT(loss.example,
              HasSubstr("rank1.json.gz: is named like a trace and does not begin like one. It may "
                        "be damaged at its start, cut off, or a file of another program"));
}

TEST_F(LoadTest, AFileThatIsMetTwiceIsReadOnce) {
  const std::string file = write("run/a.json", trace_json(0, "a"));
  fs::create_symlink(file, path("run/b.json"));
  const LoadedTrace linked = loaded({path("run")});
  EXPECT_EQ(linked.inputs.size(), 1U);
  EXPECT_EQ(linked.trace.diagnostics.entries().back().kind->name, "repeated_file");
  const LoadedTrace both = loaded({file, path("run")});
  EXPECT_EQ(both.inputs.size(), 1U);
}

TEST_F(LoadTest, AFailedFileLeavesNothingBehind) {
  write("run/a.json", trace_json(0, "a"));
  write("run/b.json", R"({"traceEvents": []})");
  const LoadedTrace trace = loaded({path("run")});
  EXPECT_EQ(trace.trace.ranks.size(), 1U);
}

TEST_F(LoadTest, RanksWithoutNumbersTakeThoseOfTheirNames) {
  write("run/rank4.json", R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 1}]})");
  const LoadedTrace trace = loaded({path("run")});
  EXPECT_EQ(trace.trace.ranks[0].number, 4);
  EXPECT_EQ(trace.trace.ranks[0].number_from, trace::RankEvidence::kName);
}

TEST_F(LoadTest, ATraceCutOffBeforeItsFirstEventSaysSo) {
  EXPECT_THAT(refusal(write("a.json", R"({"traceEvents": [{"ph": "X", "na)")),
              HasSubstr("is cut off before its first whole event"));
}

TEST_F(LoadTest, AMissingFileIsRefused) {
  EXPECT_THAT(refusal(path("missing.json")), HasSubstr("no such file"));
}

TEST_F(LoadTest, AFileWithoutReadPermissionIsRefused) {
  const std::string file = write("a.json", trace_json(0, "a"));
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  if (access(file.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read everything";
  EXPECT_THAT(refusal(file), HasSubstr("no permission to read this file"));
}

TEST_F(LoadTest, AnEmptyFileIsRefused) {
  EXPECT_THAT(refusal(write("a.json", "")), HasSubstr("is empty"));
}

TEST_F(LoadTest, WhitespaceAloneIsRefused) {
  EXPECT_THAT(refusal(write("a.txt", " \n\t ")), HasSubstr("is not a trace in a known format"));
  EXPECT_THAT(refusal(write("a.json", " \n\t ")),
              HasSubstr("is named like a trace and does not begin like one"));
}

TEST_F(LoadTest, TextThatIsNotJsonIsRefused) {
  const std::string words = refusal(write("a.txt", "hello\n"));
  EXPECT_THAT(words, HasSubstr("is not a trace in a known format"));
  EXPECT_THAT(words, HasSubstr("lockstep reads Kineto"));
}

TEST_F(LoadTest, JsonThatIsNoTraceIsRefused) {
  EXPECT_THAT(refusal(write("a.json", R"({"layers": [1, 2]})")),
              HasSubstr("is JSON but holds no trace events"));
  EXPECT_THAT(refusal(write("b.json", "[1, 2]")),
              HasSubstr("holds no trace event that can be read"));
}

TEST_F(LoadTest, AnEmptyListOfEventsIsRefused) {
  EXPECT_THAT(refusal(write("a.json", R"({"traceEvents": []})")),
              HasSubstr("Its list of events is empty"));
}

TEST_F(LoadTest, AnExecutionGraphIsNamedForWhatItIs) {
  EXPECT_THAT(refusal(write("rank0.pt.trace.json", kExecutionGraph)),
              HasSubstr("is a PyTorch execution graph"));
}

TEST_F(LoadTest, GarbageBehindAGzipHeaderIsRefused) {
  EXPECT_THAT(refusal(write("a.json.gz", "\x1F\x8B\x08\x00garbage garbage garbage"sv)),
              HasSubstr("nothing in it can be inflated"));
  EXPECT_THAT(refusal(write("b.json.gz", "\x1F\x8B"sv)),
              HasSubstr("nothing in it can be inflated"));
}

TEST_F(LoadTest, ACompressedFileThatIsNoTraceIsRefused) {
  EXPECT_THAT(refusal(write_compressed("a.gz", "hello")),
              HasSubstr("is not a trace in a known format"));
  EXPECT_THAT(refusal(write_compressed("b.json.gz", "")), HasSubstr("is empty"));
}

TEST_F(LoadTest, ATruncatedGzipFileGivesWhatCanBeInflated) {
  std::string json = "{\"traceEvents\":[";
  for (int i = 0; i < 5000; ++i) {
    json += R"({"ph":"X","cat":"kernel","name":"k)" + std::to_string(i * i) +
            R"(","pid":0,"tid":7,"ts":)" + std::to_string(i * 7 + i % 5) + ",\"dur\":1},\n";
  }
  const std::string file = write_compressed("a.json.gz", json + "{}]}");
  fs::resize_file(file, fs::file_size(file) / 2);
  const LoadedTrace trace = loaded({file});
  EXPECT_GT(trace.trace.events.size(), 500U);
  EXPECT_LT(trace.trace.events.size(), 5000U);
  std::vector<std::string> kinds;
  for (const Diagnostic& entry : trace.trace.diagnostics.entries()) {
    kinds.emplace_back(entry.kind->name);
    EXPECT_EQ(entry.source, file);
  }
  EXPECT_THAT(kinds, testing::UnorderedElementsAre("truncated_json", "truncated_compression"));
}

TEST_F(LoadTest, OneBadFileAmongGoodOnesIsNamed) {
  const std::string good = write("a.json", trace_json(0, "a"));
  const std::string bad = write("b.txt", "hello");
  EXPECT_THAT(refusal({good, bad, good}, bad), HasSubstr("is not a trace in a known format"));
  EXPECT_THAT(refusal({bad, good}, bad), HasSubstr("is not a trace in a known format"));
}

TEST_F(LoadTest, ArgumentsAreKeptOnlyWhenAsked) {
  const std::string file =
      write("a.json", R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":1,"args":{"x":1}}])");
  EXPECT_TRUE(loaded({file}).trace.arguments.empty());
  const Result<LoadedTrace> kept =
      load({file}, {.keep_arguments = trace::KeepArguments::kAll, .show_progress = false});
  ASSERT_TRUE(kept.ok());
  EXPECT_FALSE(kept.value().trace.arguments.empty());
}

TEST_F(LoadTest, ATraceInAFolderNamedLikeAnAscendProfileIsStillRead) {
  write("PROF_runs/kineto/rank0.json", trace_json(0, "gemm"));
  for (const std::string_view given : {"PROF_runs/kineto", "PROF_runs", "."}) {
    const auto loaded = load({path(given)}, {});
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_EQ(loaded.value().trace.ranks.size(), 1U);
    EXPECT_EQ(loaded.value().trace.ranks[0].format, "kineto");
  }
}

}  // namespace
}  // namespace lockstep::formats::input
