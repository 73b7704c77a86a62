// SPDX-License-Identifier: Apache-2.0
// Notes down the arguments of a constructor of datatypes the way MPI_Type_get_contents returns them:
// small forms keep counts among the integers and byte displacements among the addresses, large forms
// keep both among the large counts.
#pragma once

#include "api/datatype.hpp"
#include "base/error.hpp"
#include "datatype/count_list.hpp"
#include "datatype/predefined.hpp"

namespace lisle {

class origin_notes {
  public:
    origin_notes(int combiner, count_form form) : form_{form} { origin_.combiner = combiner; }

    origin_notes &integer(int value) {
        origin_.integers.push_back(value);
        return *this;
    }
    origin_notes &integers(const int *values, MPI_Count count) {
        origin_.integers.insert(origin_.integers.end(), values, values + count);
        return *this;
    }
    origin_notes &count(MPI_Count value) {
        form_ == count_form::large ? origin_.large_counts.push_back(value)
                                   : origin_.integers.push_back(static_cast<int>(value));
        return *this;
    }
    origin_notes &counts(count_list values, MPI_Count number) {
        for (MPI_Count i = 0; i < number; ++i) {
            count(values[i]);
        }
        return *this;
    }
    origin_notes &address(MPI_Count value) {
        (form_ == count_form::large ? origin_.large_counts : origin_.addresses).push_back(value);
        return *this;
    }
    origin_notes &addresses(count_list values, MPI_Count number) {
        for (MPI_Count i = 0; i < number; ++i) {
            address(values[i]);
        }
        return *this;
    }
    origin_notes &type(const datatype &used) {
        origin_.types.push_back(&used);
        return *this;
    }
    [[nodiscard]] type_origin &origin() noexcept { return origin_; }

  private:
    count_form form_;
    type_origin origin_;
};

/// Makes the type that a constructor returns.
inline void make_type(type_part part, origin_notes &notes, MPI_Datatype *newtype) {
    *newtype = datatype_handle(*new datatype{std::move(part), std::move(notes.origin())});
}

/// Throws unless an array argument is there. @param name the argument's name in the standard
inline void require_array(bool null, MPI_Count count, const char *name) {
    if (null && count > 0) {
        fail(MPI_ERR_ARG, name, " is a null pointer but must have ", count, " elements");
    }
}

} // namespace lisle
