// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <lisle/communicator.hpp>
#include <lisle/sparse_exchange.hpp>

namespace lisle::couple::detail {

/// What goes to a few other ranks: one message for each.
template <class T> class outbound {
  public:
    void add(int rank, const T &what) { messages_[rank].push_back(what); }
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
        std::vector<T> all;
        for (const auto &[rank, content] : exchanged(ranks)) {
            all.insert(all.end(), content.begin(), content.end());
        }
        return all;
    }

  private:
    std::map<int, std::vector<T>> messages_;
};

} // namespace lisle::couple::detail
