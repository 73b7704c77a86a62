// SPDX-License-Identifier: Apache-2.0
// Which rank a sanitizer's report is about. The runtime (image/sanitizer.hpp) writes the report and knows of
// threads only; the rank is said in a line of its own: behind a report of AddressSanitizer or
// ThreadSanitizer, in front of one of UndefinedBehaviorSanitizer and of each leak.
#pragma once

#include "launch/host/life/life.hpp"

namespace lisle::host {

/// From now on each report of an error names the rank.
void name_ranks_in_reports();

/// Looks for leaks, as the sanitizer would when the process ends, and names the ranks whose code has
/// allocated what is lost. Ends the process as the sanitizer does if there are any. Nothing without a
/// sanitizer that knows of leaks. @pre all ranks have ended; they live as long as the process
void look_for_leaks(const rank_list &ranks);

} // namespace lisle::host
