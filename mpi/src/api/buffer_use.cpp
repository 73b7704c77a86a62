// SPDX-License-Identifier: Apache-2.0
#include "api/buffer_use.hpp"

#include "abi/mistakes.hpp"
#include "base/error.hpp"

namespace lisle::abi {

namespace {

using use = watched_memory::use;

const char *verb(use how) {
    return how == use::reads ? "reads" : "writes";
}

/// What such a buffer is called, before the word "buffer".
const char *kind_of(const buffer_use &of) {
    const auto is = [call = of.place.call](std::string_view part) { return call.find(part) != call.npos; };
    if (is("MPI_File")) {
        return "";
    }
    if (is("Psend")) {
        return "ready part of the send ";
    }
    if (is("_Put") || is("Rput") || is("ccumulate") || is("_op") || is("_swap")) {
        return of.how == use::reads ? "origin " : "result ";
    }
    if (is("_Get") || is("Rget")) {
        return "origin ";
    }
    return of.how == use::reads ? "send " : "receive ";
}

/// False: the address is not above the caller's frame, or farther than stacks are long.
[[gnu::always_inline]] inline bool may_be_on_stack(std::uintptr_t address) noexcept {
    constexpr std::uintptr_t longest_stack = std::uintptr_t{1} << 30;
    return address - reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < longest_stack;
}

} // namespace

void report_collision(use how, const buffer_use &before, std::uintptr_t address) {
    report_mistake(sentence(in_words(current_address()), " ", verb(how), " memory (at ",
                            reinterpret_cast<const void *>(address), ") that ", in_words(before.place), " ",
                            verb(before.how), ", which is not complete"));
}

void report_access(const void *code, memory_access how, const buffer_use &before) {
    report_mistake(sentence(how == memory_access::load ? "a load at " : "a store at ",
                            in_words(place_of_running(code)),
                            how == memory_access::load ? " reads" : " writes", " memory that ",
                            in_words(before.place), " ", verb(before.how), ", which is not complete"));
}

void report_change(const buffer_use &before) {
    report_mistake(sentence("the ", kind_of(before), "buffer of ", in_words(before.place),
                            " was changed before ", in_words(current_address()), " completed it"));
}

void report_loss(const call_address &place, const char *why) {
    report_mistake(sentence("the buffer of ", in_words(place), " does not exist any more in ",
                            in_words(current_address()),
                            ", before which the operation was not complete: ", why));
}

std::optional<stack_frame> holder_of(const watched_list &used) {
    std::optional<stack_frames> stack;
    for (const watched_memory &each : used.all()) {
        if (const auto address = each.address(); address && may_be_on_stack(*address)) {
            if (!stack) {
                stack.emplace();
            }
            if (auto holder = stack->holder_of(*address)) {
                return holder;
            }
        }
    }
    return std::nullopt;
}

} // namespace lisle::abi
