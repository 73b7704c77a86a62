// SPDX-License-Identifier: Apache-2.0
// The functions behind those that the host supplies to programs: what the next library in search order (a
// sanitizer's or libc) has under the same name.
#pragma once

#include <dlfcn.h>

namespace lisle::host {

/// Looks the next function of this name up. Keep the result in a static: a look-up takes the loader's lock.
template <class Function> Function *real(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace lisle::host
