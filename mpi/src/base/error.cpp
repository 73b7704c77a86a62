// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <new>
#include <system_error>

#include "base/no_room.hpp"
#include "mpi.h"

namespace lisle {

namespace {

constexpr const char *no_memory = "no memory left"; // short enough to need none itself

/// The same but for its sentence, if there is no memory for that.
mpi_error copy_of(const mpi_error &known) {
    try {
        return known;
    } catch (const std::bad_alloc &) {
        return {known.code(), no_memory, known.about()};
    }
}

/// The same for a lack of memory that has a sentence.
mpi_error sentence_of(const std::exception &caught) {
    try {
        return {MPI_ERR_NO_MEM, caught.what()};
    } catch (const std::bad_alloc &) {
        return {MPI_ERR_NO_MEM, no_memory};
    }
}

} // namespace

mpi_error error_of(const std::exception &caught) {
    if (const auto *const known = dynamic_cast<const mpi_error *>(&caught)) {
        return copy_of(*known);
    }
    if (dynamic_cast<const no_room *>(&caught) != nullptr) {
        return sentence_of(caught);
    }
    if (dynamic_cast<const std::bad_alloc *>(&caught) != nullptr) {
        return {MPI_ERR_NO_MEM, no_memory};
    }
    if (dynamic_cast<const std::system_error *>(&caught) != nullptr) {
        return {MPI_ERR_OTHER, caught.what()};
    }
    throw;
}

} // namespace lisle
