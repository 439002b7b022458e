// Text as JSON strings.
#include "formats/shared/quoted_json.h"

#include <gtest/gtest.h>

namespace lockstep::formats::shared {
namespace {

TEST(QuotedJson, EscapesAndRepairs) {
  EXPECT_EQ(quoted_json("a \"b\"\\\n"), R"("a \"b\"\\\u000a")");
  EXPECT_EQ(quoted_json("\xff"), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace lockstep::formats::shared
