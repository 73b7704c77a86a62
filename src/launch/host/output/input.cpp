// SPDX-License-Identifier: Apache-2.0
// Standard input belongs to the job's first rank, or the one that -stdin names; the others find it empty, as
// processes do whose launcher gives them /dev/null.
#include "launch/environment.hpp"
#include "launch/host/image/private_object.hpp"
#include "launch/host/life/hosted_rank.hpp"
#include "launch/host/output/output.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace lisle::host {

namespace {

/// The rank that reads the input: the job's first, unless the launcher was told otherwise.
int reader() {
    static const int number = [] {
        const char *const said = std::getenv(launch::input_variable);
        return said != nullptr ? std::atoi(said) : 0;
    }();
    return number;
}

} // namespace

std::FILE *input_of(const hosted_rank &rank) {
    static std::FILE *const nothing = std::fopen("/dev/null", "re");
    return rank.number == reader() ? stdin : nothing;
}

std::span<const private_object> input_objects() {
    static constexpr std::array<private_object, 1> objects{{
        {"stdin", sizeof(std::FILE *),
         [](hosted_rank &rank, void *place) { *static_cast<std::FILE **>(place) = input_of(rank); }},
    }};
    return objects;
}

namespace {

std::FILE *this_input() {
    hosted_rank *const rank = this_rank();
    if (rank == nullptr) {
        return stdin;
    }
    rank->out.before_input();
    return input_of(*rank);
}

} // namespace

} // namespace lisle::host

// The functions that name no file.
extern "C" {

int getchar() {
    return std::getc(lisle::host::this_input());
}

int getchar_unlocked() {
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
