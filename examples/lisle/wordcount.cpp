// SPDX-License-Identifier: Apache-2.0
// ../wordcount.cpp through the C++ interface. Rank 0 reads the text and cuts it between words; every rank
// counts its piece; maps of words travel as they are to the ranks that own the words, and from there to rank
// 0. Use: wordcount file [number of words to show]
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using counts = std::map<std::string, long long>;

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '\'';
}

/// The words of a text, in lower case.
counts count_words(const std::vector<char> &text) {
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
std::size_t owner_of(std::string_view word, std::size_t size) {
    std::uint32_t hash = 2166136261u;
    for (const char c : word)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash % size;
}

/// Lengths of pieces that are about equal and end where words end.
std::vector<MPI_Count> cut(const std::string &text, std::size_t pieces) {
    std::vector<MPI_Count> lengths(pieces);
    std::size_t begin = 0;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        std::size_t end = std::max(begin, text.size() * (piece + 1) / pieces);
        while (end < text.size() && is_letter(text[end]))
            ++end;
        lengths[piece] = static_cast<MPI_Count>(end - begin);
        begin = end;
    }
    return lengths;
}

counts add_up(const std::vector<counts> &parts) {
    counts total;
    for (const counts &part : parts)
        for (const auto &[word, count] : part)
            total[word] += count;
    return total;
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
    const lisle::environment mpi;
    const auto world = lisle::world();
    const auto size = static_cast<std::size_t>(world.size());

    std::string text;
    if (world.rank() == 0) {
        std::ifstream file;
        if (argc > 1)
            file.open(argv[1], std::ios::binary);
        if (!file.is_open()) {
            std::cerr << (argc > 1 ? "cannot read " : "use: wordcount file [words]")
                      << (argc > 1 ? argv[1] : "") << "\n";
            world.abort();
        }
        text.assign(std::istreambuf_iterator<char>(file), {});
    }

    const std::vector<MPI_Count> lengths = cut(text, size);
    std::vector<counts> outgoing(size);
    for (const auto &[word, count] : count_words(world.scatterv(text, {.counts = lengths})))
        outgoing[owner_of(word, size)][word] = count;
    const counts owned = add_up(world.alltoallv(outgoing));
    const counts all = add_up(world.gather(owned));
    if (world.rank() == 0)
        show(all, argc > 2 ? static_cast<std::size_t>(std::atoll(argv[2])) : 10);
}
