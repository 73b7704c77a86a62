// SPDX-License-Identifier: Apache-2.0
#include "launch/host/process/folders.hpp"

#include "launch/host/process/exchanged.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/real.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"chdir", int(const char *)> real_chdir;
const real<"fchdir", int(int)> real_fchdir;
const real<"umask", mode_t(mode_t)> real_umask;
const real<"chroot", int(const char *)> real_chroot;

/// A working directory, kept open: it may be renamed or removed.
class open_folder {
  public:
    open_folder() : descriptor_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {}
    ~open_folder() {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }
    open_folder(const open_folder &) = delete;
    open_folder &operator=(const open_folder &) = delete;
    void enter() const { static_cast<void>(real_fchdir(descriptor_)); }

  private:
    const int descriptor_;
};

struct folder_attribute {
    using value = std::shared_ptr<const open_folder>;
    static value read() { return std::make_shared<const open_folder>(); }
    static void apply(const value &folder) { folder->enter(); }
};
exchanged<folder_attribute> fiber_folder;

struct mask_attribute {
    using value = mode_t;
    static value read() {
        const mode_t now = real_umask(077);
        real_umask(now);
        return now;
    }
    static void apply(value mask) { real_umask(mask); }
};
exchanged<mask_attribute> fiber_mask;

// Set before any rank runs its program. Relaxed: orders nothing.
std::atomic<bool> are_shared{false};

/// Whether the fiber has started a thread, which would not see what the fiber changes.
const rank_slot<std::atomic<bool>> has_threads;

/// Whether the calling rank may not change what others would see as well; then it has been told.
bool is_refused(const char *call) {
    if (are_shared.load(std::memory_order_relaxed) && lisle_host_rank_count() > 1) {
        refuse_call(call, "one working directory and umask, since the system forbids unshare(CLONE_FS)");
        return true;
    }
    const hosted_rank &rank = *this_rank();
    if (lisle_host_worker_count() != 0 && has_threads.of(rank).load(std::memory_order_relaxed)) {
        refuse_call(call, "no working directory and umask in common with threads that they have started");
        return true;
    }
    return false;
}

template <class Attribute, class Call> auto change_for_rank(exchanged<Attribute> &attribute, Call call) {
    return lisle_host_in_fiber() != 0 ? attribute.change(call) : call();
}

} // namespace

void take_own_folder() {
    if (unshare(CLONE_FS) != 0) {
        are_shared.store(true, std::memory_order_relaxed);
    }
}

void take_folder_of(hosted_rank &fiber) {
    has_threads.of(fiber).store(true, std::memory_order_relaxed);
    if (unshare(CLONE_FS) != 0) {
        return;
    }
    if (const auto &folder = fiber_folder.of(fiber)) {
        (*folder)->enter();
    }
    if (const auto &mask = fiber_mask.of(fiber)) {
        real_umask(*mask);
    }
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int chdir(const char *path) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_chdir(path);
    }
    return is_refused("chdir") ? -1 : change_for_rank(fiber_folder, [=] { return real_chdir(path); });
}

int fchdir(int folder) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_fchdir(folder);
    }
    return is_refused("fchdir") ? -1 : change_for_rank(fiber_folder, [=] { return real_fchdir(folder); });
}

// It cannot fail, so a refused one changes nothing and says so.
mode_t umask(mode_t mask) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_umask(mask);
    }
    if (is_refused("umask")) {
        return mask_attribute::read();
    }
    return change_for_rank(fiber_mask, [=] { return real_umask(mask); });
}

int chroot(const char *path) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_chroot(path);
    }
    if (lisle_host_in_fiber() != 0) {
        return refuse_call("chroot", "one root directory on a worker");
    }
    return is_refused("chroot") ? -1 : real_chroot(path);
}

} // extern "C"
