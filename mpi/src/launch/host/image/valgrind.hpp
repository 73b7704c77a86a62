// SPDX-License-Identifier: Apache-2.0
// Valgrind reads the symbols of a file when it has seen code and variables of it mapped, and once for each
// file. The images of all ranks have their code from one file and their variables from none, so under
// valgrind each gets both from a copy of the file, which is removed as soon as it is mapped.
#pragma once

#include "launch/host/image/closure.hpp"

namespace lisle::host {

/// Whether the process runs under valgrind.
[[nodiscard]] bool under_valgrind();

/// Lets valgrind read the symbols of this image of a file, whose variables keep their values. Throws
/// `refusal`.
void show_to_valgrind(const module &which, std::byte *base);

} // namespace lisle::host
