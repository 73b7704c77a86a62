// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::protocol {

class engine;

/// Work of a rank that goes on when others of its node have written something in memory, and then nudge the
/// rank (fabric::shared_memory). Whatever thread makes progress for the rank looks for it: one of the rank's
/// own, or one of the library's while the rank computes (device_threads.hpp).
class lookout {
  public:
    /// Does what can be done. Called with the engine's lock held, in every round of progress and after the
    /// rank has said that it is about to sleep. What there is no memory for it tries again the next time.
    /// @param any set to true if anything was done. @return false: it is forgotten, and may be gone by then
    virtual bool look_locked(engine &home, bool &any) noexcept = 0;

    lookout *next = nullptr; ///< of those that the mover asks: to add one takes no memory

  protected:
    ~lookout() = default;
};

} // namespace lisle::protocol
