// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/plan.hpp"

#include <gtest/gtest.h>

#include "launch/common/launch_error.hpp"
#include "launch/options/command_line.hpp"
#include "launch/plan/resources.hpp"

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

TEST(Shape, RanksThatMayBeLostAlone) {
    const auto counts_of = [](std::initializer_list<std::string_view> options) {
        return shapes_of(parse(std::vector<std::string_view>{options}), nullptr).front().ranks_of_process;
    };
    EXPECT_EQ(counts_of({"--with-ft", "ulfm", "-n", "3", "--ranks", "thread", "true"}), (counts{1, 1, 1}));
    EXPECT_EQ(counts_of({"--with-ft", "ulfm", "-n", "3", "--ranks", "fiber", "true"}), (counts{1, 1, 1}));
    EXPECT_EQ(counts_of({"--with-ft", "ulfm", "-P", "2", "-T", "2", "true"}), (counts{2, 2}));
    EXPECT_EQ(counts_of({"--with-ft", "none", "-n", "3", "--ranks", "thread", "true"}), counts{3});
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

resource_need need(std::initializer_list<std::string_view> options) {
    std::vector<std::string_view> words{options};
    words.emplace_back("/bin/sh");
    const auto request = parse(words);
    job_plan job; // as plan() makes it, without a host
    const auto shape = shape_of(request.programs.at(0), rank_kind::process);
    for (const int ranks : shape.ranks_of_process) {
        const int first = job.processes.empty() ? 0 : job.ranks();
        job.processes.push_back({0, first, ranks, shape.hosted, shape.fibers ? 2 : 0, {}, {}});
    }
    return need_of(request, job);
}

TEST(Resources, GrowWithTheJob) {
    EXPECT_EQ(need({"-n", "100"}).tasks, 102U);
    EXPECT_EQ(need({"-n", "100", "--ranks", "thread"}).tasks, 103U);
    EXPECT_EQ(need({"-n", "100", "--ranks", "fiber"}).tasks, 5U);
    EXPECT_GT(need({"-n", "100"}).bytes, need({"-n", "100", "--ranks", "thread"}).bytes);
    EXPECT_GT(need({"-n", "100", "--ranks", "thread"}).bytes, need({"-n", "100", "--ranks", "fiber"}).bytes);
    EXPECT_LT(need({"-n", "100000", "--ranks", "fiber"}).bytes, std::uint64_t{8} << 30);
    EXPECT_LT(need({"-n", "1000"}).bytes, std::uint64_t{2} << 30);
    EXPECT_GT(need({"-n", "20000"}).bytes, std::uint64_t{20} << 30);
    EXPECT_GE(need({"-n", "100", "-l"}).descriptors, need({"-n", "100"}).descriptors + 200);
    EXPECT_GE(need({"-n", "100", "--output-filename", "d", "-stdin", "all"}).descriptors, 500U);
}

std::string refused(const resource_need &wanted, const resource_limits &limits) {
    try {
        check_resources(7, wanted, limits);
    } catch (const launch_error &error) {
        return error.what();
    }
    return "accepted";
}

TEST(Resources, AreRefusedWithNeedAndLimit) {
    const resource_limits limits{{5 << 20, "a"}, {10, "b"}, {20, "c"}};
    EXPECT_EQ(refused({5 << 20, 10, 20}, limits), "accepted");
    EXPECT_EQ(refused({(5 << 20) + 1, 10, 20}, limits)
                  .find("this job of 7 ranks needs at least 6 MiB of memory, and 5 MiB are left (a)"),
              0U);
    EXPECT_EQ(refused({5 << 20, 11, 20}, limits)
                  .find("this job of 7 ranks needs 11 processes and threads, the limit is 10 (b)"),
              0U);
    EXPECT_NE(refused({5 << 20, 10, 21}, limits).find("21 open files, the limit is 20 (c)"),
              std::string::npos);
    EXPECT_EQ(refused({5 << 20, 10, 20}, {}), "accepted");
    EXPECT_GT(limits_here().bytes.value, 0U);
    EXPECT_LT(limits_here().bytes.value, std::uint64_t{1} << 50);
    EXPECT_LT(limits_here().tasks.value, UINT64_MAX);
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
