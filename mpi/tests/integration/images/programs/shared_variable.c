/* SPDX-License-Identifier: Apache-2.0 */
#include "shared_variable.h"

int shared_variable = 1;

int change_shared_variable(void) {
    return __atomic_add_fetch(&shared_variable, 1, __ATOMIC_RELAXED); /* ranks may share it */
}
