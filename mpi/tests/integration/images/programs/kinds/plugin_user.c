/* SPDX-License-Identifier: Apache-2.0
 * Refers to a library that it does not name. */
int helper_counts(void);

int user_counts(void) {
    return helper_counts() + 1;
}
