// SPDX-License-Identifier: Apache-2.0
#include "tile/network/report.hpp"

#include <fstream>
#include <ostream>

#include <fmt/format.h>

namespace lisle::tile {

namespace {

double share_of(const link_traffic &link, const network_report &report) {
    return report.cycles == 0 ? 0 : static_cast<double>(link.words) / static_cast<double>(report.cycles);
}

struct named_value {
    const char *name;
    double value;
};

std::vector<named_value> summary_of(const network_report &report) {
    std::int64_t words = 0;
    link_traffic busiest;
    for (const link_traffic &each : report.links) {
        words += each.words;
        busiest = each.words > busiest.words ? each : busiest;
    }
    const auto number = [](auto value) { return static_cast<double>(value); };
    return {{"cycles", number(report.cycles)},
            {"packets", number(report.packets)},
            {"words_over_links", number(words)},
            {"busiest_link_words", number(busiest.words)},
            {"latency_mean", report.times.mean()},
            {"latency_50", number(report.times.percentile(50))},
            {"latency_95", number(report.times.percentile(95))},
            {"latency_99", number(report.times.percentile(99))},
            {"latency_most", number(report.times.most())}};
}

} // namespace

network_report report_of(const network &seen, cycle cycles, const queue_log &queues) {
    network_report report{seen.described(), cycles, 0, seen.latencies(), seen.links(), queues.samples()};
    for (int tile = 0; tile < seen.shape().tiles(); ++tile) {
        report.packets += seen.port(tile).packets_sent;
    }
    return report;
}

void write_summary_csv(const network_report &report, std::ostream &to) {
    to << "name,value\nnetwork,\"" << report.network << "\"\n";
    for (const named_value &each : summary_of(report)) {
        to << fmt::format("{},{}\n", each.name, each.value);
    }
}

void write_links_csv(const network_report &report, std::ostream &to) {
    to << "network,from,to,words,share,most_queued\n";
    for (const link_traffic &each : report.links) {
        to << fmt::format("{},{},{},{},{:.6f},{}\n", each.network, each.from, each.to, each.words,
                          share_of(each, report), each.most_queued);
    }
}

void write_latencies_csv(const network_report &report, std::ostream &to) {
    to << "cycles,packets\n";
    for (const auto &[cycles, packets] : report.times.counts()) {
        to << cycles << ',' << packets << '\n';
    }
}

void write_queues_csv(const network_report &report, std::ostream &to) {
    to << "cycle,words,deepest\n";
    for (const queue_sample &each : report.queues) {
        to << each.at << ',' << each.words << ',' << each.deepest << '\n';
    }
}

void write_json(const network_report &report, std::ostream &to) {
    to << "{\"network\": \"" << report.network << '"';
    for (const named_value &each : summary_of(report)) {
        to << fmt::format(",\n \"{}\": {}", each.name, each.value);
    }
    const auto list = [&](const char *name, const auto &values, const auto &write) {
        to << ",\n \"" << name << "\": [";
        const char *before = "\n  ";
        for (const auto &each : values) {
            to << before << write(each);
            before = ",\n  ";
        }
        to << ']';
    };
    list("latencies", report.times.counts(),
         [](const auto &each) { return fmt::format("[{}, {}]", each.first, each.second); });
    list("links", report.links, [&](const link_traffic &each) {
        return fmt::format("{{\"network\": {}, \"from\": {}, \"to\": {}, \"words\": {}, \"share\": {:.6f}, "
                           "\"most_queued\": {}}}",
                           each.network, each.from, each.to, each.words, share_of(each, report),
                           each.most_queued);
    });
    list("queues", report.queues, [](const queue_sample &each) {
        return fmt::format("{{\"cycle\": {}, \"words\": {}, \"deepest\": {}}}", each.at, each.words,
                           each.deepest);
    });
    to << "}\n";
}

std::filesystem::path write_files(const network_report &report, const std::filesystem::path &folder) {
    struct part {
        const char *name;
        void (*write)(const network_report &, std::ostream &);
    };
    constexpr part parts[] = {{"summary.csv", write_summary_csv},
                              {"links.csv", write_links_csv},
                              {"latencies.csv", write_latencies_csv},
                              {"queues.csv", write_queues_csv},
                              {"report.json", write_json}};
    for (const part &each : parts) {
        std::ofstream to{folder / each.name};
        each.write(report, to);
        if (!to.flush()) {
            return folder / each.name;
        }
    }
    return {};
}

} // namespace lisle::tile
