// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle {
class rank;
}

namespace lisle::abi {

/// With LISLE_CHECK=1: lists the messages that have come for the rank and that no receive has taken, a line
/// for each of the first few. @pre nobody sends any more, the predefined communicators are there
void report_unreceived(rank &self);

} // namespace lisle::abi
