// The kernels that marker_cost_test.py compares: each body without markers and with every policy.
#include "forms.h"

#define MOST_POLICIES(NAME, MARKS, REGIONS)                \
  WITHOUT(NAME, MARKS)                                     \
  BOTH_FORMS(NAME, default, DefaultPolicy, MARKS)          \
  BOTH_FORMS(NAME, unchecked, UncheckedPolicy, MARKS)      \
  BOTH_FORMS(NAME, ring, RingPolicy, MARKS)                \
  BOTH_FORMS(NAME, region, RegionPolicy, REGIONS)          \
  SHARED_FORM(NAME##_shared_elected, ElectedPolicy, MARKS) \
  BOTH_FORMS(NAME, strict, StrictPolicy, MARKS)            \
  BOTH_FORMS(NAME, disabled, DisabledPolicy, MARKS)

MOST_POLICIES(line64, straight_line<64>(profiler, io), straight_line_of_regions<64>(profiler, io))
MOST_POLICIES(line192, straight_line<192>(profiler, io),
              straight_line_of_regions<192>(profiler, io))

// An interior anchor may follow each of these markers, so that their code is long.
BOTH_FORMS(line4, anchored, AnchoredPolicy, straight_line<4>(profiler, io))
BOTH_FORMS(line12, anchored, AnchoredPolicy, straight_line<12>(profiler, io))
