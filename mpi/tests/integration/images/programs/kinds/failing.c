/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

void fail_in_library(int how) {
    if (how != 0) {
        abort();
    }
    volatile int *volatile nowhere = (volatile int *)16;
    *nowhere = 0;
}
