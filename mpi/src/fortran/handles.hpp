// SPDX-License-Identifier: Apache-2.0
// Handles are integers in Fortran; in C they are pointers, but for faces where they are integers, too.
// Arguments that a call changes are written back when the call is over: each class here is used for one
// argument of one call.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "mpi.h"

namespace lisle::fortran {

template <class Handle> struct integer_of;
template <auto FromInt, auto ToInt> struct converted_by {
    static auto from(int given) noexcept { return FromInt(given); }
    template <class Handle> static int to(Handle given) noexcept { return ToInt(given); }
};
template <> struct integer_of<MPI_Comm> : converted_by<PMPI_Comm_fromint, PMPI_Comm_toint> {};
template <> struct integer_of<MPI_Datatype> : converted_by<PMPI_Type_fromint, PMPI_Type_toint> {};
template <> struct integer_of<MPI_Errhandler> : converted_by<PMPI_Errhandler_fromint, PMPI_Errhandler_toint> {
};
template <> struct integer_of<MPI_File> : converted_by<PMPI_File_fromint, PMPI_File_toint> {};
template <> struct integer_of<MPI_Group> : converted_by<PMPI_Group_fromint, PMPI_Group_toint> {};
template <> struct integer_of<MPI_Info> : converted_by<PMPI_Info_fromint, PMPI_Info_toint> {};
template <> struct integer_of<MPI_Message> : converted_by<PMPI_Message_fromint, PMPI_Message_toint> {};
template <> struct integer_of<MPI_Op> : converted_by<PMPI_Op_fromint, PMPI_Op_toint> {};
template <> struct integer_of<MPI_Request> : converted_by<PMPI_Request_fromint, PMPI_Request_toint> {};
template <> struct integer_of<MPI_Session> : converted_by<PMPI_Session_fromint, PMPI_Session_toint> {};
template <> struct integer_of<MPI_Win> : converted_by<PMPI_Win_fromint, PMPI_Win_toint> {};

template <class Handle> Handle handle(const int *given) noexcept {
    return integer_of<Handle>::from(*given);
}

/// A handle that the call gives; the program's integer stays as it is if it gives none.
template <class Handle> class given_handle {
  public:
    explicit given_handle(int *into) noexcept : into_{into} {}
    given_handle(const given_handle &) = delete;
    given_handle &operator=(const given_handle &) = delete;
    ~given_handle() {
        if (value_ != Handle{}) {
            *into_ = integer_of<Handle>::to(value_);
        }
    }
    operator Handle *() noexcept { return &value_; }

  private:
    int *into_;
    Handle value_{};
};

/// A handle that the call may change.
template <class Handle> class changed_handle {
  public:
    explicit changed_handle(int *place) noexcept
        : place_{place}, before_{handle<Handle>(place)}, value_{before_} {}
    changed_handle(const changed_handle &) = delete;
    changed_handle &operator=(const changed_handle &) = delete;
    ~changed_handle() {
        if (value_ != before_) {
            *place_ = integer_of<Handle>::to(value_);
        }
    }
    operator Handle *() noexcept { return &value_; }

  private:
    int *place_;
    Handle before_, value_;
};

/// Room for an argument that is an array. There is no Fortran program that could go on without.
template <class T> class room {
  public:
    explicit room(MPI_Count count) noexcept : all_{few_} {
        if (count > static_cast<MPI_Count>(sizeof few_ / sizeof *few_)) {
            all_ = static_cast<T *>(std::malloc(static_cast<std::size_t>(count) * sizeof(T)));
            if (all_ == nullptr) {
                std::fputs("lisle: no memory for an array that a Fortran program has given\n", stderr);
                std::abort();
            }
        }
    }
    room(const room &) = delete;
    room &operator=(const room &) = delete;
    ~room() {
        if (all_ != few_) {
            std::free(all_);
        }
    }
    T &operator[](MPI_Count at) noexcept { return all_[at]; }
    T *data() noexcept { return all_; }

  private:
    T few_[32];
    T *all_;
};

/// Handles that the call only reads.
template <class Handle> class handles {
  public:
    handles(const int *given, MPI_Count count) noexcept : all_{count} {
        for (MPI_Count at = 0; at < count; ++at) {
            all_[at] = integer_of<Handle>::from(given[at]);
        }
    }
    operator const Handle *() noexcept { return all_.data(); }

  private:
    room<Handle> all_;
};

/// Handles that the call may change.
template <class Handle> class changed_handles {
  public:
    changed_handles(int *place, MPI_Count count) noexcept
        : place_{place}, count_{count}, before_{count}, all_{count} {
        for (MPI_Count at = 0; at < count; ++at) {
            before_[at] = all_[at] = integer_of<Handle>::from(place[at]);
        }
    }
    changed_handles(const changed_handles &) = delete;
    changed_handles &operator=(const changed_handles &) = delete;
    ~changed_handles() {
        for (MPI_Count at = 0; at < count_; ++at) {
            if (all_[at] != before_[at]) {
                place_[at] = integer_of<Handle>::to(all_[at]);
            }
        }
    }
    operator Handle *() noexcept { return all_.data(); }

  private:
    int *place_;
    MPI_Count count_;
    room<Handle> before_, all_;
};

/// Handles that the call gives, as many of them as it gives.
template <class Handle> class given_handles {
  public:
    given_handles(int *into, MPI_Count count) noexcept : into_{into}, count_{count}, all_{count} {
        for (MPI_Count at = 0; at < count; ++at) {
            all_[at] = Handle{};
        }
    }
    given_handles(const given_handles &) = delete;
    given_handles &operator=(const given_handles &) = delete;
    ~given_handles() {
        for (MPI_Count at = 0; at < count_; ++at) {
            if (all_[at] != Handle{}) {
                into_[at] = integer_of<Handle>::to(all_[at]);
            }
        }
    }
    operator Handle *() noexcept { return all_.data(); }

  private:
    int *into_;
    MPI_Count count_;
    room<Handle> all_;
};

} // namespace lisle::fortran
