/* SPDX-License-Identifier: Apache-2.0
 * A rank's threads have memory for the thread-local variables that there are, and none for the rest of the
 * 64 KiB that the host reserves. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { page = 4096, pages = 16, bytes = 3 * page };

static _Thread_local int numbers[bytes / sizeof(int)] = {1, 2, 3, [bytes / sizeof(int) - 1] = 4};

static int resident_pages(void) {
#ifdef __aarch64__
    const uintptr_t first = (uintptr_t)__builtin_thread_pointer() / page;
#else
    const uintptr_t first = (uintptr_t)__builtin_thread_pointer() / page - pages;
#endif
    unsigned char resident[pages + 1];
    if (mincore((void *)(first * page), (pages + 1) * page, resident) != 0) {
        perror("mincore");
        return pages + 1;
    }
    int count = 0;
    for (int i = 0; i <= pages; ++i) {
        count += resident[i] & 1;
    }
    return count;
}

static void *look(void *who) {
    const int resident = resident_pages();
    /* those of the variables, one on either side of them, and the host's notes at the far end */
    if (resident > bytes / page + 3) {
        fprintf(stderr, "%s: %d of %d pages are resident\n", (const char *)who, resident, pages + 1);
        return who;
    }
    if (numbers[0] != 1 || numbers[2] != 3 || numbers[3] != 0 || numbers[bytes / sizeof(int) - 1] != 4) {
        fprintf(stderr, "%s: variables without their initial values\n", (const char *)who);
        return who;
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    void *wrong = NULL;
    if (look("the first thread") != NULL || pthread_create(&thread, NULL, look, "a started thread") != 0 ||
        pthread_join(thread, &wrong) != 0) {
        return 1;
    }
    if (wrong == NULL) {
        puts("good");
    }
    return wrong != NULL;
}
