/* SPDX-License-Identifier: Apache-2.0 */
static int calls;

int helper_counts(void) {
    return ++calls * 1000;
}
