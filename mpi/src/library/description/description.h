/* SPDX-License-Identifier: Apache-2.0
 * What the library says of itself and of the machine that it is on, for lisle-info: plain C with default
 * visibility, so that the program that asks may be of another compiler. Not for users. */
#ifndef LISLE_DESCRIPTION_H
#define LISLE_DESCRIPTION_H

#ifdef __cplusplus
extern "C" {
#endif

/* One fact: "fabrics", "lisle-tcp on eth0", "used", "192.0.2.7". The words live until the call returns;
 * remark may be empty. */
typedef void lisle_tell_function(void *to, const char *section, const char *name, const char *value,
                                 const char *remark);

/* Tells all facts, section by section, in the order in which people read them. May be called before MPI_Init.
 * Opens no connection; asks libfabric only where a job would. */
__attribute__((visibility("default"))) void lisle_describe(lisle_tell_function *tell, void *to);

#ifdef __cplusplus
}
#endif

#endif
