// SPDX-License-Identifier: Apache-2.0
// A fabric around another one that logs each packet that goes through it (LISLE_LOG=packets): who sends what
// to whom. It offers no mailbox, so that all packets come this way; everything else is the fabric's own.
#pragma once

#include <memory>

#include "fabric/fabric.hpp"

namespace lisle {

/// The fabric itself unless the environment asks for a log of packets or of the network. @param track that it
/// serves
[[nodiscard]] std::unique_ptr<fabric::fabric> logged(std::unique_ptr<fabric::fabric> carrier, int track = 0);

} // namespace lisle
