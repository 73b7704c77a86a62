// SPDX-License-Identifier: Apache-2.0
// Timers [MPI-5.0 9.6]. The clock is monotonic and common to all ranks of a node.
#pragma once

namespace lisle::api {

double wtime();
double wtick();

} // namespace lisle::api
