/* SPDX-License-Identifier: Apache-2.0
 * What the library of two_fabrics.cpp offers besides MPI, for tests. Fabrics are numbered: */
#ifndef LISLE_TESTS_TWO_FABRICS_H
#define LISLE_TESTS_TWO_FABRICS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Weak: the programs are linked with the usual library. */
#define TWO_FABRICS_CALL __attribute__((visibility("default"), weak))

enum { fabric_within_half, fabric_between_halves };

/* How many packets a fabric has carried, and how many bytes it has read from the memory of peers. */
TWO_FABRICS_CALL long two_fabrics_packets(int which);
TWO_FABRICS_CALL long two_fabrics_bytes_read(int which);
/* From now on a fabric carries nothing: all peers that are reached over it have failed. */
TWO_FABRICS_CALL void two_fabrics_kill(int which);

#ifdef __cplusplus
}
#endif

#endif
