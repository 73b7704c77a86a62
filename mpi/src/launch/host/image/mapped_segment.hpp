// SPDX-License-Identifier: Apache-2.0
// A segment of a program's file in place of the one that the loader has put into an image.
#pragma once

#include "launch/host/image/closure.hpp"

namespace lisle::host {

/// Maps the segment's pages from this file over those of the image at `base`. Throws `refusal`.
void map_segment(const module &owner, int file, const segment &which, std::byte *base);

} // namespace lisle::host
