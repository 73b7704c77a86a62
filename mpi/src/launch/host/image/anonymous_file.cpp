// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/anonymous_file.hpp"

#include "base/text.hpp"
#include "base/unnamed_file.hpp"
#include "launch/host/architecture/pages.hpp"
#include "launch/host/rank/refusal.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace lisle::host {

namespace {

/// "./" and "/" say the number in binary, which the kernel does not mind.
std::string distinct_path(int descriptor) {
    static std::atomic<unsigned> files{0}; // a count; orders nothing
    std::string path = "/proc/" + std::to_string(getpid()) + "/fd/";
    for (unsigned number = files.fetch_add(1, std::memory_order_relaxed); number != 0; number /= 2) {
        path += number % 2 != 0 ? "./" : "/";
    }
    return path + std::to_string(descriptor);
}

} // namespace

anonymous_file::anonymous_file(const std::string &purpose, std::size_t size)
    : purpose_(purpose), descriptor_(make_unnamed_file(std::string(base_name(purpose).substr(0, 200)).c_str(),
                                                       file_content::code)) {
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
        fail("creating it");
    }
    path_ = distinct_path(descriptor_);
}

anonymous_file::~anonymous_file() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

anonymous_file::anonymous_file(anonymous_file &&other) noexcept
    : purpose_(std::move(other.purpose_)), path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

void anonymous_file::write(std::span<const std::byte> bytes, std::size_t offset) const {
    while (!bytes.empty()) {
        const ssize_t done = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (done <= 0) {
            fail("writing it");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::size_t>(done);
    }
}

void anonymous_file::forget(std::size_t from, std::size_t to) const noexcept {
    from = page_ceiling(from);
    to = page_floor(to);
    if (from < to) { // memory that cannot be given back does no harm
        fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                  static_cast<off_t>(to - from));
    }
}

void anonymous_file::fail(const char *what) const {
    throw refusal("a rank's copy of " + purpose_ + " needs an anonymous file; " + what +
                  " failed: " + std::strerror(errno));
}

} // namespace lisle::host
