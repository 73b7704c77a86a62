// SPDX-License-Identifier: Apache-2.0
// The functions that print to stdout without naming it, for ranks. Those that are not here (psignal, perror,
// ...) print to the process's files and reach the rank's from there.
#include "launch/host/output/output.hpp"

#include <cstdarg>
#include <cstdio>

using lisle::host::this_output;

// Some names are macros or inline in headers, so symbols are named apart from functions.
extern "C" {

int lisle_putchar(int character) asm("putchar");
int lisle_putchar(int character) {
    return std::putc(character, this_output());
}

int lisle_putchar_unlocked(int character) asm("putchar_unlocked");
int lisle_putchar_unlocked(int character) {
    return putc_unlocked(character, this_output());
}

int lisle_puts(const char *text) asm("puts");
int lisle_puts(const char *text) {
    std::FILE *const file = this_output();
    flockfile(file);
    const bool good = fputs_unlocked(text, file) >= 0 && putc_unlocked('\n', file) != EOF;
    funlockfile(file);
    return good ? 1 : EOF;
}

int lisle_vprintf(const char *format, std::va_list arguments) asm("vprintf");
int lisle_vprintf(const char *format, std::va_list arguments) {
    return std::vfprintf(this_output(), format, arguments);
}

int lisle_printf(const char *format, ...) asm("printf");
int lisle_printf(const char *format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int length = std::vfprintf(this_output(), format, arguments);
    va_end(arguments);
    return length;
}

// The forms that fortified programs call: a positive flag forbids %n in memory that can be written to.
int __vfprintf_chk(std::FILE *file, int flag, const char *format, std::va_list arguments);

int lisle_vprintf_chk(int flag, const char *format, std::va_list arguments) asm("__vprintf_chk");
int lisle_vprintf_chk(int flag, const char *format, std::va_list arguments) {
    return __vfprintf_chk(this_output(), flag, format, arguments);
}

int lisle_printf_chk(int flag, const char *format, ...) asm("__printf_chk");
int lisle_printf_chk(int flag, const char *format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int length = __vfprintf_chk(this_output(), flag, format, arguments);
    va_end(arguments);
    return length;
}

} // extern "C"
