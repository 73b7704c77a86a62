/* SPDX-License-Identifier: Apache-2.0
 * Becomes another program. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
    execl("/bin/echo", "echo", "became another", (char *)NULL);
    return 5;
}
