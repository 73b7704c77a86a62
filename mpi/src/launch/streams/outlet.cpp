// SPDX-License-Identifier: Apache-2.0
#include "launch/streams/outlet.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <unistd.h>

#include "base/error.hpp"

namespace lisle::launch {

void outlet::write_some() {
    const auto size = std::min<std::size_t>(waiting_.size() - written_, PIPE_BUF);
    const auto done = error_ == 0 ? write(descriptor_, waiting_.data() + written_, size) : 0;
    if (done < 0 && errno != EINTR && errno != EAGAIN) {
        error_ = errno;
    }
    if (done > 0) {
        written_ += static_cast<std::size_t>(done);
    }
    if (error_ != 0 || written_ == waiting_.size()) {
        waiting_.clear();
        written_ = 0;
    } else if (written_ >= full) {
        waiting_.erase(0, written_);
        written_ = 0;
    }
}

std::string outlet::failure() const {
    if (error_ == 0 || error_ == EPIPE) {
        return {};
    }
    return sentence("cannot write the ", descriptor_ == STDERR_FILENO ? "error output" : "output",
                    " of ranks: ", std::strerror(error_));
}

} // namespace lisle::launch
