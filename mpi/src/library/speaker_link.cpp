// SPDX-License-Identifier: Apache-2.0
#include "library/speaker_link.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "tcp/connecting.hpp"

namespace lisle {

bool speaker_link::send(const speaker_message &head, std::span<const spoken_wait> waits) noexcept {
    for (std::span<const std::byte> rest : {std::as_bytes(std::span{&head, 1}), std::as_bytes(waits)}) {
        while (!rest.empty() || stream_.has_unsent()) {
            iovec run{const_cast<std::byte *>(rest.data()), rest.size()};
            const ssize_t sent = rest.empty() ? (stream_.flush() ? 0 : -1) : stream_.send({&run, 1});
            if (sent < 0 && errno != EINTR && (errno != EAGAIN || !tcp::wait_writable(stream_.get()))) {
                return false;
            }
            rest = rest.subspan(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
        }
    }
    return true;
}

bool speaker_link::take_in() {
    std::array<std::byte, 16384> some{};
    for (;;) {
        iovec run{some.data(), some.size()};
        const ssize_t count = stream_.receive({&run, 1});
        if (count > 0) {
            arrived_.insert(arrived_.end(), some.begin(), some.begin() + count);
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else {
            return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        }
    }
}

std::optional<speaker_link::heard> speaker_link::next(std::size_t most_waits) {
    heard found{};
    if (arrived_.size() < sizeof found.head) {
        return std::nullopt;
    }
    std::memcpy(&found.head, arrived_.data(), sizeof found.head);
    if (found.head.waits > most_waits) {
        stream_.reset(); // it keeps to no rules
        arrived_.clear();
        return std::nullopt;
    }
    const std::size_t behind = found.head.waits * sizeof(spoken_wait);
    if (arrived_.size() - sizeof found.head < behind) {
        return std::nullopt;
    }
    found.waits.resize(found.head.waits);
    if (behind != 0) {
        std::memcpy(found.waits.data(), arrived_.data() + sizeof found.head, behind);
    }
    arrived_.erase(arrived_.begin(),
                   arrived_.begin() + static_cast<std::ptrdiff_t>(sizeof found.head + behind));
    return found;
}

} // namespace lisle
