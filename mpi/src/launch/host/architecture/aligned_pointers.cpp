// SPDX-License-Identifier: Apache-2.0
// A library of one variable, which nobody reads. The C library aligns each thread's pointer as the strictest
// thread-local variable asks for of the libraries with which the process begins. Where the host's own block
// must not be aligned (architecture_aarch64.cpp), this variable asks in its stead.
extern "C" [[gnu::visibility("default")]] thread_local char lisle_aligned_pointers;
alignas(64) constinit thread_local char lisle_aligned_pointers = 0;
