// SPDX-License-Identifier: Apache-2.0
// Procedures that MPI-3.0 removed and old Fortran programs still call (data/removed.json): by those that took
// their place. Addresses, extents and displacements are default integers here. C has no such functions any
// more.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "fortran/calls.hpp"

using namespace lisle::fortran;

namespace {

// MPI_LB and MPI_UB (data/removed.json): entries of MPI_TYPE_STRUCT that say where the new type begins and
// ends. Faces have other integers for them.
#ifdef LISLE_FORTRAN_LB
constexpr int lower_marker = LISLE_FORTRAN_LB;
constexpr int upper_marker = LISLE_FORTRAN_UB;
#else
constexpr int lower_marker = -11;
constexpr int upper_marker = -12;
#endif

/// Raises an error, and returns it. An error handler says no more than the class.
int refuse(const char *call, MPI_Aint value, const char *substitute) noexcept {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
    if (handler != MPI_ERRORS_RETURN) {
        std::fprintf(stderr, "lisle: %s: %lld does not fit in a default INTEGER; call %s\n", call,
                     static_cast<long long>(value), substitute);
    }
    PMPI_Errhandler_free(&handler);
    PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_ARG);
    return MPI_ERR_ARG;
}

bool fits(MPI_Aint value) noexcept {
    return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

/// Gives one of the numbers that MPI_TYPE_GET_EXTENT tells of a type, if the type is one.
template <class Choice>
void give(const char *call, const int *type, int *into, int *ierror, Choice choose) noexcept {
    MPI_Aint lower = 0, extent = 0;
    int code = PMPI_Type_get_extent(handle<MPI_Datatype>(type), &lower, &extent);
    const MPI_Aint chosen = choose(lower, extent);
    if (code == MPI_SUCCESS && !fits(chosen)) {
        code = refuse(call, chosen, "MPI_TYPE_GET_EXTENT");
    } else if (code == MPI_SUCCESS) {
        *into = static_cast<int>(chosen);
    }
    end(ierror, code);
}

/// Where a type begins and ends.
struct bounds {
    MPI_Aint lower = 0;
    MPI_Aint upper = 0;
};

bounds bounds_of(MPI_Datatype type) noexcept {
    MPI_Aint lower = 0, extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    return {lower, lower + extent};
}

/// The bounds that a type has by markers: by those given for it, and by those within the types that it is
/// made of.
class marked_bounds {
  public:
    void mark(int marker, MPI_Aint at) noexcept {
        if (marker == lower_marker) {
            add_lower(at);
        } else {
            add_upper(at);
        }
        given_ = true;
    }
    /// A part of the type, which may have been given bounds itself.
    void add(MPI_Datatype type, int count, MPI_Aint at) noexcept {
        int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
        if (count > 0 &&
            PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
            combiner == MPI_COMBINER_RESIZED) {
            const auto [lower, upper] = bounds_of(type);
            const MPI_Aint last = at + (count - 1) * (upper - lower);
            add_lower(std::min(at, last) + lower);
            add_upper(std::max(at, last) + upper);
        }
    }
    /// Gives the type these bounds. Without markers of its own it has the right ones.
    int apply(MPI_Datatype *type) const noexcept {
        if (!given_) {
            return MPI_SUCCESS;
        }
        const bounds own = bounds_of(*type);
        const MPI_Aint lower = has_lower_ ? lower_ : own.lower;
        const MPI_Aint upper = has_upper_ ? upper_ : own.upper;
        MPI_Datatype unmarked = *type;
        const int code = PMPI_Type_create_resized(unmarked, lower, upper - lower, type);
        PMPI_Type_free(&unmarked);
        return code;
    }

  private:
    void add_lower(MPI_Aint at) noexcept {
        lower_ = has_lower_ ? std::min(lower_, at) : at;
        has_lower_ = true;
    }
    void add_upper(MPI_Aint at) noexcept {
        upper_ = has_upper_ ? std::max(upper_, at) : at;
        has_upper_ = true;
    }
    MPI_Aint lower_ = 0, upper_ = 0;
    bool has_lower_ = false, has_upper_ = false, given_ = false;
};

/// The entries of MPI_TYPE_STRUCT without markers.
class structure {
  public:
    structure(int count, const int *lengths, const int *places, const int *types) noexcept
        : kept_{std::min(count, 0)}, lengths_{count}, places_{count}, types_{count} {
        for (int at = 0; at < count; ++at) {
            if (types[at] == lower_marker || types[at] == upper_marker) {
                if (lengths[at] > 0) {
                    bounds_.mark(types[at], places[at]);
                }
                continue;
            }
            lengths_[kept_] = lengths[at];
            places_[kept_] = places[at];
            types_[kept_++] = integer_of<MPI_Datatype>::from(types[at]);
        }
    }
    int make(MPI_Datatype *made) noexcept {
        const int code = PMPI_Type_create_struct(static_cast<int>(kept_), lengths_.data(), places_.data(),
                                                 types_.data(), made);
        if (code != MPI_SUCCESS) {
            return code;
        }
        for (MPI_Count at = 0; at < kept_; ++at) {
            bounds_.add(types_[at], lengths_[at], places_[at]);
        }
        return bounds_.apply(made);
    }

  private:
    MPI_Count kept_; ///< a count below 0 stays what it is, for the call to refuse
    room<int> lengths_;
    room<MPI_Aint> places_;
    room<MPI_Datatype> types_;
    marked_bounds bounds_;
};

/// Displacements of default integers.
class displacements {
  public:
    displacements(const int *given, int count) noexcept : all_{count} {
        std::copy_n(given, std::max(count, 0), all_.data());
    }
    const MPI_Aint *all() noexcept { return all_.data(); }

  private:
    room<MPI_Aint> all_;
};

} // namespace

// NOLINTBEGIN(readability-non-const-parameter): Fortran passes everything by reference.
extern "C" {

void pmpi_comm_create_errhandler_(void *function, int *made, int *ierror); // callbacks.cpp

// Programs take differences of addresses. These are right where all addresses lie within 2 GiB of each other,
// whatever the first 32 bits are that a default integer has no room for; others are errors rather than wrong
// displacements.
void pmpi_address_(void *location, int *address, int *ierror) {
    static MPI_Aint first = 0;
    MPI_Aint here = 0, before = 0;
    int code = PMPI_Get_address(data_at(location), &here);
    // Relaxed: the first address stays what it is.
    if (!__atomic_compare_exchange_n(&first, &before, here, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
        !fits(here - before)) {
        code = refuse("MPI_ADDRESS", here - before, "MPI_GET_ADDRESS");
    }
    if (code == MPI_SUCCESS) {
        *address = static_cast<int>(static_cast<unsigned>(here));
    }
    end(ierror, code);
}
#pragma weak mpi_address_ = pmpi_address_

void pmpi_errhandler_create_(void *function, int *made, int *ierror) {
    pmpi_comm_create_errhandler_(function, made, ierror);
}
#pragma weak mpi_errhandler_create_ = pmpi_errhandler_create_

void pmpi_errhandler_get_(int *comm, int *handler, int *ierror) {
    end(ierror, PMPI_Comm_get_errhandler(handle<MPI_Comm>(comm), given_handle<MPI_Errhandler>{handler}));
}
#pragma weak mpi_errhandler_get_ = pmpi_errhandler_get_

void pmpi_errhandler_set_(int *comm, int *handler, int *ierror) {
    end(ierror, PMPI_Comm_set_errhandler(handle<MPI_Comm>(comm), handle<MPI_Errhandler>(handler)));
}
#pragma weak mpi_errhandler_set_ = pmpi_errhandler_set_

void pmpi_type_extent_(int *type, int *extent, int *ierror) {
    give("MPI_TYPE_EXTENT", type, extent, ierror, [](MPI_Aint, MPI_Aint found) { return found; });
}
#pragma weak mpi_type_extent_ = pmpi_type_extent_

void pmpi_type_lb_(int *type, int *displacement, int *ierror) {
    give("MPI_TYPE_LB", type, displacement, ierror, [](MPI_Aint lower, MPI_Aint) { return lower; });
}
#pragma weak mpi_type_lb_ = pmpi_type_lb_

void pmpi_type_ub_(int *type, int *displacement, int *ierror) {
    give("MPI_TYPE_UB", type, displacement, ierror,
         [](MPI_Aint lower, MPI_Aint extent) { return lower + extent; });
}
#pragma weak mpi_type_ub_ = pmpi_type_ub_

void pmpi_type_hvector_(int *count, int *length, int *stride, int *old_type, int *new_type, int *ierror) {
    end(ierror, PMPI_Type_create_hvector(*count, *length, *stride, handle<MPI_Datatype>(old_type),
                                         given_handle<MPI_Datatype>{new_type}));
}
#pragma weak mpi_type_hvector_ = pmpi_type_hvector_

void pmpi_type_hindexed_(int *count, int *lengths, int *places, int *old_type, int *new_type, int *ierror) {
    end(ierror,
        PMPI_Type_create_hindexed(*count, lengths, displacements{places, *count}.all(),
                                  handle<MPI_Datatype>(old_type), given_handle<MPI_Datatype>{new_type}));
}
#pragma weak mpi_type_hindexed_ = pmpi_type_hindexed_

void pmpi_type_struct_(int *count, int *lengths, int *places, int *types, int *new_type, int *ierror) {
    end(ierror, structure{*count, lengths, places, types}.make(given_handle<MPI_Datatype>{new_type}));
}
#pragma weak mpi_type_struct_ = pmpi_type_struct_
}
// NOLINTEND(readability-non-const-parameter)
