// SPDX-License-Identifier: Apache-2.0
// How functions of the C library fail.
#pragma once

#include <cerrno>

namespace lisle::host {

/// @return -1, the result of a call that fails with this error
inline int fail_with(int error) noexcept {
    errno = error;
    return -1;
}
/// The result of a call that says its error by errno. @param error 0: it has succeeded
inline int by_errno(int error) noexcept {
    return error == 0 ? 0 : fail_with(error);
}

} // namespace lisle::host
