// SPDX-License-Identifier: Apache-2.0
// Control variables: one for each setting, with its words, limits and rules of change.
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "tool/control.hpp"

using namespace lisle;
using namespace lisle::tool;

namespace {

const control_variable &control_of(setting which) {
    return control_variables()[static_cast<std::size_t>(which)];
}

int code_of_write(const control_variable &variable, const void *value) {
    try {
        write(variable, value);
    } catch (const mpi_error &error) {
        return error.code();
    }
    return MPI_SUCCESS;
}

} // namespace

TEST(control_variables, are_the_settings_in_their_order) {
    const auto settings = all_settings();
    const auto &variables = control_variables();
    ASSERT_EQ(variables.size(), settings.size());
    std::set<std::string> names;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        EXPECT_EQ(variables[i].name, settings[i].name);
        EXPECT_EQ(variables[i].which, static_cast<setting>(i));
        EXPECT_EQ(variables[i].words != nullptr, settings[i].is_enumeration()) << variables[i].name;
        EXPECT_TRUE(names.insert(variables[i].name).second) << variables[i].name;
    }
}

TEST(control_variables, have_a_word_for_each_of_their_values) {
    for (const control_variable &each : control_variables()) {
        if (each.words == nullptr) {
            continue;
        }
        const setting_description &about = description_of(each.which);
        EXPECT_EQ(each.words->name, each.name);
        EXPECT_EQ(each.words->first, about.least) << each.name;
        EXPECT_EQ(static_cast<std::int64_t>(each.words->words.size()), about.most - about.least + 1)
            << each.name;
        for (const std::string &word : each.words->words) {
            EXPECT_FALSE(word.empty() || word.find('|') != std::string::npos) << each.name;
        }
    }
}

TEST(control_variables, are_found_by_the_handle_of_their_words_only) {
    const enumeration *const words = control_of(setting::progress).words;
    ASSERT_NE(words, nullptr);
    EXPECT_EQ(&find_enumeration(reinterpret_cast<MPI_T_enum>(const_cast<enumeration *>(words))), words);
    int other = 0;
    try {
        (void)find_enumeration(reinterpret_cast<MPI_T_enum>(&other));
        FAIL() << "an int is no enumeration";
    } catch (const mpi_error &error) {
        EXPECT_EQ(error.code(), MPI_T_ERR_INVALID_HANDLE);
    }
}

TEST(control_variables, that_are_numbers_are_read_as_counts) {
    MPI_Count value = -7;
    read(control_of(setting::unexpected_limit), &value);
    EXPECT_EQ(value, value_of(setting::unexpected_limit));
}

TEST(control_variables, that_are_texts_are_read_with_their_zero_and_are_as_long_as_said) {
    const control_variable &interface = control_of(setting::network_interface);
    ASSERT_EQ(datatype_of(interface), MPI_CHAR);
    std::string room(static_cast<std::size_t>(count_of(interface)), 'x');
    read(interface, room.data());
    EXPECT_EQ(room, text_of(setting::network_interface) + '\0');
    EXPECT_EQ(code_of_write(interface, "eth0"), MPI_T_ERR_CVAR_SET_NEVER);
}

TEST(control_variables, that_are_words_are_read_and_written_as_ints) {
    const control_variable &barrier = control_of(algorithm_of(collective_operation::barrier));
    ASSERT_TRUE(changeable(barrier.which));
    int room[2] = {-7, -7};
    read(barrier, room);
    EXPECT_EQ(room[0], value_of(barrier.which));
    EXPECT_EQ(room[1], -7) << "no more than an int is written";
    const int former = room[0];
    const int last = static_cast<int>(description_of(barrier.which).most);
    EXPECT_EQ(code_of_write(barrier, &last), MPI_SUCCESS);
    EXPECT_EQ(value_of(barrier.which), last);
    EXPECT_FALSE(all_changeable_are_default());
    EXPECT_EQ(word_of(barrier.which), barrier.words->words.back());
    EXPECT_EQ(code_of_write(barrier, &former), MPI_SUCCESS);
    EXPECT_EQ(value_of(barrier.which), former);
}

TEST(control_variables, refuse_values_outside_their_limits_and_keep_the_former_one) {
    const control_variable &bcast = control_of(algorithm_of(collective_operation::bcast));
    const setting_description &about = description_of(bcast.which);
    const std::int64_t former = value_of(bcast.which);
    for (const std::int64_t bad : {about.least - 1, about.most + 1}) {
        const int word = static_cast<int>(bad);
        EXPECT_EQ(code_of_write(bcast, &word), MPI_T_ERR_INVALID) << bad;
        EXPECT_EQ(value_of(bcast.which), former);
    }
}

TEST(control_variables, that_are_read_once_cannot_be_written) {
    const control_variable &limit = control_of(setting::eager_limit);
    ASSERT_FALSE(changeable(limit.which));
    const std::int64_t former = value_of(limit.which);
    const MPI_Count other = 1;
    EXPECT_EQ(code_of_write(limit, &other), MPI_T_ERR_CVAR_SET_NEVER);
    EXPECT_EQ(value_of(limit.which), former);
}
