/* SPDX-License-Identifier: Apache-2.0
 * To be preloaded: a rank that needs seconds to say what it has found. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

size_t fwrite(const void *text, size_t size, size_t count, FILE *stream) {
    static const char begin[] = "lisle: deadlock:";
    size_t (*const real)(const void *, size_t, size_t, FILE *) =
        (size_t(*)(const void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT, "fwrite");
    if (memmem(text, size * count, begin, sizeof begin - 1) != NULL) {
        sleep(3);
    }
    return real(text, size, count, stream);
}
