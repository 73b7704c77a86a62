// SPDX-License-Identifier: Apache-2.0
// lislerun on another host: what the launcher's agent starts there. It starts the supervisor of this host's
// part of the job, carries messages between the two, and between the launcher and the hosts behind this one.
// If the launcher goes, all goes.
#pragma once

namespace lisle::launch {

/// lislerun --keeper. Returns its exit code.
int keep_host();

} // namespace lisle::launch
