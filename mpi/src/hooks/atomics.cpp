// SPDX-License-Identifier: Apache-2.0
// Atomic operations, which compilers leave to these functions with -fsanitize=thread. They are carried out in
// the strongest order, which no weaker one contradicts. The library is not told of them: atomic operations of
// a program race with none of its own, and what they order it cannot know.
#include <cstdint>

// NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses): the compilers' names
#define LISLE_CHANGE(bits, what)                                                                             \
    type##bits __tsan_atomic##bits##_##what(volatile type##bits *address, type##bits operand, int) {         \
        return __atomic_##what(address, operand, __ATOMIC_SEQ_CST);                                          \
    }
#define LISLE_ATOMICS(bits)                                                                                  \
    using type##bits = std::uint##bits##_t;                                                                  \
    type##bits __tsan_atomic##bits##_load(const volatile type##bits *address, int) {                         \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                   \
    }                                                                                                        \
    void __tsan_atomic##bits##_store(volatile type##bits *address, type##bits value, int) {                  \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                        \
    type##bits __tsan_atomic##bits##_exchange(volatile type##bits *address, type##bits value, int) {         \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                                        \
    LISLE_CHANGE(bits, fetch_add)                                                                            \
    LISLE_CHANGE(bits, fetch_sub)                                                                            \
    LISLE_CHANGE(bits, fetch_and)                                                                            \
    LISLE_CHANGE(bits, fetch_or)                                                                             \
    LISLE_CHANGE(bits, fetch_xor)                                                                            \
    LISLE_CHANGE(bits, fetch_nand)                                                                           \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type##bits *address, type##bits *expected,    \
                                                      type##bits wanted, int, int) {                         \
        return __atomic_compare_exchange_n(address, expected, wanted, 0, __ATOMIC_SEQ_CST,                   \
                                           __ATOMIC_SEQ_CST);                                                \
    }                                                                                                        \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type##bits *address, type##bits *expected,      \
                                                    type##bits wanted, int, int) {                           \
        return __atomic_compare_exchange_n(address, expected, wanted, 1, __ATOMIC_SEQ_CST,                   \
                                           __ATOMIC_SEQ_CST);                                                \
    }                                                                                                        \
    type##bits __tsan_atomic##bits##_compare_exchange_val(volatile type##bits *address, type##bits expected, \
                                                          type##bits wanted, int, int) {                     \
        __atomic_compare_exchange_n(address, &expected, wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
        return expected;                                                                                     \
    }

extern "C" {

LISLE_ATOMICS(8)
LISLE_ATOMICS(16)
LISLE_ATOMICS(32)
LISLE_ATOMICS(64)

void __tsan_atomic_thread_fence(int) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses)
