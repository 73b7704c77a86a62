// SPDX-License-Identifier: Apache-2.0
// Weights in the forms of SCRIP and ESMF, which number points from 1.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "couple/agreement.hpp"
#include "couple/file_entries.hpp"
#include "couple/netcdf_file.hpp"

namespace lisle::couple::detail {

namespace {

/// What a form calls its dimensions and variables.
struct form {
    std::string rows, columns, entries, row, column, factor;
    bool has_several_factors = false; ///< for each entry, of which the first is that of the value
    std::string several{};            ///< how many
};

const form &form_of(weight_format as) {
    static const form scrip{"dst_grid_size", "src_grid_size", "num_links", "dst_address",
                            "src_address",   "remap_matrix",  true,        "num_wgts"},
        esmf{"n_b", "n_a", "n_s", "row", "col", "S"};
    return as == weight_format::scrip ? scrip : esmf;
}

/// Calls function() at each rank, and throws at all the first sentence that any has thrown.
template <class Do> void together(const communicator &ranks, const Do &function) {
    std::string wrong;
    try {
        function();
    } catch (const std::invalid_argument &error) {
        wrong = std::string{error.what()}.substr(std::string_view{"couple: "}.size());
    }
    agree_on(ranks, wrong, false);
}

const form &form_in(const netcdf_file &from, const std::string &path) {
    for (const weight_format each : {weight_format::scrip, weight_format::esmf}) {
        if (from.has_variable(form_of(each).factor)) {
            return form_of(each);
        }
    }
    reject(path + ": it has neither the variable remap_matrix, as SCRIP, nor S, as ESMF");
}

/// What other weights than plain ones would need.
void check_kind(const netcdf_file &from, const std::string &path, const form &as) {
    constexpr std::int64_t with_gradients = 3;
    if (as.has_several_factors) {
        if (const std::int64_t count = from.dimension(as.several); count != 1 && count != with_gradients) {
            reject(path + ": it has " + std::to_string(count) +
                   " weights for each link, of which values need more than the first; 1 or 3 can be used");
        }
    }
    if (from.attribute("map_method").starts_with("Conservative") &&
        from.attribute("normalization").starts_with("none")) {
        reject(path +
               ": its normalization is \"none\", so its weights are areas; \"fracarea\" or \"destarea\" "
               "can be used");
    }
}

global_index point_from_1(long long number, global_index points, const std::string &path,
                          const std::string &name, std::int64_t entry) {
    if (number < 1 || number > points) {
        reject(path + ": " + name + " is " + std::to_string(number) + " in the entry " +
               std::to_string(entry + 1) + ", for a grid with points from 1 to " + std::to_string(points));
    }
    return number - 1;
}

/// The stretch of so many entries that a rank reads.
std::pair<std::int64_t, std::int64_t> stretch_of(const communicator &ranks, std::int64_t entries) {
    const std::int64_t all = ranks.size();
    const auto bound = [=](std::int64_t rank) {
        return entries / all * rank + std::min(entries % all, rank);
    };
    return {bound(ranks.rank()), bound(ranks.rank() + 1)};
}

void read_entries(const netcdf_file &from, const std::string &path, const form &as, std::int64_t begin,
                  std::int64_t how_many, file_part &into) {
    const auto count = static_cast<std::size_t>(how_many);
    std::vector<long long> rows(count), columns(count);
    std::vector<double> factors(count);
    from.read(as.row, begin, rows);
    from.read(as.column, begin, columns);
    from.read(as.factor, begin, factors);
    for (std::size_t at = 0; at != count; ++at) {
        const std::int64_t entry = begin + static_cast<std::int64_t>(at);
        if (!std::isfinite(factors[at])) {
            reject(path + ": " + as.factor + " is not finite in the entry " + std::to_string(entry + 1));
        }
        // What SCRIP makes has such links to no point, for points of the receiver that get nothing.
        if (factors[at] == 0 && (rows[at] == 0 || columns[at] == 0)) {
            continue;
        }
        into.entries.push_back({point_from_1(rows[at], into.header.rows, path, as.row, entry),
                                point_from_1(columns[at], into.header.columns, path, as.column, entry),
                                factors[at]});
    }
}

file_part read_stretch(const communicator &ranks, const std::string &path) {
    const netcdf_file from{path, netcdf_file::mode::read};
    const form &as = form_in(from, path);
    check_kind(from, path, as);
    file_part own{{from.dimension(as.rows), from.dimension(as.columns), from.dimension(as.entries)}, {}};
    const auto [begin, end] = stretch_of(ranks, own.header.entries);
    own.entries.reserve(static_cast<std::size_t>(end - begin));
    constexpr std::int64_t at_once = 1 << 16; // the library's arrays need not be as long as the file's
    for (std::int64_t first = begin; first < end; first += at_once) {
        read_entries(from, path, as, first, std::min(at_once, end - first), own);
    }
    return own;
}

void define(const std::string &path, const file_header &header, const form &as) {
    auto made = netcdf_file::create(path, header.entries * static_cast<std::int64_t>(sizeof(double)));
    made.define_attribute("title", "weights written by lisle::couple");
    if (as.has_several_factors) {
        made.define_attribute("conventions", "SCRIP");
        made.define_dimension(as.several, 1);
    }
    made.define_dimension(as.rows, header.rows);
    made.define_dimension(as.columns, header.columns);
    made.define_dimension(as.entries, header.entries);
    made.define_variable(as.row, netcdf_file::element::integer, {as.entries});
    made.define_variable(as.column, netcdf_file::element::integer, {as.entries});
    made.define_variable(as.factor, netcdf_file::element::real,
                         as.has_several_factors ? std::vector{as.entries, as.several}
                                                : std::vector{as.entries});
    made.close();
}

void write_stretch(const std::string &path, const file_part &own, std::int64_t begin, const form &as) {
    std::vector<long long> rows, columns;
    std::vector<double> factors;
    for (const file_entry &each : own.entries) {
        rows.push_back(each.row + 1);
        columns.push_back(each.column + 1);
        factors.push_back(each.factor);
    }
    netcdf_file into{path, netcdf_file::mode::update};
    into.write(as.row, begin, rows);
    into.write(as.column, begin, columns);
    into.write(as.factor, begin, factors);
    into.close();
}

} // namespace

file_part read_netcdf(const communicator &ranks, const std::string &path) {
    file_part own;
    together(ranks, [&] { own = read_stretch(ranks, path); });
    return own;
}

void write_netcdf(const communicator &ranks, const std::string &path, const file_part &own,
                  weight_format as) {
    const form &names = form_of(as);
    constexpr global_index most = 0x7fff'ffff;
    if (std::max(own.header.rows, own.header.columns) > most) {
        reject(path + ": a grid has more than " + std::to_string(most) +
               " points, which are numbered by 32 bits");
    }
    together(ranks, [&] {
        if (ranks.rank() == 0) {
            define(path, own.header, names);
        }
    });
    const auto count = static_cast<std::int64_t>(own.entries.size());
    const std::int64_t begin = ranks.exscan(count, std::plus<>{}, std::int64_t{0});
    // The library writes parts of the file that are others', too: one rank after the other.
    for (int turn = 0; turn != ranks.size(); ++turn) {
        together(ranks, [&] {
            if (turn == ranks.rank() && count != 0) {
                write_stretch(path, own, begin, names);
            }
        });
    }
}

} // namespace lisle::couple::detail
