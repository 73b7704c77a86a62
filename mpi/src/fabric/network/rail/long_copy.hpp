// SPDX-License-Identifier: Apache-2.0
// A copy between this process's memory and that of a peer. It goes in pieces, some at a time on each rail: so
// rails share it, frames get in between, and the pieces of a rail that fails go by another one.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <sys/uio.h>
#include <vector>

#include "fabric/network/rail/rail_set.hpp"
#include "fabric/remote_memory.hpp"

namespace lisle::fabric::network {

// Where the provider counts remote addresses from the beginning of the registered memory, and takes keys that
// we choose, the key says where that memory begins: 47 bits of address, 17 that tell registrations apart.
inline constexpr unsigned key_address_bits = 47;
inline constexpr std::uint64_t key_address_mask = (std::uint64_t{1} << key_address_bits) - 1;

/// A part of a copy that the provider has.
class long_copy;

struct copied_piece final : operation {
    copied_piece(long_copy &whole, std::size_t rail, std::size_t offset, std::size_t bytes) noexcept
        : operation{kind::copy}, whole{whole}, rail{rail}, offset{offset}, bytes{bytes} {}
    long_copy &whole;
    std::size_t rail, offset, bytes;
};

/// A copy that has not ended. Used with the fabric's lock held.
class long_copy {
  public:
    /// @param runs of own memory, which may go when the constructor returns
    long_copy(int starter, int process, const remote_place &place, std::span<const iovec> runs, bool read,
              copy_completion &end)
        : starter{starter}, process{process}, end{end}, place_{place}, read_{read}, runs_{runs.begin(),
                                                                                          runs.end()} {
        for (const iovec &run : runs_) {
            bytes_ += run.iov_len;
        }
    }

    /// Starts pieces while there is room. False: a piece was refused; nothing more will be started.
    bool go_on(rail_set &rails, const std::vector<peer_number> &at) {
        bool any = false;
        piece_ = at.size() == 1 ? rails.traits_of_first().copy_bytes : shared_piece;
        for (bool started = true; started;) { // one on each in turn
            started = false;
            for (std::size_t number = 0; number != at.size() && !failed; ++number) {
                // Only where keys are ours does one name the memory on all rails.
                if (at[number] == no_peer || (number != 0 && !rails[number].endpoint().traits().takes_keys)) {
                    continue;
                }
                any = true;
                started = (!is_all_started() && count_on(number) < most_on(rails[number]) &&
                           start_one(rails[number], number, at[number])) ||
                          started;
            }
        }
        failed = failed || !any;
        return !failed;
    }
    [[nodiscard]] bool is_over() const noexcept { return pieces_.empty() && (failed || is_all_started()); }

    /// The provider has done with a piece. @param moved false: it is to be moved by another rail
    void piece_ended(copied_piece &ended, bool moved) {
        if (!moved) {
            again_.push_back({ended.offset, ended.bytes});
        }
        std::erase_if(pieces_, [&ended](const auto &each) { return each.get() == &ended; });
    }
    /// A rail that was closed ends nothing.
    void rail_closed(std::size_t number) {
        for (const auto &each : pieces_) {
            if (each->rail == number) {
                again_.push_back({each->offset, each->bytes});
            }
        }
        std::erase_if(pieces_, [number](const auto &each) { return each->rail == number; });
    }

    const int starter; ///< rank whose poll tells the end
    const int process; ///< of the peer
    copy_completion &end;
    bool failed = false;

  private:
    /// Longest piece on several rails, so that all of them have some, and how many one has at a time.
    static constexpr std::size_t shared_piece = std::size_t{128} << 10;
    static constexpr std::size_t shared_pieces = 16;
    struct part {
        std::size_t offset, bytes;
    };
    [[nodiscard]] bool is_all_started() const noexcept { return next_ == bytes_ && again_.empty(); }
    [[nodiscard]] std::size_t count_on(std::size_t number) const noexcept {
        return static_cast<std::size_t>(
            std::ranges::count_if(pieces_, [number](const auto &each) { return each->rail == number; }));
    }
    [[nodiscard]] part next_part() const noexcept {
        return again_.empty() ? part{next_, std::min(piece_, bytes_ - next_)} : again_.back();
    }
    [[nodiscard]] std::size_t most_on(const rail &one) const noexcept {
        return piece_ == shared_piece ? shared_pieces : one.endpoint().traits().copies_at_a_time;
    }

    /// False: there is no room now, or it was refused.
    bool start_one(rail &by, std::size_t number, peer_number at) {
        part wanted = next_part();
        std::array<iovec, 16> runs{};
        const std::size_t count = find_runs(
            wanted, std::span{runs}.first(std::min(runs.size(), by.endpoint().traits().most_pieces)));
        pieces_.push_back(std::make_unique<copied_piece>(*this, number, wanted.offset, wanted.bytes));
        const std::uint64_t begin =
            by.endpoint().traits().uses_addresses
                ? place_.address
                : (place_.address - (place_.key & key_address_mask)) & key_address_mask;
        const std::span<const iovec> own{runs.data(), count};
        copied_piece &piece = *pieces_.back();
        const attempt result = read_ ? by.endpoint().read(own, at, begin + wanted.offset, place_.key, piece)
                                     : by.endpoint().write(own, at, begin + wanted.offset, place_.key, piece);
        if (result != attempt::done) {
            pieces_.pop_back();
            failed = result == attempt::refused;
            return false;
        }
        if (again_.empty()) {
            next_ += wanted.bytes;
        } else if (again_.back().bytes == wanted.bytes) {
            again_.pop_back();
        } else {
            again_.back() = {again_.back().offset + wanted.bytes, again_.back().bytes - wanted.bytes};
        }
        return true;
    }

    /// Own memory for a part, which gets shorter if that lies in too many runs. Returns how many there are.
    std::size_t find_runs(part &wanted, std::span<iovec> into) const noexcept {
        std::size_t count = 0, found = 0, begin = 0;
        for (const iovec &run : runs_) {
            const std::size_t from = std::max(begin, wanted.offset);
            const std::size_t to = std::min(begin + run.iov_len, wanted.offset + wanted.bytes);
            if (from < to && count != into.size()) {
                into[count++] = {static_cast<std::byte *>(run.iov_base) + (from - begin), to - from};
                found += to - from;
            }
            begin += run.iov_len;
        }
        wanted.bytes = found;
        return count;
    }

    remote_place place_;
    bool read_;
    std::vector<iovec> runs_;
    std::size_t bytes_ = 0;
    std::size_t piece_ = shared_piece;
    std::size_t next_ = 0;    ///< of what has not been started yet
    std::vector<part> again_; ///< what was started in vain
    std::vector<std::unique_ptr<copied_piece>> pieces_;
};

} // namespace lisle::fabric::network
