// SPDX-License-Identifier: Apache-2.0
#include "abi/stack_frames.hpp"

#include <unwind.h>
#include <utility>

#include "abi/known_stacks.hpp"
#include "base/thread_owned.hpp"

namespace lisle::abi {

struct stack_frames::walk {
    call_list calls;
    stack_way way;
};

stack_frames::stack_frames() {
    auto *const known = thread_owned<known_stacks<std::shared_ptr<const call_list>>>::own();
    const stack_start start{__builtin_frame_address(0), __builtin_return_address(0)};
    if (const auto *const before = known != nullptr ? known->find(start) : nullptr) {
        calls_ = *before;
        return;
    }
    walk made;
    constexpr std::size_t usual = 32;
    made.calls.reserve(usual);
    _Unwind_Backtrace(
        [](_Unwind_Context *context, void *data) {
            // The frame address that the context holds is that of the call just left: where this one's
            // variables begin.
            walk &found = *static_cast<walk *>(data);
            const auto begin = static_cast<std::uintptr_t>(_Unwind_GetCFA(context));
            const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
            if (!found.calls.empty() && address != 0) { // the end of the stack returns nowhere
                found.way.add(begin, address);
            }
            auto *const within = reinterpret_cast<char *>(address) - 1;
            found.calls.push_back({begin, _Unwind_FindEnclosingFunction(within)});
            return _URC_NO_REASON;
        },
        &made);
    calls_ = std::make_shared<const call_list>(std::move(made.calls));
    if (known != nullptr) {
        known->keep(start, made.way, calls_);
    }
}

std::optional<stack_frame> stack_frames::holder_of(std::uintptr_t address) const {
    for (std::size_t i = 0; i + 1 < calls_->size(); ++i) {
        if ((*calls_)[i].begin <= address && address < (*calls_)[i + 1].begin) {
            return stack_frame{(*calls_)[i + 1].begin, (*calls_)[i].function, calls_->back().begin};
        }
    }
    return std::nullopt;
}

bool stack_frames::has_ended(const stack_frame &frame) const {
    if (calls_->empty() || calls_->back().begin != frame.base) {
        return false;
    }
    for (std::size_t i = 0; i + 1 < calls_->size(); ++i) {
        if ((*calls_)[i + 1].begin == frame.end && (*calls_)[i].function == frame.function) {
            return false;
        }
    }
    return true;
}

} // namespace lisle::abi
