// SPDX-License-Identifier: Apache-2.0
// The functions behind those that the host supplies to programs: what the next library in search order (a
// sanitizer's or libc) has under the same name. Looked up once, when the host starts: a look-up takes the
// loader's lock, which a forked child may find held for ever.
#pragma once

#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <utility>

namespace lisle::host {

template <std::size_t Size> struct text {
    char value[Size];
    consteval text(const char (&literal)[Size]) {
        std::copy_n(literal, Size, value);
    } // NOLINT(google-explicit-*)
};

/// To be defined as a constant of a namespace. Calls before its initialisation (by constructors of
/// libraries) look the function up themselves.
template <text Name, class Function> class real {
  public:
    real() : function_(look_up()) {}
    template <class... Arguments> auto operator()(Arguments... arguments) const {
        return (function_ != nullptr ? function_ : look_up())(arguments...);
    }
    [[nodiscard]] Function *get() const { return function_; }

  private:
    static Function *look_up() { return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name.value)); }
    Function *function_;
};

} // namespace lisle::host
