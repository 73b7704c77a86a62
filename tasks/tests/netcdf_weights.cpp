// SPDX-License-Identifier: Apache-2.0
// Weight files of netCDF: those that the test makes itself with the library, in the forms of SCRIP and ESMF,
// and those that are written. Skipped where the library is not there.
#include <array>
#include <cstring>

#include "couple/netcdf_library.hpp"
#include "weight_matrix.hpp"

namespace {

using namespace matrices;
using lisle::couple::detail::netcdf_library;

const netcdf_library &library() {
    return *netcdf_library::loaded();
}
void check_call(int result, int line) {
    if (result != 0)
        check::fail(__FILE__, line, library().error_text(result));
}

/// What a file has, as other programs make it.
struct content {
    std::string rows, columns, entries, row, column, factor, several; ///< names
    std::size_t factors = 1;                                          ///< for each entry
    std::vector<long long> row_numbers, column_numbers;
    std::vector<double> values;
    std::string method, normalization; ///< attributes
};

/// 3 x 4, of SCRIP with gradients; entries in no order, and one to no point.
content scrip() {
    return {"dst_grid_size",
            "src_grid_size",
            "num_links",
            "dst_address",
            "src_address",
            "remap_matrix",
            "num_wgts",
            3,
            {3, 1, 2, 2, 1},
            {4, 2, 0, 2, 1},
            {0.1, 8, 9, 0.5, 8, 9, 0, 0, 0, 1.25, 8, 9, -2, 8, 9},
            "Conservative remapping",
            "fracarea"};
}
content esmf() {
    return {"n_b", "n_a", "n_s", "row", "col", "S", "", 1, {3, 1, 2, 1}, {4, 2, 2, 1}, {0.1, 0.5, 1.25, -2},
            "",    ""};
}

void make(const lisle::communicator &world, const std::string &path, const content &of) {
    world.barrier();
    if (world.rank() == 0) {
        int file = -1, number = -1, row = -1, column = -1, factor = -1;
        std::array<int, 2> shape{};
        check_call(library().create(path.c_str(), netcdf_library::large_offsets, &file), __LINE__);
        check_call(library().define_dimension(file, of.rows.c_str(), 3, &number), __LINE__);
        check_call(library().define_dimension(file, of.columns.c_str(), 4, &number), __LINE__);
        check_call(library().define_dimension(file, of.entries.c_str(), of.row_numbers.size(), &shape[0]),
                   __LINE__);
        if (!of.several.empty())
            check_call(library().define_dimension(file, of.several.c_str(), of.factors, &shape[1]), __LINE__);
        check_call(
            library().define_variable(file, of.row.c_str(), netcdf_library::integer32, 1, shape.data(), &row),
            __LINE__);
        check_call(library().define_variable(file, of.column.c_str(), netcdf_library::integer32, 1,
                                             shape.data(), &column),
                   __LINE__);
        check_call(library().define_variable(file, of.factor.c_str(), netcdf_library::real64,
                                             of.several.empty() ? 1 : 2, shape.data(), &factor),
                   __LINE__);
        const auto attribute = [&](const char *name, const std::string &text) {
            check_call(library().put_text_attribute(file, netcdf_library::whole_file, name, text.size(),
                                                    text.c_str()),
                       __LINE__);
        };
        attribute("map_method", of.method);
        attribute("normalization", of.normalization);
        check_call(library().close(file), __LINE__);
        check_call(library().open(path.c_str(), netcdf_library::writable, &file), __LINE__);
        const std::array<std::size_t, 2> begin{}, count{of.row_numbers.size(), of.factors};
        check_call(library().put_integers(file, row, begin.data(), count.data(), of.row_numbers.data()),
                   __LINE__);
        check_call(library().put_integers(file, column, begin.data(), count.data(), of.column_numbers.data()),
                   __LINE__);
        check_call(library().put_reals(file, factor, begin.data(), count.data(), of.values.data()), __LINE__);
        check_call(library().close(file), __LINE__);
    }
    world.barrier();
}

void check_made(const lisle::communicator &world, random_source &random, const file &at) {
    const matrix all{3, 4, {{{0, 0, -2}, {0, 1, 0.5}}, {{1, 1, 1.25}}, {{2, 3, 0.1}}}};
    for (const content &each : {scrip(), esmf()}) {
        make(world, at.path(), each);
        for (int times = 0; times != 3; ++times)
            check_reading(world, random, at.path(), all);
    }
}

void check_round_trips(const lisle::communicator &world, random_source &random, const file &at) {
    for (const auto as : {couple::weight_format::scrip, couple::weight_format::esmf})
        for (int number = 0; number != 2; ++number) {
            const matrix all = draw(random);
            write(world, random, at.path(), all, as);
            check_reading(world, random, at.path(), all);
        }
}

/// The last file that is written, as another program sees it.
void check_written(const lisle::communicator &world, const file &at) {
    const std::array<global_index, 1> point{2};
    const std::array weights{weight{0, 3, 0.75}};
    couple::write_weights(world.native(), at.path(), weights, couple::decomposition::list(3, point), 4,
                          couple::weight_format::scrip);
    world.barrier();
    if (world.rank() == 0) {
        int file = -1, variable = -1;
        check_call(library().open(at.path().c_str(), netcdf_library::read_only, &file), __LINE__);
        const std::array<std::size_t, 2> begin{}, count{1, 1};
        const auto number_in = [&](const char *name) {
            long long number = 0;
            check_call(library().find_variable(file, name, &variable), __LINE__);
            check_call(library().get_integers(file, variable, begin.data(), count.data(), &number), __LINE__);
            return number;
        };
        CHECK_EQ(number_in("dst_address"), 3);
        CHECK_EQ(number_in("src_address"), 4);
        double factor = 0;
        check_call(library().find_variable(file, "remap_matrix", &variable), __LINE__);
        check_call(library().get_reals(file, variable, begin.data(), count.data(), &factor), __LINE__);
        CHECK_EQ(factor, 0.75);
        check_call(library().close(file), __LINE__);
    }
}

void check_mistakes(const lisle::communicator &world, const file &at) {
    const auto refused = [&](const content &wrong) {
        make(world, at.path(), wrong);
        return refusal(world, at.path());
    };
    content wrong = esmf();
    wrong.row_numbers[3] = 0;
    CHECK_EQ(refused(wrong), "couple: FILE: row is 0 in the entry 4, for a grid with points from 1 to 3");
    wrong = scrip();
    wrong.column_numbers[1] = 5;
    CHECK_EQ(refused(wrong),
             "couple: FILE: src_address is 5 in the entry 2, for a grid with points from 1 to 4");
    wrong = scrip();
    wrong.column_numbers[1] = 0;
    CHECK_EQ(refused(wrong),
             "couple: FILE: src_address is 0 in the entry 2, for a grid with points from 1 to 4");
    wrong = esmf();
    wrong.values[2] = INFINITY;
    CHECK_EQ(refused(wrong), "couple: FILE: S is not finite in the entry 3");
    wrong = scrip();
    wrong.normalization = "none";
    CHECK_EQ(refused(wrong),
             "couple: FILE: its normalization is \"none\", so its weights are areas; \"fracarea\" or "
             "\"destarea\" can be used");
    wrong = scrip();
    wrong.factors = 4;
    wrong.values.resize(20);
    CHECK_EQ(refused(wrong),
             "couple: FILE: it has 4 weights for each link, of which values need more than the first; "
             "1 or 3 can be used");
    wrong = esmf();
    wrong.factor = "T";
    CHECK_EQ(refused(wrong),
             "couple: FILE: it has neither the variable remap_matrix, as SCRIP, nor S, as ESMF");
    wrong = esmf();
    wrong.column = "column";
    CHECK(refused(wrong).starts_with("couple: FILE: the variable col: "));
    at.fill("no weights");
    CHECK(refusal(world, at.path()).starts_with("couple: FILE: it cannot be opened: "));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const lisle::communicator world = lisle::world();
    if (netcdf_library::loaded() == nullptr) {
        if (world.rank() == 0)
            std::puts(netcdf_library::how_to_install().c_str());
        return 77;
    }
    random_source random{6};
    const file at{world};
    check_made(world, random, at);
    check_round_trips(world, random, at);
    check_written(world, at);
    check_mistakes(world, at);
}
