// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

namespace recovery {

namespace {

template <class Call> int made_by(Call call) {
    MPI_Win made = MPI_WIN_NULL;
    const int error = call(&made);
    if (error == MPI_SUCCESS && made != MPI_WIN_NULL)
        CHECK_MPI(MPI_Win_free(&made));
    return error;
}
/// The first error of an operation at a target in an epoch of locks, or of the end of the epoch.
template <class Operation> int at_target(surroundings &at, int target, Operation operation) {
    int error = MPI_Win_lock(MPI_LOCK_SHARED, target, 0, at.window);
    if (error != MPI_SUCCESS)
        return error;
    error = operation(target);
    const int ended = MPI_Win_unlock(target, at.window);
    return error != MPI_SUCCESS ? error : ended;
}
template <class Call> int among(surroundings &at, int rank, Call call) {
    MPI_Group all = MPI_GROUP_NULL, one = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(at.comm, &all));
    CHECK_MPI(MPI_Group_incl(all, 1, &rank, &one));
    const int error = call(one);
    CHECK_MPI(MPI_Group_free(&one));
    CHECK_MPI(MPI_Group_free(&all));
    return error;
}

/// A row for an operation at a lost target, within a lock that cannot be had, and one at a survivor.
#define OPERATION(NAME, ...)                                                                                 \
    row{#NAME, need::window, end::fails,                                                                     \
        [](surroundings &at) {                                                                               \
            return at_target(at, at.dead, [&](int target) { return NAME(__VA_ARGS__); });                    \
        }},                                                                                                  \
        row {                                                                                                \
#NAME ".at_survivor", need::window, end::works,                                                      \
            [](surroundings &                                                                                \
               at) { return at_target(at, at.other, [&](int target) { return NAME(__VA_ARGS__); }); }        \
    }
#define REQUEST(NAME, ...)                                                                                   \
    row {                                                                                                    \
#NAME, need::window, end::works, [](surroundings &at) {                                              \
            return at_target(at, at.other, [&](int target) {                                                 \
                MPI_Request request = MPI_REQUEST_NULL;                                                      \
                return finish(NAME(__VA_ARGS__, &request), request);                                         \
            });                                                                                              \
        }       \
    }
#define TARGET target, 0, 1, MPI_INT

const std::array rows{
    row{"MPI_Win_create", need::all, end::fails,
        [](surroundings &at) {
            return made_by([&](MPI_Win *made) {
                return MPI_Win_create(at.give.data(), 64, 4, MPI_INFO_NULL, at.comm, made);
            });
        }},
    row{"MPI_Win_allocate", need::all, end::fails,
        [](surroundings &at) {
            void *memory = nullptr;
            return made_by([&](MPI_Win *made) {
                return MPI_Win_allocate(64, 4, MPI_INFO_NULL, at.comm, static_cast<void *>(&memory), made);
            });
        }},
    row{"MPI_Win_create_dynamic", need::all, end::fails,
        [](surroundings &at) {
            return made_by(
                [&](MPI_Win *made) { return MPI_Win_create_dynamic(MPI_INFO_NULL, at.comm, made); });
        }},
    row{"MPI_Win_allocate.of_survivors", need::all, end::works,
        [](surroundings &at) {
            void *memory = nullptr;
            return made_by([&](MPI_Win *made) {
                return MPI_Win_allocate(64, 4, MPI_INFO_NULL, at.part, static_cast<void *>(&memory), made);
            });
        }},
    row{"MPI_Win_free", need::window, end::fails, [](surroundings &at) { return MPI_Win_free(&at.window); }},
    row{"MPI_Win_fence", need::window, end::fails,
        [](surroundings &at) { return MPI_Win_fence(0, at.window); }},
    row{"MPI_Win_start MPI_Win_complete", need::window, end::fails,
        [](surroundings &at) {
            return among(at, at.dead, [&](MPI_Group lost) {
                const int error = MPI_Win_start(lost, 0, at.window);
                return error != MPI_SUCCESS ? error : MPI_Win_complete(at.window);
            });
        }},
    row{"MPI_Win_post MPI_Win_wait", need::window, end::fails,
        [](surroundings &at) {
            return among(at, at.dead, [&](MPI_Group lost) {
                const int error = MPI_Win_post(lost, 0, at.window);
                return error != MPI_SUCCESS ? error : MPI_Win_wait(at.window);
            });
        }},
    row{"MPI_Win_test", need::window, end::fails,
        [](surroundings &at) {
            return among(at, at.dead, [&](MPI_Group lost) {
                int error = MPI_Win_post(lost, 0, at.window);
                for (int flag = 0; error == MPI_SUCCESS && flag == 0;)
                    error = MPI_Win_test(at.window, &flag);
                return error;
            });
        }},
    row{"MPI_Win_lock MPI_Win_unlock", need::window, end::fails,
        [](surroundings &at) { return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, at.dead, 0, at.window); }},
    row{"MPI_Win_lock_all MPI_Win_unlock_all", need::window, end::fails,
        [](surroundings &at) { return MPI_Win_lock_all(0, at.window); }},
    row{"MPI_Win_flush MPI_Win_flush_local MPI_Win_flush_all MPI_Win_flush_local_all MPI_Win_sync",
        need::window, end::works,
        [](surroundings &at) {
            return at_target(at, at.other, [&](int target) {
                for (int i = 0; i < 4; ++i) {
                    CHECK_MPI(MPI_Put(at.give.data(), 1, MPI_INT, TARGET, at.window));
                    CHECK_MPI(i == 0   ? MPI_Win_flush(target, at.window)
                              : i == 1 ? MPI_Win_flush_local(target, at.window)
                              : i == 2 ? MPI_Win_flush_all(at.window)
                                       : MPI_Win_flush_local_all(at.window));
                }
                return MPI_Win_sync(at.window);
            });
        }},
    row{"MPI_Win_allocate_shared", need::all,
        end::either, // an error of another class where no memory is shared
        [](surroundings &at) {
            void *memory = nullptr;
            const int error = made_by([&](MPI_Win *made) {
                return MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, at.comm, static_cast<void *>(&memory),
                                               made);
            });
            return check::error_class(error) == MPI_ERR_RMA_SHARED ? MPI_SUCCESS : error;
        }},
    OPERATION(MPI_Put, at.give.data(), 1, MPI_INT, TARGET, at.window),
    OPERATION(MPI_Get, at.take.data(), 1, MPI_INT, TARGET, at.window),
    OPERATION(MPI_Accumulate, at.give.data(), 1, MPI_INT, TARGET, MPI_SUM, at.window),
    OPERATION(MPI_Get_accumulate, at.give.data(), 1, MPI_INT, at.take.data(), 1, MPI_INT, TARGET, MPI_SUM,
              at.window),
    OPERATION(MPI_Fetch_and_op, at.give.data(), at.take.data(), MPI_INT, target, 0, MPI_SUM, at.window),
    OPERATION(MPI_Compare_and_swap, at.give.data(), at.take.data(), at.take.data() + 1, MPI_INT, target, 0,
              at.window),
    REQUEST(MPI_Rput, at.give.data(), 1, MPI_INT, TARGET, at.window),
    REQUEST(MPI_Rget, at.take.data(), 1, MPI_INT, TARGET, at.window),
    REQUEST(MPI_Raccumulate, at.give.data(), 1, MPI_INT, TARGET, MPI_SUM, at.window),
    REQUEST(MPI_Rget_accumulate, at.give.data(), 1, MPI_INT, at.take.data(), 1, MPI_INT, TARGET, MPI_SUM,
            at.window),
};

} // namespace

std::span<const row> window_calls() {
    return rows;
}

} // namespace recovery
