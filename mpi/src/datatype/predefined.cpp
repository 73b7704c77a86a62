// SPDX-License-Identifier: Apache-2.0
#include "datatype/predefined.hpp"

#include <cstddef>
#include <cstdint>

namespace lisle {

namespace {

// What the generated table takes for granted about this machine.
static_assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(long long) == 8 && sizeof(wchar_t) == 4);
static_assert(sizeof(long double) == 16 && alignof(long double) == 16 && sizeof(bool) == 1);
static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Count) == 8 && sizeof(MPI_Offset) == 8);

template <class Value, class Index> struct pair_of {
    Value value;
    Index index;
};
using float_int = pair_of<float, int>;
using double_int = pair_of<double, int>;
using short_int = pair_of<short, int>;
using long_double_int = pair_of<long double, int>;
static_assert(sizeof(float_int) == 8 && offsetof(float_int, index) == 4);
static_assert(sizeof(double_int) == 16 && offsetof(double_int, index) == 8);
static_assert(sizeof(short_int) == 8 && offsetof(short_int, index) == 4);
static_assert(sizeof(long_double_int) == 32 && offsetof(long_double_int, index) == 16);

} // namespace

// Never destroyed, since ranks may use types until the last moment of the process.
union immortal {
    explicit immortal(const predefined_facts &facts, bool strict) : type{facts, {}, strict} {}
    ~immortal() {}
    datatype type;
};

#include "datatype/predefined_table.inc"

MPI_Count size_of(basic_type basic) noexcept {
    for (const datatype *const type : predefined_datatypes) {
        if (type != nullptr && type->basic() == basic) {
            return type->size();
        }
    }
    return 1;
}

} // namespace lisle
