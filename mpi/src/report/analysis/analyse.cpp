// SPDX-License-Identifier: Apache-2.0
#include "report/analysis/analyse.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "report/analysis/replay.hpp"
#include "report/trace/settings.hpp"

namespace lisle::report {

namespace {

std::vector<trace_reader> open_all(const std::filesystem::path &folder, std::vector<std::string> &remarks) {
    std::vector<trace_reader> all;
    for (const auto &entry : std::filesystem::directory_iterator{folder}) {
        if (!rank_of_file(entry.path().filename().string())) {
            continue;
        }
        try {
            all.emplace_back(entry.path());
        } catch (const std::runtime_error &error) {
            remarks.emplace_back(error.what());
        }
    }
    std::ranges::sort(all, {}, [](const trace_reader &each) { return each.head().rank; });
    return all;
}

std::int64_t begin_of(const trace_reader &reader) {
    return reader.head().time_of(0);
}

/// What is known of the whole of a record: when it ends, above all, which the pictures must know before.
struct extent {
    std::int64_t end;
    std::uint64_t memory;
    bool closed;
    std::vector<phase_mark> phases;
};

extent read_through(const std::filesystem::path &file) {
    trace_reader reader{file};
    std::uint64_t end = 0;
    for (recorded_call call; reader.next(call);) {
        end = std::max(end, call.end);
    }
    return {reader.head().time_of(std::max(end, reader.closed().value_or(0))), reader.most_memory(),
            reader.closed().has_value(), reader.phases()};
}

/// By how much times of two hosts may disagree: each may be wrong by its own error.
std::uint64_t error_between(const std::vector<trace_reader> &readers) {
    std::uint64_t most = 0;
    for (const trace_reader &each : readers) {
        most = std::max(most, each.head().clock_error);
    }
    return 2 * most;
}

std::string ranks_in_words(const std::vector<int> &ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    constexpr std::size_t most = 8;
    for (std::size_t at = 0; at != std::min(ranks.size(), most); ++at) {
        text += (at == 0 ? "" : ", ") + std::to_string(ranks[at]);
    }
    return ranks.size() > most ? text + " and " + std::to_string(ranks.size() - most) + " more" : text;
}

} // namespace

run analyse(const std::filesystem::path &folder, run_listener *listener) {
    std::vector<std::string> remarks;
    std::vector<trace_reader> readers = open_all(folder, remarks);
    if (readers.empty()) {
        throw std::runtime_error{"no rank has recorded anything" +
                                 (remarks.empty() ? "" : ": " + remarks.front())};
    }
    const int size = readers.front().head().size;
    std::vector<extent> extents;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(),
                 end = std::numeric_limits<std::int64_t>::min();
    for (const trace_reader &each : readers) {
        extents.push_back(read_through(folder / file_of_rank(each.head().rank)));
        begin = std::min(begin, begin_of(each));
        end = std::max(end, extents.back().end);
    }
    tally sums{size, static_cast<std::uint64_t>(end - begin)};
    std::vector<int> open, missing;
    for (int rank = 0, at = 0; rank != size; ++rank) {
        if (at == static_cast<int>(readers.size()) ||
            readers[static_cast<std::size_t>(at)].head().rank != rank) {
            missing.push_back(rank);
            continue;
        }
        const trace_reader &reader = readers[static_cast<std::size_t>(at)];
        const extent &known = extents[static_cast<std::size_t>(at++)];
        rank_total &total = sums.rank(rank);
        total.begin = static_cast<std::uint64_t>(begin_of(reader) - begin);
        total.end = static_cast<std::uint64_t>(known.end - begin);
        total.closed = known.closed;
        total.memory = known.memory;
        total.host = reader.head().host.data();
        if (listener != nullptr) {
            listener->rank(rank, total.host);
        }
        for (const phase_mark &each : known.phases) {
            const auto time = static_cast<std::uint64_t>(reader.head().time_of(each.time) - begin);
            sums.phase(rank, each.level, time);
            if (listener != nullptr) {
                listener->phase(rank, each.level, time);
            }
        }
        if (!known.closed) {
            open.push_back(rank);
        }
    }
    const std::uint64_t clock_error = error_between(readers);
    replay all{readers, sums, begin, clock_error, listener};
    all.go();
    run made = std::move(sums).finish(all.ideal());
    made.remarks = std::move(remarks);
    made.clock_error = clock_error;
    if (!open.empty()) {
        made.remarks.push_back("The program ended before MPI_Finalize in " + ranks_in_words(open) +
                               ": what follows is what happened until then.");
    }
    if (!missing.empty()) {
        made.remarks.push_back("Nothing is known of " + ranks_in_words(missing) + ".");
    }
    return made;
}

} // namespace lisle::report
