/* SPDX-License-Identifier: Apache-2.0
 * Each rank must find its variables as the program initialises them, and keep what it writes. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

int lone_job_rank(void);

int global = 11;
int zeroed[1000];
static int file_static = 22;
static int *pointer = &file_static;
_Thread_local int own = 33;
static _Thread_local int *own_pointer = &global;
static _Thread_local char own_zeroed[3000];
static _Thread_local _Alignas(64) double own_aligned = 1.5;

static int function_static(void) {
    static int calls = 0;
    return ++calls;
}

int main(int argc, char **argv) {
    int bad = 0;
    bad |= global != 11 || file_static != 22 || own != 33 || own_aligned != 1.5;
    bad |= pointer != &file_static || own_pointer != &global;
    bad |= ((unsigned long)&own_aligned % 64) != 0;
    const int rank = lone_job_rank();
    for (int round = 1; round <= 2000; ++round) {
        global += rank;
        *pointer += rank;
        own += rank;
        own_aligned += rank;
        zeroed[round % 1000] += rank;
        own_zeroed[round] = (char)(own_zeroed[round] + rank);
        bad |= function_static() != round;
    }
    bad |= global != 11 + 2000 * rank || file_static != 22 + 2000 * rank || own != 33 + 2000 * rank;
    bad |= zeroed[7] != 2 * rank || own_zeroed[7] != (char)rank || own_aligned != 1.5 + 2000.0 * rank;
    strcpy(argv[argc - 1], "x"); /* arguments are the rank's to write on */
    printf("rank %d %s\n", rank, bad ? "BAD" : "good");
    return bad;
}
