// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/fiber_receiver.hpp"

namespace lisle::protocol {

bool fiber_receiver::let_others_run(short_receive &wanted) noexcept {
    if (one_worker_) {
        wanted.claimed = parts_.out.mailbox_of(core_.self.number)->claimed();
        awaited_ = &wanted;
    }
    fiber_worker::current()->run_next();
    awaited_ = nullptr;
    return wanted.taken;
}

bool fiber_receiver::receive(short_receive wanted) {
    const unsigned most = waits_.turns_among_fibers();
    for (unsigned turns = 0; turns != most; ++turns) {
        if (let_others_run(wanted)) {
            return true;
        }
        if (waits_.has_progressors() || !core_.bare_lock().try_lock()) {
            return false;
        }
        const take_result result = take_if_idle(parts_.receives, parts_.in, parts_.out, waits_, wanted.to,
                                                wanted.room, wanted.pattern, wanted.status, wanted.elements);
        core_.bare_lock().unlock();
        if (result != take_result::too_early) {
            return result == take_result::taken;
        }
    }
    return false;
}

} // namespace lisle::protocol
