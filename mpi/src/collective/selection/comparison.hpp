// SPDX-License-Identifier: Apache-2.0
// Whether what the ranks say of a collective call fits together, and a sentence that names what does not.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "collective/signature.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle::collective {

/// What a rank says of data. @param said_bytes data_claim::bytes, which may be of more than the data
[[nodiscard]] data_claim claim_of(const typed_buffer &data, MPI_Count said_bytes);
/// Whether data of which the one is said may be received as the other.
[[nodiscard]] bool fit_together(const data_claim &one, const data_claim &other);

/// Looks at the ranks one after the other, from rank 0 on. All that is given must fit all that is taken, so
/// each claim is compared with the first one that says something.
class comparison {
  public:
    /// @param inter the ranks are one group of an inter-communicator
    explicit comparison(bool inter = false) noexcept : inter_{inter} {}

    /// What the rank says that does not fit what it or the ranks before it have said, if anything.
    [[nodiscard]] std::optional<mpi_error> add(int rank, const call_signature &said);
    /// What does not fit in what rank 0 of the other group says. @pre all of this one have been added
    [[nodiscard]] std::optional<mpi_error> add_other_group(const call_signature &said) const;

  private:
    using claim_of_call = data_claim call_signature::*;
    struct stated {
        int rank;
        call_signature said;
        const char *of = ""; ///< which group
        [[nodiscard]] std::string place() const;
    };

    static const char *verb(claim_of_call which) noexcept {
        return which == &call_signature::given ? " gives " : " takes ";
    }
    /// The error with the places of the two calls, if they are known.
    static std::optional<mpi_error> with_places(std::optional<mpi_error> found, const stated &one,
                                                const stated &other);
    /// What the rank gives with what it takes.
    static std::optional<mpi_error> compare_own(const stated &now);
    /// One rank of the root's group names MPI_ROOT and the others MPI_PROC_NULL, all of the other group that
    /// rank.
    std::optional<mpi_error> compare_roots_of_group(const stated &now);
    std::optional<mpi_error> compare_bytes(const stated &now, claim_of_call which);
    std::optional<mpi_error> compare_elements(const stated &now, claim_of_call which);

    bool inter_;
    std::optional<stated> first_;
    std::optional<int> root_; ///< the rank of an inter-communicator's group that names MPI_ROOT
    std::optional<std::pair<stated, claim_of_call>> sized_; ///< the first that says bytes
    std::optional<std::pair<stated, claim_of_call>> typed_; ///< the first that says elements
};

} // namespace lisle::collective
