// Names of a member's threads, so that `top -H`, debuggers and profilers tell them apart.
#pragma once

#include <pthread.h>

namespace pollux {

/// At most 15 characters: the kernel keeps no more. That it could not be set matters to nobody.
inline void name_this_thread(const char* name) {
  static_cast<void>(::pthread_setname_np(::pthread_self(), name));
}

}  // namespace pollux
