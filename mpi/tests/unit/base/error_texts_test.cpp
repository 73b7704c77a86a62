// SPDX-License-Identifier: Apache-2.0
#include "base/error_texts.hpp"

#include <set>

#include <gtest/gtest.h>

namespace {

using namespace lisle;

TEST(error_texts, every_class_has_a_name_and_a_text_of_its_own) {
    std::set<std::string_view> names, texts;
    for (int error_class = MPI_SUCCESS; error_class <= last_standard_class; ++error_class) {
        EXPECT_FALSE(error_text(error_class).empty()) << error_class;
        EXPECT_LT(error_text(error_class).size(), std::size_t{MPI_MAX_ERROR_STRING});
        EXPECT_TRUE(names.insert(error_class_name(error_class)).second) << error_class;
        EXPECT_TRUE(texts.insert(error_text(error_class)).second) << error_class;
    }
    EXPECT_EQ(error_class_name(MPI_ERR_RANK), "MPI_ERR_RANK");
    EXPECT_EQ(error_class_name(MPI_T_ERR_INVALID_NAME), "MPI_T_ERR_INVALID_NAME");
}

TEST(error_texts, other_numbers_have_none) {
    for (const int other : {-1, last_standard_class + 1, MPI_ERR_LASTCODE + 1}) {
        EXPECT_TRUE(error_text(other).empty()) << other;
        EXPECT_TRUE(error_class_name(other).empty()) << other;
    }
}

} // namespace
