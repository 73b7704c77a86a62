// SPDX-License-Identifier: Apache-2.0
// Types that are found rather than made: by what a Fortran kind must hold, by class and size, or by the
// two halves of a pair.
#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "api/datatype.hpp"
#include "base/error.hpp"
#include "datatype/predefined.hpp"

namespace lisle::api {

namespace {

const predefined_facts &facts_of(MPI_Datatype handle) {
    return *find_datatype(handle)->facts();
}

// The kinds of the Fortran compiler (gfortran on this machine), narrowest first.
struct integer_kind {
    int range;
    MPI_Datatype type;
};
struct real_kind {
    int precision, range;
    MPI_Datatype real, complex;
};

const std::array integer_kinds{
    integer_kind{2, MPI_INTEGER1},  integer_kind{4, MPI_INTEGER2},   integer_kind{9, MPI_INTEGER4},
    integer_kind{18, MPI_INTEGER8}, integer_kind{38, MPI_INTEGER16},
};
const std::array real_kinds{
    real_kind{6, 37, MPI_REAL4, MPI_COMPLEX8},
    real_kind{15, 307, MPI_REAL8, MPI_COMPLEX16},
    real_kind{18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
    real_kind{33, 4931, MPI_REAL16, MPI_COMPLEX32},
};

// The type for a combiner and its arguments. The same question must always get the same handle; the
// types are constant, so all ranks of a process may share them.
MPI_Datatype shared_type(int combiner, int p, int r, MPI_Datatype stands_for) {
    static std::mutex mutex; // guards `types`
    static auto &types = *new std::map<std::tuple<int, int, int>, datatype *>;
    const std::lock_guard lock{mutex};
    datatype *&type = types[{combiner, p, r}];
    if (type == nullptr) {
        type_origin origin;
        origin.combiner = combiner;
        if (combiner != MPI_COMBINER_F90_INTEGER) {
            origin.integers.push_back(p);
        }
        origin.integers.push_back(r);
        type = new datatype{facts_of(stands_for), std::move(origin)};
    }
    return datatype_handle(*type);
}

const real_kind &select_real_kind(int p, int r) {
    if (p == MPI_UNDEFINED && r == MPI_UNDEFINED) {
        fail(MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
    }
    for (const real_kind &kind : real_kinds) {
        if ((p == MPI_UNDEFINED || p <= kind.precision) && (r == MPI_UNDEFINED || r <= kind.range)) {
            return kind;
        }
    }
    fail(MPI_ERR_ARG, "no real kind has ", p, " decimal digits and a decimal exponent range of ", r,
         " (the widest has 33 and 4931)");
}

} // namespace

void type_create_f90_integer(int r, MPI_Datatype *newtype) {
    for (const integer_kind &kind : integer_kinds) {
        if (r <= kind.range) {
            *newtype = shared_type(MPI_COMBINER_F90_INTEGER, 0, r, kind.type);
            return;
        }
    }
    fail(MPI_ERR_ARG, "no integer kind has ", r, " decimal digits (the widest has 38)");
}

void type_create_f90_real(int p, int r, MPI_Datatype *newtype) {
    *newtype = shared_type(MPI_COMBINER_F90_REAL, p, r, select_real_kind(p, r).real);
}

void type_create_f90_complex(int p, int r, MPI_Datatype *newtype) {
    *newtype = shared_type(MPI_COMBINER_F90_COMPLEX, p, r, select_real_kind(p, r).complex);
}

void type_match_size(int typeclass, int size, MPI_Datatype *datatype) {
    static const std::array integers{MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16};
    static const std::array reals{MPI_REAL2, MPI_REAL4, MPI_REAL8, MPI_REAL16};
    static const std::array complexes{MPI_COMPLEX4, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32};
    static const std::array logicals{MPI_LOGICAL1, MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8, MPI_LOGICAL16};
    const auto choose = [&](const auto &types, const char *name) {
        for (const MPI_Datatype type : types) {
            if (facts_of(type).size == size) {
                *datatype = type;
                return;
            }
        }
        fail(MPI_ERR_ARG, "no ", name, " type has ", size, " bytes");
    };
    switch (typeclass) {
    case MPI_TYPECLASS_INTEGER:
        return choose(integers, "integer");
    case MPI_TYPECLASS_REAL:
        return choose(reals, "real");
    case MPI_TYPECLASS_COMPLEX:
        return choose(complexes, "complex");
    case MPIX_TYPECLASS_LOGICAL:
        return choose(logicals, "logical");
    default:
        fail(MPI_ERR_ARG, "typeclass ", typeclass, " is none of the standard's");
    }
}

void type_get_value_index(const datatype &value_type, const datatype &index_type, MPI_Datatype *pair_type) {
    for (const datatype *type : {&value_type, &index_type}) {
        if (!type->predefined()) {
            fail(MPI_ERR_TYPE, "a derived datatype has no predefined pair");
        }
    }
    *pair_type = MPI_DATATYPE_NULL;
    for (const datatype *const pair : predefined_datatypes) {
        if (pair != nullptr && pair->facts()->category == type_category::pair &&
            pair->facts()->value_type == value_type.facts()->handle &&
            pair->facts()->index_type == index_type.facts()->handle) {
            *pair_type = datatype_handle(*pair);
        }
    }
}

} // namespace lisle::api
