// SPDX-License-Identifier: Apache-2.0
// The launcher's smaller parts: splicing lines, sets of processors, verdicts, environments.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/process_status.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/common/line_splicer.hpp"
#include "launch/options/command_line.hpp"
#include "launch/plan/preloaded.hpp"
#include "launch/plan/process_environment.hpp"
#include "launch/streams/rank_sorter.hpp"
#include "launch/supervisor/descendants.hpp"
#include "launch/supervisor/job_end.hpp"
#include "launch/supervisor/memory_watch.hpp"
#include "launch/supervisor/verdict.hpp"
#include "world/process_record.hpp"

namespace lisle::launch {
namespace {

TEST(LineSplicer, WholeLinesWhateverThePieces) {
    const std::string text = "one\n\ntwo three\nfour";
    for (std::size_t size = 1; size <= text.size(); ++size) {
        line_splicer lines{"> "};
        std::string joined;
        for (std::size_t at = 0; at < text.size(); at += size) {
            lines.feed(std::string_view{text}.substr(at, size), joined);
        }
        EXPECT_EQ(joined, "> one\n> \n> two three\n") << size;
        lines.finish(joined);
        EXPECT_EQ(joined, "> one\n> \n> two three\n> four\n");
    }
}

TEST(LineSplicer, CutsLinesThatDoNotEnd) {
    line_splicer lines{"> "};
    std::string joined;
    const std::string piece(line_splicer::longest_line / 2 + 1, 'x');
    lines.feed(piece, joined);
    EXPECT_EQ(joined, "");
    lines.feed(piece, joined);
    EXPECT_EQ(joined.size(), line_splicer::longest_line + 3);
    lines.feed("y\n", joined);
    EXPECT_TRUE(joined.ends_with("\n> xxy\n"));
}

TEST(LineSplicer, ALineOfExactlyTheLimitIsNotCut) {
    line_splicer lines{""};
    std::string joined;
    const std::string longest(line_splicer::longest_line, 'x');
    lines.feed(longest, joined);
    lines.feed("\nnext\n", joined);
    EXPECT_EQ(joined, longest + "\nnext\n");
}

TEST(CpuSet, ParsesTheKernelsLists) {
    const auto set = cpu_set::parse("0-2,5,8191");
    EXPECT_EQ(set.count(), 5);
    EXPECT_TRUE(set.has(1) && set.has(5) && set.has(8191));
    EXPECT_EQ(cpu_set::parse("").count(), 0);
    EXPECT_EQ(cpu_set::parse("7-3").count(), 0);
    EXPECT_EQ(cpu_set::parse("0-99999999999").count(), 8192);
}

TEST(CpuSet, PlacesAreCoresOfTheAllowedProcessors) {
    const auto allowed = cpu_set::parse("0,1,4,5");
    // Processors n and n + 4 share a core.
    const auto siblings = [](std::size_t cpu) {
        return std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4);
    };
    const auto cores = places(allowed, siblings);
    ASSERT_EQ(cores.size(), 2U);
    EXPECT_TRUE(cores[0].has(0) && cores[0].has(4) && cores[0].count() == 2);
    EXPECT_EQ(places(allowed, [](std::size_t) { return std::string{}; }).size(), 4U);
}

TEST(CpuSet, PlacesOfAListAreInItsOrder) {
    const auto found = places("5,1-2");
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].list(), "5");
    EXPECT_EQ(found[2].list(), "2");
    EXPECT_TRUE(places("").empty());
    EXPECT_EQ(places("hwthread").size(), static_cast<std::size_t>(cpu_set::allowed().count()));
    EXPECT_GE(places("core").size(), places("package").size());
}

TEST(CpuSet, Lists) {
    EXPECT_EQ(cpu_set::parse("0-2,5,7-8").list(), "0-2,5,7-8");
    EXPECT_EQ(cpu_set{}.list(), "");
    for (const auto *wrong : {"", "a", "1,", "3-1", "1-", "0-8192"}) {
        EXPECT_FALSE(cpu_set::is_list(wrong)) << wrong;
    }
    EXPECT_TRUE(cpu_set::is_list("0-8191"));
}

TEST(RankSorter, SortsLinesWhateverThePieces) {
    const std::string text = "[3] one\nof nobody\n[4] two [3] x\n[5] no such rank\n[3] \n[x] y\n[4] end";
    for (std::size_t size = 1; size <= text.size(); ++size) {
        outlet ranks{1}, others{2};
        std::vector<rank_stream> streams;
        streams.emplace_back(&ranks, line_label{"a:"}, std::vector<std::shared_ptr<output_file>>{});
        streams.emplace_back(&ranks, line_label{"b:"}, std::vector<std::shared_ptr<output_file>>{});
        rank_sorter sorter{streams, 3, others};
        for (std::size_t at = 0; at < text.size(); at += size) {
            sorter.feed(std::string_view{text}.substr(at, size));
        }
        sorter.finish();
        EXPECT_EQ(ranks.waiting(), "a:one\nb:two [3] x\na:\nb:end\n") << size;
        EXPECT_EQ(others.waiting(), "of nobody\n[5] no such rank\n[x] y\n") << size;
    }
}

TEST(Preloaded, LibrariesThatPatternsMean) {
    EXPECT_EQ(preloaded_private_library("libz*:libm.so", "/opt/liba.so /opt/libzz.so"), "/opt/libzz.so");
    EXPECT_EQ(preloaded_private_library("/opt/*", "/opt/liba.so"), "/opt/liba.so");
    EXPECT_FALSE(preloaded_private_library("libz*", "/opt/liba.so"));
    EXPECT_FALSE(preloaded_private_library("", ""));
}

TEST(Environment, KeepsForeignJobsOut) {
    char outer[] = "LISLE_JOB=table=7;process=1;labels=1", size[] = "LISLE_SIZE=9", home[] = "HOME=/home",
         empty[] = "EMPTY=";
    char *inherited[] = {outer, size, home, empty, nullptr};
    const std::vector<std::string_view> words{"-x",    "HOME=/other", "-x", "MISSING",
                                              "-genv", "A",           "1",  "true"};
    const auto request = parse(words);
    const process_plan process{.program = 0,
                               .first_rank = 3,
                               .ranks = 1,
                               .hosted = false,
                               .workers = 0,
                               .path = {},
                               .arguments = {}};
    const auto made = environment_of(process, 2, request, 5000, 100, inherited); // more ranks than processors
    EXPECT_EQ(made, (std::vector<std::string>{
                        "HOME=/other", "EMPTY=", "A=1", "GFORTRAN_UNBUFFERED_PRECONNECTED=y", "LISLE_RANK=3",
                        "LISLE_JOB=table=100;process=2", "LISLE_SIZE=5000", "LISLE_UNIVERSE_SIZE=5000"}));
}

TEST(Environment, TellsAHostOfItsRanks) {
    char home[] = "HOME=/home";
    char *inherited[] = {home, nullptr};
    const std::vector<std::string_view> words{"-l", "--stdin", "3", "--bind-to", "user:0", "true"};
    const auto request = parse(words);
    const process_plan process{
        .program = 0, .first_rank = 0, .ranks = 4, .hosted = true, .workers = 2, .path = {}, .arguments = {}};
    const auto record_in = [](const std::vector<std::string> &made) {
        constexpr std::string_view name = "LISLE_JOB=";
        const auto found =
            std::ranges::find_if(made, [name](const auto &each) { return each.starts_with(name); });
        return found == made.end() ? process_record{}
                                   : process_record::parse(std::string_view{*found}.substr(name.size()));
    };
    process_record wanted{.table = 100, .process = 0, .host = true, .labels = true, .input = 3, .bind = "0"};
    const auto made = environment_of(process, 0, request, 4, 100, inherited);
    EXPECT_EQ(record_in(made), wanted);
    EXPECT_TRUE(std::ranges::none_of(made, [](const auto &each) { return each.starts_with("LISLE_RANK="); }));
    wanted.table.reset();
    wanted.process.reset();
    wanted.ranks = 4;
    wanted.workers = 2;
    EXPECT_EQ(record_in(environment_of_task(process, request, inherited)), wanted);
}

/// A control group of files.
class group_of_files {
  public:
    explicit group_of_files(int version)
        : group_{std::filesystem::temp_directory_path() / unique_name(), version} {
        std::filesystem::create_directories(group_.folder);
    }
    ~group_of_files() { std::filesystem::remove_all(group_.folder); }
    void write(const std::string &file, const std::string &text) const {
        std::ofstream{group_.folder / file} << text;
    }
    [[nodiscard]] const control_group &group() const { return group_; }

  private:
    static std::string unique_name() {
        static int count = 0;
        return "lisle-group-" + std::to_string(getpid()) + "-" + std::to_string(++count);
    }
    control_group group_;
};

TEST(MemoryWatch, TellsOfEachKillOnce) {
    const group_of_files group{2};
    group.write("memory.events", "low 0\noom 3\noom_kill 1\n");
    group.write("memory.max", "max\n");
    memory_watch watch{{group.group()}};
    EXPECT_EQ(watch.explain_kill(), "") << "before the job";
    group.write("memory.events", "low 0\noom 4\noom_kill 2\n");
    EXPECT_EQ(watch.explain_kill(), ": the kernel has ended it for lack of memory");
    EXPECT_EQ(watch.explain_kill(), "");
}

TEST(MemoryWatch, NamesTheLimit) {
    const group_of_files inner{1};
    const group_of_files outer{1};
    inner.write("memory.limit_in_bytes", "9223372036854771712\n");
    outer.write("memory.limit_in_bytes", "536870912\n");
    memory_watch watch{{inner.group(), outer.group()}};
    inner.write("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    EXPECT_EQ(watch.explain_kill(),
              ": the kernel has ended it for lack of memory (memory.limit_in_bytes of the control group: "
              "512 MiB)");
}

TEST(MemoryWatch, KnowsNothingWithoutGroups) {
    memory_watch watch{{}};
    EXPECT_EQ(watch.explain_kill(), "");
}

TEST(Descendants, ProcessesMayEndWhileTheyAreCounted) {
    std::jthread others([](const std::stop_token &enough) {
        while (!enough.stop_requested()) {
            constexpr int several = 40;
            for (int i = 0; i != several; ++i) {
                if (fork() == 0) {
                    _exit(0);
                }
            }
            while (waitpid(-1, nullptr, 0) > 0) {
                // all of them
            }
        }
    });
    for (int i = 0; i != 100; ++i) {
        EXPECT_LE(descendants().size(), 40U);
        EXPECT_FALSE(has_spawned_job());
    }
    EXPECT_EQ(parent_of(getpid()), getppid());
}

TEST(JobEnd, TheFirstFailureIsTheExitCode) {
    job_end end;
    EXPECT_EQ(end.exit_code(), 0);
    end.offer_exit_code(3);
    end.offer_exit_code(4);
    EXPECT_EQ(end.exit_code(), 3);
    EXPECT_FALSE(end.begun() || end.told());
    EXPECT_FALSE(end.kills_now(job_end::clock::now() + std::chrono::hours{1})) << "nothing ends the job";
    end.begin(130, std::chrono::milliseconds{0});
    EXPECT_EQ(end.exit_code(), 130) << "what ends the job counts more";
    EXPECT_TRUE(end.begun());
}

TEST(JobEnd, KillsWhenTheTimeIsOverAndEachSecondAfter) {
    job_end end;
    end.begin(1, std::chrono::hours{1});
    const auto now = job_end::clock::now();
    EXPECT_FALSE(end.kills_now(now));
    end.hurry();
    const auto later = now + std::chrono::seconds{5};
    EXPECT_TRUE(end.kills_now(later));
    EXPECT_FALSE(end.kills_now(later));
    EXPECT_TRUE(end.kills_now(later + std::chrono::seconds{1}));
}

// A wait status as the kernel makes it.
constexpr int exited(int code) {
    return code << 8;
}
constexpr int signaled(int signal) {
    return signal;
}

class Verdict : public testing::Test {
  protected:
    // Process 0 is rank 0, process 1 runs ranks 1 to 3.
    job_table segment_ = job_table::create({.ranks_of_process = {1, 3}});
    [[nodiscard]] verdict of_rank_0(int status) const {
        return judge({0, 42, status, false, "./a"}, segment_);
    }
    [[nodiscard]] verdict of_threads(int status) const {
        return judge({1, 43, status, true, "./a"}, segment_);
    }
    void all(rank_progress progress) {
        for (int rank = 0; rank < segment_.ranks(); ++rank) {
            segment_.advance(rank, progress);
        }
    }
};

TEST_F(Verdict, GoodEnds) {
    EXPECT_EQ(of_rank_0(exited(0)).exit_code, 0);
    all(rank_progress::finalized);
    EXPECT_FALSE(of_rank_0(exited(0)).stops_job);
    all(rank_progress::ended);
    EXPECT_EQ(of_threads(exited(0)).exit_code, 0);
}

TEST_F(Verdict, ExitCodes) {
    EXPECT_TRUE(of_rank_0(exited(3)).stops_job);
    EXPECT_EQ(of_rank_0(exited(3)).sentence, "rank 0 (process 42, ./a) ended with exit code 3");
    all(rank_progress::finalized);
    EXPECT_FALSE(of_rank_0(exited(3)).stops_job);
    EXPECT_EQ(of_rank_0(exited(3)).exit_code, 3);
    all(rank_progress::ended);
    segment_.set_exit_status(2, 4);
    EXPECT_EQ(of_threads(exited(4)).sentence, "rank 2 (a thread of process 43, ./a) ended with exit code 4");
}

TEST_F(Verdict, LeavingWithoutFinalize) {
    all(rank_progress::initialized);
    const auto found = of_rank_0(exited(0));
    EXPECT_TRUE(found.stops_job);
    EXPECT_EQ(found.exit_code, 1);
    EXPECT_EQ(found.sentence, "rank 0 (process 42, ./a) ended without calling MPI_Finalize");
    EXPECT_FALSE(judge_running({1, 43, 0, true, "./a"}, segment_));
    segment_.set_exit_status(3, 5);
    segment_.advance(3, rank_progress::left_early);
    const auto running = judge_running({1, 43, 0, true, "./a"}, segment_);
    ASSERT_TRUE(running);
    EXPECT_EQ(running->exit_code, 5);
    EXPECT_EQ(running->sentence,
              "rank 3 (a thread of process 43, ./a) ended with exit code 5 before MPI_Finalize");
}

TEST_F(Verdict, Signals) {
    EXPECT_EQ(of_threads(signaled(SIGKILL)).sentence,
              "ranks 1 to 3 (threads of process 43, ./a) were ended by SIGKILL (Killed)");
    segment_.record_fault(2, SIGSEGV, 0x10);
    const auto found = of_threads(signaled(SIGSEGV));
    EXPECT_EQ(found.exit_code, 128 + SIGSEGV);
    EXPECT_EQ(
        found.sentence,
        "rank 2 (a thread of process 43, ./a) was ended by SIGSEGV (Segmentation fault) at address 0x10");
    EXPECT_EQ(of_rank_0(signaled(SIGSEGV)).sentence,
              "rank 0 (process 42, ./a) was ended by SIGSEGV (Segmentation fault)");
}

TEST_F(Verdict, TheOnlyRankOfAHostIsAThread) {
    EXPECT_EQ(judge({0, 42, signaled(SIGKILL), true, "./a"}, segment_).sentence,
              "rank 0 (a thread of process 42, ./a) was ended by SIGKILL (Killed)");
    EXPECT_EQ(judge({0, 42, exited(3), true, "./a"}, segment_).sentence,
              "rank 0 (a thread of process 42, ./a) ended with exit code 3");
}

TEST_F(Verdict, AbortNeverLooksLikeSuccess) {
    segment_.record_abort(2, 512, abort_cause::called);
    EXPECT_EQ(of_rank_0(exited(0)).exit_code, 1);
    EXPECT_EQ(of_rank_0(exited(0)).sentence, "rank 2 called MPI_Abort with code 512");
}

TEST_F(Verdict, AnErrorHandlerIsNoCallOfMpiAbort) {
    segment_.record_abort(2, 6, abort_cause::errors_are_fatal);
    EXPECT_EQ(of_rank_0(exited(6)).sentence, "rank 2 was ended by MPI_ERRORS_ARE_FATAL with error code 6");
}

} // namespace
} // namespace lisle::launch
