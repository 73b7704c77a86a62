// SPDX-License-Identifier: Apache-2.0
// What a network did in a run, as files for other programs: CSV and JSON.
#pragma once

#include <filesystem>
#include <iosfwd>

#include "tile/network/queue_log.hpp"

namespace lisle::tile {

struct network_report {
    std::string network; ///< what it is
    cycle cycles = 0;    ///< of the run
    std::int64_t packets = 0;
    latencies times;
    std::vector<link_traffic> links;
    std::vector<queue_sample> queues;
};
[[nodiscard]] network_report report_of(const network &seen, cycle cycles, const queue_log &queues);

/// "name,value" lines: cycles, packets, words over links, latencies, the busiest link.
void write_summary_csv(const network_report &report, std::ostream &to);
/// network,from,to,words,share of the cycles,words in its buffer at most
void write_links_csv(const network_report &report, std::ostream &to);
/// cycles,packets: how many packets took so long
void write_latencies_csv(const network_report &report, std::ostream &to);
/// cycle,words,deepest
void write_queues_csv(const network_report &report, std::ostream &to);
/// All of it.
void write_json(const network_report &report, std::ostream &to);

/// Writes summary.csv, links.csv, latencies.csv, queues.csv and report.json. @return the first file that
/// could not be written, or an empty path
[[nodiscard]] std::filesystem::path write_files(const network_report &report,
                                                const std::filesystem::path &folder);

} // namespace lisle::tile
