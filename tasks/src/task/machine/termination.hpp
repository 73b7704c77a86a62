// SPDX-License-Identifier: Apache-2.0
// Detects that no rank has work and no parcel is under way: a token goes round when ranks are idle, and adds
// up what they have sent and received. After Dijkstra's note EWD998 (S. Safra's algorithm).
#pragma once

#include <cstdint>

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
    termination(int rank, int ranks) noexcept : rank_{rank}, ranks_{ranks}, holds_{rank == 0} {}

    void has_sent() noexcept { ++balance_; }
    void has_received() noexcept {
        --balance_;
        is_black_ = true;
    }
    [[nodiscard]] bool holds_token() const noexcept { return holds_; }
    void take(const token &arrived) noexcept {
        token_ = arrived;
        holds_ = true;
    }
    [[nodiscard]] int next() const noexcept { return (rank_ + 1) % ranks_; }

    /// The state that rank 0 knows when the token is back.
    enum class verdict { unknown, stuck, full, all_finished };
    /// Called by rank 0, idle, with the token: whether all ranks are idle. @pre holds_token()
    /// @param finishes and is_full: of this rank, as in the token
    verdict judge(bool finishes, bool is_full) noexcept {
        if (ranks_ == 1) {
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
        token on = rank_ == 0 ? token{} : token_;
        if (rank_ != 0) {
            on.under_way += balance_;
            on.is_black = on.is_black || is_black_;
        }
        on.all_finish = on.all_finish && finishes;
        on.is_full = on.is_full || (is_full && rank_ != 0);
        is_black_ = false;
        holds_ = false;
        has_gone_round_ = true;
        return on;
    }

  private:
    const int rank_, ranks_;
    std::int64_t balance_ = 0;
    bool is_black_ = false, holds_, has_gone_round_ = false;
    token token_;
};

} // namespace lisle::tasks
