// Which decoder an input goes to, .npy wrappings, and the guess where nothing says.
#include "formats/kernel_profile/kernel_profile_formats.h"

#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"
#include "formats/kernel_profile/guess_format.h"
#include "formats/kernel_profile/lkp/lkp_writer.h"
#include "formats/kernel_profile/other_tools/ikp_buffer.h"
#include "io/byte_sink.h"

namespace lockstep::formats::kernel_profile {
namespace {

// A lane of TVM: begin, end, finalize.
std::vector<std::uint64_t> tvm_words() {
  return {std::uint64_t{1} << 32 | 1, 32ULL << 32 | 0, 64ULL << 32 | 1, 96ULL << 32 | 3, 0, 0};
}

std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string out = std::string("\x93NUMPY", 6) + version + '\0';
  const auto size = static_cast<std::uint32_t>(header.size());
  out.append(reinterpret_cast<const char*>(&size), version == 1 ? 2 : 4);
  return out + header + data;
}
std::string npy_header(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }    \n";
}

const KernelDecodeOptions kTvm{.format = KernelFormat::kTvm};

TEST(KernelFormats, NamesAndFormatsAreOneToOne) {
  for (const KernelFormat format : all_kernel_formats()) {
    EXPECT_EQ(kernel_format_named(name_of(format)), format);
  }
  EXPECT_EQ(all_kernel_formats().size(), 8U);
  EXPECT_EQ(kernel_format_named("pytorch"), std::nullopt);
}

TEST(Npy, EveryVersionAndIntegerTypeIsRead) {
  const std::string data = bytes_of_items(tvm_words());
  for (const char version : {'\1', '\2', '\3'}) {
    const std::string bytes = npy(npy_header("<u8", "(6,)"), data, version);
    EXPECT_EQ(decode_for_test(bytes, kTvm).lanes(), "0/0: B0@32 E0@64\n");
  }
  for (const auto& [type, shape] : std::vector<std::pair<std::string, std::string>>{
           {"<i8", "(2, 3)"}, {"<u4", "(12,)"}, {"|u1", "(48,)"}, {"=i8", "(6L,)"}}) {
    const Decoded decoded = decode_for_test(npy(npy_header(type, shape), data), kTvm);
    EXPECT_EQ(decoded.lanes(), "0/0: B0@32 E0@64\n") << type;
    EXPECT_EQ(decoded.found(), "");
  }
}

TEST(Npy, ArraysThatAreNoBuffersAreRefused) {
  const auto error = [](const std::string& header) {
    return decode_for_test(npy(header, std::string(48, '\0')), kTvm).error;
  };
  EXPECT_EQ(
      error(npy_header("<f8", "(6,)")),
      "the .npy array is of type '<f8'. Save the buffer as an array of integers, such as uint64");
  EXPECT_EQ(error(npy_header(">u8", "(6,)")),
            "the .npy array is big-endian. Save it little-endian");
  EXPECT_EQ(
      error("{'descr': [('a', '<u8')], 'shape': (6,)}"),
      "the .npy array is of type [('a'. Save the buffer as an array of integers, such as uint64");
  EXPECT_EQ(error("{'descr': '<u8', 'fortran_order': True, 'shape': (2, 3)}"),
            "the .npy array is in Fortran order. Save it in C order (numpy.ascontiguousarray)");
  EXPECT_EQ(error("{}"), "the .npy header has no type");
  EXPECT_EQ(error("{'descr': '<u8'}"), "the .npy header has no shape that makes sense");
  EXPECT_EQ(error(npy_header("<u8", "(99999999999, 99999999999)")),
            "the .npy header has no shape that makes sense");
  EXPECT_EQ(error("{'descr': '<u8', 'shape': (5, "),
            "the .npy header has no shape that makes sense");
  EXPECT_EQ(error(npy_header("<u8", "(-3,)")), "the .npy header has no shape that makes sense");
}

TEST(Npy, HeadersThatAreCutAreRefusedAndArraysRead) {
  const std::string bytes = npy(npy_header("<u8", "(6,)"), bytes_of_items(tvm_words()));
  EXPECT_EQ(decode_for_test(bytes.substr(0, 20), kTvm).error,
            "ends inside the header of the .npy file");
  EXPECT_EQ(decode_for_test(npy("", "", 4), kTvm).error, "version 4 of .npy is not known");
  const Decoded decoded = decode_for_test(bytes.substr(0, bytes.size() - 16), kTvm);
  EXPECT_EQ(decoded.lanes(), "0/0: B0@32 E0@64\n");
  EXPECT_EQ(decoded.found(), "truncated 1");
  expect_all_cuts_are_safe(bytes, kTvm);
}

TEST(KernelFormats, ABufferWithoutAFormatIsAWrongUseThatNamesTheLikelyOne) {
  Diagnostics findings;
  const std::string bytes = bytes_of_items(tvm_words());
  const auto profile = decode_kernel_profile(as_span(bytes), {}, findings);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, ErrorCode::kUsage);
  EXPECT_EQ(
      profile.error().text(),
      "the buffer does not say which in-kernel format it has; it looks like tvm. Say --format "
      "tvm if it is");
  EXPECT_EQ(decode_for_test("who knows", {}).error,
            "the buffer does not say which in-kernel format it has. Say --format: one of tvm, "
            "flashinfer, flashinfer-old, proton, mosaic, ikp");
}

TEST(KernelFormats, FormatsThatTheBytesContradictAreRefused) {
  io::MemorySink sink;
  ASSERT_TRUE(write_lkp({}, sink).ok());
  EXPECT_EQ(decode_for_test(sink.bytes(), kTvm).error,
            "the input is a .lkp file, not tvm. Leave --format out");
  EXPECT_EQ(decode_for_test("abc", {.format = KernelFormat::kLkp}).error,
            "does not begin as a .lkp file does");
  EXPECT_EQ(decode_for_test("abc", {.format = KernelFormat::kIket}).error,
            "is not the JSON that run-iket writes");
  EXPECT_EQ(decode_for_test("", kTvm).error, "is empty");
}

// The name of a file that goes away with it.
struct FileForTest {
  explicit FileForTest(const std::string& suffix)
      : path(testing::TempDir() + "/kernel_profile_formats_" + std::to_string(::getpid()) +
             suffix) {}
  ~FileForTest() { ::unlink(path.c_str()); }
  FileForTest(const FileForTest&) = delete;
  FileForTest& operator=(const FileForTest&) = delete;

  std::string path;
};

TEST(KernelFormats, FilesAreNamedInErrorsAndLkpRecordsOutliveTheCall) {
  const FileForTest file(".lkp");
  const std::string& path = file.path;
  const std::vector<lkp::Launch> launches(1);
  const std::vector<lkp::Record> records = {{7, 0}};
  lkp::Lane lane{};
  lane.written = lane.seen = 1;
  lane.flags = 1;
  const std::vector<lkp::Lane> lanes = {lane};
  auto sink = io::open_output(path);
  ASSERT_TRUE(sink.ok());
  ASSERT_TRUE(write_lkp({{}, launches, lanes, {}, records, {}}, *sink.value()).ok());
  ASSERT_TRUE(sink.value()->close().ok());
  Diagnostics findings;
  const auto profile = read_kernel_profile(path, {}, findings);
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(words_of(profile.value()), "0/0: B0@7\n");

  std::ofstream(path, std::ios::binary) << "LKP1\r\n\x1a\n";
  const auto cut = read_kernel_profile(path, {}, findings);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().text(), path + ": the file ends inside its header (8 of 64 bytes)");
}

TEST(KernelFormats, MetaFilesThatCannotBeReadAreNamed) {
  const FileForTest file(".json");
  const std::string& path = file.path;
  std::ofstream(path) << "[]";
  KernelDecodeOptions options{.format = KernelFormat::kMosaic};
  options.meta_path = path;
  EXPECT_EQ(decode_for_test("abcdefgh", options).error, path + ": is JSON, but no object");
  options.meta_path = "/nowhere.json";
  EXPECT_EQ(decode_for_test("abcdefgh", options).error, "/nowhere.json: no such file or directory");
}

TEST(KernelFormats, MetaFilesDescribeTheBuffer) {
  const FileForTest file(".json");
  const std::string& path = file.path;
  std::ofstream(path) << R"({"kernel": "attention", "device": "H100", "arch": "sm_90",
    "timer_ns": 32, "clock_ghz": 1.755, "names": {"load": 0, "mma": 1}, "grid": [1, 1, 1],
    "threads": 128, "groups": 1, "lane_words": 5})";
  KernelDecodeOptions options{.format = KernelFormat::kMosaic};
  options.meta_path = path;
  const std::string bytes = bytes_of_items(std::vector<std::uint32_t>{1, 2, 2, 1, 50});
  const Decoded decoded = decode_for_test(bytes, options);
  EXPECT_EQ(decoded.lanes(), "0/0: B1@50\n");
  const trace::KernelProfile& profile = decoded.profile;
  EXPECT_EQ(profile.device, "H100");
  EXPECT_EQ(profile.arch, "sm_90");
  EXPECT_EQ(profile.timer_tick_ns, 32);
  EXPECT_EQ(profile.clock_ghz, 1.755);
  EXPECT_EQ(profile.event_name(1), "mma");
  EXPECT_EQ(profile.launches[0].kernel, "attention");
  EXPECT_EQ(profile.launches[0].threads.x, 128U);
}

TEST(GuessFormat, KnowsEveryBuffer) {
  const auto guess = [](const std::string& bytes) { return guess_kernel_format(as_span(bytes)); };
  EXPECT_EQ(guess(bytes_of_items(tvm_words())), KernelFormat::kTvm);
  // No finalize, and the stride is the number of lanes.
  EXPECT_EQ(guess(bytes_of_items(std::vector<std::uint64_t>{
                1ULL << 32 | 2, 32ULL << 32 | 4, 32ULL << 32 | 1U << 12 | 4, 64ULL << 32 | 5,
                64ULL << 32 | 1U << 12 | 5})),
            KernelFormat::kFlashInferOld);
  EXPECT_EQ(guess(bytes_of_items(std::vector<std::uint64_t>{1ULL << 32 | 2, 32ULL << 32 | 9U << 24,
                                                            32ULL << 32 | 8U << 24 | 1U << 12})),
            KernelFormat::kFlashInfer);
  // One lane of more records than are looked at, which only its last one ends.
  std::vector<std::uint64_t> long_lane(10'000, 5ULL << 32);
  long_lane[0] = 1ULL << 32 | 1;
  EXPECT_EQ(guess(bytes_of_items(long_lane)), KernelFormat::kFlashInferOld);
  long_lane.back() |= 3;
  EXPECT_EQ(guess(bytes_of_items(long_lane)), KernelFormat::kTvm);
  EXPECT_EQ(guess("\xef\xbe\xad\xde"), KernelFormat::kProton);
  EXPECT_EQ(guess(bytes_of_items(std::vector<IkpEvent>{{1ULL << 50, 1, 0, 0, 64},
                                                       {(1ULL << 50) + 32, 1, 1, 0, 64}})),
            KernelFormat::kIkp);
  EXPECT_EQ(guess(bytes_of_items(std::vector<std::uint32_t>{0xF000'0000, 5, 4, 0, 0xF000'0000,
                                                            0x8000'0000, 0xF000'1000, 0})),
            KernelFormat::kMosaic);
  EXPECT_EQ(guess(std::string(64, '\xff')), std::nullopt);
  EXPECT_EQ(guess(std::string(64, '\0')), std::nullopt);
  EXPECT_EQ(guess(""), std::nullopt);
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
