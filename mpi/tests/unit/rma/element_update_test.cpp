// SPDX-License-Identifier: Apache-2.0
// Updates of elements against the definition of each operation, in every manner: by the processor, under the
// lock, alone, and on elements with gaps.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "../error_code.hpp"
#include "datatype/predefined.hpp"
#include "rma/elements/element_update.hpp"

namespace {

using namespace lisle;

/// What an update makes of one element, and the value that it tells.
template <class T> struct updated {
    T target, former;
    friend bool operator==(const updated &, const updated &) = default;
};
template <class T>
updated<T> update(MPI_Op operation, MPI_Datatype type, T target, T operand, spin_lock *lock) {
    alignas(16) T there = target;
    T former{};
    rma::element_update{*find_op(operation), *find_datatype(type)}.apply(
        reinterpret_cast<std::byte *>(&there), reinterpret_cast<const std::byte *>(&operand),
        reinterpret_cast<std::byte *>(&former), 1, {lock});
    return {there, former};
}

template <class T> void check_numbers(MPI_Datatype type) {
    spin_lock lock;
    for (spin_lock *const used : {&lock, static_cast<spin_lock *>(nullptr)}) {
        const T two{2}, three{3};
        EXPECT_EQ(update(MPI_SUM, type, three, two, used), (updated<T>{5, 3}));
        EXPECT_EQ(update(MPI_PROD, type, three, two, used), (updated<T>{6, 3}));
        EXPECT_EQ(update(MPI_MIN, type, three, two, used), (updated<T>{2, 3}));
        EXPECT_EQ(update(MPI_MAX, type, three, two, used), (updated<T>{3, 3}));
        EXPECT_EQ(update(MPI_REPLACE, type, three, two, used), (updated<T>{2, 3}));
        EXPECT_EQ(update(MPI_NO_OP, type, three, two, used), (updated<T>{3, 3}));
    }
}

TEST(element_update, computes_on_numbers) {
    check_numbers<signed char>(MPI_SIGNED_CHAR);
    check_numbers<unsigned short>(MPI_UNSIGNED_SHORT);
    check_numbers<int>(MPI_INT);
    check_numbers<std::int64_t>(MPI_INT64_T);
    check_numbers<float>(MPI_FLOAT);
    check_numbers<double>(MPI_DOUBLE);
    check_numbers<long double>(MPI_LONG_DOUBLE); // which no instruction changes at once
}

TEST(element_update, computes_on_bits_and_truths) {
    spin_lock lock;
    EXPECT_EQ(update<int>(MPI_BAND, MPI_INT, 12, 10, {&lock}), (updated<int>{8, 12}));
    EXPECT_EQ(update<int>(MPI_BOR, MPI_INT, 12, 10, {&lock}), (updated<int>{14, 12}));
    EXPECT_EQ(update<int>(MPI_BXOR, MPI_INT, 12, 10, {&lock}), (updated<int>{6, 12}));
    EXPECT_EQ(update<int>(MPI_LAND, MPI_INT, 12, 0, {&lock}), (updated<int>{0, 12}));
    EXPECT_EQ(update<int>(MPI_LXOR, MPI_INT, 12, 1, {&lock}), (updated<int>{0, 12}));
}

TEST(element_update, leaves_gaps_of_pairs_alone) {
    struct pair {
        double value;
        int index, gap;
        bool operator==(const pair &) const = default;
    };
    pair there[2] = {{1.0, 7, 100}, {5.0, 3, 200}};
    struct [[gnu::packed]] dense {
        double value;
        int index;
    };
    const dense operands[2] = {{2.0, 9}, {4.0, 1}};
    dense former[2] = {};
    static_assert(sizeof(dense) == 12);
    spin_lock lock;
    rma::element_update{*find_op(MPI_MAXLOC), *find_datatype(MPI_DOUBLE_INT)}.apply(
        reinterpret_cast<std::byte *>(there), reinterpret_cast<const std::byte *>(operands),
        reinterpret_cast<std::byte *>(former), 2, {&lock});
    EXPECT_EQ(there[0], (pair{2.0, 9, 100}));
    EXPECT_EQ(there[1], (pair{5.0, 3, 200}));
    EXPECT_EQ(former[0].index, 7);
    EXPECT_EQ(former[1].index, 3);
}

TEST(element_update, changes_elements_that_are_not_aligned) {
    alignas(8) std::byte memory[16] = {};
    const int operand = 5;
    spin_lock lock;
    const rma::element_update add{*find_op(MPI_SUM), *find_datatype(MPI_INT)};
    add.apply(memory + 1, reinterpret_cast<const std::byte *>(&operand), nullptr, 1, {&lock});
    add.apply(memory + 1, reinterpret_cast<const std::byte *>(&operand), nullptr, 1, {&lock});
    int found = 0;
    std::memcpy(&found, memory + 1, sizeof found);
    EXPECT_EQ(found, 10);
}

TEST(element_update, loses_nothing_among_threads) {
    alignas(8) double sum = 0;
    alignas(16) long double long_sum = 0;
    spin_lock lock;
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t) {
        all.emplace_back([&] {
            const double one = 1;
            const long double long_one = 1;
            const rma::element_update add{*find_op(MPI_SUM), *find_datatype(MPI_DOUBLE)};
            const rma::element_update add_long{*find_op(MPI_SUM), *find_datatype(MPI_LONG_DOUBLE)};
            for (int i = 0; i < 10'000; ++i) {
                add.apply(reinterpret_cast<std::byte *>(&sum), reinterpret_cast<const std::byte *>(&one),
                          nullptr, 1, {&lock});
                add_long.apply(reinterpret_cast<std::byte *>(&long_sum),
                               reinterpret_cast<const std::byte *>(&long_one), nullptr, 1, {&lock});
            }
        });
    }
    for (std::thread &each : all) {
        each.join();
    }
    EXPECT_EQ(sum, 40'000);
    EXPECT_EQ(long_sum, 40'000);
}

/// What another process does to memory that it reaches by copies of the kernel: no instruction changes it.
template <class Change> void change_as_copied(spin_lock &lock, long &element, Change change) {
    const std::scoped_lock guard{lock};
    volatile long &there = element;
    const long seen = there;
    relax();
    there = change(seen);
}

TEST(element_update, changes_copied_memory_under_the_lock_alone) {
    constexpr int rounds = 100'000;
    alignas(8) long sum = 0, swapped = 0;
    spin_lock lock;
    std::thread other{[&] {
        for (int i = 0; i < rounds; ++i) {
            change_as_copied(lock, sum, [](long seen) { return seen + 1; });
            change_as_copied(lock, swapped, [](long seen) { return seen + 1; });
        }
    }};
    const rma::element_update add{*find_op(MPI_SUM), *find_datatype(MPI_LONG)};
    const long one = 1;
    for (int i = 0; i < rounds; ++i) {
        add.apply(reinterpret_cast<std::byte *>(&sum), reinterpret_cast<const std::byte *>(&one), nullptr, 1,
                  {&lock, true});
        for (long expected = 0, former = 0;; expected = former) {
            const long next = expected + 1;
            if (rma::compare_and_swap(*find_datatype(MPI_LONG), reinterpret_cast<std::byte *>(&swapped),
                                      reinterpret_cast<const std::byte *>(&expected),
                                      reinterpret_cast<const std::byte *>(&next),
                                      reinterpret_cast<std::byte *>(&former), {&lock, true})) {
                break;
            }
        }
    }
    other.join();
    EXPECT_EQ(sum, 2L * rounds);
    EXPECT_EQ(swapped, 2L * rounds);
}

TEST(element_update, changes_bytes_in_one_piece_as_a_whole) {
    constexpr std::size_t length = 16;
    std::byte memory[length] = {};
    spin_lock lock;
    std::atomic<bool> ended{false};
    std::thread writer{[&] {
        const rma::element_update replace{*find_op(MPI_REPLACE), *find_datatype(MPI_BYTE)};
        for (int i = 0; i < 100'000; ++i) {
            std::byte value[length];
            std::memset(value, i % 251, length);
            replace.apply(memory, value, nullptr, length, {&lock});
        }
        ended.store(true);
    }};
    const rma::element_update read{*find_op(MPI_NO_OP), *find_datatype(MPI_BYTE)};
    bool whole = true;
    while (whole && !ended.load()) {
        std::byte found[length];
        read.apply(memory, nullptr, found, length, {&lock});
        whole = std::memcmp(found, found + 1, length - 1) == 0;
    }
    writer.join();
    EXPECT_TRUE(whole);
}

TEST(element_update, refuses_what_is_not_defined) {
    const auto make = [](MPI_Op operation, MPI_Datatype type) {
        return [=] { rma::element_update{*find_op(operation), *find_datatype(type)}; };
    };
    EXPECT_EQ(code_of(make(MPI_BAND, MPI_DOUBLE)), MPI_ERR_OP);
    EXPECT_EQ(code_of(make(MPI_REPLACE, MPI_DOUBLE_INT)), MPI_SUCCESS);
    EXPECT_EQ(code_of([] { rma::check_compare_type(*find_datatype(MPI_DOUBLE)); }), MPI_ERR_TYPE);
    EXPECT_EQ(code_of([] { rma::check_compare_type(*find_datatype(MPI_INT)); }), MPI_SUCCESS);
    EXPECT_EQ(code_of([] { rma::check_compare_type(*find_datatype(MPI_CHAR)); }), MPI_SUCCESS);
    EXPECT_EQ(code_of([] { rma::check_compare_type(*find_datatype(MPI_WCHAR)); }), MPI_ERR_TYPE);
}

TEST(element_update, swaps_if_equal) {
    spin_lock lock;
    int there = 4;
    const int four = 4, five = 5, six = 6;
    int former = 0;
    const auto swap = [&](const int &compare, const int &next) {
        return rma::compare_and_swap(*find_datatype(MPI_INT), reinterpret_cast<std::byte *>(&there),
                                     reinterpret_cast<const std::byte *>(&compare),
                                     reinterpret_cast<const std::byte *>(&next),
                                     reinterpret_cast<std::byte *>(&former), {&lock});
    };
    EXPECT_FALSE(swap(five, six));
    EXPECT_EQ(there, 4);
    EXPECT_EQ(former, 4);
    EXPECT_TRUE(swap(four, six));
    EXPECT_EQ(there, 6);
    EXPECT_EQ(former, 4);
}

TEST(element_update, knows_what_an_instruction_does_with_a_type) {
    const auto is = [](MPI_Datatype type, int plain, int word, bool adds, bool compares) {
        const rma::element_traits traits = rma::traits_of(type);
        return traits.plain_size == plain && traits.word_size == word && traits.adds == adds &&
               traits.compares == compares;
    };
    EXPECT_TRUE(is(MPI_LONG, 8, 8, true, true));
    EXPECT_TRUE(is(MPI_UINT32_T, 4, 4, true, true));
    EXPECT_TRUE(is(MPI_AINT, 8, 8, true, true));
    EXPECT_TRUE(is(MPI_DOUBLE, 8, 8, false, false));
    EXPECT_TRUE(is(MPI_C_BOOL, 1, 1, false, true));
    EXPECT_TRUE(is(MPI_LONG_DOUBLE, 16, 0, false, false));
    EXPECT_TRUE(is(MPI_C_FLOAT_COMPLEX, 8, 0, false, false)); // aligned to a part only
    EXPECT_EQ(rma::traits_of(MPI_2INT).word_size, 0);
    EXPECT_TRUE(is(MPI_DATATYPE_NULL, 0, 0, false, false));
    const datatype *const derived = find_datatype(MPI_LONG);
    EXPECT_TRUE(is(handle_of<MPI_Datatype>(*const_cast<datatype *>(derived)), 0, 0, false, false));
}

} // namespace
