// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <lisle/communicator.hpp>

#include "couple/rejection.hpp"

namespace lisle::couple::detail {

/// Throws at all ranks if any has a sentence: that of the first such rank.
/// @param names_rank whether the rank is said behind it
inline void agree_on(const communicator &ranks, const std::string &own, bool names_rank = true) {
    const int first = ranks.allreduce(own.empty() ? ranks.size() : ranks.rank(), minimum{});
    if (first != ranks.size()) {
        std::string sentence = own;
        ranks.broadcast(resized(sentence), {.root = first});
        reject(names_rank ? sentence + " (rank " + std::to_string(first) + ")" : sentence);
    }
}

} // namespace lisle::couple::detail
