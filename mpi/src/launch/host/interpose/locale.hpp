// SPDX-License-Identifier: Apache-2.0
// The locale that setlocale and std::locale::global set: the C library and the C++ library keep one for the
// process, each rank has its own.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

namespace lisle::host {

/// The calling thread is one that the rank has started: it begins with the rank's locale.
void take_locale_of(hosted_rank &rank);

} // namespace lisle::host
