// SPDX-License-Identifier: Apache-2.0
// Inquiry about the binary interface. What a Fortran layer tells belongs to the rank that it serves, so
// that programs with different Fortran compilers can share a process.
#include "api/abi.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>

#include "base/error.hpp"
#include "communicator/info.hpp"
#include "execution/rank_local.hpp"

namespace lisle::api {

namespace {

constexpr int largest_logical = 16;

/// The bytes of a LOGICAL that mean .TRUE. and .FALSE.
struct logical_values {
    int size = 0;
    std::array<std::byte, largest_logical> true_bytes{}, false_bytes{};
};

struct fortran_facts {
    std::mutex mutex; ///< protects both
    std::unique_ptr<info> told;
    logical_values logical;
};
const rank_local<fortran_facts> fortran;

std::size_t checked_size(int logical_size) {
    if (logical_size < 1 || logical_size > largest_logical ||
        !std::has_single_bit(static_cast<unsigned>(logical_size))) {
        fail(MPI_ERR_ARG, "logical_size is ", logical_size, "; a LOGICAL has 1, 2, 4, 8 or 16 bytes");
    }
    return static_cast<std::size_t>(logical_size);
}

} // namespace

void abi_get_version(int *abi_major, int *abi_minor) {
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
}

void abi_get_info(MPI_Info *result) {
    auto facts = std::make_unique<info>();
    facts->set("mpi_aint_size", sentence(sizeof(MPI_Aint)));
    facts->set("mpi_count_size", sentence(sizeof(MPI_Count)));
    facts->set("mpi_offset_size", sentence(sizeof(MPI_Offset)));
    *result = handle_of<MPI_Info>(*facts.release());
}

void abi_set_fortran_info(info *told) {
    if (told == nullptr) {
        fail(MPI_ERR_INFO, "info is MPI_INFO_NULL");
    }
    auto copy = std::make_unique<info>(*told);
    fortran_facts &facts = *fortran;
    const std::scoped_lock lock{facts.mutex};
    if (facts.told != nullptr) {
        fail(MPI_ERR_ABI, "the information about Fortran was set before");
    }
    facts.told = std::move(copy);
}

void abi_get_fortran_info(MPI_Info *result) {
    fortran_facts &facts = *fortran;
    const std::scoped_lock lock{facts.mutex};
    *result = facts.told != nullptr ? handle_of<MPI_Info>(*new info{*facts.told}) : MPI_INFO_NULL;
}

void abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false) {
    const std::size_t size = checked_size(logical_size);
    if (logical_true == nullptr || logical_false == nullptr) {
        fail(MPI_ERR_ARG, "a value is a null pointer");
    }
    fortran_facts &facts = *fortran;
    const std::scoped_lock lock{facts.mutex};
    if (facts.logical.size != 0) {
        fail(MPI_ERR_ABI, "the values of Fortran's LOGICAL were set before");
    }
    facts.logical.size = logical_size;
    std::memcpy(facts.logical.true_bytes.data(), logical_true, size);
    std::memcpy(facts.logical.false_bytes.data(), logical_false, size);
}

void abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false, int *is_set) {
    const std::size_t size = checked_size(logical_size);
    fortran_facts &facts = *fortran;
    const std::scoped_lock lock{facts.mutex};
    *is_set = facts.logical.size == logical_size ? 1 : 0;
    if (*is_set != 0) {
        std::memcpy(logical_true, facts.logical.true_bytes.data(), size);
        std::memcpy(logical_false, facts.logical.false_bytes.data(), size);
    }
}

} // namespace lisle::api
