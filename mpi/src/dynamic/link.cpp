// SPDX-License-Identifier: Apache-2.0
#include "dynamic/link.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "communicator/agreement.hpp"
#include "dynamic/patient.hpp"

namespace lisle::dynamic {

namespace {

/// The meaning of a failed system call: no data yet, or the end of the connection.
void check_failure(const char *what) {
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        fail(MPI_ERR_OTHER, "cannot ", what, " the other group's leader: ", std::strerror(errno));
    }
}

} // namespace

connection::connection(owned_descriptor descriptor, tcp::greeting::side is, const tcp::greeting &greeted,
                       tcp::protection wanted)
    : stream_{std::move(descriptor)}, secret_{shared_secret{}} {
    const sha256_digest known = greeted.key("lisle introduction");
    std::copy_n(known.begin(), secret_->bytes.size(), secret_->bytes.begin());
    stream_.protect(is, greeted, wanted);
}

std::size_t connection::send_some(std::span<const std::byte> bytes) {
    iovec run{const_cast<std::byte *>(bytes.data()), bytes.size()};
    const ssize_t sent = stream_.send({&run, 1});
    if (sent < 0) {
        check_failure("tell");
    }
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

std::size_t connection::receive_some(std::span<std::byte> bytes) {
    if (bytes.empty()) {
        return 0;
    }
    iovec run{bytes.data(), bytes.size()};
    const ssize_t received = stream_.receive({&run, 1});
    if (received == 0) {
        fail(MPI_ERR_OTHER, "the other group's leader has gone");
    }
    if (received < 0) {
        check_failure("hear from");
    }
    return received > 0 ? static_cast<std::size_t>(received) : 0;
}

// True: the kernel has all that was taken.
bool connection::flush() {
    const bool flushed = stream_.flush();
    if (!flushed) {
        check_failure("tell");
    }
    return flushed;
}

void connection::swap(std::span<const std::byte> mine, std::span<std::byte> theirs) {
    wait_for([&] {
        mine = mine.subspan(mine.empty() ? 0 : send_some(mine));
        theirs = theirs.subspan(receive_some(theirs));
        return mine.empty() && theirs.empty() && flush();
    });
}

std::vector<std::byte> connection::exchange(std::span<const std::byte> mine, std::size_t most) {
    const std::uint64_t length = mine.size();
    std::uint64_t length_there = 0;
    swap(std::as_bytes(std::span{&length, 1}), std::as_writable_bytes(std::span{&length_there, 1}));
    if (length_there > most) {
        fail(MPI_ERR_OTHER, "the other group's leader announces ", length_there, " bytes where at most ",
             most, " make sense");
    }
    std::vector<std::byte> theirs;
    if (make_room(theirs, length_there)) {
        swap(mine, theirs);
        return theirs;
    }
    std::array<std::byte, 256> nowhere; // what follows is to find the link as it expects it
    while (length_there != 0 || !mine.empty()) {
        const auto part = std::min<std::size_t>(length_there, nowhere.size());
        swap(std::exchange(mine, {}), std::span{nowhere}.first(part));
        length_there -= part;
    }
    throw std::bad_alloc{};
}

} // namespace lisle::dynamic
