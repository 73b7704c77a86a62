// SPDX-License-Identifier: Apache-2.0
// Weight files of text: what is written by any number of ranks is the same file, and what any number of ranks
// reads are the rows of their points; each mistake with its line and column.
#include <array>
#include <charconv>

#include "weight_matrix.hpp"

namespace {

using namespace matrices;

std::string text_of(const matrix &of) {
    std::string text = "lisle weights 1\nrows " + std::to_string(of.rows) + " columns " +
                       std::to_string(of.columns) + " entries " + std::to_string(of.count()) + "\n";
    for (const auto &row : of.entries)
        for (const weight &each : row) {
            std::array<char, 32> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), each.factor).ptr;
            text += std::to_string(each.place) + " " + std::to_string(each.source) + " " +
                    std::string{digits.data(), end} + "\n";
        }
    return text;
}

void check_round_trips(const lisle::communicator &world, random_source &random, const file &at) {
    const auto half = world.split(world.rank() % 2);
    for (int number = 0; number != 12; ++number) {
        const matrix all = draw(random);
        write(world, random, at.path(), all, couple::weight_format::text);
        CHECK(at.content() == text_of(all));
        check_reading(world, random, at.path(), all);
        random_source other{static_cast<std::uint64_t>(number)};
        check_reading(half, other, at.path(), all);
        world.barrier();
    }
}

/// As people write them.
void check_by_hand(const lisle::communicator &world, const file &at) {
    for (const std::string end : {"\n", "\r\n"}) {
        std::string text =
            "lisle weights 1\nrows 3  columns 4 entries 5\n\n# comment\n 2\t3  1e-1 \n0 1 .5\n\n0 0 -2\n"
            "# another\n#\n1 1 1.25\n2 0 7";
        for (std::size_t line = text.find('\n'); line != std::string::npos;
             line = text.find('\n', line + end.size()))
            text.replace(line, 1, end);
        at.fill(text);
        const std::array<global_index, 3> points{2, 0, 2};
        const auto got =
            couple::read_weights(world.native(), at.path(), couple::decomposition::list(3, points), 4);
        const std::vector<weight> expected{{0, 0, 7},   {0, 3, 0.1}, {1, 0, -2},
                                           {1, 1, 0.5}, {2, 0, 7},   {2, 3, 0.1}};
        CHECK_EQ(got.size(), expected.size());
        for (std::size_t each = 0; each != got.size(); ++each) {
            CHECK_EQ(got[each].place, expected[each].place);
            CHECK_EQ(got[each].source, expected[each].source);
            CHECK_EQ(got[each].factor, expected[each].factor);
        }
    }
    // A line that reaches over all ranks' stretches.
    at.fill("lisle weights 1\nrows 3 columns 4 entries 1\n" + std::string(9000, ' ') + "1 2" +
            std::string(9000, ' ') + "1." + std::string(9000, '0') + "\n");
    CHECK_EQ(refusal(world, at.path()), std::string{});
}

void check_mistakes(const lisle::communicator &world, const file &at) {
    const std::string head = "lisle weights 1\nrows 3 columns 4 entries 2\n";
    std::string many = "lisle weights 1\nrows 3 columns 4 entries 1000\n";
    for (int line = 0; line != 998; ++line)
        many += "# " + std::string(static_cast<std::size_t>(line % 50), '-') + "\n";
    const std::array<std::array<std::string, 2>, 17> cases{{
        {"lisle weights 2\n", "FILE:1:15: the version 2 is not known, only 1"},
        {"lisle's weights\n", "FILE:1:1: \"lisle\" is missing"},
        {"lisle weights 1\n", "FILE:2:1: the line with rows, columns and entries is missing"},
        {"lisle weights 1\nrows 3 column 4 entries 2\n", "FILE:2:8: \"columns\" is missing"},
        {"lisle weights 1\nrows -3 columns 4 entries 2\n", "FILE:2:6: there cannot be -3 rows"},
        {"lisle weights 1\nrows 5 columns 4 entries 0\n",
         "FILE is for a receiver's grid of 5 points, not of 3 (rank 0)"},
        {"lisle weights 1\nrows 3 columns 9 entries 0\n",
         "FILE is for a sender's grid of 9 points, not of 4 (rank 0)"},
        {head + "0 0 1\n3 0 1\n", "FILE:4:1: the receiver's grid of 3 points has no point 3"},
        {head + "0 0 1\n# :\n 1  -1 1\n", "FILE:5:5: the sender's grid of 4 points has no point -1"},
        {head + "0 x 1\n", "FILE:3:3: \"x\" is not a point of the sender"},
        {head + "0 1.5 1\n", "FILE:3:3: \"1.5\" is not a point of the sender"},
        {head + "0 1 1..5\n", "FILE:3:5: \"1..5\" is not a factor"},
        {head + "0 1 nan\n", "FILE:3:5: the factor is not finite"},
        {head + "0 1\n", "FILE:3:4: the line ends before a factor"},
        {head + "0 1 1 1\n", "FILE:3:7: the line is too long"},
        {head + "0 1 1\n", "FILE:2:1: 2 entries are announced, there are 1"},
        {many + "0 1 1\n0 9 1\n0 1 8 7\n", "FILE:1002:3: the sender's grid of 4 points has no point 9"},
    }};
    for (const auto &[text, expected] : cases) {
        at.fill(text);
        CHECK_EQ(refusal(world, at.path()), "couple: " + expected);
    }
}

void check_refusals_to_write(const lisle::communicator &world, const file &at) {
    const auto refused = [&](std::int64_t place, global_index source) {
        const std::array<global_index, 2> points{0, 1};
        const std::array<unsigned char, 2> mask{0, 1};
        const std::array weights{weight{place, source, 1}};
        try {
            couple::write_weights(world.native(), at.path(), weights,
                                  couple::decomposition::list(3, points).masked(mask), 4);
        } catch (const std::invalid_argument &error) {
            return std::string{error.what()};
        }
        return std::string{};
    };
    CHECK_EQ(refused(2, 0), "couple: a weight is for place 2 of 2 (rank 0)");
    CHECK_EQ(refused(1, 0), "couple: a weight is for place 1, which is masked (rank 0)");
    CHECK_EQ(refused(0, 4), "couple: a weight is of point 4 of a grid of 4 (rank 0)");
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const lisle::communicator world = lisle::world();
    random_source random{5};
    const file at{world};
    check_round_trips(world, random, at);
    check_by_hand(world, at);
    check_mistakes(world, at);
    check_refusals_to_write(world, at);
}
