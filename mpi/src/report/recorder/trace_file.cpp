// SPDX-License-Identifier: Apache-2.0
#include "report/recorder/trace_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lisle::report {

namespace {

constexpr std::size_t page = 4096;
/// A job of thousands of ranks has as many windows: they begin small.
constexpr std::size_t first_window = 4 * page, largest_window = std::size_t{1} << 20;

/// Writes zeros from there on, so that a full disk shows here and not as a fault. To touch a page first that
/// is only reserved (posix_fallocate) takes file systems four times as long as all of this.
bool write_zeros(int descriptor, std::size_t begin, std::size_t bytes) noexcept {
    static constexpr std::array<char, 16 * page> zeros{};
    while (bytes != 0) {
        const auto written =
            pwrite(descriptor, zeros.data(), std::min(bytes, zeros.size()), static_cast<off_t>(begin));
        if (written <= 0 && errno != EINTR) {
            return false;
        }
        const auto done = static_cast<std::size_t>(std::max(written, ssize_t{0}));
        begin += done;
        bytes -= done;
    }
    return true;
}

} // namespace

bool trace_file::open(const std::string &path, std::string_view head) noexcept {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor_ < 0 || !has_room(head.size())) {
        return false;
    }
    if (!head.empty()) {
        std::memcpy(at_, head.data(), head.size());
        at_ += head.size();
    }
    return true;
}

void trace_file::replace(std::size_t position, std::string_view bytes) noexcept {
    if (descriptor_ >= 0) {
        // The file's memory is the mapped one.
        static_cast<void>(pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position)));
    }
}

bool trace_file::move_window(std::size_t bytes) noexcept {
    if (descriptor_ < 0) {
        return false;
    }
    const std::size_t written = position();
    unmap();
    offset_ = written / page * page;
    const std::size_t wanted = written - offset_ + bytes;
    bytes_ =
        std::max({first_window, std::min(bytes_ * 2, largest_window), (wanted + page - 1) / page * page});
    const std::size_t reserved = reserved_; // the first page may have records already
    reserved_ = offset_ + bytes_;
    void *const mapped = write_zeros(descriptor_, reserved, reserved_ - reserved)
                             ? mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_,
                                    static_cast<off_t>(offset_))
                             : MAP_FAILED;
    if (mapped == MAP_FAILED) {
        ::close(descriptor_);
        descriptor_ = -1;
        return false;
    }
    window_ = static_cast<std::byte *>(mapped);
    window_end_ = window_ + bytes_;
    at_ = window_ + (written - offset_);
    return true;
}

void trace_file::unmap() noexcept {
    if (window_ != nullptr) {
        munmap(window_, bytes_);
        window_ = window_end_ = at_ = nullptr;
    }
}

void trace_file::close() noexcept {
    if (descriptor_ < 0) {
        return;
    }
    const std::size_t written = position();
    unmap();
    static_cast<void>(
        ftruncate(descriptor_, static_cast<off_t>(written))); // else zeros follow, which end it, too
    ::close(descriptor_);
    descriptor_ = -1;
}

} // namespace lisle::report
