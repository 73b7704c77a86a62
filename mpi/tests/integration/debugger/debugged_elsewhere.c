/* SPDX-License-Identifier: Apache-2.0
 * The other file of debugged.c. */
int elsewhere = 1;
static int inside;

int bump(int rank);

int bump(int rank) {
    inside = 500 + rank;
    return inside - 100;
}
