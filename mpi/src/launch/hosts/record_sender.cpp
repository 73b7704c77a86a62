// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/record_sender.hpp"

#include <array>
#include <fcntl.h>
#include <unistd.h>

#include "launch/link/wire.hpp"
#include "report/trace/settings.hpp"

namespace lisle::launch {

void record_sender::begin() {
    begun_ = true;
    for (const auto &entry : std::filesystem::directory_iterator{folder()}) {
        if (const auto rank = report::rank_of_file(entry.path().filename().string())) {
            left_.emplace(*rank, entry.path());
        }
    }
}

void record_sender::send_some(channel &to, int host) {
    while (!left_.empty() && on_the_way_ < most_on_the_way) {
        const auto &[rank, path] = *left_.begin();
        if (!file_) {
            file_ = descriptor{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
        }
        std::array<char, std::size_t{64} << 10> piece;
        const auto length = read(file_.get(), piece.data(), piece.size());
        if (length <= 0) {
            file_.reset();
            left_.erase(left_.begin());
            continue;
        }
        to.send(message::record, host,
                packed(rank, std::string{piece.data(), static_cast<std::size_t>(length)}));
        on_the_way_ += static_cast<std::uint64_t>(length);
    }
}

} // namespace lisle::launch
