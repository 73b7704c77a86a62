// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/fiber_receiver.hpp"

namespace lisle::protocol {

inline bool fiber_receiver::let_others_run(short_receive &wanted) noexcept {
    if (one_worker_) {
        wanted.claimed = parts_.out.mailbox_of(core_.self.number)->claimed() |
                         (wanted.elements.mark.strict() ? strict_claim : 0);
        awaited_ = &wanted;
    }
    fiber_worker::current()->run_next();
    awaited_ = nullptr;
    return wanted.taken;
}

bool fiber_receiver::receive(std::byte *to, MPI_Count room, envelope pattern, MPI_Status *status) {
    short_receive wanted{to, room, pattern, status, {}};
    return receive(wanted);
}

bool fiber_receiver::receive(short_receive &wanted) {
    return waits_.turns_among_fibers() != 0 && (let_others_run(wanted) || look_again(wanted));
}

bool fiber_receiver::look_again(short_receive &wanted) {
    for (unsigned turns = 1;; ++turns) {
        if (waits_.has_progressors() || !core_.bare_lock().try_lock()) {
            return false;
        }
        const take_result result = take_if_idle(parts_.receives, parts_.in, parts_.out, waits_, wanted.to,
                                                wanted.room, wanted.pattern, wanted.status, wanted.elements);
        core_.bare_lock().unlock();
        if (result != take_result::too_early || turns == waits_.turns_among_fibers()) {
            return result == take_result::taken;
        }
        if (let_others_run(wanted)) {
            return true;
        }
    }
}

} // namespace lisle::protocol
