// SPDX-License-Identifier: Apache-2.0
// What a rank does when others die: it waits for them no longer, does again what it had given them to do, and
// counts their programs as ended. Tasks that a lost rank had given to this one go on, and their results are
// dropped; the rank that had given the lost one the task of which they are parts does that again.
#pragma once

#include "task/machine/sender.hpp"

namespace lisle::tasks {

/// The rank's own thread.
class losses {
  public:
    losses(rank_parts &own, sender &to_others) noexcept : own_{own}, sender_{to_others} {}

    /// Asks the transport. @return whether it knows of one
    bool look();
    /// A rank has died; nothing if that is known. Throws std::runtime_error unless the machine repeats tasks,
    /// or if others take this rank for dead.
    void lose(int rank);

  private:
    rank_parts &own_;
    sender &sender_;
};

} // namespace lisle::tasks
