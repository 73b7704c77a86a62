/* SPDX-License-Identifier: Apache-2.0 */
int nobody_has_this(void);
int (*const refers)(void) = &nobody_has_this;
