// SPDX-License-Identifier: Apache-2.0
#include "execution/fiber_switch.hpp"

#include <boost/context/detail/fcontext.hpp>

#include "base/sanitizer_calls.hpp"
#include "base/thread_order.hpp"

namespace lisle {

namespace context = boost::context::detail;

struct flow::arrival : context::transfer_t {};

namespace {

/// context::jump_fcontext. That one leaves by a jump, not by a return: after a plain call of it, the
/// processor's memory of return addresses is one entry ahead, and each return on the way up is predicted
/// wrongly (together 30 of 80 ns of a message between fibers). So it is not called but jumped to.
[[gnu::always_inline]] inline context::transfer_t jump(context::fcontext_t to, void *data) noexcept {
#if defined(__x86_64__) && !defined(__CET__) && !defined(__SANITIZE_THREAD__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
    context::transfer_t came;
    asm volatile("subq $128, %%rsp\n\t" // past the red zone
                 "leaq 1f(%%rip), %%rax\n\t"
                 "pushq %%rax\n\t"
                 "jmp jump_fcontext\n"
                 "1:\n\t"
                 "addq $128, %%rsp"
                 : "=a"(came.fctx), "=d"(came.data), "+D"(to), "+S"(data)
                 :
                 : "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
                   "memory");
    return came;
#else
    return context::jump_fcontext(to, data);
#endif
}

} // namespace

flow::flow() noexcept = default;

flow::~flow() {
    if (owns_shadow_) {
        __tsan_destroy_fiber(shadow_);
    }
}

void flow::prepare(std::byte *stack_top, std::size_t stack_bytes, void (*entry)(void *),
                   void *argument) noexcept {
    entry_ = entry;
    argument_ = argument;
    stack_bytes_ = stack_bytes;
    stack_bottom_ = stack_top - stack_bytes;
    context_ = context::make_fcontext(stack_top, stack_bytes,
                                      [](context::transfer_t came) { first_steps(arrival{came}); });
}

void flow::first_steps(arrival came) noexcept {
    flow &from = *static_cast<flow *>(came.data);
    flow &self = *from.next_;
    self.arrive(came.fctx, from);
    self.entry_(self.argument_);
    __builtin_unreachable();
}

void flow::switch_to(flow &to) noexcept {
    if (under_sanitizer) [[unlikely]] {
        switch_announced(to);
        return;
    }
    next_ = &to;
    const context::transfer_t came = jump(to.context_, this);
    static_cast<flow *>(came.data)->context_ = came.fctx;
}

// Not instrumented: ThreadSanitizer would count its end on the stack of the flow that it has been told of.
[[gnu::no_sanitize_thread, gnu::cold]] void flow::switch_announced(flow &to) noexcept {
    announce(to, false);
    next_ = &to;
    const context::transfer_t came = jump(to.context_, this);
    arrive(came.fctx, *static_cast<flow *>(came.data));
}

void flow::leave_for(flow &to) noexcept {
    if (under_sanitizer) [[unlikely]] {
        announce(to, true);
    }
    next_ = &to;
    context::jump_fcontext(to.context_, this);
    __builtin_unreachable();
}

void flow::arrive(void *from_context, flow &from) noexcept {
    from.context_ = from_context;
    if (__sanitizer_finish_switch_fiber != nullptr) {
        const void *bottom = nullptr;
        std::size_t bytes = 0;
        __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &bytes);
        if (from.stack_bottom_ == nullptr) { // a thread's own stack, of which only the sanitizer knows
            from.stack_bottom_ = bottom;
            from.stack_bytes_ = bytes;
        }
    }
}

// Likewise not instrumented.
[[gnu::no_sanitize_thread, gnu::cold]] void flow::announce(flow &to, bool for_good) noexcept {
    if (for_good && __lsan_register_root_region != nullptr) {
        // A rank that has called exit still has the variables of its callers, as a process has.
        const auto *const here = static_cast<const std::byte *>(__builtin_frame_address(0));
        const auto *const end = static_cast<const std::byte *>(stack_bottom_) + stack_bytes_;
        __lsan_register_root_region(here, static_cast<std::size_t>(end - here));
    }
    if (__sanitizer_start_switch_fiber != nullptr) {
        __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack_, to.stack_bottom_, to.stack_bytes_);
    }
    if (__tsan_switch_to_fiber != nullptr) {
        if (shadow_ == nullptr) {
            shadow_ = __tsan_get_current_fiber();
        }
        if (to.shadow_ == nullptr) {
            to.shadow_ = __tsan_create_fiber(0);
            to.owns_shadow_ = true;
        }
        // Where only the calls of MPI order what ranks do, taking turns orders nothing.
        constexpr unsigned no_order = 1;
        __tsan_switch_to_fiber(to.shadow_, thread_order::told() ? no_order : 0);
    }
}

} // namespace lisle
