// Makes room for a loop that has moved or grown.
#include "analysis/cycles/found_loop.h"

namespace lockstep {

void clear_overlapped(std::vector<FoundLoop>& loops, std::size_t winner) {
  const FoundLoop& kept = loops[winner];
  for (std::size_t i = winner + 1; i < loops.size(); ++i) {
    if (!loops[i].is_gone() && loops[i].start() >= kept.end()) break;
    loops[i].iterations.clear();
  }
  for (std::size_t i = winner; i-- > 0;) {
    if (!loops[i].is_gone() && loops[i].end() <= kept.start()) break;
    loops[i].iterations.clear();
  }
}

}  // namespace lockstep
