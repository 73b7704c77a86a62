// SPDX-License-Identifier: Apache-2.0
#include "launch/streams/outlet.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <unistd.h>

namespace lisle::launch {

void outlet::write_some() {
    const auto size = std::min<std::size_t>(waiting_.size() - written_, PIPE_BUF);
    const auto done = write(descriptor_, waiting_.data() + written_, size);
    if (done < 0 && errno != EINTR && errno != EAGAIN) {
        broken_ = true;
    }
    if (done > 0) {
        written_ += static_cast<std::size_t>(done);
    }
    if (broken_ || written_ == waiting_.size()) {
        waiting_.clear();
        written_ = 0;
    } else if (written_ >= full) {
        waiting_.erase(0, written_);
        written_ = 0;
    }
}

} // namespace lisle::launch
