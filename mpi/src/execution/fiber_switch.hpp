// SPDX-License-Identifier: Apache-2.0
// The switch of stacks and registers (Boost.Context), with the calls that the sanitizers need. Knows nothing
// of ranks, threads or queues.
#pragma once

#include <cstddef>

namespace lisle {

/// Where a flow of control goes on when it is switched to. One that runs on a thread's own stack needs no
/// preparation: switching away from it fills this in.
class flow {
  public:
    flow() noexcept;
    ~flow();
    flow(const flow &) = delete;
    flow &operator=(const flow &) = delete;

    /// Prepares a new flow that begins in `entry(argument)` on this stack. `entry` must not return, nor
    /// throw: it ends by leaving for another flow for good.
    void prepare(std::byte *stack_top, std::size_t stack_bytes, void (*entry)(void *argument),
                 void *argument) noexcept;

    /// Goes on with `to`; returns when something switches back to this flow. @pre this is what runs now
    void switch_to(flow &to) noexcept;
    /// Continues with `to` and never returns: this flow's stack is not used again.
    [[noreturn]] void leave_for(flow &to) noexcept;

    /// Where a debugger finds the registers of this flow while it does not run.
    [[nodiscard]] void *const *kept_registers() const noexcept { return &context_; }

  private:
    struct arrival;
    static void first_steps(arrival came) noexcept;
    void arrive(void *from_context, flow &from) noexcept;
    void switch_announced(flow &to) noexcept;
    /// Tells the sanitizers of this process that the thread goes on with `to`.
    void announce(flow &to, bool for_good) noexcept;

    void *context_ = nullptr;
    flow *next_ = nullptr; ///< what was switched to last; it asks for this when it begins
    void (*entry_)(void *) = nullptr;
    void *argument_ = nullptr;
    // For the sanitizers; without them nothing is stored here.
    const void *stack_bottom_ = nullptr;
    std::size_t stack_bytes_ = 0;
    void *fake_stack_ = nullptr;
    void *shadow_ = nullptr;
    bool owns_shadow_ = false;
};

} // namespace lisle
