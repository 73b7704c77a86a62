// SPDX-License-Identifier: Apache-2.0
// The state of one operation that may outlive the call that started it. A request belongs to the rank
// that made it, and to one of its engines; `complete` is the only member that another thread reads without
// the engine's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/object.hpp"
#include "base/status_fields.hpp"
#include "mpi.h"

namespace lisle {
class rank;
class communicator;
struct wait_note;
} // namespace lisle

namespace lisle::protocol {

class engine;

/// What an operation ended with: the fields of MPI_Status, with a count of bytes.
struct outcome {
    int source = MPI_ANY_SOURCE;
    int tag = MPI_ANY_TAG;
    int error = MPI_SUCCESS;
    bool cancelled = false;
    MPI_Count bytes = 0;

    /// Neither an error nor cancelled.
    [[nodiscard]] bool plain() const noexcept { return error == MPI_SUCCESS && !cancelled; }

    /// Fills `status` (which may be MPI_STATUS_IGNORE) but for MPI_ERROR, which only the calls that
    /// complete several requests set. Always inlined: a receive of a short message notices the call.
    [[gnu::always_inline]] void store(MPI_Status *status) const noexcept {
        if (status != MPI_STATUS_IGNORE) {
            status->MPI_SOURCE = source;
            status->MPI_TAG = tag;
            store_size(*status, bytes);
            store_cancelled(*status, cancelled);
        }
    }
    /// The opposite: what a callback of the user's has put into a status.
    static outcome load(const MPI_Status &status) noexcept;
};

/// How a complete request is given back without a virtual call: for requests that have no finish() and no
/// free() of their own and are not persistent.
enum class disposal : std::uint8_t {
    general, ///< by its functions
    nothing, ///< it stays
    receive, ///< a receive_operation from receive_operation::make()
};

/// Base of all requests. The virtual functions are what the request calls of MPI need; the engine
/// and the schedules of collectives derive from it.
class request : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::request;

    explicit request(engine &home) noexcept : object{object_kind::request}, home{&home} {}
    /// One that belongs to no communicator.
    explicit request(rank &owner) noexcept;
    virtual ~request() = default;

    /// Begins (again) a persistent operation. @pre persistent and not active
    virtual void start() {}
    /// MPI_Cancel: asks; whether it was in time shows in the outcome.
    virtual void cancel() {}
    /// Called once, by the thread that found the operation complete, before the outcome is read: the
    /// place for callbacks (generalized requests).
    virtual void finish() {}
    /// Called by each thread that has found the operation complete, where orders are told
    /// (base/thread_order.hpp): acquires what comes before.
    virtual void hear() const {}
    /// MPI_Request_free: nobody will ask for it any more, whether it is complete or not.
    virtual void give_up() noexcept {}
    /// Called once, when a complete request is given back, before free(): the place for a callback that may
    /// fail. Returns its error code.
    virtual int give_back() { return MPI_SUCCESS; }
    /// One sentence about `result.error`, if more is known of it than its class.
    [[nodiscard]] virtual std::string failure() const { return {}; }
    /// Adds to `note` what has to happen before the request is complete. A request that does not say so is
    /// none that only ranks complete.
    virtual void describe(wait_note &note) const;
    /// Gives the request back: destroys it now, or at completion if it is still active.
    virtual void free();

    /// Set with release order once everything else is written; read with acquire order.
    std::atomic<bool> complete{false};
    [[nodiscard]] bool is_complete() const noexcept { return complete.load(std::memory_order_acquire); }
    /// Whether a thread does nothing but look at `complete`.
    enum class watch : std::uint8_t { nobody, owner, ended };
    std::atomic<watch> watched{watch::nobody};
    bool persistent = false;
    /// False for a persistent request that is not started: waiting for it returns at once.
    bool active = true;
    /// What its completion causes besides, bits of these; under the engine's lock.
    std::uint8_t at_end = 0;
    static constexpr std::uint8_t destroy_at_end = 1; ///< the user has freed it
    static constexpr std::uint8_t forget_at_end = 2;  ///< it is counted as pending: `expected`
    std::uint8_t expected = 0;                        ///< see polled_fabrics
    disposal ending = disposal::general;
    outcome result;
    engine *home;

    // A request that is in no table and has nobody to wake is completed without its engine's lock.

    /// For the owner, before anybody else knows of the request: it is going to look at `complete` until that
    /// is set or stop_watching() is true.
    void begin_watching() noexcept { watched.store(watch::owner, std::memory_order_relaxed); }
    /// True: from now on the request is completed as all others are. False: it is just being completed.
    [[nodiscard]] bool stop_watching() noexcept {
        watch expected = watch::owner;
        return watched.compare_exchange_strong(expected, watch::nobody, std::memory_order_relaxed);
    }
    /// Completes it if the owner watches. Afterwards it may be gone. The exchange decides between the two
    /// sides; what was done before is published by `complete`.
    [[nodiscard]] bool end_if_watched() noexcept {
        watch expected = watch::owner;
        if (!watched.compare_exchange_strong(expected, watch::ended, std::memory_order_relaxed)) {
            return false;
        }
        complete.store(true, std::memory_order_release);
        return true;
    }

    union {
        /// The communicator whose error handler hears of this request's error; null: MPI_COMM_SELF's.
        communicator *comm = nullptr;
        /// Of a request that the user has freed, and that has completed since: see engine_core.
        request *next_orphan;
    };
};

/// One that is complete and stays.
struct completed_request final : request {
    explicit completed_request(engine &home) noexcept : request{home} {
        complete.store(true, std::memory_order_relaxed);
        ending = disposal::nothing;
    }
    void free() override {}
};

} // namespace lisle::protocol
