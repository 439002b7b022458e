// Claims on typed arguments and on their table.
#include "trace/arguments.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::trace {
namespace {

constexpr StringId kKey{4};

TEST(Argument, IntegersComeBackAtTheirExtremes) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    const Argument argument = Argument::integer(kKey, value);
    EXPECT_EQ(argument.key, kKey);
    EXPECT_EQ(argument.type, Argument::Type::kInteger);
    EXPECT_EQ(argument.as_integer(), value);
  }
}

TEST(Argument, RealsComeBackBitForBit) {
  for (const double value : {0.1, -2.5e300, std::numeric_limits<double>::denorm_min()}) {
    const Argument argument = Argument::real(kKey, value);
    EXPECT_EQ(argument.type, Argument::Type::kReal);
    EXPECT_EQ(argument.as_real(), value);
  }
}

TEST(Argument, BooleansAndStringsKeepTheirType) {
  EXPECT_EQ(Argument::boolean(kKey, true).type, Argument::Type::kBoolean);
  EXPECT_TRUE(Argument::boolean(kKey, true).as_boolean());
  EXPECT_FALSE(Argument::boolean(kKey, false).as_boolean());
  const StringId last{0xFFFF'FFFF};
  EXPECT_EQ(Argument::string(kKey, last).type, Argument::Type::kString);
  EXPECT_EQ(Argument::string(kKey, last).as_string(), last);
  EXPECT_EQ(Argument::json(kKey, last).type, Argument::Type::kJson);
  EXPECT_EQ(Argument::json(kKey, last).as_string(), last);
}

TEST(ArgumentTable, EventsWithoutArgumentsHaveNone) {
  ArgumentTable table;
  EXPECT_TRUE(table.empty());
  EXPECT_TRUE(table.of(EventId{0}).empty());
  EXPECT_TRUE(table.of(EventId{1'000'000}).empty());
  table.set(EventId{3}, {});
  EXPECT_TRUE(table.empty());
}

TEST(ArgumentTable, RowsMayBeSetInAnyOrder) {
  ArgumentTable table;
  const std::array two = {Argument::integer(kKey, 1), Argument::integer(StringId{5}, 2)};
  const std::array one = {Argument::integer(kKey, 3)};
  table.set(EventId{7}, two);
  table.set(EventId{2}, one);
  EXPECT_FALSE(table.empty());
  ASSERT_EQ(table.of(EventId{7}).size(), 2U);
  EXPECT_EQ(table.of(EventId{7})[1].key, StringId{5});
  EXPECT_EQ(table.of(EventId{7})[1].as_integer(), 2);
  ASSERT_EQ(table.of(EventId{2}).size(), 1U);
  EXPECT_EQ(table.of(EventId{2})[0].as_integer(), 3);
  EXPECT_TRUE(table.of(EventId{5}).empty());
  EXPECT_TRUE(table.of(EventId{8}).empty());
}

RC_GTEST_PROP(ArgumentTableProperties, GivesBackWhatWasSet,
              (const std::vector<std::vector<std::int64_t>>& rows)) {
  ArgumentTable table;
  for (std::size_t i = rows.size(); i-- > 0;) {
    std::vector<Argument> arguments;
    for (const std::int64_t value : rows[i]) arguments.push_back(Argument::integer(kKey, value));
    table.set(EventId{static_cast<std::uint32_t>(i)}, arguments);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::int64_t> values;
    for (const Argument& argument : table.of(EventId{static_cast<std::uint32_t>(i)})) {
      values.push_back(argument.as_integer());
    }
    RC_ASSERT(values == rows[i]);
  }
}

}  // namespace
}  // namespace lockstep::trace
