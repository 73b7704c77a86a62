// SPDX-License-Identifier: Apache-2.0
// Couplings that a file declares, and files with mistakes, which are told with their line and column.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/job.hpp"

namespace {

namespace couple = lisle::couple;

/// A configuration of this text, which is gone at the end.
class text_file {
  public:
    text_file(const lisle::communicator &world, const std::string &text) : world_{world} {
        const char *const folder = std::getenv("TMPDIR");
        long number = static_cast<long>(getpid());
        world.broadcast(number);
        path_ =
            std::string{folder != nullptr ? folder : "/tmp"} + "/lisle-configured-" + std::to_string(number);
        if (world.rank() == 0)
            std::ofstream{path_} << text;
        world.barrier();
    }
    text_file(const text_file &) = delete;
    text_file &operator=(const text_file &) = delete;
    ~text_file() {
        world_.barrier();
        if (world_.rank() == 0)
            std::remove(path_.c_str());
    }
    [[nodiscard]] const std::string &path() const { return path_; }

  private:
    const lisle::communicator &world_;
    std::string path_;
};

/// Two components of all ranks, each with a point at rank 0; the sea does not say where its heat comes from.
class pair {
  public:
    explicit pair(const lisle::communicator &world) : job{world.native(), {"air", "deep sea"}} {
        const std::array<couple::global_index, 1> first{0};
        const couple::decomposition mine =
            world.rank() == 0 ? couple::decomposition::list(1, first) : couple::decomposition{1};
        job["air"].runs({1, 0, 13});
        job["air"].offers({"flux", couple::field_place::of(&flux), mine});
        job["deep sea"].runs({4, 0, 13});
        job["deep sea"].wants({"heat", couple::field_place::of(&heat), mine});
    }
    couple::job job;
    double flux = 0, heat = -1;
};

/// Sums of the air's fluxes 0, 1, 2, ... over the sea's steps, with the lag that the file says.
void check_coupled(const lisle::communicator &world) {
    const text_file file{world, "# the only one\n\n  \"deep sea\".heat <- air.flux  sum lag 4 # late\n"};
    pair both{world};
    both.job.configure(file.path());
    both.job.begin();
    couple::component &air = both.job["air"], &sea = both.job["deep sea"];
    for (; !air.is_at_end(); air.advance()) {
        both.flux = static_cast<double>(air.time());
        air.put();
        if (sea.is_at_end() || sea.time() != air.time())
            continue;
        sea.get();
        const couple::ticks end = sea.time() - 4;
        double expected = 0;
        for (couple::ticks each = std::max<couple::ticks>(end - 4, 0); each < end; ++each)
            expected += static_cast<double>(each);
        if (world.rank() == 0)
            CHECK_EQ(both.heat, expected);
        sea.advance();
    }
}

std::string refusal(const lisle::communicator &world, const std::string &text) {
    const text_file file{world, text};
    try {
        pair both{world};
        both.job.configure(file.path());
        both.job.begin();
    } catch (const std::invalid_argument &error) {
        const std::string sentence = error.what(), begin = "couple: " + file.path() + ":";
        return sentence.substr(0, begin.size()) == begin ? sentence.substr(begin.size()) : sentence;
    }
    return "";
}

void check_mistakes(const lisle::communicator &world) {
    const std::string sea = "\"deep sea\".heat";
    CHECK_EQ(refusal(world, sea + " <- air.flux latest"), std::string{});
    CHECK_EQ(refusal(world, "\n" + sea + " <- air.flux summ"),
             std::string{"2:29: \"summ\" is none of latest, linear, mean, sum, minimum, maximum, lag N, "
                         "every N, iterated"});
    CHECK_EQ(refusal(world, sea + " <- air.flux lag soon"),
             std::string{"1:33: a lag has to be a whole number"});
    CHECK_EQ(refusal(world, sea + " <- air.flux every day"),
             std::string{"1:35: a coupling period has to be a whole number"});
    CHECK_EQ(refusal(world, sea + " <- air.flux every 6"),
             std::string{"couple: \"heat\" of \"deep sea\" is wanted every 6, which is no multiple of 4, the "
                         "steps of \"deep sea\""});
    CHECK_EQ(refusal(world, sea + " < air.flux"), std::string{"1:17: \"<-\" is missing here"});
    CHECK_EQ(refusal(world, sea + " <- air"), std::string{"1:23: \".\" is missing here"});
    CHECK_EQ(refusal(world, "\"deep sea.heat <- air.flux"),
             std::string{"1:1: a name that begins with a quote has to end with one"});
    CHECK_EQ(refusal(world, "sea.heat <- air.flux"), std::string{"1: no component \"sea\" wants \"heat\""});
    CHECK_EQ(refusal(world, ""), std::string{"couple: \"heat\" of \"deep sea\" is wanted from nobody: name a "
                                             "component, in the program or in a configuration file"});
    CHECK_EQ(
        refusal(world, sea + " <- air.heat"),
        std::string{
            "couple: \"heat\" of \"deep sea\" is \"heat\" of \"air\", which does not offer it, but: flux"});
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const lisle::communicator world = lisle::world();
    check_coupled(world);
    check_mistakes(world);
    pair both{world};
    std::string sentence;
    try {
        both.job.configure("/no/such/file");
    } catch (const std::invalid_argument &error) {
        sentence = error.what();
    }
    CHECK_EQ(sentence, std::string{"couple: the configuration \"/no/such/file\" cannot be read (rank 0)"});
}
