// SPDX-License-Identifier: Apache-2.0
#include "abi/stack_frames.hpp"

#include <algorithm>
#include <unwind.h>

namespace lisle::abi {

stack_frames::stack_frames() {
    constexpr std::size_t usual = 32;
    calls_.reserve(usual);
    _Unwind_Backtrace(
        [](_Unwind_Context *frame, void *list) {
            // The frame address that the context holds is that of the call just left: where this one's
            // variables begin.
            auto *const within = reinterpret_cast<char *>(_Unwind_GetIP(frame)) - 1;
            static_cast<std::vector<call> *>(list)->push_back(
                {static_cast<std::uintptr_t>(_Unwind_GetCFA(frame)), _Unwind_FindEnclosingFunction(within)});
            return _URC_NO_REASON;
        },
        &calls_);
}

std::optional<stack_frame> stack_frames::holder_of(std::uintptr_t address) const {
    for (std::size_t i = 0; i + 1 < calls_.size(); ++i) {
        if (calls_[i].begin <= address && address < calls_[i + 1].begin) {
            return stack_frame{calls_[i + 1].begin, calls_[i].function, calls_.back().begin};
        }
    }
    return std::nullopt;
}

bool stack_frames::has_ended(const stack_frame &frame) const {
    if (calls_.empty() || calls_.back().begin != frame.base) {
        return false;
    }
    for (std::size_t i = 0; i + 1 < calls_.size(); ++i) {
        if (calls_[i + 1].begin == frame.end && calls_[i].function == frame.function) {
            return false;
        }
    }
    return true;
}

} // namespace lisle::abi
