// SPDX-License-Identifier: Apache-2.0
#include "rma/synchronization.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "rma/order_by_peers.hpp"
#include "rma/window_lock.hpp"

namespace lisle::rma {

namespace {

/// Tags of the messages on the window's communicator.
enum signal : int { posted = 1, completed = 2 };

typed_buffer nothing() {
    return {nullptr, 0, byte_type()};
}

void send_signal(window &on, int to, signal what) {
    protocol::start_send(nothing(), on.comm().point_to_point, to, what)->free();
}

/// Takes the caller's exposure epoch away if all origins have completed.
bool close_if_completed(exposure_epoch &exposed, bool look_only) {
    std::vector<protocol::request *> ended;
    {
        const std::scoped_lock guard{exposed.mutex};
        for (protocol::request *const signal : exposed.awaited) {
            // Acquire: pairs with the completion, behind which the origin's accesses are seen.
            if (look_only && !signal->complete.load(std::memory_order_acquire)) {
                return false;
            }
        }
        exposed.open = false;
        ended = std::move(exposed.awaited);
        exposed.awaited.clear();
    }
    int error = MPI_SUCCESS;
    for (protocol::request *const signal : ended) {
        protocol::wait(*signal);
        error = signal->result.error != MPI_SUCCESS ? signal->result.error : error;
        signal->free();
    }
    if (error != MPI_SUCCESS) {
        fail(error, "an origin of the exposure epoch has failed");
    }
    return true;
}

void check_exposed(exposure_epoch &exposed) {
    const std::scoped_lock guard{exposed.mutex};
    if (!exposed.open) {
        fail(MPI_ERR_RMA_SYNC, "the window's memory has not been exposed: call MPI_Win_post first");
    }
}

/// A flush that is part of another call: that goes on and throws what the flush failed with at its end, so
/// that no other rank is left waiting.
class flush_within {
  public:
    flush_within(window &on, int target) {
        try {
            flush(on, target);
        } catch (const mpi_error &) {
            failure_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

  private:
    std::exception_ptr failure_;
};

/// Asks all targets that have no lock word here for their shared locks, or gives them back.
void ask_all_far(window &on, request_kind what) {
    std::vector<awaited_answer *> answers;
    for (int target = 0; target < on.size(); ++target) {
        if (!on.is_near(target)) {
            answers.push_back(on.origin.ask(what, target, lock_word::kind::shared));
        }
    }
    for (awaited_answer *const answer : answers) {
        on.origin.settle(answer);
    }
}

} // namespace

void sync(window &on) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    note_order_by_peers(on);
    if (on.is_time_to_look_around()) [[unlikely]] {
        on.home().progress();
        on.home().found_nothing();
    }
}

void flush(window &on, int target) {
    // Operations that need no message are done when their calls return.
    on.origin.flush(target);
    sync(on);
}

void fence(window &on, int assertion) {
    on.access.check_fence();
    const flush_within flushed{on, -1}; // with MPI_MODE_NOPRECEDE there is nothing to flush
    meet(on.comm());
    note_order_by_peers(on);
    on.access.fence((assertion & MPI_MODE_NOSUCCEED) == 0);
    flushed.rethrow();
}

void post(window &on, const std::vector<int> &origins, int assertion) {
    {
        const std::scoped_lock guard{on.exposure.mutex};
        if (std::exchange(on.exposure.open, true)) {
            fail(MPI_ERR_RMA_SYNC, "the window's memory is exposed already: call MPI_Win_wait first");
        }
        for (const int origin : origins) {
            on.exposure.awaited.push_back(
                protocol::start_receive(nothing(), on.comm().point_to_point, origin, completed));
        }
    }
    note_order_by_peers(on);
    if ((assertion & MPI_MODE_NOCHECK) == 0) {
        for (const int origin : origins) {
            send_signal(on, origin, posted);
        }
    }
}

void start(window &on, std::vector<int> targets, int assertion) {
    on.access.check_start();
    if ((assertion & MPI_MODE_NOCHECK) == 0) {
        for (const int target : targets) {
            const protocol::outcome ended =
                protocol::receive(nothing(), on.comm().point_to_point, target, posted);
            if (ended.error != MPI_SUCCESS) {
                fail(ended.error, "target ", target, " has failed");
            }
        }
    }
    on.access.start(std::move(targets));
}

void complete(window &on) {
    const std::vector<int> targets = on.access.complete();
    const flush_within flushed{on, -1};
    for (const int target : targets) {
        send_signal(on, target, completed);
    }
    flushed.rethrow();
}

void wait(window &on) {
    check_exposed(on.exposure);
    static_cast<void>(close_if_completed(on.exposure, false));
    note_order_by_peers(on);
}

bool test(window &on) {
    check_exposed(on.exposure);
    on.home().progress();
    if (close_if_completed(on.exposure, true)) {
        note_order_by_peers(on);
        return true;
    }
    on.home().found_nothing();
    return false;
}

void lock(window &on, int target, lock_word::kind wanted, int assertion) {
    on.access.check_lock(target);
    const bool taken = (assertion & MPI_MODE_NOCHECK) == 0;
    if (taken && on.is_near(target)) {
        take_lock(on, target, wanted);
    } else if (taken) {
        on.origin.settle(on.origin.ask(request_kind::lock, target, wanted));
    }
    note_order_by_peers(on);
    on.access.lock({target, wanted, taken});
}

void unlock(window &on, int target) {
    const held_lock held = on.access.locked(target);
    note_order_by_peers(on);
    if (!held.taken || on.is_near(target)) {
        const flush_within flushed{on, target};
        if (held.taken) {
            give_lock(on, target, held.kind);
        }
        on.access.forget(target);
        flushed.rethrow();
        return;
    }
    // The answer says that all that was asked before is done.
    on.access.forget(target);
    on.origin.forget(target);
    on.origin.settle(on.origin.ask(request_kind::unlock, target, held.kind));
}

void lock_all(window &on, int assertion) {
    on.access.check_lock_all();
    const bool taken = (assertion & MPI_MODE_NOCHECK) == 0;
    if (taken) {
        ask_all_far(on, request_kind::lock);
        for (int target = 0; target < on.size(); ++target) {
            if (on.is_near(target)) {
                take_lock(on, target, lock_word::kind::shared);
            }
        }
    }
    note_order_by_peers(on);
    on.access.lock_all(taken);
}

void unlock_all(window &on) {
    const bool taken = on.access.unlock_all();
    const flush_within flushed{on, -1};
    if (taken) {
        ask_all_far(on, request_kind::unlock);
        for (int target = 0; target < on.size(); ++target) {
            if (on.is_near(target)) {
                give_lock(on, target, lock_word::kind::shared);
            }
        }
    }
    flushed.rethrow();
}

} // namespace lisle::rma
