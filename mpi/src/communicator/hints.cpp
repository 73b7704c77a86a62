// SPDX-License-Identifier: Apache-2.0
// The hints' names.
#include "communicator/hints.hpp"

#include "base/error.hpp"

namespace lisle {

namespace {

struct hint_name {
    const char *key;
    assertion meaning;
};

constexpr hint_name hint_names[] = {
    {"mpi_assert_no_any_tag", assertion::no_any_tag},
    {"mpi_assert_no_any_source", assertion::no_any_source},
    {"mpi_assert_exact_length", assertion::exact_length},
    {"mpi_assert_allow_overtaking", assertion::allow_overtaking},
    {"mpi_assert_strict_start_ordering", assertion::strict_start_ordering},
    {"mpi_assert_strict_persistent_collective_ordering", assertion::strict_persistent_collective_ordering},
};

} // namespace

void communicator_hints::apply(const info &from) {
    unsigned set = 0;
    unsigned cleared = 0;
    for (const auto &[key, meaning] : hint_names) {
        const auto value = from.get(key);
        if (!value) {
            continue;
        }
        if (*value != "true" && *value != "false") {
            fail(MPI_ERR_INFO_VALUE, "the value of ", key, " is \"", *value, "\", but must be true or false");
        }
        (*value == "true" ? set : cleared) |= static_cast<unsigned>(meaning);
    }
    in_force_.fetch_or(set, std::memory_order_relaxed);
    in_force_.fetch_and(~cleared, std::memory_order_relaxed);
}

void communicator_hints::describe(info &into) const {
    for (const auto &[key, meaning] : hint_names) {
        into.set(key, holds(meaning) ? "true" : "false");
    }
}

} // namespace lisle
