// SPDX-License-Identifier: Apache-2.0
// Calls that a sanitizer's runtime makes of functions that the host supplies, before the host has begun. The
// runtime has no memory yet for what sanitized functions note: the functions that it calls are not sanitized,
// and call nothing that is until the host has begun.
#pragma once

#include <dlfcn.h>

namespace lisle::host {

/// Whether the host's constructors have run. Written before there is a second thread.
extern constinit bool has_begun;

/// What the next library in search order has for a function of the host.
template <class Function> [[gnu::always_inline]] inline Function *behind(Function *, const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace lisle::host
