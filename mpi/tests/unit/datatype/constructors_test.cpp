// SPDX-License-Identifier: Apache-2.0
// What the standard says about single types: examples, bounds, contents, errors, extremes.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../error_code.hpp"
#include "base/error.hpp"
#include "datatype/copy.hpp"
#include "datatype/elements.hpp"
#include "random_types.hpp"

namespace lisle::test {
namespace {

constexpr MPI_Count largest = std::numeric_limits<MPI_Count>::max();
constexpr auto small = count_form::small, large = count_form::large;

const datatype &type_of(MPI_Datatype handle) {
    return *find_datatype(handle);
}

owned_type contiguous(MPI_Count count, MPI_Datatype old) {
    MPI_Datatype handle;
    api::type_contiguous(count, type_of(old), &handle, large);
    return owned_type{handle};
}

owned_type hvector(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype old) {
    MPI_Datatype handle;
    api::type_create_hvector(count, length, stride, type_of(old), &handle, large);
    return owned_type{handle};
}

owned_type resized(MPI_Datatype old, MPI_Count lower, MPI_Count extent) {
    MPI_Datatype handle;
    api::type_create_resized(type_of(old), lower, extent, &handle, small);
    return owned_type{handle};
}

template <std::size_t Size> owned_type structure(const std::array<int, Size> &lengths,
                                                 const std::array<MPI_Aint, Size> &displacements,
                                                 const std::array<MPI_Datatype, Size> &types) {
    MPI_Datatype handle;
    api::type_create_struct(Size, count_list{lengths.data()}, count_list{displacements.data()}, types.data(),
                            &handle, small);
    return owned_type{handle};
}

TEST(predefined, every_handle_finds_its_type) {
    int types = 0;
    for (std::uintptr_t value = 0; value < first_dynamic_handle; ++value) {
        const auto handle = reinterpret_cast<MPI_Datatype>(value);
        const datatype *const type = find_datatype(handle);
        if (type == nullptr) {
            continue;
        }
        ++types;
        // Strict forms stand for the same types; a handle that is given back is C's.
        const std::uintptr_t plain =
            value - (find_datatype(reinterpret_cast<MPI_Datatype>(value - MPIX_STRICT)) != nullptr
                         ? std::uintptr_t{MPIX_STRICT}
                         : 0);
        EXPECT_EQ(datatype_handle(*type), reinterpret_cast<MPI_Datatype>(plain));
        EXPECT_TRUE(type->committed());
        EXPECT_TRUE(type->predefined());
        // The standard ABI says the size of some types in their handles.
        if ((value & 0x40) != 0) {
            EXPECT_EQ(type->size(), 1 << ((value >> 3) & 7)) << type->facts()->name;
        }
    }
    EXPECT_EQ(types, 2 * 70); // 72 names, of which two are synonyms, in two forms
    EXPECT_EQ(find_datatype(MPI_DATATYPE_NULL), nullptr);
    EXPECT_EQ(find_datatype(nullptr), nullptr);
    EXPECT_EQ(find_datatype(reinterpret_cast<MPI_Datatype>(MPI_COMM_WORLD)), nullptr);
}

TEST(predefined, pairs_have_gaps_but_no_data_in_them) {
    const datatype &type = type_of(MPI_SHORT_INT);
    EXPECT_EQ(type.size(), 6);
    EXPECT_EQ(type.extent(), 8);
    EXPECT_FALSE(type.contiguous());
    EXPECT_EQ(type_of(MPI_DOUBLE_INT).true_extent(), 12);
    EXPECT_EQ(type_of(MPI_LONG_DOUBLE_INT).extent(), 32);
    EXPECT_TRUE(type_of(MPI_2INT).contiguous());
    EXPECT_EQ(uniform_basic_type(type), basic_type::pair_int16_int32);
    EXPECT_EQ(category_of(type), type_category::pair);
}

TEST(bounds, a_structure_is_padded_to_its_alignment) {
    const auto type = structure<2>({1, 1}, {0, 8}, {MPI_DOUBLE, MPI_CHAR});
    EXPECT_EQ(type->extent(), 16);
    EXPECT_EQ(type->true_extent(), 9);
    EXPECT_EQ(contiguous(3, type.handle())->extent(), 48);
    EXPECT_EQ(uniform_basic_type(*type), std::nullopt);
}

TEST(bounds, unaligned_parts_keep_their_padding) {
    const auto inner = hvector(3, 4, 25, MPI_FLOAT);
    EXPECT_EQ(inner->true_extent(), 66);
    EXPECT_EQ(inner->extent(), 68);
    // The last of the inner blocks ends at 273 + 3 * 68 = 477.
    const auto outer = hvector(2, 3, 273, inner.handle());
    EXPECT_EQ(outer->extent(), 480);
    EXPECT_EQ(outer->true_extent(), 273 + 2 * 68 + 66);
}

TEST(names, of_two_names_of_a_handle_the_standards_first_counts) {
    EXPECT_STREQ(type_of(MPI_C_FLOAT_COMPLEX).facts()->name, "MPI_C_COMPLEX");
}

TEST(bounds, set_bounds_are_inherited_and_hide_the_datas_own) {
    // [MPI-5.0 5.1.6] {(lb_marker, -3), (int, 0), (ub_marker, 6)}, twice
    const auto first = resized(MPI_INT, -3, 9);
    const auto second = contiguous(2, first.handle());
    EXPECT_EQ(second->lower_bound(), -3);
    EXPECT_EQ(second->extent(), 18);
    EXPECT_EQ(second->true_lower_bound(), 0);
    EXPECT_EQ(second->true_extent(), 13);
    const auto with_plain = structure<2>({1, 1}, {0, 100}, {first.handle(), MPI_INT});
    EXPECT_EQ(with_plain->extent(), 9);
    EXPECT_EQ(with_plain->true_extent(), 104);
    const auto again = resized(second.handle(), 0, 4);
    EXPECT_EQ(again->lower_bound(), 0);
    EXPECT_EQ(again->extent(), 4);
}

TEST(bounds, types_without_data) {
    for (const auto &type : {contiguous(0, MPI_DOUBLE), structure<2>({0, 0}, {8, 16}, {MPI_INT, MPI_CHAR})}) {
        EXPECT_EQ(type->size(), 0);
        EXPECT_EQ(type->extent(), 0);
        EXPECT_EQ(type->lower_bound(), 0);
        EXPECT_EQ(uniform_basic_type(*type), std::nullopt);
        pack({nullptr, 5, *type}, 0, {});
    }
    const auto marked = resized(contiguous(0, MPI_INT).handle(), -8, 24);
    EXPECT_EQ(marked->size(), 0);
    EXPECT_EQ(contiguous(2, marked.handle())->extent(), 48);
}

TEST(bounds, beyond_32_bits) {
    constexpr MPI_Count gibi = MPI_Count{1} << 30;
    const auto type = contiguous(5 * gibi, MPI_INT);
    EXPECT_EQ(type->size(), 20 * gibi);
    EXPECT_TRUE(type->contiguous());
    const auto far = hvector(3, 1, 4 * gibi, MPI_BYTE);
    EXPECT_EQ(far->extent(), 8 * gibi + 1);
    EXPECT_EQ(elements_in(*type, 12 * gibi), 3 * gibi);
    EXPECT_EQ(elements_in(*type, 12 * gibi + 1), MPI_UNDEFINED);
}

TEST(bounds, overflow_is_an_error) {
    EXPECT_EQ(code_of([] { contiguous(largest, MPI_INT); }), MPI_ERR_COUNT);
    EXPECT_EQ(code_of([] { contiguous(3, contiguous(largest / 2, MPI_BYTE).handle()); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([] { hvector(3, 1, largest / 2, MPI_INT); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([] { hvector(3, 1, -largest, MPI_INT); }), MPI_ERR_COUNT);
    EXPECT_EQ(code_of([] { resized(MPI_INT, largest, 1); }), MPI_ERR_ARG);
    const std::array<MPI_Count, 2> apart{-largest, largest};
    EXPECT_EQ(code_of([&] {
                  MPI_Datatype handle;
                  api::type_create_hindexed_block(2, 1, count_list{apart.data()}, type_of(MPI_INT), &handle,
                                                  large);
              }),
              MPI_ERR_ARG);
}

TEST(constructors, bad_arguments_are_errors) {
    MPI_Datatype handle;
    const datatype &integer = type_of(MPI_INT);
    const std::array<int, 2> lengths{1, -1}, displacements{0, 4}, sizes{4, 4}, subsizes{2, 3}, starts{0, 2};
    const std::array<MPI_Aint, 2> bytes{0, 4};
    const std::array types{MPI_INT, MPI_DATATYPE_NULL};
    EXPECT_EQ(code_of([&] {
                  api::type_indexed(2, count_list{lengths.data()}, count_list{displacements.data()}, integer,
                                    &handle, small);
              }),
              MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] {
                  api::type_indexed(2, count_list{lengths.data()}, count_list{}, integer, &handle, small);
              }),
              MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] {
                  api::type_create_struct(2, count_list{displacements.data()}, count_list{bytes.data()},
                                          types.data(), &handle, small);
              }),
              MPI_ERR_TYPE);
    EXPECT_EQ(code_of([&] {
                  api::type_create_subarray(2, count_list{sizes.data()}, count_list{subsizes.data()},
                                            count_list{starts.data()}, MPI_ORDER_C, integer, &handle, small);
              }),
              MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] {
                  api::type_create_subarray(2, count_list{sizes.data()}, count_list{subsizes.data()},
                                            count_list{sizes.data()}, 77, integer, &handle, small);
              }),
              MPI_ERR_ARG);
    const std::array block{int{MPI_DISTRIBUTE_BLOCK}, int{MPI_DISTRIBUTE_NONE}};
    const std::array dargs{int{MPI_DISTRIBUTE_DFLT_DARG}, int{MPI_DISTRIBUTE_DFLT_DARG}}, too_few{1, 1};
    const std::array<int, 2> grid{2, 1}, wrong_grid{1, 2};
    const auto darray = [&](int size, int rank, const int *args, const int *places) {
        return code_of([&] {
            api::type_create_darray(size, rank, 2, count_list{sizes.data()}, block.data(), args, places,
                                    MPI_ORDER_C, integer, &handle, small);
        });
    };
    EXPECT_EQ(darray(3, 0, dargs.data(), grid.data()), MPI_ERR_ARG);
    EXPECT_EQ(darray(2, 2, dargs.data(), grid.data()), MPI_ERR_ARG);
    EXPECT_EQ(darray(2, 0, too_few.data(), grid.data()), MPI_ERR_ARG);
    EXPECT_EQ(darray(2, 0, dargs.data(), wrong_grid.data()), MPI_ERR_ARG);
}

TEST(constructors, predefined_types_cannot_be_freed) {
    MPI_Datatype handle = MPI_INT;
    EXPECT_EQ(code_of([&] { api::type_free(&handle); }), MPI_ERR_TYPE);
    EXPECT_EQ(handle, MPI_INT);
    api::type_create_f90_real(10, MPI_UNDEFINED, &handle);
    EXPECT_EQ(code_of([&] { api::type_free(&handle); }), MPI_ERR_TYPE);
}

TEST(constructors, types_outlive_their_handles_while_used) {
    MPI_Datatype inner, outer;
    api::type_vector(2, 1, 2, type_of(MPI_INT), &inner, small);
    api::type_contiguous(2, type_of(inner), &outer, small);
    const datatype &kept = type_of(outer);
    kept.retain();
    api::type_free(&inner);
    api::type_free(&outer);
    EXPECT_EQ(inner, MPI_DATATYPE_NULL);
    const std::array<int, 6> from{1, 2, 3, 4, 5, 6};
    std::array<int, 4> to{};
    pack({from.data(), 1, kept}, 0, std::as_writable_bytes(std::span{to}));
    EXPECT_EQ(to, (std::array{1, 3, 4, 6}));
    kept.release();
}

TEST(constructors, chains_longer_than_the_stack) {
    owned_type type{MPI_INT};
    for (int i = 0; i < 200000; ++i) {
        MPI_Datatype next;
        api::type_dup(*type, &next);
        type = owned_type{next};
    }
    EXPECT_EQ(elements_in(*type, 8), 2);
    for (int i = 0; i < 3000; ++i) { // a structure in a structure, and so on
        type = structure<2>({1, 1}, {0, type->extent() + 4}, {type.handle(), MPI_INT});
    }
    EXPECT_EQ(type->elements(), 3001);
    std::vector<std::byte> memory(static_cast<std::size_t>(type->extent())), packed(4 * 3001);
    memory.back() = std::byte{7};
    pack({memory.data(), 1, *type}, 0, packed);
    EXPECT_EQ(packed.back(), std::byte{7});
    EXPECT_EQ(elements_in(*type, 4 * 3000), 3000);
}

TEST(constructors, deep_nests_need_no_more_than_they_hold) {
    // Every level doubles the data and keeps its gaps, so nothing merges.
    owned_type type{MPI_BYTE};
    MPI_Count stride = 2;
    for (int level = 0; level < 14; ++level) {
        type = hvector(2, 1, stride, type.handle());
        stride = 2 * stride + 1;
    }
    EXPECT_EQ(type->size(), 1 << 14);
    EXPECT_EQ(type->data().depth(), 14);
    std::vector<std::byte> memory(static_cast<std::size_t>(type->extent())), packed(1 << 14), tail(5);
    for (std::size_t i = 0; i < memory.size(); ++i) {
        memory[i] = static_cast<std::byte>(i);
    }
    pack({memory.data(), 1, *type}, 0, packed);
    EXPECT_EQ(packed.back(), memory.back());
    pack({memory.data(), 1, *type}, (1 << 14) - 5, tail);
    EXPECT_TRUE(std::equal(tail.begin(), tail.end(), packed.end() - 5));
}

TEST(layout, equal_data_have_equal_layouts) {
    // A column of a matrix, said in five ways.
    const std::array<int, 4> ones{1, 1, 1, 1}, rows{0, 3, 6, 9};
    const std::array<int, 2> sizes{4, 3}, column{4, 1}, start{0, 0};
    std::vector<owned_type> types;
    types.push_back(hvector(4, 1, 24, MPI_DOUBLE));
    MPI_Datatype handle;
    api::type_vector(4, 1, 3, type_of(MPI_DOUBLE), &handle, small);
    types.emplace_back(handle);
    api::type_indexed(4, count_list{ones.data()}, count_list{rows.data()}, type_of(MPI_DOUBLE), &handle,
                      small);
    types.emplace_back(handle);
    api::type_create_indexed_block(4, 1, count_list{rows.data()}, type_of(MPI_DOUBLE), &handle, small);
    types.emplace_back(handle);
    api::type_create_subarray(2, count_list{sizes.data()}, count_list{column.data()},
                              count_list{start.data()}, MPI_ORDER_C, type_of(MPI_DOUBLE), &handle, small);
    types.emplace_back(handle);
    for (const owned_type &type : types) {
        const layout &data = type->data();
        ASSERT_EQ(data.depth(), 1);
        EXPECT_EQ(data.inner->shape, nest_shape::loop);
        EXPECT_EQ(data.inner->count, 4);
        EXPECT_EQ(data.inner->stride, 24);
        EXPECT_EQ(data.inner->length, 8);
    }
}

TEST(layout, what_touches_is_merged) {
    EXPECT_TRUE(hvector(4, 2, 8, MPI_INT)->contiguous());
    EXPECT_TRUE((structure<3>({2, 1, 1}, {0, 8, 16}, {MPI_INT, MPI_DOUBLE, MPI_DOUBLE})->contiguous()));
    EXPECT_FALSE((structure<2>({1, 1}, {4, 0}, {MPI_INT, MPI_INT})->contiguous()));
    EXPECT_FALSE(resized(MPI_INT, 0, 8)->contiguous());
}

TEST(contents, tell_the_form_of_the_call) {
    const std::array<int, 2> lengths{1, 2}, displacements{5, 9};
    const std::array<MPI_Count, 2> large_lengths{1, 2}, large_displacements{5, 9};
    MPI_Datatype handle, used;
    api::type_indexed(2, count_list{lengths.data()}, count_list{displacements.data()}, type_of(MPI_INT),
                      &handle, small);
    const owned_type from_small{handle};
    api::type_indexed(2, count_list{large_lengths.data()}, count_list{large_displacements.data()},
                      type_of(MPI_INT), &handle, large);
    const owned_type from_large{handle};
    MPI_Count integers, addresses, counts, types;
    int combiner;
    api::type_get_envelope(*from_small, integers, addresses, types, &combiner);
    EXPECT_EQ((std::array{integers, addresses, types, MPI_Count{combiner}}),
              (std::array<MPI_Count, 4>{5, 0, 1, MPI_COMBINER_INDEXED}));
    std::array<int, 5> found;
    api::type_get_contents(*from_small, 5, 0, 1, found.data(), nullptr, &used);
    EXPECT_EQ(found, (std::array{2, 1, 2, 5, 9}));
    EXPECT_EQ(used, MPI_INT);
    EXPECT_EQ(code_of([&] { api::type_get_contents(*from_small, 4, 0, 1, found.data(), nullptr, &used); }),
              MPI_ERR_ARG);
    api::type_get_envelope_c(*from_large, integers, addresses, counts, types, &combiner);
    EXPECT_EQ((std::array{integers, addresses, counts, types}), (std::array<MPI_Count, 4>{0, 0, 5, 1}));
    std::array<MPI_Count, 5> found_large;
    api::type_get_contents_c(*from_large, 0, 0, 5, 1, nullptr, nullptr, found_large.data(), &used);
    EXPECT_EQ(found_large, (std::array<MPI_Count, 5>{2, 1, 2, 5, 9}));
    EXPECT_EQ(code_of([&] { api::type_get_envelope(*from_large, integers, addresses, types, &combiner); }),
              MPI_ERR_TYPE);
}

TEST(contents, return_derived_types_as_new_objects) {
    MPI_Datatype inner, outer, used;
    api::type_vector(2, 1, 2, type_of(MPI_INT), &inner, small);
    api::type_create_resized(type_of(inner), -4, 40, &outer, small);
    api::type_free(&inner);
    std::array<MPI_Aint, 2> addresses;
    api::type_get_contents(type_of(outer), 0, 2, 1, nullptr, addresses.data(), &used);
    EXPECT_EQ(addresses, (std::array<MPI_Aint, 2>{-4, 40}));
    EXPECT_NE(&type_of(used), type_of(outer).origin().types[0]);
    api::type_free(&outer);
    EXPECT_EQ(type_of(used).extent(), 12);
    api::type_free(&used);
    MPI_Count integers, number, types;
    int combiner;
    api::type_get_envelope(type_of(MPI_INT), integers, number, types, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_NAMED);
    EXPECT_EQ(code_of([&] { api::type_get_contents(type_of(MPI_INT), 0, 0, 0, nullptr, nullptr, nullptr); }),
              MPI_ERR_TYPE);
}

TEST(fortran_kinds, the_same_question_gets_the_same_handle) {
    MPI_Datatype first, second;
    api::type_create_f90_real(15, 307, &first);
    api::type_create_f90_real(15, 307, &second);
    EXPECT_EQ(first, second);
    EXPECT_EQ(type_of(first).size(), 8);
    EXPECT_TRUE(type_of(first).committed());
    EXPECT_EQ(category_of(type_of(first)), type_category::floating_point);
    MPI_Count integers, addresses, types;
    int combiner;
    api::type_get_envelope(type_of(first), integers, addresses, types, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_F90_REAL);
    EXPECT_EQ(integers, 2);
    EXPECT_EQ(types, 0);
    std::array<int, 2> asked;
    api::type_get_contents(type_of(first), 2, 0, 0, asked.data(), nullptr, nullptr);
    EXPECT_EQ(asked, (std::array{15, 307}));
    api::type_create_f90_integer(9, &first);
    EXPECT_EQ(type_of(first).size(), 4);
    api::type_create_f90_complex(MPI_UNDEFINED, 30, &first);
    EXPECT_EQ(type_of(first).size(), 8);
    EXPECT_EQ(code_of([&] { api::type_create_f90_real(200, 1, &first); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] { api::type_create_f90_integer(39, &first); }), MPI_ERR_ARG);
}

TEST(queries, types_of_a_size_and_pairs) {
    MPI_Datatype found;
    api::type_match_size(MPI_TYPECLASS_REAL, 8, &found);
    EXPECT_EQ(found, MPI_REAL8);
    api::type_match_size(MPI_TYPECLASS_COMPLEX, 16, &found);
    EXPECT_EQ(found, MPI_COMPLEX16);
    EXPECT_EQ(code_of([&] { api::type_match_size(MPI_TYPECLASS_INTEGER, 3, &found); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] { api::type_match_size(1, 4, &found); }), MPI_ERR_ARG);
    const std::array<std::array<MPI_Datatype, 3>, 10> pairs{{{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
                                                             {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
                                                             {MPI_LONG, MPI_INT, MPI_LONG_INT},
                                                             {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
                                                             {MPI_INT, MPI_INT, MPI_2INT},
                                                             {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
                                                             {MPI_REAL, MPI_REAL, MPI_2REAL},
                                                             {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
                                                             {MPI_CHAR, MPI_INT, MPI_DATATYPE_NULL},
                                                             {MPI_INT, MPI_DOUBLE, MPI_DATATYPE_NULL}}};
    for (const auto &[value, index, pair] : pairs) {
        api::type_get_value_index(type_of(value), type_of(index), &found);
        EXPECT_EQ(found, pair);
    }
}

TEST(elements, of_structures) {
    const auto type = structure<2>({2, 1}, {0, 16}, {MPI_INT, MPI_DOUBLE_INT});
    EXPECT_EQ(type->elements(), 4);
    EXPECT_EQ(elements_in(*type, 4), 1);
    EXPECT_EQ(elements_in(*type, 16), 3);
    EXPECT_EQ(elements_in(*type, 17), MPI_UNDEFINED);
    EXPECT_EQ(elements_in(*type, 20), 4);
    EXPECT_EQ(elements_in(*type, 24), 5);
    EXPECT_EQ(bytes_of_elements(*type, 5), 24);
    EXPECT_EQ(bytes_of_elements(*type, 3), 16);
}

} // namespace
} // namespace lisle::test
