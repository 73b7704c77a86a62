// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mpi.h"

namespace lisle::protocol {

/// What matching looks at. In a receive's pattern, source and tag may be MPI_ANY_SOURCE and MPI_ANY_TAG.
struct envelope {
    std::uint64_t context;
    int source;
    int tag;

    friend bool operator==(const envelope &, const envelope &) = default;

    /// Which of source and tag are wildcards: 0 none, 1 source, 2 tag, 3 both.
    [[nodiscard]] unsigned wildcards() const noexcept {
        return (source == MPI_ANY_SOURCE ? 1U : 0U) | (tag == MPI_ANY_TAG ? 2U : 0U);
    }
    /// This envelope of a message, with wildcards put in.
    [[nodiscard]] envelope blurred(unsigned wildcards) const noexcept {
        return {context, (wildcards & 1U) != 0 ? MPI_ANY_SOURCE : source,
                (wildcards & 2U) != 0 ? MPI_ANY_TAG : tag};
    }
    /// True if this pattern takes a message with that envelope.
    [[nodiscard, gnu::always_inline]] bool accepts(const envelope &message) const noexcept {
        return context == message.context && (source == MPI_ANY_SOURCE || source == message.source) &&
               (tag == MPI_ANY_TAG || tag == message.tag);
    }
};

} // namespace lisle::protocol
