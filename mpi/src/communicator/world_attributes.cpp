// SPDX-License-Identifier: Apache-2.0
// The values of the standard's attributes.
#include "communicator/world_attributes.hpp"

#include <limits>

#include "base/settings.hpp"
#include "communicator/error_codes.hpp"
#include "communicator/predefined.hpp"

namespace lisle {

namespace {

struct attribute_values {
    int largest_tag = std::numeric_limits<int>::max();
    int io = MPI_ANY_SOURCE;  // any rank can do input and output
    int host = MPI_PROC_NULL; // no rank is special
    int wtime_is_global = 1;  // the ranks of a node read one clock
    int program_number = -1;
    int universe_size = 0;
    int goes_on_after_failures = value_of(setting::recovery) != 0 ? 1 : 0;
};
const rank_local<attribute_values> values;

} // namespace

void set_world_attributes(const world_description &description) {
    values->program_number = description.program_number;
    values->universe_size = description.universe_size;
}

bool is_world_attribute(int key) noexcept {
    return (key >= MPI_TAG_UB && key <= MPI_UNIVERSE_SIZE) || key == MPIX_FT;
}

bool is_session_attribute(int key) noexcept {
    return key == MPI_TAG_UB || key == MPI_LASTUSEDCODE || key == MPIX_FT;
}

const int *world_attribute(int key) {
    const attribute_values &own = *values;
    switch (key) {
    case MPI_TAG_UB:
        return &own.largest_tag;
    case MPI_IO:
        return &own.io;
    case MPI_HOST:
        return &own.host;
    case MPI_WTIME_IS_GLOBAL:
        return &own.wtime_is_global;
    case MPI_APPNUM:
        return own.program_number >= 0 ? &own.program_number : nullptr;
    case MPI_LASTUSEDCODE:
        return last_used_code();
    case MPI_UNIVERSE_SIZE:
        return &own.universe_size;
    case MPIX_FT:
        return &own.goes_on_after_failures;
    default:
        return nullptr;
    }
}

} // namespace lisle
