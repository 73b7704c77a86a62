// SPDX-License-Identifier: Apache-2.0
// Allocations that fail on demand. counted_allocations.cpp replaces all ways to allocate, those that the C++
// library uses included: in a program, or as a library that is loaded first, so that it serves the ranks of a
// process, too.
#pragma once

extern "C" {

/// From now on the calling thread's allocations are counted, and the one with this number fails; 0: none
/// does.
void counted_begin(long failing);
/// The same, and from that one on all fail for so long. @param failing not 0
void counted_begin_refusing(long failing, double seconds);
/// @return how many there were
long counted_end();
/// Ends the counting as well. @return the number of the allocation that was to fail, for a later
/// counted_begin()
long counted_pause();
/// How many pieces of memory the calling thread has allocated since counted_begin(), and not freed.
long counted_outstanding();
}
