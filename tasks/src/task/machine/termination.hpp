// SPDX-License-Identifier: Apache-2.0
// Detects that no rank has work and no parcel is under way: a token goes round when ranks are idle, and adds
// up what they have sent and received. After Dijkstra's note EWD998 (S. Safra's algorithm). When a rank dies,
// what it has sent and received counts no longer, and the first of the others sends a new token round.
#pragma once

#include <cstdint>
#include <vector>

namespace lisle::tasks {

/// The content of the token.
struct token {
    std::int64_t under_way = 0; ///< parcels sent less those received, of the ranks it has passed
    bool is_black = false;      ///< one of these has received a parcel since it last passed
    bool all_finish = true;     ///< all of these have nothing left to start
    bool is_full = false;       ///< one of these has tasks that wait for room at another rank
};

/// One rank's part. Belongs to the rank's own thread.
class termination {
  public:
    termination(int rank, int ranks)
        : rank_{rank}, left_{ranks}, balances_(static_cast<std::size_t>(ranks)),
          is_lost_(static_cast<std::size_t>(ranks)), holds_{rank == 0} {}

    void has_sent(int to) noexcept {
        if (!is_lost_[at(to)]) {
            ++balances_[at(to)];
            ++balance_;
        }
    }
    void has_received(int from) noexcept {
        if (!is_lost_[at(from)]) {
            --balances_[at(from)];
            --balance_;
        }
        is_black_ = true;
    }
    /// A rank has died, of which that is not known yet. A token that was on its way is void.
    void lose(int rank) noexcept {
        is_lost_[at(rank)] = true;
        --left_;
        balance_ -= balances_[at(rank)];
        is_black_ = true;
        holds_ = leads();
        has_gone_round_ = false;
    }
    [[nodiscard]] bool holds_token() const noexcept { return holds_; }
    void take(const token &arrived) noexcept {
        token_ = arrived;
        holds_ = true;
    }
    /// How many ranks have not died.
    [[nodiscard]] int left() const noexcept { return left_; }
    /// Whether this rank is the first of them, which judges.
    [[nodiscard]] bool leads() const noexcept {
        int first = 0;
        while (is_lost_[at(first)]) {
            ++first;
        }
        return first == rank_;
    }
    /// The rank that gets the token from this one.
    [[nodiscard]] int next() const noexcept {
        int rank = rank_;
        do {
            rank = (rank + 1) % static_cast<int>(is_lost_.size());
        } while (is_lost_[at(rank)]);
        return rank;
    }

    /// The state that the first rank knows when the token is back.
    enum class verdict { unknown, stuck, full, all_finished };
    /// Called by the first rank, idle, with the token: whether all ranks are idle. @pre holds_token()
    /// @param finishes and is_full: of this rank, as in the token
    verdict judge(bool finishes, bool is_full) noexcept {
        if (left_ == 1) {
            return finishes ? verdict::all_finished : verdict::stuck;
        }
        const bool silent =
            has_gone_round_ && !token_.is_black && !is_black_ && token_.under_way + balance_ == 0;
        return !silent                         ? verdict::unknown
               : token_.is_full || is_full     ? verdict::full
               : token_.all_finish && finishes ? verdict::all_finished
                                               : verdict::stuck;
    }
    /// The token as it goes on from this rank, which is idle. @pre holds_token()
    token pass(bool finishes, bool is_full) noexcept {
        const bool is_new = leads();
        token on = is_new ? token{} : token_;
        if (!is_new) {
            on.under_way += balance_;
            on.is_black = on.is_black || is_black_;
        }
        on.all_finish = on.all_finish && finishes;
        on.is_full = on.is_full || (is_full && !is_new);
        is_black_ = false;
        holds_ = false;
        has_gone_round_ = true;
        return on;
    }

  private:
    static std::size_t at(int rank) noexcept { return static_cast<std::size_t>(rank); }

    const int rank_;
    int left_;
    std::int64_t balance_ = 0;           ///< the sum of those below, of ranks that have not died
    std::vector<std::int64_t> balances_; ///< parcels sent to each rank less those received from it
    std::vector<bool> is_lost_;
    bool is_black_ = false, holds_, has_gone_round_ = false;
    token token_;
};

} // namespace lisle::tasks
