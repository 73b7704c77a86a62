/* SPDX-License-Identifier: Apache-2.0
 * Sequences of random numbers and of tokens: the same in each rank as in a process of its own. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int main(void) {
    unsigned long sum = 0;
    for (int i = 0; i < 1000; ++i) {
        sum = sum * 31 + (unsigned)rand() + (unsigned long)lrand48();
        sched_yield();
    }
    printf("%lx %a ", sum, drand48());
    srand(17);
    srand48(23);
    for (int i = 0; i < 1000; ++i) {
        sum = sum * 31 + (unsigned)rand() + (unsigned long)random() + (unsigned long)mrand48();
    }
    char state[64];
    char *const former = initstate(5, state, sizeof state);
    sum = sum * 31 + (unsigned long)random();
    setstate(former);
    sum = sum * 31 + (unsigned long)random();
    printf("%lx", sum);
    char text[] = "one two,three four";
    for (char *token = strtok(text, " ,"); token != NULL; token = strtok(NULL, " ,")) {
        printf(" %s", token);
        sched_yield();
    }
    umask(022);
    printf(" %o\n", umask(077));
    return 0;
}
