// SPDX-License-Identifier: Apache-2.0
// The C library's functions that read standard input without naming it, for ranks.
#include "launch/host/output/output.hpp"

#include <cstdarg>
#include <cstdio>

namespace lisle::host {

namespace {

std::FILE *this_input() {
    hosted_rank *const rank = this_rank();
    if (rank == nullptr) {
        return stdin;
    }
    rank_streams.of(*rank).out.before_input();
    return input_of(*rank);
}

} // namespace

} // namespace lisle::host

extern "C" {

// Not under their own names, which the C library's headers define in each file when the compiler optimises.
int lisle_getchar() asm("getchar");
int lisle_getchar() {
    return std::getc(lisle::host::this_input());
}

int lisle_getchar_unlocked() asm("getchar_unlocked");
int lisle_getchar_unlocked() {
    return getc_unlocked(lisle::host::this_input());
}

// Under both names: headers choose between them by the language's version.
int lisle_vscanf(const char *format, std::va_list arguments) asm("vscanf");
int lisle_vscanf(const char *format, std::va_list arguments) {
    return std::vfscanf(lisle::host::this_input(), format, arguments);
}

int lisle_scanf(const char *format, ...) asm("scanf");
int lisle_scanf(const char *format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int result = std::vfscanf(lisle::host::this_input(), format, arguments);
    va_end(arguments);
    return result;
}

int lisle_isoc99_vscanf(const char *format, std::va_list arguments) asm("__isoc99_vscanf");
int lisle_isoc99_vscanf(const char *format, std::va_list arguments) {
    return std::vfscanf(lisle::host::this_input(), format, arguments);
}

int lisle_isoc99_scanf(const char *format, ...) asm("__isoc99_scanf");
int lisle_isoc99_scanf(const char *format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int result = std::vfscanf(lisle::host::this_input(), format, arguments);
    va_end(arguments);
    return result;
}

} // extern "C"
