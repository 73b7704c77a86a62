// SPDX-License-Identifier: Apache-2.0
// The record that the launcher hands to a process: text and back, and texts that are none.
#include "world/process_record.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

using namespace lisle;

namespace {

/// The sentence with which a text is refused; empty if it is not.
std::string refusal_of(std::string_view text) {
    try {
        static_cast<void>(process_record::parse(text));
        return "";
    } catch (const mpi_error &error) {
        return error.what();
    }
}

void expect_refused(std::string_view text, const std::string &because) {
    EXPECT_EQ(refusal_of(text), sentence("LISLE_JOB=", text, ": ", because,
                                         " (was it set by something else than this version's lislerun?)"));
}

} // namespace

TEST(process_record, is_written_and_read) {
    const process_record of_launcher{.table = 100,
                                     .process = 2,
                                     .program = 1,
                                     .host = true,
                                     .labels = true,
                                     .input = 3,
                                     .bind = "0-3,8:4"};
    EXPECT_EQ(of_launcher.text(), "table=100;process=2;program=1;host=1;labels=1;input=3;bind=0-3,8:4");
    EXPECT_EQ(process_record::parse(of_launcher.text()), of_launcher);
    const process_record of_task{.host = true, .ranks = 5, .workers = 2};
    EXPECT_EQ(of_task.text(), "host=1;ranks=5;workers=2");
    EXPECT_EQ(process_record::parse(of_task.text()), of_task);
    EXPECT_EQ(process_record::parse("bind=core;process=0;table=0"),
              (process_record{.table = 0, .process = 0, .bind = "core"}));
}

TEST(process_record, has_defaults_for_missing_fields) {
    EXPECT_EQ(process_record{}.text(), "");
    EXPECT_EQ(process_record::parse(""), process_record{});
    EXPECT_EQ(process_record::parse("labels=1"), process_record{.labels = true});
    EXPECT_EQ(process_record::parse("table=3;process=0").table, 3);
    expect_refused("table=3", "the field process is missing");
    expect_refused("process=3;labels=1", "the field table is missing");
}

TEST(process_record, refuses_values_that_are_none_with_field_and_value) {
    expect_refused("table=x;process=0", "the field table is x, which is not a number from 0 on");
    expect_refused("table=1;process=-1", "the field process is -1, which is not a number from 0 on");
    expect_refused("workers=2 ", "the field workers is 2 , which is not a number from 0 on");
    expect_refused("input=", "the field input is , which is not a number from 0 on");
    expect_refused("ranks=99999999999", "the field ranks is 99999999999, which is not a number from 0 on");
    expect_refused("labels=yes", "the field labels is yes, which is not 0 or 1");
    expect_refused("labels", "the field labels has no value");
    expect_refused("host=1;host=0", "the field host stands there twice");
}

TEST(process_record, refuses_unknown_fields) {
    expect_refused("rank=3", "there is no field rank; the fields are table, process, program, host, ranks, "
                             "workers, labels, input, bind, choices");
    expect_refused("7", "the field 7 has no value");
}

TEST(process_record, cannot_hold_what_would_end_a_field) {
    const process_record odd{.bind = "0;1"};
    EXPECT_THROW(static_cast<void>(odd.text()), mpi_error);
    EXPECT_THROW(static_cast<void>(process_record{.choices = "/tmp/a;b"}.text()), mpi_error);
    EXPECT_EQ(process_record::parse("choices=/tmp/a").choices, "/tmp/a");
}
