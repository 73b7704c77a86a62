// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/record_collector.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "launch/link/wire.hpp"
#include "report/trace/format.hpp"
#include "report/trace/settings.hpp"

namespace lisle::launch {

void record_collector::ask(int host) const {
    to_host_(message::ask_time, host, clock_comparison::question());
}

void record_collector::on_time(int host, std::string_view body) {
    host_clock &clock = hosts_[static_cast<std::size_t>(host)];
    if (!(clock.has_ended ? clock.after : clock.before).hears(body)) {
        ask(host);
    } else if (clock.has_ended) {
        to_host_(message::give_records, host, {});
    } else {
        clock.is_known = true;
    }
}

bool record_collector::knows_clocks() const {
    return std::ranges::all_of(hosts_, &host_clock::is_known);
}

void record_collector::on_recorded(int host) {
    hosts_[static_cast<std::size_t>(host)].has_ended = true;
    ask(host);
}

void record_collector::on_record(int host, std::string_view body) {
    int rank = 0;
    std::string piece;
    unpack(body, rank, piece);
    to_host_(message::record_taken, host, packed(std::uint64_t{piece.size()}));
    const std::filesystem::path file = folder_ + "/" + report::file_of_rank(rank);
    if (!std::filesystem::exists(file)) {
        tell_by_own_clock(hosts_[static_cast<std::size_t>(host)], piece);
    }
    std::ofstream{file, std::ios::binary | std::ios::app} << piece;
}

// In between a clock gains as much in each second as in all others.
void record_collector::tell_by_own_clock(const host_clock &theirs, std::string &beginning) const {
    report::trace_head head;
    if (beginning.size() < sizeof head) {
        return;
    }
    std::memcpy(&head, beginning.data(), sizeof head);
    const clock_difference &before = theirs.before.found(), &after = theirs.after.found();
    const double faster = static_cast<double>(after.ahead - before.ahead) /
                          static_cast<double>(std::max<std::int64_t>(after.time - before.time, 1));
    const auto begin = static_cast<std::int64_t>(head.begin);
    const auto ahead =
        before.ahead + static_cast<std::int64_t>(faster * static_cast<double>(begin - before.time));
    head.begin = static_cast<std::uint64_t>(std::max<std::int64_t>(begin - ahead, 0));
    head.rate = 1 - faster;
    head.clock_error = static_cast<std::uint64_t>(std::max(before.error, after.error));
    std::memcpy(beginning.data(), &head, sizeof head);
}

} // namespace lisle::launch
