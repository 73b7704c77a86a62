/* SPDX-License-Identifier: Apache-2.0
 * With -fPIE the program holds a copy of the library's variable, with -fPIC it uses the library's. */
#include "shared_variable.h"

#include <stdio.h>

int main(void) {
    const int now = change_shared_variable();
    printf("%d\n", now);
    return now < 2 || __atomic_load_n(&shared_variable, __ATOMIC_RELAXED) < now;
}
