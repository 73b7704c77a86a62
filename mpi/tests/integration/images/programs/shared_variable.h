/* SPDX-License-Identifier: Apache-2.0
 * A variable that a shared library of the user's own offers and changes. */
extern int shared_variable;
int change_shared_variable(void);
