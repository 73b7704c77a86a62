// SPDX-License-Identifier: Apache-2.0
// Counts the words of a text. Rank 0 reads it and cuts it between words; every rank counts its piece and
// sends each word's count to the rank that owns the word; the owners add up and rank 0 collects. Sizes of
// pieces and messages are all different, so this is Scatterv, Alltoallv and Gatherv at work.
// Use: wordcount file [number of words to show]
#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using counts = std::map<std::string, long long, std::less<>>;

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '\'';
}

/// The words of a text, in lower case.
counts count_words(std::string_view text) {
    counts result;
    std::string word;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && is_letter(text[i])) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
        } else if (!word.empty()) {
            ++result[word];
            word.clear();
        }
    }
    return result;
}

/// Which rank adds up this word: the same on every rank and machine (FNV-1a).
int owner_of(std::string_view word, int size) {
    std::uint32_t hash = 2166136261u;
    for (const char c : word)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return static_cast<int>(hash % static_cast<std::uint32_t>(size));
}

/// Lines of "word count", which is what travels.
void append_line(std::string &lines, std::string_view word, long long count) {
    lines.append(word).append(" ").append(std::to_string(count)).append("\n");
}

void add_lines(counts &total, std::string_view lines) {
    while (!lines.empty()) {
        const std::size_t space = lines.find(' ');
        const std::size_t end = lines.find('\n');
        total[std::string(lines.substr(0, space))] +=
            std::atoll(std::string(lines.substr(space + 1, end - space - 1)).c_str());
        lines.remove_prefix(end + 1);
    }
}

/// Where each block begins when blocks of these lengths lie one after the other.
std::vector<int> offsets(const std::vector<int> &lengths) {
    std::vector<int> result(lengths.size());
    std::exclusive_scan(lengths.begin(), lengths.end(), result.begin(), 0);
    return result;
}

/// Rank 0's text in pieces of about the same length that end where words end; the caller's piece.
std::string scatter_text(const std::string &text, int size) {
    std::vector<int> lengths(static_cast<std::size_t>(size));
    std::size_t begin = 0;
    for (std::size_t piece = 0; piece < lengths.size(); ++piece) {
        std::size_t end = std::max(begin, text.size() * (piece + 1) / lengths.size());
        while (end < text.size() && is_letter(text[end]))
            ++end;
        lengths[piece] = static_cast<int>(end - begin);
        begin = end;
    }
    int length = 0;
    MPI_Scatter(lengths.data(), 1, MPI_INT, &length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::string mine(static_cast<std::size_t>(length), '\0');
    MPI_Scatterv(text.data(), lengths.data(), offsets(lengths).data(), MPI_CHAR, mine.data(), length,
                 MPI_CHAR, 0, MPI_COMM_WORLD);
    return mine;
}

/// Sends every word's count to its owner; what the caller owns, added up.
counts exchange(const counts &mine, int size) {
    std::vector<std::string> outgoing(static_cast<std::size_t>(size));
    for (const auto &[word, count] : mine)
        append_line(outgoing[static_cast<std::size_t>(owner_of(word, size))], word, count);
    std::vector<int> send_lengths;
    std::string send_text;
    for (const std::string &lines : outgoing) {
        send_lengths.push_back(static_cast<int>(lines.size()));
        send_text += lines;
    }
    std::vector<int> lengths(outgoing.size());
    MPI_Alltoall(send_lengths.data(), 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::string text(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), '\0');
    MPI_Alltoallv(send_text.data(), send_lengths.data(), offsets(send_lengths).data(), MPI_CHAR, text.data(),
                  lengths.data(), offsets(lengths).data(), MPI_CHAR, MPI_COMM_WORLD);
    counts owned;
    add_lines(owned, text);
    return owned;
}

/// All owners' counts, on rank 0.
counts collect(const counts &owned, int rank, int size) {
    std::string mine;
    for (const auto &[word, count] : owned)
        append_line(mine, word, count);
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(static_cast<std::size_t>(rank == 0 ? size : 0));
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::string text(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), '\0');
    MPI_Gatherv(mine.data(), length, MPI_CHAR, text.data(), lengths.data(), offsets(lengths).data(), MPI_CHAR,
                0, MPI_COMM_WORLD);
    counts all;
    add_lines(all, text);
    return all;
}

void show(const counts &all, std::size_t most) {
    long long words = 0;
    std::vector<std::pair<std::string, long long>> order(all.begin(), all.end());
    for (const auto &[word, count] : order)
        words += count;
    // The map's order breaks ties, so every run shows the same words.
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
    std::cout << words << " words, " << all.size() << " different ones; the most frequent:\n";
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
        std::cout << std::setw(8) << order[i].second << "  " << order[i].first << "\n";
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    std::string text;
    if (rank == 0) {
        std::ifstream file;
        if (argc > 1)
            file.open(argv[1], std::ios::binary);
        if (!file.is_open()) {
            std::cerr << (argc > 1 ? "cannot read " : "use: wordcount file [words]")
                      << (argc > 1 ? argv[1] : "") << "\n";
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        text.assign(std::istreambuf_iterator<char>(file), {});
    }

    const counts all = collect(exchange(count_words(scatter_text(text, size)), size), rank, size);
    if (rank == 0)
        show(all, argc > 2 ? static_cast<std::size_t>(std::atoll(argv[2])) : 10);
    MPI_Finalize();
}
