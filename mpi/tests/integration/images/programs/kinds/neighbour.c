/* SPDX-License-Identifier: Apache-2.0
 * A library that needs no other. */
int shared_count(void) {
    static int count;
    return ++count;
}
