// SPDX-License-Identifier: Apache-2.0
// The table of settings: what texts mean to a row, and what the page says of it.
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "base/settings_page.hpp"

using namespace lisle;

namespace {

std::optional<std::int64_t> meaning_of(std::string_view text, setting which) {
    return description_of(which).value_of(text);
}

} // namespace

TEST(settings, have_names_meanings_and_defaults_of_their_own) {
    ASSERT_EQ(all_settings().size(), static_cast<std::size_t>(setting::count));
    std::set<std::string> names;
    for (std::size_t i = 0; i != all_settings().size(); ++i) {
        const setting_description &row = all_settings()[i];
        EXPECT_TRUE(row.name.starts_with("LISLE_")) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " stands twice";
        EXPECT_FALSE(row.meaning.empty()) << row.name;
        EXPECT_EQ(is_text(static_cast<setting>(i)), row.least == row.most) << row.name;
        if (!is_text(static_cast<setting>(i))) {
            EXPECT_EQ(row.value_of(row.text_of(row.default_value)), row.default_value) << row.name;
        }
    }
}

TEST(settings, take_their_words) {
    EXPECT_EQ(meaning_of("park", setting::wait), static_cast<std::int64_t>(wait_manner::park));
    EXPECT_EQ(meaning_of("threads", setting::progress), static_cast<std::int64_t>(progress_manner::threads));
    EXPECT_EQ(meaning_of("off", setting::cma_minimum), cma_off);
    EXPECT_EQ(meaning_of("auto", setting::cma_minimum), cma_by_measurement);
    EXPECT_EQ(meaning_of("1", setting::recovery), 1);
    EXPECT_EQ(meaning_of("off", setting::recovery), 0);
}

TEST(settings, take_numbers_within_their_limits_where_words_leave_room) {
    EXPECT_EQ(meaning_of("0", setting::cma_minimum), 0);
    EXPECT_EQ(meaning_of("1000", setting::wait), 1000);
    EXPECT_EQ(meaning_of("-3", setting::nodes), -3);
    EXPECT_EQ(meaning_of("4", setting::tracks), 4);
}

TEST(settings, refuse_everything_else) {
    for (const char *text : {"", "5", "0", "four", "2x", " 2", "0x2"}) {
        EXPECT_EQ(meaning_of(text, setting::tracks), std::nullopt) << text;
    }
    // A number that stands for a word is none.
    EXPECT_EQ(meaning_of("-1", setting::cma_minimum), std::nullopt);
    EXPECT_EQ(meaning_of("1", setting::progress), std::nullopt);
    EXPECT_EQ(meaning_of("99999999999999999999", setting::eager_limit), std::nullopt);
}

TEST(settings, report_variables_that_nothing_reads) {
    const char *const environment[] = {
        "PATH=/bin",           "LISLE_CHEKC=1",         "LISLE_CHECK=1",
        "LISLE_RANK=0",        "LISLE_TEST_ANYTHING=1", "LISLE_SOMETHING_QUITE_ELSE=",
        "LISLE_COLLECTIVES=x", "LISLE_CC=gcc",          nullptr};
    EXPECT_EQ(unknown_variables(environment), "lisle: nothing reads the variable LISLE_CHEKC; do you mean "
                                              "LISLE_CHECK? (lislerun --help settings lists all)\n"
                                              "lisle: nothing reads the variable LISLE_SOMETHING_QUITE_ELSE "
                                              "(lislerun --help settings lists all)\n");
}

TEST(settings, stand_on_their_page) {
    const char *const page = LISLE_DOCS "/settings.md";
    if (std::getenv("LISLE_TEST_WRITE_PAGE") != nullptr) {
        std::ofstream{page} << settings_page();
    }
    std::ifstream file{page};
    std::stringstream found;
    found << file.rdbuf();
    EXPECT_EQ(found.str(), settings_page())
        << "bring it up to date: cmake --build DIR --target settings_page";
}

TEST(settings, stand_in_the_help) {
    const std::string help = settings_text();
    for (const setting_description &row : all_settings()) {
        if (row.name.find('.') == std::string::npos) {
            EXPECT_NE(help.find("  " + row.name + "="), std::string::npos) << row.name;
        }
    }
}

TEST(log_choice, names_a_level_areas_and_a_file) {
    const log_choice some = log_choice::of("packets:eager,window:/tmp/a.%r:b");
    EXPECT_TRUE(some.has(log_area::eager, log_level::packets));
    EXPECT_TRUE(some.has(log_area::window, log_level::events));
    EXPECT_FALSE(some.has(log_area::matching, log_level::events));
    EXPECT_EQ(some.file, "/tmp/a.%r:b");
    const log_choice all = log_choice::of("1::file");
    EXPECT_TRUE(all.has(log_area::launch, log_level::events));
    EXPECT_FALSE(all.has(log_area::launch, log_level::packets));
    EXPECT_EQ(all.file, "file");
    EXPECT_FALSE(log_choice::of("").has(log_area::launch, log_level::events));
    EXPECT_FALSE(log_choice::of("off").has(log_area::launch, log_level::events));
}

TEST(log_choice, tells_what_is_wrong) {
    EXPECT_EQ(log_choice::of("packet").wrong, "packet");
    EXPECT_EQ(log_choice::of("events:eager,files").wrong, "files");
    EXPECT_EQ(log_choice::of("events:file").wrong, "");
}
