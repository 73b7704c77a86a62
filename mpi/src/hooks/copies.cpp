// SPDX-License-Identifier: Apache-2.0
// The C library's copies, which compilers do not instrument: the linker lets a program's calls come here
// (--wrap).
#include <cstddef>

#include "hooks/note.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
using lisle::memory_access;
using lisle::hooks::note;

extern "C" {

void *__real_memcpy(void *to, const void *from, std::size_t bytes);
void *__real_memmove(void *to, const void *from, std::size_t bytes);
void *__real_memset(void *to, int value, std::size_t bytes);

void *__wrap_memcpy(void *to, const void *from, std::size_t bytes) {
    note(from, bytes, memory_access::load, __builtin_return_address(0));
    note(to, bytes, memory_access::store, __builtin_return_address(0));
    return __real_memcpy(to, from, bytes);
}
void *__wrap_memmove(void *to, const void *from, std::size_t bytes) {
    note(from, bytes, memory_access::load, __builtin_return_address(0));
    note(to, bytes, memory_access::store, __builtin_return_address(0));
    return __real_memmove(to, from, bytes);
}
void *__wrap_memset(void *to, int value, std::size_t bytes) {
    note(to, bytes, memory_access::store, __builtin_return_address(0));
    return __real_memset(to, value, bytes);
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
