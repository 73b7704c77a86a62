// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <lisle/communicator.hpp>

#include "couple/rejection.hpp"

namespace lisle::couple::detail {

/// Throws at all ranks if any has a sentence: that of the first such rank.
inline void agree_on(const communicator &ranks, const std::string &own) {
    const int first = ranks.allreduce(own.empty() ? ranks.size() : ranks.rank(), minimum{});
    if (first != ranks.size()) {
        std::string sentence = own;
        ranks.broadcast(resized(sentence), {.root = first});
        reject(sentence + " (rank " + std::to_string(first) + ")");
    }
}

} // namespace lisle::couple::detail
