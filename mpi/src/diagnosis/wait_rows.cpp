// SPDX-License-Identifier: Apache-2.0
// The table of a report.
#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "diagnosis/source_line.hpp"
#include "diagnosis/wait_report.hpp"

namespace lisle {

namespace {

using sort = wait_note::sort;
using state = wait_table::state;

constexpr std::size_t columns = 7;
using row = std::array<std::string, columns>;
constexpr std::size_t most_rows = 24;
/// From so many ranks on, those in like state share a row.
constexpr std::size_t least_to_fold = 17;

const row heading{"rank", "call", "waits for", "tag", "communicator", "bytes", "at"};

/// How a row names the peer: its number, or its distance, by which rows of many ranks are alike.
std::string name_of(int peer, int rank, int job_size, bool by_distance) {
    if (!by_distance || peer < 0) {
        return sentence("rank ", peer);
    }
    const int distance = (peer - rank + job_size) % job_size;
    return distance <= job_size / 2 ? sentence("rank r+", distance)
                                    : sentence("rank r-", job_size - distance);
}

std::string awaited_text(const job_waits &job, int rank, const wait_note::operation &wait, bool by_distance) {
    if (among_all(wait)) {
        const auto others = awaited_by(job, rank, wait);
        return others.empty() ? "the other members"
                              : sentence(others.size() > 1 ? "ranks " : "rank ", rank_list(others));
    }
    const auto peer = name_of(wait.peer, rank, static_cast<int>(job.size()), by_distance);
    switch (wait.what) {
    case sort::receive:
    case sort::probe:
        return "a message from " + (wait.peer == wait_note::anybody ? "any rank" : peer);
    case sort::send:
    case sort::synchronous_send:
        return peer + " to receive";
    case sort::unmarked:
        return sentence("its program to mark partition ", wait.partition, " ready for ", peer);
    case sort::uncompleted:
        return "its program to call MPI_Grequest_complete";
    case sort::outside:
        return "the program itself, or what has not been said";
    case sort::collective:
    case sort::other:
        break;
    }
    return "messages";
}

/// @param note what the rank says, or one of its threads
row row_of(const job_waits &job, int rank, const wait_note &note, bool by_distance) {
    const rank_wait &self = job[static_cast<std::size_t>(rank)];
    if (self.state == state::gone) {
        return {"", "-", "nothing: it has ended", "", "", "", ""};
    }
    if (self.state == state::awake) {
        return {"", "-", "nothing: it is at work, or waits outside MPI", "", "", "", ""};
    }
    row made{"", note.call[0] != '\0' ? note.call : "MPI", "", "-", "-", "-", ""};
    if (note.looks != 0) {
        made[2] = "nothing: it tests in a loop";
    } else if (note.operation_count != 0) {
        const wait_note::operation &first = note.operations[0];
        made[2] = awaited_text(job, rank, first, by_distance);
        if (note.operation_count > 1) {
            made[2] += sentence(note.any != 0 ? ", or one of " : ", and ", note.operation_count - 1, " more");
        }
        const bool has_tag = !among_all(first) && first.context != 0;
        made[3] = !has_tag ? "-" : first.tag < 0 ? "any" : sentence(first.tag);
        made[4] = label_of(self, first.context);
        made[5] = first.bytes < 0 || among_all(first) ? "-" : sentence(first.bytes);
    } else {
        made[2] = "-";
    }
    made[6] = note.file[0] != '\0' ? source_line(note.file, note.offsets) : "-";
    return made;
}

/// One for the rank, or for each of its threads.
std::vector<row> rows_of(const job_waits &job, int rank, bool by_distance) {
    const rank_wait &self = job[static_cast<std::size_t>(rank)];
    std::vector<row> rows;
    for (const wait_note &each : self.threads) {
        rows.push_back(row_of(job, rank, each, by_distance));
    }
    if (rows.empty()) {
        rows.push_back(row_of(job, rank, self.note, by_distance));
    }
    std::ranges::sort(rows); // threads answer in any order
    return rows;
}

/// Rows and the ranks that share them, in the order of their first ranks.
std::vector<row> folded(const job_waits &job, bool fold, bool by_distance) {
    std::map<row, std::size_t> places;
    std::vector<std::pair<row, std::vector<int>>> found;
    for (int rank = 0; rank < static_cast<int>(job.size()); ++rank) {
        for (row &made : rows_of(job, rank, by_distance)) {
            const auto [place, fresh] = places.emplace(made, found.size());
            if (fresh || !fold) {
                found.emplace_back(std::move(made), std::vector{rank});
            } else if (found[place->second].second.back() != rank) {
                found[place->second].second.push_back(rank);
            }
        }
    }
    std::vector<row> rows;
    for (auto &[made, ranks] : found) {
        made[0] = rank_list(ranks);
        rows.push_back(std::move(made));
    }
    return rows;
}

std::vector<row> rows_of(const job_waits &job) {
    if (job.size() < least_to_fold) {
        return folded(job, false, false);
    }
    auto by_number = folded(job, true, false);
    auto by_distance = folded(job, true, true);
    return by_distance.size() < by_number.size() ? by_distance : by_number;
}

} // namespace

std::string rank_list(const std::vector<int> &ranks) {
    constexpr int most_ranges = 4;
    std::string text;
    int ranges = 0;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
            ++last;
        }
        if (++ranges > most_ranges) {
            return text + sentence(" and ", ranks.size() - i, " more");
        }
        text += text.empty() ? "" : ", ";
        text += last == i ? sentence(ranks[i]) : sentence(ranks[i], last == i + 1 ? ", " : "-", ranks[last]);
        i = last + 1;
    }
    return text;
}

std::string wait_rows(const job_waits &job) {
    std::vector<row> rows = rows_of(job);
    const std::size_t left_out = rows.size() > most_rows ? rows.size() - most_rows : 0;
    rows.resize(rows.size() - left_out);
    rows.insert(rows.begin(), heading);
    std::array<std::size_t, columns> widths{};
    for (const row &each : rows) {
        for (std::size_t i = 0; i < columns; ++i) {
            widths[i] = std::max(widths[i], each[i].size());
        }
    }
    std::string text;
    for (const row &each : rows) {
        std::string line = " ";
        for (std::size_t i = 0; i < columns; ++i) {
            line += " " + each[i] + std::string(widths[i] - each[i].size() + 1, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return left_out == 0 ? text : text + sentence("  and ", left_out, " more rows\n");
}

} // namespace lisle
