// Exports of Nsight Systems: rows to events, lanes, launches, defects.
#include "formats/nsys_sqlite/nsys_sqlite.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(NsysSqlite, HasAName) { EXPECT_EQ(nsys_sqlite_dialect().name, "nsys"); }

}  // namespace
}  // namespace lockstep
