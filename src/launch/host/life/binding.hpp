// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::host {

/// Binds the calling thread, a rank with this number, to its core if the launcher asks for that
/// (`--bind-to core`): ranks take the cores that the process may use in turn.
void bind_as_asked(int number);

} // namespace lisle::host
