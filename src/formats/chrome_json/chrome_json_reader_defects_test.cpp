// Every defect that traces were seen to have: what is kept, what is dropped, what is said and
// where.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/kernels_for_test.h"
#include "formats/chrome_json/reading_for_test.h"
#include "formats/shared/text_damage.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChromeJsonReaderDefects, ATruncatedDocumentKeepsItsWholeEvents) {
  const std::string whole = document({at("a", "1"), at("b", "2"), at("c", "3")});
  const std::string json = whole.substr(0, whole.find(at("c", "3")));
  ASSERT_TRUE(json.ends_with("},\n"));
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b"));
  EXPECT_THAT(findings(trace), ElementsAre("truncated_json x1 @" + std::to_string(json.size())));
}

TEST(ChromeJsonReaderDefects, AnEventThatIsCutOffIsWhereTheTraceEnds) {
  const std::string whole = document({at("a", "1"), at("b", "2")});
  const std::string json = whole.substr(0, whole.size() - 10);
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a"));
  EXPECT_THAT(findings(trace),
              ElementsAre("truncated_json x1 " + place_of(at("b", "2").substr(0, 60), json)));
}

TEST(ChromeJsonReaderDefects, AMissingClosingBraceOfTheRootCostsNothing) {
  const std::string json = "{\"traceEvents\":[" + at("a", "1") + "]\n";
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a"));
  EXPECT_THAT(findings(trace), ElementsAre("truncated_json x1 @" + std::to_string(json.size())));
}

TEST(ChromeJsonReaderDefects, RawTabsAndLineEndsBecomeSpaces) {
  const std::string bad = at("b\rc\nd\te", "2");
  const std::string json = document({at("a", "1"), bad, at("z", "3"), at("y\n", "4")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b c d e", "z", "y "));
  EXPECT_THAT(findings(trace), ElementsAre("repaired_text x2 " + place_of(bad, json)));
  EXPECT_FALSE(trace.diagnostics.has_loss());
}

TEST(ChromeJsonReaderDefects, ManyLineEndsOfOtherSystemsAreDataLossToo) {
  const auto kind_of = [](const std::string& text) {
    return read_every_way(document({at("a" + text + "b", "1")}))
        .diagnostics.entries()[0]
        .kind->name;
  };
  EXPECT_EQ(kind_of(std::string(8, '\r')), "damaged_text");
  EXPECT_EQ(kind_of("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n"), "damaged_text");
  EXPECT_EQ(kind_of("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r"), "damaged_text");
  EXPECT_EQ(kind_of("\r\n\r\n\r\n\r\n\r\n\r\n\r\n"), "repaired_text");
  EXPECT_EQ(kind_of("\n\n\n\n\n\n\nx\n"), "repaired_text");
}

// In a name, and in a key that took in the end of an event and the start of the next one.
TEST(ChromeJsonReaderDefects, ManyLineEndsInARowAreDataLoss) {
  const std::string lines(64, '\n');
  const std::string bad = at("b" + lines + "c", "2");
  const std::string joined = R"({"ph":"X","name":"j","p)" + lines + R"(d":1,"ts":3,"dur":1})";
  const std::string good = at("y\n\n\n\ny", "4");
  const std::string spread = "{\"ph\":\"X\",\"name\":\"s\n\"," + lines + R"("ts":5,"dur":1})";
  const std::string json = document({at("a", "1"), bad, joined, good, spread});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(findings(trace), ElementsAre("damaged_text x2 " + place_of(bad, json),
                                           "repaired_text x2 " + place_of(good, json)));
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

TEST(ChromeJsonReaderDefects, OtherControlCharactersBecomeSpacesAndAreDataLoss) {
  const std::string bad = at("b\x01\ny", "2");
  const std::string json = document({at("a", "1"), bad, at("z", "3"), at("y\x1F", "4")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b  y", "z", "y "));
  EXPECT_THAT(findings(trace), ElementsAre("damaged_text x2 " + place_of(bad, json)));
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

// Arguments are passed over, mostly; a stretch that is lost between two of them joins two events.
TEST(ChromeJsonReaderDefects, EventsThatAreJoinedInTheirArgumentsAreDataLoss) {
  const auto op = [](std::string_view arguments) {
    return R"({"ph":"X","cat":"cpu_op","name":"op","pid":0,"tid":7,"ts":5,"dur":1,"args":{)" +
           std::string(arguments) + "}}";
  };
  for (const std::string_view joined : {R"("External id":1,"Trace name":"Pytorch number":3)",
                                        R"("External id":1,"Trace nam","Number":3)",
                                        R"("External id":1,"Dims":[[1,2],[3]] "Number":3)"}) {
    const std::string json = document({at("a", "1"), op(joined), at("z", "9")});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "z")) << joined;
    EXPECT_THAT(findings(trace), ElementsAre("damaged_event x1 " + place_of(op(joined), json)));
  }
}

// A page that never reached the disk: it begins and ends in the same place of two events.
TEST(ChromeJsonReaderDefects, ZeroesThatSwallowEventsAreDataLoss) {
  const std::string event =
      R"({"ph":"X","cat":"kernel","name":"same name","pid":0,"tid":7,"ts":5,"dur":1,"args":{"x": 123}})";
  const std::string json = document({at("a", "1"), event, event, event, at("z", "9")});
  const std::size_t first = json.find(event);
  const std::size_t period = json.find(event, first + 1) - first;
  for (const std::string_view place : {"me name", "23}", "7,", "X\""}) {
    std::string zeroed = json;
    zeroed.replace(json.find(place, first), period, period, '\0');
    const trace::Trace trace = read_every_way(zeroed);
    EXPECT_LT(trace.events.size(), 5U) << place;
    EXPECT_TRUE(trace.diagnostics.has_loss()) << place;
  }
}

TEST(ChromeJsonReaderDefects, InvalidUtf8BecomesReplacementCharacters) {
  const std::string bad = at("b\xFF\xC3(", "2");
  const std::string json = document({at("a", "1"), bad, at("\xE2\x82\xAC", "3")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace),
              ElementsAre("a", "b\xEF\xBF\xBD\xEF\xBF\xBD(", "\xE2\x82\xAC"));
  EXPECT_THAT(findings(trace), ElementsAre("damaged_text x1 " + place_of(bad, json)));
}

TEST(ChromeJsonReaderDefects, LoneSurrogatesBecomeReplacementCharacters) {
  const std::string json = document({at("a\\ud83d", "1"), at("\\ude00b", "2"), at("c", "3")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a\xEF\xBF\xBD",
                                                  "\xEF\xBF\xBD"
                                                  "b",
                                                  "c"));
}

TEST(ChromeJsonReaderDefects, UnescapedQuotesCostTheirEventOnly) {
  const std::string bad = at("operator\"\"_kb", "2");
  const std::string odd = at("say \"hi", "4");
  const std::string json = document({at("a", "1"), bad, at("c", "3"), odd, at("e", "5")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "c", "e"));
  EXPECT_THAT(findings(trace), ElementsAre("damaged_event x2 " + place_of(bad, json)));
}

TEST(ChromeJsonReaderDefects, BrokenMembersCostTheirEventOnly) {
  const std::string no_colon = kernel("b", R"("ts" 2,"dur":1)");
  const std::string no_comma = kernel("c", R"("ts":3 "dur":1)");
  const std::string wrong_end = at("d", "4").replace(at("d", "4").size() - 1, 1, "]");
  const std::string json = document({at("a", "1"), no_colon, no_comma, wrong_end, at("e", "5")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "e"));
  EXPECT_THAT(findings(trace), ElementsAre("damaged_event x3 " + place_of(no_colon, json)));
}

TEST(ChromeJsonReaderDefects, AMissingClosingBraceCostsItsEventOnly) {
  const std::string open = at("b", "2").substr(0, at("b", "2").size() - 1);
  const std::string json = document({at("a", "1"), open, at("c", "3"), at("d", "4")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "c", "d"));
  EXPECT_THAT(findings(trace), ElementsAre("damaged_event x1 " + place_of(open, json)));
}

TEST(ChromeJsonReaderDefects, GarbageBetweenEventsIsPassedOver) {
  for (const std::string_view garbage :
       {"garbage", "\"text\"", "12", "null,", "[1,2]", "[[", "{\"a\":{}}x", "\x01\x02", ":", "}"}) {
    SCOPED_TRACE(garbage);
    const std::string json = "[" + at("a", "1") + "," + std::string(garbage) + "," + at("b", "2") +
                             "," + at("c", "3") + "]";
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b", "c"));
    EXPECT_TRUE(trace.diagnostics.has_loss());
  }
}

TEST(ChromeJsonReaderDefects, ExtraBracketsBehindTheDocumentAreSaid) {
  const std::string whole = document({at("a", "1")});
  for (const std::string_view extra : {"]", "}", "]}", "\n]}"}) {
    const std::string json = whole + std::string(extra);
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a"));
    EXPECT_THAT(
        findings(trace),
        ElementsAre("trailing_data x1 @" + std::to_string(json.find_first_of("]}", whole.size()))));
  }
}

TEST(ChromeJsonReaderDefects, OfTwoDocumentsTheFirstIsRead) {
  const std::string first = document({at("a", "1")});
  const std::string second = document({at("b", "2")});
  const std::string list = "[" + at("a", "1") + "]";
  EXPECT_THAT(names_of_events(read_every_way(first + second)), ElementsAre("a"));
  EXPECT_THAT(names_of_events(read_every_way(list + list)), ElementsAre("a"));
  EXPECT_THAT(findings(read_every_way(first + "\n" + second)),
              ElementsAre("trailing_data x1 @" + std::to_string(first.size() + 1)));
}

TEST(ChromeJsonReaderDefects, AnExtraClosingBraceBetweenEventsCostsNothing) {
  const std::string json = "[" + at("a", "1") + "}," + at("b", "2") + "]";
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b"));
  const std::size_t extra = 1 + at("a", "1").size();
  EXPECT_THAT(findings(trace), ElementsAre("damaged_structure x1 @" + std::to_string(extra)));
}

TEST(ChromeJsonReaderDefects, OfTwoEqualKeysTheLastCounts) {
  const std::string twice = kernel("b", R"("ts":2,"dur":1,"name":"c","ts":5)");
  const std::string json = document({at("a", "1"), twice});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(brief(trace),
              ElementsAre("a kernel device 0/7 0+1000", "c kernel device 0/7 4000+1000"));
  EXPECT_THAT(findings(trace), ElementsAre("duplicate_key x1 " + place_of(twice, json)));
}

TEST(ChromeJsonReaderDefects, RepeatedExternalIdsOfOperatorsAreCounted) {
  const auto op = [](std::string_view name, std::string_view id) {
    return R"({"ph":"X","cat":"cpu_op","name":")" + std::string(name) +
           R"(","pid":1,"tid":1,"ts":1,"dur":1,"args":{"External id":)" + std::string(id) + "}}";
  };
  const std::string json = document({op("a", "7"), op("b", "8"), op("c", "7"), op("d", "-7"),
                                     op("e", "99999999999"), op("f", "99999999999")});
  EXPECT_THAT(findings(read_every_way(json)),
              ElementsAre("duplicate_external_id x2 " + place_of(op("c", "7"), json)));
}

TEST(ChromeJsonReaderDefects, NothingIsSaidOfASoundTrace) {
  const trace::Trace trace = read_every_way(document({at("a", "1"), at("b", "2")}));
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderDefects, ADamagedArgumentCostsOnlyItself) {
  const std::string json = document(
      {R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"x":[1(2],"y":3}})"});
  shared::ReadOptions keep;
  keep.keep_arguments = trace::KeepArguments::kAll;
  const Result<trace::Trace> kept = try_read(json, keep);
  const Result<trace::Trace> without = try_read(json);
  ASSERT_TRUE(kept.ok() && without.ok());
  EXPECT_EQ(kept.value().events.size(), 1U);
  EXPECT_EQ(without.value().events.size(), 1U);
  EXPECT_EQ(kept.value().diagnostics.count_of(kDamagedArguments), 1U);
  EXPECT_EQ(kept.value().arguments.of(trace::EventId{0}).size(), 1U);
}

// Where a NUL byte makes an event suspect, or its size does, its depth says nothing against it.
TEST(ChromeJsonReaderDefects, DeepArgumentsAreNoDamage) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  for (const std::string& beside : {std::string("x\0y", 3), std::string(70'000, 'x')}) {
    const std::string event =
        kernel("deep", R"("ts":2,"dur":1,"args":{"a":")" + beside + R"(","b":)" + deep + "}");
    const std::string json = document({at("a", "1"), event, at("z", "3")});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "deep", "z"));
    EXPECT_EQ(trace.diagnostics.has_loss(), beside.size() == 3);
    EXPECT_EQ(trace.diagnostics.entries().size(), beside.size() == 3 ? 1U : 0U);
    EXPECT_EQ(trace.diagnostics.count_of(shared::kDamagedText), beside.size() == 3 ? 1U : 0U);
  }
  const trace::Trace trace =
      read_every_way("{\"deep\":" + deep + ",\"traceEvents\":[" + at("a", "1") + "]}");
  EXPECT_THAT(findings(trace), IsEmpty());
}

// One byte makes a list of an object, and what stands in it is no longer found.
TEST(ChromeJsonReaderDefects, AFieldOfAWrongTypeIsDataLoss) {
  for (const std::string_view field :
       {R"("args":["correlation"])", R"("args":"correlation")", R"("args":5)", R"("id2":"0x1")",
        R"("id":[1])", R"("bp":{"a":1})", R"("args":{"correlation":"a5"})",
        R"("args":{"correlation":true})", R"("args":{"correlation":12.5})",
        R"("args":{"correlation":5e-1})", R"("args":{"correlation":"12.0.0"})",
        R"("args":{"correlation":"0x"})"}) {
    const std::string odd = kernel("k", R"("ts":1,"dur":1,)" + std::string(field));
    const std::string json = document({at("a", "1"), odd});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "k")) << field;
    EXPECT_THAT(findings(trace), ElementsAre("wrong_type x1 " + place_of(odd, json))) << field;
    EXPECT_TRUE(trace.diagnostics.has_loss());
  }
  for (const std::string_view odd :
       {R"({"ph":"X","cat":["kernel"],"name":"k","pid":0,"tid":7,"ts":1,"dur":1})",
        R"({"ph":"X","cat":"kernel","name":{"k":1},"pid":0,"tid":7,"ts":1,"dur":1})",
        R"({"ph":"X","cat":"kernel","name":"k","pid":[0],"tid":7,"ts":1,"dur":1})",
        R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":{},"ts":1,"dur":1})"}) {
    const std::string json = document({at("a", "1"), odd});
    EXPECT_THAT(findings(read_every_way(json)), ElementsAre("wrong_type x1 " + place_of(odd, json)))
        << odd;
  }
}

TEST(ChromeJsonReaderDefects, AWrongTypeIsExplained) {
  EXPECT_EQ(kWrongType.help,
            "A field of an event is of another type than it must be (a list for an object, a list "
            "or an object for text, text or a fraction for a whole number); the event was read "
            "without it.");
}

TEST(ChromeJsonReaderDefects, BytesThatCannotFollowEachOtherCostTheirEventAndAreDataLoss) {
  for (const std::string_view field :
       {R"("args":{"correlation":5])", R"("args":["correlation":5})", R"("id2":["local":"0x1"})",
        R"("id":`"7")", R"("args":{"a":[1,2] "b":1})", R"("args":{"a":{"b":1} 2})",
        R"("args":{"a":1 2})", R"("args":{,"a":1})", R"("args":{{"a":1}})"}) {
    const std::string odd = kernel("k", R"("ts":1,"dur":1,)" + std::string(field));
    const std::string json = document({at("a", "1"), odd, at("z", "3")});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "z")) << field;
    EXPECT_THAT(findings(trace), ElementsAre("damaged_event x1 " + place_of(odd, json))) << field;
  }
}

TEST(ChromeJsonReaderDefects, ACommaBeforeAClosingBracketIsDataLossAndTheEventKept) {
  for (const std::string_view field :
       {R"("args":{"stream":7,"a":[1,2,]})", R"("args":{"correlation":5,"a":1,})",
        R"("args":{"correlation":5,"a":{"b":1 , } })"}) {
    const std::string odd = kernel("k", R"("ts":1,"dur":1,)" + std::string(field));
    const std::string json = document({at("a", "1"), odd, at("z", "3")});
    const Result<trace::Trace> read = try_read(json);
    ASSERT_TRUE(read.ok());
    EXPECT_THAT(names_of_events(read.value()), ElementsAre("a", "k", "z")) << field;
    EXPECT_THAT(findings(read.value()), ElementsAre("stray_comma x1 " + place_of(odd, json)));
    // Where all arguments are read, it is in the way.
    shared::ReadOptions keep;
    keep.keep_arguments = trace::KeepArguments::kAll;
    EXPECT_TRUE(try_read(json, keep).value().diagnostics.has_loss());
  }
}

TEST(ChromeJsonReaderDefects, FieldsThatSayNothingAreNoLoss) {
  for (const std::string_view field :
       {R"("args":null)", R"("args":[])", R"("args":[ ] )", R"("args":"")", R"("args":{})",
        R"("id2":null)", R"("id":null)", R"("args":{"correlation":null})",
        R"("args":{"correlation":""})", R"("args":{"correlation":18446744073709551615})",
        R"("args":{"correlation":-1})", R"("id":"a")", R"("args":{"correlation":NaN})",
        R"("args":{"correlation":"N/A"})"}) {
    const std::string json =
        document({at("a", "1"), kernel("k", R"("ts":1,"dur":1,)" + std::string(field))});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "k"));
    EXPECT_THAT(findings(trace), IsEmpty()) << field;
  }
  for (const std::string_view category :
       {"python_function", "overhead", "user_annotation", "own"}) {
    const std::string json = document(
        {at("a", "1"), R"({"ph":"X","name":"b","pid":0,"tid":7,"ts":1,"dur":1,"cat":")" +
                           std::string(category) + R"(","args":{"correlation":"6ba7b810-9dad"}})"});
    EXPECT_THAT(findings(read_every_way(json)), IsEmpty()) << category;
  }
  const trace::Trace named_by_number = read_every_way(
      document({R"({"ph":"X","cat":"kernel","name":5,"pid":0,"tid":7,"ts":"1","dur":"1"})"}));
  EXPECT_THAT(names_of_events(named_by_number), ElementsAre("5"));
  EXPECT_THAT(findings(named_by_number), IsEmpty());
}

TEST(ChromeJsonReaderDefects, OfTwoArgsTheLastCounts) {
  const trace::Trace trace = read_every_way(
      document({R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,)"
                R"("args":{"correlation":5},"args":{"correlation":6}})"}));
  EXPECT_EQ(trace.events.correlation[0], 6);
  EXPECT_EQ(trace.arguments.of(trace::EventId{0}).size(), 1U);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
