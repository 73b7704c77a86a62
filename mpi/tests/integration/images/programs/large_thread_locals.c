/* SPDX-License-Identifier: Apache-2.0
 * More thread-local memory than the host reserves. */
static _Thread_local volatile char large[100000];

int main(int argc, char **argv) {
    (void)argv;
    return large[argc];
}
