// SPDX-License-Identifier: Apache-2.0
// The library of MPICH's C++ classes, which MPI-3.0 has removed, is named by C++ programs that were linked by
// its mpicxx. Those that call C alone need nothing of it: the classes are inline, and nothing is what is
// here. Of the others the loader names the object or function that they miss.
