// Damages every byte of a small trace in turn: one bad byte costs at most the event it stands in.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/sanitized_for_test.h"
#include "formats/chrome_json/reading_for_test.h"
#include "formats/chrome_json/sample_trace_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using namespace std::string_view_literals;

// What takes the place of a byte; a delete is told apart by the length of the document.
constexpr std::string_view kReplacements = "\"\\{}[],:\0\xFFx \n"sv;

using Names = std::multiset<std::string>;

struct Reading {
  Names names;
  bool complains = false;  // a diagnostic or an error
};

// How the stream is read.
struct Way {
  bool keep_arguments = false;
  std::size_t chunk_bytes = 0;
};

Reading read_names(const std::string& json, const Way& way) {
  shared::ReadOptions options;
  options.keep_arguments =
      way.keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  options.chunk_bytes = way.chunk_bytes;
  const Result<trace::Trace> read = try_read(json, options);
  if (!read.ok()) return {{}, true};
  const auto names = names_of_events(read.value());
  return {{names.begin(), names.end()}, !read.value().diagnostics.entries().empty()};
}

Names difference(const Names& a, const Names& b) {
  Names out;
  std::ranges::set_difference(a, b, std::inserter(out, out.end()));
  return out;
}

std::string words(const Names& names) {
  std::string out;
  for (const std::string& name : names) out += " '" + name + "'";
  return out;
}

// One sample and what a reading of its damaged copies may show.
class Damage {
 public:
  Damage(SampleStyle style, Way way)
      : sample_(sample_trace(style)), way_(way), whole_(all_names()) {}

  [[nodiscard]] const SampleTrace& sample() const { return sample_; }
  [[nodiscard]] const Names& whole() const { return whole_; }
  [[nodiscard]] Reading read(const std::string& json) const { return read_names(json, way_); }

  // Replaces the byte at `position`, or deletes it.
  void check_byte(std::size_t position, std::optional<char> replacement) {
    std::string json = sample_.json;
    if (replacement) {
      if (json[position] == *replacement) return;
      json[position] = *replacement;
    } else {
      json.erase(position, 1);
    }
    ++readings_;
    const Reading reading = read(json);
    const Names lost = difference(whole_, reading.names);
    const Names added = difference(reading.names, whole_);
    losses_ += lost.size();
    const SampleEvent* const hit = event_at(position);
    const bool in_name = hit != nullptr && hit->name_value.contains(position);
    const bool only_hit = lost.empty() || (hit != nullptr && lost == Names{hit->name});
    const bool fine = only_hit && (added.empty() || (in_name && added.size() == 1)) &&
                      (lost.empty() || reading.complains || added.size() == lost.size());
    if (fine) return;
    const std::string what = replacement ? std::string(1, *replacement) : "(deleted)";
    faults_.push_back("byte " + std::to_string(position) + " -> " + testing::PrintToString(what) +
                      " in " + around(position) + " lost" + words(lost) + " added" + words(added) +
                      (reading.complains ? "" : ", in silence"));
  }

  void check_byte(std::size_t position) {
    for (const char replacement : kReplacements) check_byte(position, replacement);
    check_byte(position, std::nullopt);
  }

  void expect_no_faults() const {
    testing::Test::RecordProperty("readings", std::to_string(readings_));
    testing::Test::RecordProperty("events_lost", std::to_string(losses_));
    for (const std::string& fault : faults_) ADD_FAILURE() << fault;
  }

  [[nodiscard]] const SampleEvent* event_at(std::size_t position) const {
    const auto it = std::ranges::find_if(
        sample_.events, [&](const SampleEvent& event) { return event.text.contains(position); });
    return it == sample_.events.end() ? nullptr : &*it;
  }

 private:
  [[nodiscard]] Names all_names() const {
    Names names;
    for (const SampleEvent& event : sample_.events) {
      if (!event.name.empty()) names.insert(event.name);
    }
    names.erase(names.find("paired"));  // two events, one row
    return names;
  }

  [[nodiscard]] std::string around(std::size_t position) const {
    const std::size_t begin = position < 20 ? 0 : position - 20;
    return testing::PrintToString(sample_.json.substr(begin, position - begin)) + "^" +
           testing::PrintToString(sample_.json.substr(position, 20));
  }

  SampleTrace sample_;
  Way way_;
  Names whole_;
  std::size_t readings_ = 0;
  std::size_t losses_ = 0;
  std::vector<std::string> faults_;
};

constexpr std::size_t kOneChunk = 16 * 1024;
constexpr std::size_t kManyChunks = 64;

TEST(ChromeJsonReaderDamage, TheUndamagedSamplesAreReadWhole) {
  for (const SampleStyle style :
       {SampleStyle::kPretty, SampleStyle::kCompact, SampleStyle::kList}) {
    const Damage damage(style, {.keep_arguments = false, .chunk_bytes = kOneChunk});
    const Reading reading = damage.read(damage.sample().json);
    EXPECT_EQ(reading.names, damage.whole());
    EXPECT_FALSE(reading.complains);
  }
}

// One in so many of the bytes; all of them by `make faults`. A sanitizer makes a reading ten times
// as slow.
std::size_t byte_step() {
  const char* const wanted = std::getenv("LOCKSTEP_FAULTS");
  if (wanted != nullptr && wanted == "all"sv) return 1;
#ifdef LOCKSTEP_SANITIZED
  return 23;
#else
  return 3;
#endif
}

void damage_every_byte(SampleStyle style) {
  Damage damage(style, {.keep_arguments = false, .chunk_bytes = kOneChunk});
  for (std::size_t at = 0; at < damage.sample().json.size(); at += byte_step())
    damage.check_byte(at);
  damage.expect_no_faults();
}

TEST(ChromeJsonReaderDamage, AnyByteOfAPrettyTraceCostsAtMostItsOwnEvent) {
  damage_every_byte(SampleStyle::kPretty);
}

TEST(ChromeJsonReaderDamage, AnyByteOfACompactTraceCostsAtMostItsOwnEvent) {
  damage_every_byte(SampleStyle::kCompact);
}

TEST(ChromeJsonReaderDamage, AnyByteOfAListOfEventsCostsAtMostItsOwnEvent) {
  damage_every_byte(SampleStyle::kList);
}

// Only some bytes; over the repeating parts of the sample, a step brings all of them in turn.
void damage_some_bytes(const Way& way, std::size_t step) {
  for (const SampleStyle style :
       {SampleStyle::kPretty, SampleStyle::kCompact, SampleStyle::kList}) {
    Damage damage(style, way);
    for (std::size_t at = 0; at < damage.sample().json.size(); at += byte_step() * step)
      damage.check_byte(at);
    damage.expect_no_faults();
  }
}

TEST(ChromeJsonReaderDamage, ItCostsNoMoreWhenTheStreamComesInSmallChunks) {
  damage_some_bytes({.keep_arguments = false, .chunk_bytes = kManyChunks}, 29);
}

TEST(ChromeJsonReaderDamage, ItCostsNoMoreWhenArgumentsAreKept) {
  damage_some_bytes({.keep_arguments = true, .chunk_bytes = kOneChunk}, 7);
}

void truncate_everywhere(SampleStyle style, const Way& way, std::size_t step) {
  const Damage damage(style, way);
  const SampleTrace& sample = damage.sample();
  for (std::size_t length = 0; length < sample.json.size(); length += byte_step() * step) {
    Names expected;
    for (const SampleEvent& event : sample.events) {
      if (event.text.end <= length && !event.name.empty()) expected.insert(event.name);
    }
    // A pair is a row only when both of its events are there.
    if (expected.contains("paired")) expected.erase(expected.find("paired"));
    const Reading reading = damage.read(sample.json.substr(0, length));
    ASSERT_EQ(reading.names, expected) << "cut at " << length;
    const std::string_view rest = std::string_view(sample.json).substr(length);
    const bool is_complete = rest.find_first_not_of(" \n") == std::string_view::npos;
    ASSERT_EQ(reading.complains, !is_complete) << "cut at " << length;
  }
}

TEST(ChromeJsonReaderDamage, ATraceCutOffAnywhereKeepsAllWholeEvents) {
  const Way way{.keep_arguments = false, .chunk_bytes = kOneChunk};
  truncate_everywhere(SampleStyle::kPretty, way, 1);
  truncate_everywhere(SampleStyle::kCompact, way, 1);
  truncate_everywhere(SampleStyle::kList, way, 1);
}

TEST(ChromeJsonReaderDamage, ATraceCutOffAnywhereKeepsAllWholeEventsInSmallChunks) {
  const Way way{.keep_arguments = false, .chunk_bytes = kManyChunks};
  truncate_everywhere(SampleStyle::kPretty, way, 5);
  truncate_everywhere(SampleStyle::kCompact, way, 5);
  truncate_everywhere(SampleStyle::kList, way, 5);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
