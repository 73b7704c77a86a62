// SPDX-License-Identifier: Apache-2.0
// Known values in the external32 representation; layouts are random_types_test's business.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/datatype.hpp"
#include "base/error.hpp"
#include "datatype/external32.hpp"
#include "datatype/predefined.hpp"

namespace lisle::test {
namespace {

using bytes = std::vector<unsigned char>;

template <class Value> bytes external(MPI_Datatype type, const Value &value) {
    bytes result(64);
    MPI_Count position = 0;
    api::pack_external("external32", &value, 1, *find_datatype(type), result.data(), 64, position);
    result.resize(static_cast<std::size_t>(position));
    return result;
}

template <class Value> Value internal(MPI_Datatype type, const bytes &from) {
    Value value{};
    MPI_Count position = 0;
    api::unpack_external("external32", from.data(), static_cast<MPI_Count>(from.size()), position, &value, 1,
                         *find_datatype(type));
    EXPECT_EQ(position, static_cast<MPI_Count>(from.size()));
    return value;
}

template <class Value> void expect_both_ways(MPI_Datatype type, Value value, const bytes &expected) {
    EXPECT_EQ(external(type, value), expected);
    EXPECT_EQ(internal<Value>(type, expected), value);
}

TEST(external32, integers) {
    expect_both_ways<int>(MPI_INT, 0x01020304, {1, 2, 3, 4});
    expect_both_ways<int>(MPI_INT, -2, {0xff, 0xff, 0xff, 0xfe});
    expect_both_ways<short>(MPI_SHORT, 258, {1, 2});
    expect_both_ways<char>(MPI_CHAR, 'x', {'x'});
    expect_both_ways<MPI_Aint>(MPI_AINT, 3, {0, 0, 0, 0, 0, 0, 0, 3});
}

TEST(external32, integers_that_are_shorter_there) {
    expect_both_ways<long>(MPI_LONG, -5, {0xff, 0xff, 0xff, 0xfb});
    expect_both_ways<unsigned long>(MPI_UNSIGNED_LONG, 0xfffffffful, {0xff, 0xff, 0xff, 0xff});
    expect_both_ways<wchar_t>(MPI_WCHAR, L'\u20ac', {0x20, 0xac});
    try {
        external(MPI_LONG, 1L << 40);
        FAIL() << "a number that does not fit was cut";
    } catch (const mpi_error &error) {
        EXPECT_EQ(error.code(), MPI_ERR_CONVERSION);
        EXPECT_NE(std::string{error.what()}.find("1099511627776"), std::string::npos);
    }
}

TEST(external32, real_numbers) {
    expect_both_ways<float>(MPI_FLOAT, 1.0f, {0x3f, 0x80, 0, 0});
    expect_both_ways<double>(MPI_DOUBLE, -2.0, {0xc0, 0, 0, 0, 0, 0, 0, 0});
    expect_both_ways<long double>(MPI_LONG_DOUBLE, 1.0L,
                                  {0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    expect_both_ways<long double>(MPI_LONG_DOUBLE, -0.75L,
                                  {0xbf, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    expect_both_ways<std::array<float, 2>>(MPI_C_FLOAT_COMPLEX, {1.0f, -1.0f},
                                           {0x3f, 0x80, 0, 0, 0xbf, 0x80, 0, 0});
}

TEST(external32, pairs_have_no_gaps_there) {
    const struct {
        short value;
        int index;
    } pair{1, 2};
    EXPECT_EQ(external(MPI_SHORT_INT, pair), (bytes{0, 1, 0, 0, 0, 2}));
    const struct {
        long value;
        int index;
    } long_pair{1, 2};
    EXPECT_EQ(external(MPI_LONG_INT, long_pair), (bytes{0, 0, 0, 1, 0, 0, 0, 2}));
}

TEST(external32, many_elements_and_positions) {
    std::vector<int> from(5000), back(5000);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<int>(i * 77777);
    }
    const datatype &type = *find_datatype(MPI_INT);
    MPI_Count size = 0, position = 3;
    api::pack_external_size("external32", 5000, type, size);
    EXPECT_EQ(size, 20000);
    bytes packed(20003);
    api::pack_external("external32", from.data(), 5000, type, packed.data(), 20003, position);
    EXPECT_EQ(position, 20003);
    position = 3;
    api::unpack_external("external32", packed.data(), 20003, position, back.data(), 5000, type);
    EXPECT_EQ(from, back);
}

TEST(external32, lack_of_room_is_an_error_and_moves_nothing) {
    const int value = 1;
    bytes packed(3);
    MPI_Count position = 0;
    const datatype &type = *find_datatype(MPI_INT);
    EXPECT_THROW(api::pack_external("external32", &value, 1, type, packed.data(), 3, position), mpi_error);
    EXPECT_EQ(position, 0);
    EXPECT_THROW(api::pack_external("native", &value, 1, type, packed.data(), 3, position), mpi_error);
    position = 4;
    EXPECT_THROW(api::pack_external("external32", &value, 0, type, packed.data(), 3, position), mpi_error);
}

} // namespace
} // namespace lisle::test
