// SPDX-License-Identifier: Apache-2.0
#include "execution/program_code.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <unwind.h>
#include <utility>

#include "base/loaded_file.hpp"

namespace lisle {

namespace {

/// True for code that accesses memory on behalf of others and may hold locks meanwhile: this library's, the C
/// library's, that of the functions malloc and dlopen in use, which are others' where they are replaced.
bool serves_others(const void *code) noexcept {
    static const std::array files{begin_of_file(reinterpret_cast<const void *>(&serves_others)),
                                  begin_of_file(reinterpret_cast<const void *>(&std::abort)),
                                  begin_of_file(reinterpret_cast<const void *>(&std::malloc)),
                                  begin_of_file(reinterpret_cast<const void *>(&dlopen))};
    const void *const file = begin_of_file(code);
    return file == nullptr || std::ranges::find(files, file) != files.end();
}

/// Looks up the stack from the code that has trapped. What a call of this library leads to, callbacks of the
/// program included, may hold locks of the library's, and stands on memory of its own that the program once
/// had. Code of the library that ranks merely run on, as fibers and threads, has no program above it.
class call_search {
  public:
    explicit call_search(const void *code) noexcept : code_{reinterpret_cast<std::uintptr_t>(code)} {
        _Unwind_Backtrace(visit, this);
    }
    [[nodiscard]] bool has_found() const noexcept { return found_; }

  private:
    static _Unwind_Reason_Code visit(_Unwind_Context *frame, void *data) {
        return static_cast<call_search *>(data)->look_at(_Unwind_GetIP(frame)) ? _URC_END_OF_STACK
                                                                               : _URC_NO_REASON;
    }
    [[nodiscard]] bool look_at(std::uintptr_t address) noexcept {
        static const std::array<const void *, 2> of_language{
            begin_of_file(reinterpret_cast<const void *>(&std::abort)),
            begin_of_file(reinterpret_cast<const void *>(&std::terminate))};
        if (!std::exchange(behind_trap_, behind_trap_ || address == code_)) {
            return false; // the handler's own
        }
        const void *const file = begin_of_file(reinterpret_cast<const char *>(address) - 1);
        if (file == begin_of_file(reinterpret_cast<const void *>(&is_of_program))) {
            in_library_ = true;
        } else if (file != nullptr && std::ranges::find(of_language, file) == of_language.end()) {
            found_ = in_library_;
        }
        return found_;
    }

    const std::uintptr_t code_;
    bool behind_trap_ = false, in_library_ = false, found_ = false;
};

} // namespace

bool is_of_program(const void *code) noexcept {
    return !serves_others(code) && !call_search{code}.has_found();
}

} // namespace lisle
