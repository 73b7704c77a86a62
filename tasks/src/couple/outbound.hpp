// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include <lisle/communicator.hpp>
#include <lisle/sparse_exchange.hpp>

namespace lisle::couple::detail {

/// What goes to a few other ranks: one message for each.
template <class T> class outbound {
  public:
    void add(int rank, const T &what) { messages_[rank].push_back(what); }
    /// Room for so many more, and no more than that.
    void reserve(int rank, std::size_t more) {
        std::vector<T> &message = messages_[rank];
        message.reserve(message.size() + more);
    }
    /// Each of the elements to the rank that rank_of(it) says. What is long takes no more room than it needs.
    template <class RankOf> void add_all(std::span<const T> what, const RankOf &rank_of) {
        std::map<int, std::size_t> counts;
        for_stretches(what, rank_of,
                      [&](int rank, std::span<const T> those) { counts[rank] += those.size(); });
        for (const auto &[rank, count] : counts) {
            reserve(rank, count);
        }
        for_stretches(what, rank_of, [&](int rank, std::span<const T> those) {
            messages_[rank].insert(messages_[rank].end(), those.begin(), those.end());
        });
    }
    /// Collective; nothing is left. @return what has come for the caller, by sender
    [[nodiscard]] std::vector<addressed<std::vector<T>>> exchanged(const communicator &ranks) {
        std::vector<addressed<std::vector<T>>> all;
        for (auto &[rank, content] : messages_) {
            all.push_back({rank, std::move(content)});
        }
        messages_.clear();
        return sparse_exchange(ranks, all);
    }
    /// The same where the senders do not matter.
    [[nodiscard]] std::vector<T> exchanged_contents(const communicator &ranks) {
        std::vector<addressed<std::vector<T>>> heard = exchanged(ranks);
        std::size_t count = 0;
        for (const auto &[rank, content] : heard) {
            count += content.size();
        }
        std::vector<T> all;
        all.reserve(count);
        for (auto &[rank, content] : heard) {
            const std::vector<T> part = std::move(content); // goes before the next one is copied
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }

  private:
    /// Elements that follow each other often go to the same rank.
    template <class RankOf, class Do>
    static void for_stretches(std::span<const T> what, const RankOf &rank_of, const Do &function) {
        for (std::size_t begin = 0, end = 0; begin != what.size(); begin = end) {
            const int rank = rank_of(what[begin]);
            for (end = begin + 1; end != what.size() && rank_of(what[end]) == rank; ++end) {
            }
            function(rank, what.subspan(begin, end - begin));
        }
    }

    std::map<int, std::vector<T>> messages_;
};

} // namespace lisle::couple::detail
