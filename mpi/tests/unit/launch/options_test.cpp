// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "launch/options/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "base/nearest.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/option.hpp"
#include "launch/options/values.hpp"
#include "launch/outer/hosts_job.hpp"
#include "launch/plan/plan.hpp"

namespace lisle::launch {
namespace {

job_request parsed(std::initializer_list<std::string_view> words) {
    const std::vector<std::string_view> arguments{words};
    return parse(arguments);
}

/// The number of ranks that a command line asks for.
int ranks_of(std::initializer_list<std::string_view> words) {
    return ranks_wanted(parsed(words).programs.at(0)).value_or(1);
}

/// A file that is there as long as this is.
class text_file {
  public:
    explicit text_file(const std::string &text) { std::ofstream{name_} << text; }
    text_file(const text_file &) = delete;
    text_file &operator=(const text_file &) = delete;
    ~text_file() { std::remove(name_.c_str()); }
    [[nodiscard]] const std::string &name() const { return name_; }

  private:
    std::string name_ =
        testing::TempDir() + "options_test_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

std::string refusal(std::initializer_list<std::string_view> words) {
    try {
        parsed(words);
    } catch (const launch_error &error) {
        EXPECT_EQ(error.exit_code(), exit_usage);
        return error.what();
    }
    return "accepted";
}

TEST(Options, EverySpellingOfTheNumberOfRanks) {
    for (const auto *name : {"-n", "-np", "--np", "--n", "-c"}) {
        EXPECT_EQ(parsed({name, "3", "a"}).programs.at(0).ranks, 3) << name;
    }
    EXPECT_EQ(parsed({"-n=3", "a"}).programs.at(0).ranks, 3);
    EXPECT_EQ(parsed({"-n3", "a"}).programs.at(0).ranks, 3);
    EXPECT_EQ(ranks_of({"-N", "3", "a"}), 3);
    EXPECT_EQ(ranks_of({"-n", "2", "-N", "3", "a"}), 2);
}

TEST(Options, TheProgramsOwnOptionsAreItsOwn) {
    const auto program = parsed({"-n", "2", "a", "-n", "--label", "--"}).programs.at(0);
    EXPECT_EQ(program.arguments, (std::vector<std::string>{"a", "-n", "--label", "--"}));
    EXPECT_EQ(parsed({"-n", "2", "--", "-strange"}).programs.at(0).arguments.at(0), "-strange");
}

TEST(Options, SeveralPrograms) {
    const auto job = parsed({"-n", "1", "a", "x", ":", "-n", "2", "--wdir", "/tmp", "b"});
    ASSERT_EQ(job.programs.size(), 2U);
    EXPECT_EQ(job.programs[0].arguments, (std::vector<std::string>{"a", "x"}));
    EXPECT_EQ(job.programs[1].ranks, 2);
    EXPECT_EQ(job.programs[1].directory, "/tmp");
    EXPECT_EQ(job.programs[0].directory, "");
}

TEST(Options, ValuesAreChecked) {
    EXPECT_EQ(refusal({"-n", "4x", "a"}), "-n needs a number of at least 1, not '4x'");
    EXPECT_EQ(refusal({"-n", "-4", "a"}), "-n needs a number of at least 1, not '-4'");
    EXPECT_EQ(refusal({"-n", "99999999999", "a"}), "-n needs a number of at least 1, not '99999999999'");
    EXPECT_EQ(refusal({"--timeout", "0", "a"}), "--timeout needs a number of seconds above 0, not '0'");
    EXPECT_EQ(refusal({"--timeout", "nan", "a"}), "--timeout needs a number of seconds above 0, not 'nan'");
    EXPECT_EQ(refusal({"-x", "=v", "a"}), "-x needs the name of a variable, not '=v'");
    EXPECT_EQ(refusal({"--label=yes", "a"}), "--label takes no value");
    EXPECT_EQ(refusal({"--wdir"}), "--wdir needs a value: --wdir DIR");
    EXPECT_EQ(refusal({"--bind-to", "moon", "a"}),
              "--bind-to knows none, hwthread, core, l1cache, l2cache, l3cache, numa, package and user:LIST, "
              "not 'moon'");
    EXPECT_EQ(refusal({"--cpu-set", "one", "a"}), "--cpu-set needs a list of processors as 0-3,8, not 'one'");
    EXPECT_EQ(refusal({"-soft", "2:8:0", "a"}),
              "-soft needs numbers of ranks as 4, 2:8 or 2:8:2, separated by commas, not '2:8:0'");
    EXPECT_EQ(
        refusal({"-initial-errhandler", "mine", "a"}),
        "-initial-errhandler is mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return, not 'mine'");
    EXPECT_NE(refusal({"--output", "colours", "a"}).find("not 'colours'"), std::string::npos);
    EXPECT_NE(refusal({"--forward-signals", "SIGNONE", "a"}).find("not 'SIGNONE'"), std::string::npos);
    EXPECT_NE(refusal({"-arch", "vax", "a"}).find("this machine is "), std::string::npos);
}

TEST(Options, UnknownOnesNameTheNearest) {
    const std::pair<const char *, const char *> cases[] = {
        {"--lable", "--label"},    {"--oversubscribed", "--oversubscribe"},
        {"--time", "--timeout"},   {"-p", "-P"},
        {"--rank", "--ranks"},     {"-wdri", "--wdir"},
        {"--bindto", "--bind-to"},
    };
    for (const auto &[wrong, right] : cases) {
        EXPECT_EQ(refusal({wrong, "a"}), sentence("there is no option ", wrong, "; did you mean ", right,
                                                  "? (--help all lists them)"));
    }
    // What resembles no option gets no guess.
    for (const auto *word : {"--xyzzyplugh", "-silt", "--singular-part"}) {
        EXPECT_EQ(refusal({word, "a"}), sentence("there is no option ", word, "; --help all lists them"));
    }
}

TEST(Options, OtherLaunchersOptionsTakeTheirValues) {
    const auto job = parsed({"--mca", "btl", "self", "-genv", "A", "1", "-env", "B", "2", "-ppn", "4", "a"});
    EXPECT_EQ(job.programs.at(0).arguments.at(0), "a");
    EXPECT_EQ(job.environment.variables.at(0).value, "1");
    EXPECT_EQ(job.programs.at(0).environment.variables.at(0).value, "2");
    EXPECT_EQ(parsed({"--env", "B", "a"}).programs.at(0).arguments.at(0), "a");
    EXPECT_EQ(parsed({"--output-filename", "f", "a"}).messages.notices.size(), 0U);
    EXPECT_EQ(parsed({"--bind-to", "socket", "a"}).placement.binding, "package");
    const std::initializer_list<std::string_view> forms[] = {
        {"--with-ft", "none", "a"},
        {"--pe-list", "0", "a"},
        {"-d", "a"},
        {"--debug-daemons", "a"},
        {"--leave-session-attached", "a"},
        {"--forward-signals", "SIGALRM", "a"},
        {"--tmpdir", "/tmp", "a"},
        {"--do-not-resolve", "a"},
        {"--novm", "a"},
        {"--runtime-options", "x", "a"},
        {"--index-argv-by-rank", "a"},
        {"--max-vm-size", "4", "a"},
        {"--pset", "mine", "a"},
        {"-s", "a"},
        {"-profile", "a"},
        {"-prefork", "a"},
        {"-skip-launch-node", "a"},
    };
    for (const auto &form : forms) {
        EXPECT_EQ(parsed(form).programs.at(0).arguments.at(0), "a") << *form.begin();
    }
}

TEST(Options, WhatCannotBeNamesAWayOut) {
    const std::pair<const char *, const char *> cases[] = {
        {"--dvm", "leave the option out"},
        {"--stop-on-exec", "--gdb"},
        {"-singleton-port", "lislerun"},
        {"--rankfile", "--bind-to user:"},
        {"--tune", "-x"},
        {"--tv", "--gdb"},
    };
    for (const auto &[name, way_out] : cases) {
        EXPECT_NE(refusal({name, "1", "a"}).find(way_out), std::string::npos) << refusal({name, "1", "a"});
    }
}

TEST(Options, Hosts) {
    EXPECT_EQ(parsed({"-host", "localhost:4,127.0.0.1,::1", "a"}).programs.size(), 1U);
    EXPECT_EQ(ranks_of({"-H", "localhost,localhost", "a"}), 2);
    EXPECT_EQ(ranks_of({"-H", "localhost:3", "-H", "127.0.0.1", "a"}), 4);
    EXPECT_EQ(ranks_of({"-H", "localhost:3", "-n", "2", "a"}), 2);
    EXPECT_FALSE(names_other_hosts(parsed({"-hosts", "localhost:2,127.0.0.1", "a"})));
    EXPECT_TRUE(names_other_hosts(parsed({"-hosts", "localhost,n2", "a"})));
    EXPECT_NE(refusal({"-hosts", "n1,:2", "a"}).find("names no host"), std::string::npos);
}

TEST(Options, HostFiles) {
    const text_file own{"# ours\nlocalhost slots=2 max_slots=9\n\nlocalhost:3 # and more\nlocalhost\n"};
    for (const auto *name : {"-hostfile", "-machinefile", "-f"}) {
        EXPECT_EQ(ranks_of({name, own.name(), "a"}), 6) << name;
    }
    const text_file other{"localhost\nn2 slots=4\n"};
    const auto hosts = parsed({"-f", other.name(), "a"}).programs.front().hosts;
    EXPECT_EQ(hosts, (std::vector<host_slots>{{"localhost", 1}, {"n2", 4}}));
    EXPECT_NE(refusal({"-f", "/nonexistent/hosts", "a"}).find("cannot be read"), std::string::npos);
    const text_file empty{"# nobody\n"};
    EXPECT_NE(refusal({"-f", empty.name(), "a"}).find("names no host"), std::string::npos);
}

TEST(Options, MapsSayHowManyRanks) {
    EXPECT_EQ(ranks_of({"-map-by", "ppr:2:node", "a"}), 2);
    EXPECT_EQ(ranks_of({"-map-by", "ppr:3:node:PE=1", "a"}), 3);
    EXPECT_EQ(ranks_of({"-map-by", "ppr:2:node", "-n", "5", "a"}), 5);
    EXPECT_EQ(ranks_of({"-ppn", "3", "a"}), 3);
    EXPECT_EQ(ranks_of({"-map-by", "ppr:1:hwthread", "a"}), cpu_set::allowed().count());
    EXPECT_EQ(ranks_of({"-map-by", "core", "a"}), 1);
    EXPECT_NE(refusal({"-map-by", "ppr:2:moon", "a"}).find("as ppr:2:node"), std::string::npos);
}

TEST(Options, SoftNumbersOfRanks) {
    EXPECT_EQ(soft_numbers("-soft", "4,2:3,9:5:-2"), (std::vector<int>{2, 3, 4, 5, 7, 9}));
    EXPECT_EQ(soft_numbers("-soft", "-3:1"), (std::vector<int>{1}));
    EXPECT_EQ(ranks_of({"-n", "6", "-soft", "1:10:4", "a"}), 5);
    EXPECT_EQ(ranks_of({"-soft", "2:8:3", "a"}), 8);
    EXPECT_THROW(ranks_of({"-n", "3", "-soft", "4:8", "a"}), launch_error);
}

TEST(Options, FilesOfProgramsAndOptions) {
    const text_file programs{"# two programs\n-n 2 'a b' \"c \\\"d\\\"\" e\\ f \\\n  g\n\n-n 1 second\n"};
    const auto job = parsed({"-configfile", programs.name()});
    ASSERT_EQ(job.programs.size(), 2U);
    EXPECT_EQ(job.programs[0].ranks, 2);
    EXPECT_EQ(job.programs[0].arguments, (std::vector<std::string>{"a b", "c \"d\"", "e f", "g"}));
    EXPECT_EQ(job.programs[1].arguments, (std::vector<std::string>{"second"}));
    const text_file options{"-n 3\n-x A=1\n"};
    const auto one = parsed({"-file", options.name(), "a"});
    EXPECT_EQ(one.programs.at(0).ranks, 3);
    EXPECT_EQ(one.programs.at(0).environment.variables.at(0).name, "A");
    std::ofstream{options.name()} << "-file " << options.name() << "\n";
    EXPECT_NE(refusal({"-file", options.name(), "a"}).find("without end"), std::string::npos);
}

TEST(Options, ShapesOfOutput) {
    EXPECT_EQ(parsed({"--output-filename", "dir:nocopy", "a"}).output.directory, "dir");
    EXPECT_FALSE(parsed({"--output-filename", "dir:nocopy", "a"}).output.copy);
    const auto output = parsed({"--output", "TAG,timestamp,merge,file=name", "a"}).output;
    EXPECT_TRUE(output.label && output.timestamps && output.merge && output.copy);
    EXPECT_EQ(output.file, "name");
}

TEST(Options, NoNameStandsInTheTablesTwice) {
    std::set<std::string_view> seen;
    for (const auto &table : option_tables()) {
        for (const auto &row : table.rows) {
            for (const auto name : split(row.names, '|')) {
                EXPECT_TRUE(seen.insert(name).second) << name;
            }
        }
    }
}

TEST(Options, TheHelpNamesEveryOption) {
    const auto help = help_text("all");
    for (const auto &table : option_tables()) {
        for (const auto &row : table.rows) {
            if (row.listed != listing::hidden && !row.help.empty()) {
                EXPECT_NE(help.find(dashed(split(row.names, '|').front())), std::string::npos) << row.names;
            }
        }
    }
}

TEST(Options, TheHelpHasTopics) {
    const auto first = help_text({});
    EXPECT_LT(std::ranges::count(first, '\n'), 50) << "one page";
    for (const auto &table : option_tables()) {
        EXPECT_NE(first.find(sentence("  ", table.topic, " ")), std::string::npos) << table.topic;
        const auto page = help_text(table.topic);
        EXPECT_TRUE(page.starts_with(sentence(table.topic, ": ", table.about))) << page;
        EXPECT_NE(help_text("all").find(page), std::string::npos) << table.topic;
    }
    EXPECT_NE(help_text("placement").find("--bind-to UNIT"), std::string::npos);
    EXPECT_EQ(help_text("placement").find("--timeout"), std::string::npos);
    EXPECT_TRUE(help_text("--timeout").starts_with("  --timeout SECONDS")) << help_text("--timeout");
    EXPECT_EQ(help_text("bind-to"), help_text("--bind-to"));
}

TEST(Nearest, Distances) {
    EXPECT_EQ(typing_distance("label", "label"), 0);
    EXPECT_EQ(typing_distance("lable", "label"), 2);
    EXPECT_EQ(typing_distance("p", "P"), 1);
    EXPECT_EQ(typing_distance("", "abc"), 6);
    EXPECT_EQ(typing_distance("abc", ""), 6);
}

} // namespace
} // namespace lisle::launch
