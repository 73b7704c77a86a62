// SPDX-License-Identifier: Apache-2.0
// What a run has done otherwise than usual, in sentences.
#pragma once

#include <string>
#include <vector>

#include "choice/choice.hpp"

namespace lisle::launch {

/// "rank 0: MPI_Recv at master.c:41 takes rank 2's message before rank 1's"
[[nodiscard]] std::string sentence_of(const choice::decision &made);

/// A line for each choice that departs from the usual; one that says so if there is none.
[[nodiscard]] std::vector<std::string> story_of(const choice::account &made, const choice::buffering &sends);

/// 1,234,567; from a million on 3 x 10^7.
[[nodiscard]] std::string number_in_words(double number);
/// About so many; more than can be said where it is too large.
[[nodiscard]] std::string expected_in_words(double number);

} // namespace lisle::launch
