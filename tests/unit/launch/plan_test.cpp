// SPDX-License-Identifier: Apache-2.0
#include "launch/plan.hpp"

#include <gtest/gtest.h>

#include "launch/launch_error.hpp"
#include "launch/options.hpp"

namespace lisle::launch {
namespace {

using counts = std::vector<int>;

program_shape shape(std::initializer_list<std::string_view> options, rank_kind kind = rank_kind::process) {
    std::vector<std::string_view> words{options};
    words.emplace_back("true");
    return shape_of(parse(words).programs.at(0), kind);
}

std::string refusal(std::initializer_list<std::string_view> options) {
    try {
        shape(options);
    } catch (const launch_error &error) {
        return error.what();
    }
    return "accepted";
}

TEST(Shape, Processes) {
    EXPECT_EQ(shape({}).ranks_of_process, counts{1});
    EXPECT_EQ(shape({"-n", "3"}).ranks_of_process, (counts{1, 1, 1}));
    EXPECT_FALSE(shape({"-n", "3"}).hosted);
    EXPECT_EQ(shape({"-P", "2"}).ranks_of_process, (counts{1, 1}));
    EXPECT_FALSE(shape({"-P", "2"}).hosted);
}

TEST(Shape, Threads) {
    EXPECT_EQ(shape({"-n", "3", "--ranks", "thread"}).ranks_of_process, counts{3});
    EXPECT_TRUE(shape({"-n", "1", "--ranks", "thread"}).hosted);
    EXPECT_EQ(shape({"-n", "3"}, rank_kind::thread).ranks_of_process, counts{3});
    EXPECT_FALSE(shape({"-n", "3", "--ranks", "process"}, rank_kind::thread).hosted);
    EXPECT_EQ(shape({"-T", "3"}).ranks_of_process, counts{3});
    EXPECT_TRUE(shape({"-T", "3"}).hosted);
}

TEST(Shape, Mixtures) {
    EXPECT_EQ(shape({"-P", "2", "-T", "4"}).ranks_of_process, (counts{4, 4}));
    EXPECT_EQ(shape({"-P", "2", "-T", "4", "-n", "8"}).ranks_of_process, (counts{4, 4}));
    EXPECT_EQ(shape({"-n", "7", "-P", "2"}).ranks_of_process, (counts{4, 3}));
    EXPECT_EQ(shape({"-n", "7", "-T", "3"}).ranks_of_process, (counts{3, 3, 1}));
    EXPECT_EQ(shape({"-n", "2", "-T", "3"}).ranks_of_process, counts{2});
    EXPECT_TRUE(shape({"-n", "3", "-P", "2"}).hosted);
}

TEST(Shape, Contradictions) {
    EXPECT_EQ(refusal({"-P", "2", "-T", "4", "-n", "9"}), "-P 2 -T 4 makes 8 ranks, but -n asks for 9");
    EXPECT_EQ(refusal({"-n", "2", "-P", "3"}), "-n 2 ranks cannot be spread over -P 3 processes");
    EXPECT_EQ(refusal({"-T", "2", "--ranks", "process"}),
              "--ranks process means one rank in each process, but -T asks for 2");
    EXPECT_EQ(refusal({"-P", "100000", "-T", "100000"}), "a job has at most 1048576 ranks");
}

TEST(Plan, ProgramsInOrder) {
    const std::vector<std::string_view> words{"-n", "2", "true", ":", "-n", "1", "false", "x"};
    const auto job = plan(parse(words), nullptr);
    ASSERT_EQ(job.processes.size(), 3U);
    EXPECT_EQ(job.processes[2].first_rank, 2);
    EXPECT_EQ(job.processes[2].program, 1U);
    EXPECT_EQ(job.processes[2].arguments, (std::vector<std::string>{"false", "x"}));
    EXPECT_EQ(job.shape().ranks_of_process, (counts{1, 1, 1}));
    EXPECT_TRUE(job.processes[0].path.ends_with("/true"));
}

TEST(FindProgram, SaysWhatIsWrong) {
    const auto code = [](const std::string &name) {
        try {
            [[maybe_unused]] const auto found = find_program(name, {});
        } catch (const launch_error &error) {
            return error.exit_code();
        }
        return 0;
    };
    EXPECT_EQ(code("sh"), 0);
    EXPECT_EQ(code("/bin/sh"), 0);
    EXPECT_EQ(code("no-such-program"), exit_not_found);
    EXPECT_EQ(code("/etc/passwd"), exit_not_executable);
    EXPECT_EQ(code("/etc"), exit_not_executable);
}

} // namespace
} // namespace lisle::launch
