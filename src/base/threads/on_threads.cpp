// Names of threads.
#include "base/threads/on_threads.h"

#include <pthread.h>

namespace lockstep {

void name_this_thread(const char* name) {
  // A name that is too long is refused, and no harm is done.
  static_cast<void>(pthread_setname_np(pthread_self(), name));
}

}  // namespace lockstep
