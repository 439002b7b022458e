// Kernels with 46 to 59 values alive over their markers in 64 registers: how many fit without a
// spill, with and without markers, tells what markers hold. The number that ptxas reports does not:
// it is rounded up, and init needs more than a small kernel has.
#define KERNEL_BOUNDS __launch_bounds__(1024)
#include "forms.h"

#define MARKS(COUNT) many_values<COUNT>(profiler, io, rounds)

#define WITH_VALUES(COUNT)                                        \
  WITHOUT(values##COUNT, MARKS(COUNT))                            \
  BOTH_FORMS(values##COUNT, default, DefaultPolicy, MARKS(COUNT)) \
  BOTH_FORMS(values##COUNT, ring, RingPolicy, MARKS(COUNT))

WITH_VALUES(46)
WITH_VALUES(47)
WITH_VALUES(48)
WITH_VALUES(49)
WITH_VALUES(50)
WITH_VALUES(51)
WITH_VALUES(52)
WITH_VALUES(53)
WITH_VALUES(54)
WITH_VALUES(55)
WITH_VALUES(56)
WITH_VALUES(57)
WITH_VALUES(58)
WITH_VALUES(59)
