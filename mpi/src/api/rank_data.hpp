// SPDX-License-Identifier: Apache-2.0
// The end of the data that MPIX_Rank_data has made for a rank.
#pragma once

namespace lisle {

/// The first thing that the end of a session does: if nothing else keeps MPI running the rank's data end,
/// too.
void end_rank_data_of_session();

} // namespace lisle
