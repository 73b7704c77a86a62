// SPDX-License-Identifier: Apache-2.0
#include "api/window.hpp"

#include <cstring>
#include <memory>

#include "api/pending_buffers.hpp"
#include "base/error.hpp"
#include "communicator/predefined.hpp"
#include "rma/creation.hpp"
#include "rma/races/watch.hpp"

namespace lisle::api {

namespace {

/// What the constructors are told, checked.
rma::window_request request_of(communicator &comm, const info *hints, MPI_Aint size, MPI_Count unit) {
    if (comm.inter() || comm.of_threads()) {
        fail(MPI_ERR_COMM, comm.label(), " is ", comm.inter() ? "an inter-communicator" : "one of threads",
             "; windows are made over intra-communicators");
    }
    if (size < 0) {
        fail(MPI_ERR_SIZE, "size is ", size, "; it must not be negative");
    }
    if (unit <= 0) {
        fail(MPI_ERR_DISP, "disp_unit is ", unit, "; it must be positive");
    }
    return {comm, hints, size, unit};
}

void store(const void *address, void *into) {
    *static_cast<const void **>(into) = address;
}

void check_dynamic(const rma::window &win) {
    if (!win.members.dynamic()) {
        fail(MPI_ERR_RMA_FLAVOR, "the window was not made by MPI_Win_create_dynamic");
    }
}

} // namespace

void win_allocate(MPI_Aint size, MPI_Count disp_unit, info *info, communicator &comm, void *baseptr,
                  MPI_Win *win) {
    rma::window *const made = rma::allocate_window(request_of(comm, info, size, disp_unit));
    store(made->facts.base, baseptr);
    *win = made->handle();
}

void win_allocate_shared(MPI_Aint size, MPI_Count disp_unit, info *info, communicator &comm, void *baseptr,
                         MPI_Win *win) {
    rma::window *const made = rma::allocate_shared_window(request_of(comm, info, size, disp_unit));
    store(made->facts.base, baseptr);
    *win = made->handle();
}

void win_attach(rma::window &win, void *base, MPI_Aint size) {
    check_dynamic(win);
    if (size < 0) {
        fail(MPI_ERR_SIZE, "size is ", size, "; it must not be negative");
    }
    win.members.attached.add(base, static_cast<std::size_t>(size));
    rma::race_watch::attached(win.members, base, static_cast<std::size_t>(size));
}

void win_create(void *base, MPI_Aint size, MPI_Count disp_unit, info *info, communicator &comm,
                MPI_Win *win) {
    rma::window *const made = rma::create_window(request_of(comm, info, size, disp_unit), base);
    if (abi::pending_buffers::watched()) {
        abi::pending->windows.created(*made, base);
    }
    *win = made->handle();
}

void win_create_dynamic(info *info, communicator &comm, MPI_Win *win) {
    *win = rma::create_dynamic_window(request_of(comm, info, 0, 1))->handle();
}

void win_detach(rma::window &win, const void *base) {
    check_dynamic(win);
    win.members.attached.remove(base);
    rma::race_watch::detached(win.members, base);
}

void win_free(MPI_Win *win) {
    rma::window *const freed = rma::find_window(*win);
    if (abi::pending_buffers::watched()) {
        abi::pending->windows.frees(*freed);
    }
    rma::free_window(freed);
    *win = MPI_WIN_NULL;
}

void win_get_group(rma::window &win, MPI_Group *group) {
    *group = give_handle(group_ref::share(win.comm().local_group()));
}

void win_get_info(rma::window &win, MPI_Info *info_used) {
    auto hints = std::make_unique<info>();
    win.hints.describe(*hints, win.facts.flavor == MPI_WIN_FLAVOR_SHARED);
    *info_used = handle_of<MPI_Info>(*hints.release());
}

void win_get_name(rma::window *win, char *win_name, int *resultlen) {
    const std::string name = win != nullptr ? win->members.name.get() : "MPI_WIN_NULL";
    std::memcpy(win_name, name.c_str(), name.size() + 1);
    *resultlen = static_cast<int>(name.size());
}

void win_set_info(rma::window &win, info *info) {
    if (info != nullptr) {
        win.hints.apply(*info);
    }
}

void win_set_name(rma::window &win, const char *win_name) {
    const std::size_t length = std::strlen(win_name);
    if (length >= MPI_MAX_OBJECT_NAME) {
        fail(MPI_ERR_ARG, "the name has ", length, " characters, but at most ", MPI_MAX_OBJECT_NAME - 1,
             " are allowed");
    }
    win.members.name.set(win_name);
}

void win_shared_query(rma::window &win, int rank, MPI_Aint *size, MPI_Count &disp_unit, void *baseptr) {
    if (win.members.dynamic()) {
        fail(MPI_ERR_RMA_FLAVOR, "a dynamic window has no memory of its own");
    }
    if (rank == MPI_PROC_NULL) { // the first rank that has memory [MPI-5.0 12.2.3]
        rank = 0;
        while (rank < win.size() - 1 && win.members.at(rank).facts.size == 0) {
            ++rank;
        }
    }
    const rma::member_facts &facts = win.members.at(rank).facts;
    const std::byte *const base = win.members.reach(rank, facts.base, facts.size);
    *size = base != nullptr ? static_cast<MPI_Aint>(facts.size) : 0;
    disp_unit = facts.unit;
    store(*size != 0 ? base : nullptr, baseptr); // a part without a byte has no place
}

} // namespace lisle::api
