// SPDX-License-Identifier: Apache-2.0
#include "library/fabrics_in_use.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "execution/fiber_worker.hpp"
#include "fabric/local/local_fabric.hpp"
#include "fabric/local/node_domain.hpp"
#include "library/fabric_module.hpp"
#include "library/network.hpp"
#include "mpi.h"
#include "world/job.hpp"

namespace lisle {

using fabric::local::node_segment;

namespace {

std::unique_ptr<fabric::fabric> make_local_fabric(node_segment &segment, bootstrap &start) {
    return std::make_unique<fabric::local::local_fabric>(
        std::make_unique<fabric::local::node_domain>(segment, start, reads_of_other_processes()));
}

class turns_of_workers final : public rank_turns {
  public:
    [[nodiscard]] bool taken() const noexcept override { return fiber_worker::current() != nullptr; }
    [[nodiscard]] unsigned switches() const noexcept override { return fiber_worker::current()->switches(); }
    [[nodiscard]] bool others_ready() noexcept override { return fiber_worker::current()->others_ready(); }
    bool let_time_pass() noexcept override { return fiber_worker::current()->let_time_pass(); }
};

/// A fabric that LISLE_FABRIC=NAME:WORDS asks for, in a module.
struct module_row {
    std::string_view name;
    std::string_view form; ///< of the value, for the message
    const char *file;      ///< in lisle/ beside the library
    const char *product;   ///< what to install for it
};
constexpr module_row modules[] = {
    {"tile", "tile:WxH", "liblisle_tiles.so", "Lisle's tiles"},
};

fabric_maker fabric_of_module(const module_row &about, std::string_view chosen) {
    const fabric_module &module = load_fabric_module(
        about.file, sentence(description_of(setting::fabric).name, "=", chosen), about.product);
    return [&module, words = std::string{chosen.substr(about.name.size() + 1)}](node_segment &segment,
                                                                                bootstrap &start) {
        static turns_of_workers turns;
        const locality &places = start.places();
        const doorbell_row bells = segment.bells(0, places.ranks());
        const auto refuse = [](int rank, const std::string &reason) {
            std::fprintf(stderr, "lisle: rank %d: %s\n", rank, reason.c_str());
            abort_job(EXIT_FAILURE);
        };
        const bool one_worker = places.ranks() == 1 || places.worker_count(0) == 1;
        return module.make({.words = words,
                            .text_of = [](setting which) { return text_of(which); },
                            .ranks = places.ranks(),
                            .one_worker = places.processes() == 1 && one_worker,
                            .compares_types = checks(check_level::cheap),
                            .turns = turns,
                            .wake = [bells](int rank) { bells[rank].ring(); },
                            .refuse = refuse});
    };
}

} // namespace

std::vector<known_module> known_modules() {
    std::vector<known_module> all;
    for (const module_row &each : modules) {
        std::string file = path_of_module(each.file);
        const bool installed = access(file.c_str(), R_OK) == 0;
        all.push_back({std::string{each.form}, std::move(file), installed});
    }
    return all;
}

fabric::local::read_thresholds reads_of_other_processes() {
    const std::int64_t least = value_of(setting::cma_minimum);
    if (least == cma_off) {
        return {};
    }
    if (least >= 0) {
        return {.least = static_cast<std::size_t>(least)};
    }
    // Between the two it depends on where the cores lie, measured with mpi/bench/.
    return {.least = std::size_t{64} << 10, .surely = std::size_t{512} << 10};
}

std::vector<fabric_maker> fabrics_in_use(int nodes) {
    const std::string_view chosen = text_of(setting::fabric);
    std::string forms;
    for (const module_row &each : modules) {
        if (chosen.starts_with(each.name) && chosen.substr(each.name.size()).starts_with(':')) {
            return {fabric_of_module(each, chosen)};
        }
        forms += sentence(" and ", each.form);
    }
    if (!chosen.empty() && chosen != "local") {
        fail(MPI_ERR_OTHER, description_of(setting::fabric).name, "=", chosen,
             " names no fabric: there are local", forms);
    }
    std::vector<fabric_maker> makers{make_local_fabric};
    if (nodes > 1) {
        makers.emplace_back([](node_segment &segment, bootstrap &start) {
            const wait_table waits{segment.waits(), segment.bells(0, segment.ranks())};
            const int self = start.self().index;
            const int first = start.places().index_on_node(start.places().first_rank(self));
            return make_network_fabric(start, waits.traffic_of(first));
        });
    }
    return makers;
}

} // namespace lisle
