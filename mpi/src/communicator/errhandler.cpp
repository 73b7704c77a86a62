// SPDX-License-Identifier: Apache-2.0
// What happens when a call fails.
#include "communicator/errhandler.hpp"

#include <chrono>
#include <cstdio>
#include <new>
#include <thread>
#include <type_traits>

#include "base/settings.hpp"
#include "communicator/error_codes.hpp"
#include "communicator/failed_call.hpp"
#include "communicator/file_behind.hpp"
#include "communicator/predefined.hpp"
#include "execution/rank.hpp"
#include "execution/rank_local.hpp"
#include "world/job.hpp"

namespace lisle {

errhandler &predefined_errhandler(errhandler_kind kind) noexcept {
    // Never destroyed: ranks may still fail while the process's static objects are taken down.
    static errhandler *const handlers[] = {new errhandler{errhandler_kind::fatal},
                                           new errhandler{errhandler_kind::abort},
                                           new errhandler{errhandler_kind::return_code}};
    return *handlers[static_cast<unsigned>(kind)];
}

errhandler &initial_errhandler() noexcept {
    // The setting counts them in the order of errhandler_kind.
    return predefined_errhandler(static_cast<errhandler_kind>(value_of(setting::initial_errhandler)));
}

errhandler *find_errhandler(MPI_Errhandler handle) noexcept {
    if (handle == MPI_ERRORS_ARE_FATAL) {
        return &predefined_errhandler(errhandler_kind::fatal);
    }
    if (handle == MPI_ERRORS_ABORT) {
        return &predefined_errhandler(errhandler_kind::abort);
    }
    if (handle == MPI_ERRORS_RETURN) {
        return &predefined_errhandler(errhandler_kind::return_code);
    }
    return object_of<errhandler>(handle);
}

MPI_Errhandler handle_of_errhandler(errhandler &target) noexcept {
    switch (target.action) {
    case errhandler_kind::fatal:
        return MPI_ERRORS_ARE_FATAL;
    case errhandler_kind::abort:
        return MPI_ERRORS_ABORT;
    case errhandler_kind::return_code:
        return MPI_ERRORS_RETURN;
    default:
        return handle_of<MPI_Errhandler>(target);
    }
}

void errhandler::release() noexcept {
    if (!predefined() && references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete this;
    }
}

errhandler_slot &errors_without_file() {
    struct returning_slot : errhandler_slot {
        returning_slot() { set(errhandler_ref::share(predefined_errhandler(errhandler_kind::return_code))); }
    };
    static const rank_local<returning_slot> slots;
    return *slots;
}

namespace {
struct last_error {
    int code = MPI_SUCCESS;
    const rank *owner = nullptr; ///< fibers share threads
    failed_call where;
    char sentence[MPI_MAX_ERROR_STRING] = {}; // no memory of its own: threads may end without a destructor
};
static_assert(std::is_trivially_destructible_v<last_error>);
thread_local last_error this_threads_last_error;
const rank_local<last_error> ranks_last_error;

/// That of the rank, if one thread at a time calls for it: a fiber may have let others run on its thread
/// since. Else, and without memory for that, that of the thread.
last_error &own_last_error() noexcept {
    if (rank *const self = rank_at_once(); self != nullptr && self->calls_alone()) {
        try {
            return ranks_last_error.of(*self);
        } catch (const std::bad_alloc &) {
        }
    }
    return this_threads_last_error;
}
} // namespace

void remember_sentence(const mpi_error &error) noexcept {
    last_error &last = own_last_error();
    std::snprintf(last.sentence, sizeof last.sentence, "%s", error.what());
    last.code = error.code();
    last.owner = rank_at_once();
    last.where = failed_call::find();
}

namespace {
/// With the place of the call; empty: the last error of the calling rank's thread was another one.
std::string last_sentence(int code) {
    const last_error &last = own_last_error();
    if (last.code != code || code == MPI_SUCCESS || last.owner != rank_at_once()) {
        return {};
    }
    const std::string place = last.where.place();
    return place.empty() ? last.sentence : sentence(last.sentence, " (at ", place, ")");
}
} // namespace

std::string sentence_of_error(int code) {
    const std::string last = last_sentence(code);
    return last.empty() ? text_of_error(code) : last;
}

std::string detailed_text_of_error(int code) {
    const std::string text = text_of_error(code);
    if (code > MPI_ERR_LASTCODE) {
        return text; // the program's own, which it gets back as it gave it
    }
    const std::string last = last_sentence(code);
    return last.empty() ? text : sentence(text, text.empty() ? "" : ": ", last);
}

// Another rank's end is the launcher's to tell, which knows its cause and stops this rank with the others.
void let_launcher_end_job(int code) {
    constexpr std::chrono::milliseconds longest_wait{500};
    const bool ends_all = value_of(setting::recovery) == 0 && this_rank().get_job().start().reports_ends();
    if (ends_all && code == MPIX_ERR_PROC_FAILED) {
        std::this_thread::sleep_for(longest_wait);
    }
}

void end_job(errhandler_kind handler, const char *call, int code, const std::string &text) {
    let_launcher_end_job(code);
    const std::string line = sentence("lisle: rank ", this_rank().number(), ": ", call, ": ", text, " (",
                                      error_name(code), place_of_call(), ")\n");
    // One write, so that the sentences of several ranks do not mix.
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    abort_job(code,
              handler == errhandler_kind::abort ? abort_cause::errors_abort : abort_cause::errors_are_fatal);
}

told_error hear_of_error(communicator *comm, const char *call, const mpi_error &error) {
    if (comm == nullptr && this_rank().phase == world_phase::initialized) {
        const predefined_objects &objects = *predefined;
        const bool as_before_4_0 = !objects.self->errors.chosen() && objects.world->errors.chosen();
        comm = as_before_4_0 ? objects.world : objects.self;
    }
    if (comm == nullptr) {
        return hear_with(initial_errhandler(), MPI_COMM_NULL, call, error);
    }
    // The slot gives a share, so the handler outlives the call even if the user replaces it in there.
    const errhandler_ref handler = comm->errors.get();
    const MPI_File *const file = file_behind.found(*comm);
    return file != nullptr ? hear_with(*handler, *file, call, error)
                           : hear_with(*handler, comm->handle(), call, error);
}

} // namespace lisle
