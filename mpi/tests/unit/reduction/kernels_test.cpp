// SPDX-License-Identifier: Apache-2.0
// The predefined operations on arrays of every predefined datatype, against the same computation written
// plainly here, and against the standard's table of what is allowed.
#include <gtest/gtest.h>

#include <climits>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "api/datatype.hpp"
#include "base/error.hpp"
#include "base/real_types.hpp"
#include "datatype/predefined.hpp"
#include "reduction/kernel_sets.hpp"
#include "reduction/op.hpp"

namespace lisle {
namespace {

const std::map<std::string, MPI_Op> operations{
    {"sum", MPI_SUM},   {"prod", MPI_PROD}, {"min", MPI_MIN},       {"max", MPI_MAX},
    {"band", MPI_BAND}, {"bor", MPI_BOR},   {"bxor", MPI_BXOR},     {"land", MPI_LAND},
    {"lor", MPI_LOR},   {"lxor", MPI_LXOR}, {"minloc", MPI_MINLOC}, {"maxloc", MPI_MAXLOC},
};

bool defined(const char *operation, MPI_Datatype type) {
    try {
        find_op(operations.at(operation))->check(*find_datatype(type));
        return true;
    } catch (const mpi_error &error) {
        EXPECT_EQ(error.code(), MPI_ERR_OP);
        EXPECT_NE(std::strlen(error.what()), 0U);
        return false;
    }
}

constexpr std::size_t length = 37;

/// Reduces two arrays that begin at an odd address and compares with `expected`.
template <class T> void expect(const char *operation, const datatype &type, const std::vector<T> &in,
                               const std::vector<T> &inout, const std::function<T(T, T)> &expected) {
    const std::size_t bytes = in.size() * sizeof(T);
    std::vector<char> first(bytes + 1), second(bytes + 2, 'g');
    std::memcpy(first.data() + 1, in.data(), bytes);
    std::memcpy(second.data() + 1, inout.data(), bytes);
    const auto &op = *find_op(operations.at(operation));
    op.check(type);
    op.apply(first.data() + 1, second.data() + 1,
             static_cast<MPI_Count>(bytes) / static_cast<MPI_Count>(type.extent()), type);
    for (std::size_t i = 0; i < in.size(); ++i) {
        T result;
        std::memcpy(&result, second.data() + 1 + i * sizeof(T), sizeof result);
        EXPECT_TRUE(result == expected(in[i], inout[i])) << operation << ", element " << i;
    }
    EXPECT_EQ(second.front(), 'g');
    EXPECT_EQ(second.back(), 'g');
}

template <class T> std::vector<T> random_integers(unsigned seed) {
    std::mt19937_64 random{seed};
    std::vector<T> values(length);
    for (auto &value : values) {
        value = static_cast<T>(random());
        if (random() % 4 == 0) {
            value = 0;
        }
    }
    return values;
}

template <class T> void integers(MPI_Datatype handle, bool logical) {
    const auto &type = *find_datatype(handle);
    const auto a = random_integers<T>(1), b = random_integers<T>(2);
    using wide = unsigned long long;
    const auto test = [&](const char *operation, auto function) {
        expect<T>(operation, type, a, b, [function](T x, T y) { return static_cast<T>(function(x, y)); });
    };
    test("sum", [](T x, T y) { return static_cast<wide>(x) + static_cast<wide>(y); });
    test("prod", [](T x, T y) { return static_cast<wide>(x) * static_cast<wide>(y); });
    test("min", [](T x, T y) { return x < y ? x : y; });
    test("max", [](T x, T y) { return x < y ? y : x; });
    test("band", [](T x, T y) { return x & y; });
    test("bor", [](T x, T y) { return x | y; });
    test("bxor", [](T x, T y) { return x ^ y; });
    if (logical) {
        test("land", [](T x, T y) { return x != 0 && y != 0; });
        test("lor", [](T x, T y) { return x != 0 || y != 0; });
        test("lxor", [](T x, T y) { return (x != 0) != (y != 0); });
    } else {
        EXPECT_FALSE(defined("land", handle));
    }
    EXPECT_FALSE(defined("minloc", handle));
}

TEST(kernels, c_integers) {
    integers<signed char>(MPI_SIGNED_CHAR, true);
    integers<unsigned char>(MPI_UNSIGNED_CHAR, true);
    integers<short>(MPI_SHORT, true);
    integers<unsigned short>(MPI_UNSIGNED_SHORT, true);
    integers<int>(MPI_INT, true);
    integers<unsigned>(MPI_UNSIGNED, true);
    integers<long>(MPI_LONG, true);
    integers<unsigned long>(MPI_UNSIGNED_LONG, true);
    integers<long long>(MPI_LONG_LONG, true);
    integers<unsigned long long>(MPI_UNSIGNED_LONG_LONG, true);
    integers<std::int8_t>(MPI_INT8_T, true);
    integers<std::uint8_t>(MPI_UINT8_T, true);
    integers<std::int16_t>(MPI_INT16_T, true);
    integers<std::uint16_t>(MPI_UINT16_T, true);
    integers<std::int32_t>(MPI_INT32_T, true);
    integers<std::uint32_t>(MPI_UINT32_T, true);
    integers<std::int64_t>(MPI_INT64_T, true);
    integers<std::uint64_t>(MPI_UINT64_T, true);
}

TEST(kernels, other_integers) {
    integers<int>(MPI_INTEGER, false);
    integers<std::int8_t>(MPI_INTEGER1, false);
    integers<std::int16_t>(MPI_INTEGER2, false);
    integers<std::int32_t>(MPI_INTEGER4, false);
    integers<std::int64_t>(MPI_INTEGER8, false);
    integers<MPI_Aint>(MPI_AINT, false);
    integers<MPI_Count>(MPI_COUNT, false);
    integers<MPI_Offset>(MPI_OFFSET, false);
}

template <class T> void reals(MPI_Datatype handle) {
    std::mt19937 random{3};
    std::vector<T> a(length), b(length);
    for (std::size_t i = 0; i < length; ++i) {
        a[i] = static_cast<T>(static_cast<int>(random() % 64) - 32);
        b[i] = static_cast<T>(static_cast<int>(random() % 64) - 32);
    }
    const auto &type = *find_datatype(handle);
    expect<T>("sum", type, a, b, [](T x, T y) { return static_cast<T>(x + y); });
    expect<T>("prod", type, a, b, [](T x, T y) { return static_cast<T>(x * y); });
    expect<T>("min", type, a, b, [](T x, T y) { return x < y ? x : y; });
    expect<T>("max", type, a, b, [](T x, T y) { return x < y ? y : x; });
    for (const char *operation : {"band", "bor", "bxor", "land", "lor", "lxor", "minloc", "maxloc"}) {
        EXPECT_FALSE(defined(operation, handle)) << operation;
    }
}

TEST(kernels, floating_point) {
    reals<float>(MPI_FLOAT);
    reals<double>(MPI_DOUBLE);
    reals<long double>(MPI_LONG_DOUBLE);
    reals<float>(MPI_REAL);
    reals<double>(MPI_DOUBLE_PRECISION);
#ifdef LISLE_HAS_BINARY_16
    reals<binary_16>(MPI_REAL2);
#endif
    reals<float>(MPI_REAL4);
    reals<double>(MPI_REAL8);
    reals<binary_128>(MPI_REAL16);
}

template <class Real> void complexes(MPI_Datatype handle) {
    using T = std::complex<Real>;
    std::vector<T> a(length), b(length);
    for (std::size_t i = 0; i < length; ++i) {
        a[i] = {static_cast<Real>(i), static_cast<Real>(3)};
        b[i] = {static_cast<Real>(2), static_cast<Real>(i) - 9};
    }
    const auto &type = *find_datatype(handle);
    expect<T>("sum", type, a, b, [](T x, T y) { return x + y; });
    expect<T>("prod", type, a, b, [](T x, T y) { return x * y; });
    EXPECT_FALSE(defined("max", handle));
    EXPECT_FALSE(defined("land", handle));
}

TEST(kernels, complex_numbers) {
    for (const auto type :
         {MPI_C_FLOAT_COMPLEX, MPI_C_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8}) {
        complexes<float>(type);
    }
    for (const auto type :
         {MPI_C_DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16}) {
        complexes<double>(type);
    }
    complexes<long double>(MPI_C_LONG_DOUBLE_COMPLEX);
    complexes<long double>(MPI_CXX_LONG_DOUBLE_COMPLEX);
    EXPECT_TRUE(defined("sum", MPI_COMPLEX4));
    EXPECT_TRUE(defined("prod", MPI_COMPLEX32));
}

template <class Stored> void truths(MPI_Datatype handle) {
    std::vector<Stored> a, b;
    for (const int x : {0, 1, 2, -1}) {
        for (const int y : {0, 1, 4, -1}) {
            a.push_back(static_cast<Stored>(x));
            b.push_back(static_cast<Stored>(y));
        }
    }
    const auto &type = *find_datatype(handle);
    expect<Stored>("land", type, a, b, [](Stored x, Stored y) { return Stored{x != 0 && y != 0}; });
    expect<Stored>("lor", type, a, b, [](Stored x, Stored y) { return Stored{x != 0 || y != 0}; });
    expect<Stored>("lxor", type, a, b, [](Stored x, Stored y) { return Stored{(x != 0) != (y != 0)}; });
    EXPECT_FALSE(defined("sum", handle));
    EXPECT_FALSE(defined("band", handle));
}

TEST(kernels, logical_values) {
    truths<unsigned char>(MPI_C_BOOL);
    truths<unsigned char>(MPI_CXX_BOOL);
    truths<int>(MPI_LOGICAL);
    truths<std::int8_t>(MPI_LOGICAL1);
    truths<std::int16_t>(MPI_LOGICAL2);
    truths<std::int32_t>(MPI_LOGICAL4);
    truths<std::int64_t>(MPI_LOGICAL8);
}

TEST(kernels, bytes) {
    const auto a = random_integers<std::uint8_t>(1), b = random_integers<std::uint8_t>(2);
    using byte = std::uint8_t;
    expect<byte>("band", *find_datatype(MPI_BYTE), a, b,
                 [](byte x, byte y) { return static_cast<byte>(x & y); });
    for (const char *operation : {"sum", "prod", "min", "max", "land", "minloc"}) {
        EXPECT_FALSE(defined(operation, MPI_BYTE)) << operation;
    }
}

template <class Value, class Index> struct pair {
    Value value;
    Index index;
};

/// The gaps of pairs are the user's: nothing may be written there.
template <class Value, class Index> void pairs(MPI_Datatype handle) {
    using T = pair<Value, Index>;
    for (const bool smallest : {true, false}) {
        std::vector<T> in(length), inout(length);
        std::memset(static_cast<void *>(in.data()), 0x11, length * sizeof(T));
        std::memset(static_cast<void *>(inout.data()), 0x22, length * sizeof(T));
        for (std::size_t i = 0; i < length; ++i) {
            in[i].value = static_cast<Value>(i % 3);
            in[i].index = static_cast<Index>(i % 5);
            inout[i].value = static_cast<Value>(1);
            inout[i].index = static_cast<Index>(2);
        }
        auto result = inout;
        std::memcpy(static_cast<void *>(result.data()), inout.data(), length * sizeof(T));
        find_op(smallest ? MPI_MINLOC : MPI_MAXLOC)
            ->apply(in.data(), result.data(), static_cast<MPI_Count>(length), *find_datatype(handle));
        for (std::size_t i = 0; i < length; ++i) {
            const bool wins = smallest ? in[i].value < inout[i].value : in[i].value > inout[i].value;
            const bool draws = in[i].value == inout[i].value;
            EXPECT_EQ(result[i].value, wins ? in[i].value : inout[i].value);
            EXPECT_EQ(result[i].index, wins    ? in[i].index
                                       : draws ? std::min(in[i].index, inout[i].index)
                                               : inout[i].index);
            auto untouched = inout[i];
            std::memcpy(static_cast<void *>(&untouched), &inout[i], sizeof untouched);
            untouched.value = result[i].value;
            untouched.index = result[i].index;
            // The value of a long double has bytes that its store need not write.
            if constexpr (!std::is_same_v<Value, long double>) {
                EXPECT_EQ(std::memcmp(&untouched, &result[i], sizeof untouched), 0);
            }
        }
    }
    EXPECT_FALSE(defined("sum", handle));
}

TEST(kernels, pairs) {
    pairs<float, int>(MPI_FLOAT_INT);
    pairs<double, int>(MPI_DOUBLE_INT);
    pairs<long, int>(MPI_LONG_INT);
    pairs<int, int>(MPI_2INT);
    pairs<short, int>(MPI_SHORT_INT);
    pairs<long double, int>(MPI_LONG_DOUBLE_INT);
    pairs<float, float>(MPI_2REAL);
    pairs<double, double>(MPI_2DOUBLE_PRECISION);
    pairs<int, int>(MPI_2INTEGER);
}

TEST(kernels, text_has_no_operation) {
    for (const auto type : {MPI_CHAR, MPI_WCHAR, MPI_CHARACTER, MPI_PACKED}) {
        for (const auto &[name, operation] : operations) {
            EXPECT_FALSE(defined(name.c_str(), type)) << name;
        }
    }
}

TEST(kernels, are_there_for_every_predefined_type_that_an_operation_takes) {
    int found = 0;
    for (std::uintptr_t value = 0x200; value < 0x300; ++value) { // the standard's handles of datatypes
        const datatype *const type = find_datatype(reinterpret_cast<MPI_Datatype>(value));
        for (const auto &[name, handle] : operations) {
            if (type != nullptr && defined(name.c_str(), reinterpret_cast<MPI_Datatype>(value))) {
                const auto kernels = find_op(handle)->kernels_for(*type);
                EXPECT_NE(kernels.apply, nullptr) << name << " of " << type->facts()->name;
                EXPECT_NE(kernels.combine, nullptr) << name << " of " << type->facts()->name;
                ++found;
            }
        }
    }
    EXPECT_GT(found, 100);
}

TEST(kernels, derived_types_of_one_predefined_type) {
    MPI_Datatype vector;
    api::type_vector(2, 1, 3, *find_datatype(MPI_INT), &vector, count_form::small);
    api::type_commit(&vector);
    const auto &type = *find_datatype(vector);
    // Elements are 16 bytes apart: x at 0 and 12, gaps between.
    std::vector<int> in(40000, 5), inout(40000, 7);
    find_op(MPI_SUM)->apply(in.data(), inout.data(), 9000, type);
    for (int i = 0; i < 36000; ++i) {
        EXPECT_EQ(inout[static_cast<std::size_t>(i)], i % 4 == 0 || i % 4 == 3 ? 12 : 7) << i;
    }
    EXPECT_FALSE(defined("minloc", vector));
    api::type_free(&vector);
}

TEST(kernels, one_sided_operations_are_not_for_reductions) {
    for (const auto operation : {MPI_REPLACE, MPI_NO_OP}) {
        EXPECT_THROW(find_op(operation)->check(*find_datatype(MPI_INT)), mpi_error);
    }
    EXPECT_EQ(find_op(MPI_OP_NULL), nullptr);
}

std::vector<std::pair<MPI_Count, MPI_Datatype>> calls;

void note_small(void *, void *, int *count, MPI_Datatype *type) {
    calls.emplace_back(*count, *type);
}
void note_large(void *, void *, MPI_Count *count, MPI_Datatype *type) {
    calls.emplace_back(*count, *type);
}

TEST(kernels, user_functions_get_pieces_that_they_can_count) {
    const op *const small = create_op(note_small, false);
    const op *const large = create_op(note_large, true);
    EXPECT_FALSE(small->commutative());
    EXPECT_TRUE(large->commutative());
    char byte = 0; // never read: the functions only count
    const MPI_Count many = MPI_Count{1} << 32;
    small->apply(&byte, &byte, many, *find_datatype(MPI_CHAR));
    const std::vector<std::pair<MPI_Count, MPI_Datatype>> pieces{
        {INT_MAX, MPI_CHAR}, {INT_MAX, MPI_CHAR}, {2, MPI_CHAR}};
    EXPECT_EQ(calls, pieces);
    calls.clear();
    large->apply(&byte, &byte, many, *find_datatype(MPI_CHAR));
    EXPECT_EQ(calls.size(), 1U);
    small->release();
    large->release();
}

/// Bits that are small numbers in every representation, and no NaN.
std::vector<std::byte> bits(std::size_t size, unsigned seed) {
    std::mt19937 random{seed};
    std::vector<std::byte> made(size);
    for (std::byte &byte : made) {
        byte = static_cast<std::byte>(random() & 0x3fU);
    }
    return made;
}

TEST(kernels, give_the_same_bits_with_every_instruction_set) {
    using namespace collective;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) {
        GTEST_SKIP() << "this machine has one instruction set only";
    }
    constexpr std::size_t count = 203, room = count * 32 + 1;
    unsigned compared = 0;
    for (std::size_t type = 0; type < kernel_types; ++type) {
        const auto basic = static_cast<basic_type>(type);
        // Ten bytes of a long double count, and random ones are no number.
        if (basic == basic_type::long_double || basic == basic_type::complex_long_double ||
            basic == basic_type::pair_long_double_int32) {
            continue;
        }
        for (std::size_t operation = 0; operation < kernel_operations; ++operation) {
            const auto &plain = baseline_kernels()[type][operation], &wide = avx2_kernels()[type][operation];
            ASSERT_EQ(plain.apply == nullptr, wide.apply == nullptr);
            if (plain.apply == nullptr) {
                continue;
            }
            for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{7}, count}) {
                const auto first = bits(room, 1), second = bits(room, 2);
                auto one = second, other = second;
                plain.apply(first.data() + 1, one.data() + 1, length);
                wide.apply(first.data() + 1, other.data() + 1, length);
                EXPECT_EQ(one, other) << "type " << type << ", operation " << operation;
                auto third = second;
                wide.combine(first.data() + 1, second.data() + 1, third.data() + 1, length);
                EXPECT_EQ(one, third) << "type " << type << ", operation " << operation;
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 400U);
#else
    GTEST_SKIP() << "there is one instruction set only";
#endif
}

} // namespace
} // namespace lisle
