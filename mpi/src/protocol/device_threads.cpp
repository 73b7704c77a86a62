// SPDX-License-Identifier: Apache-2.0
#include "protocol/device_threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/own_thread.hpp"
#include "execution/rank.hpp"
#include "fabric/deferred_sending.hpp"
#include "mpi.h"
#include "protocol/core/by_thread.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

namespace {

// While something waits for room of which nobody tells, the time between two tries grows from the first of
// these, in nanoseconds, to the second: a receiver that computes costs the Sender little.
constexpr std::uint64_t first_retry = 100'000, last_retry = 2'000'000;

/// Calls `function` with each engine of the ranks, as a thread of the rank's.
template <class Function> void each_engine(const std::vector<rank *> &ranks, Function function) {
    for (rank *const each : ranks) {
        become(each);
        each->tracks().each(function);
    }
}

} // namespace

/// A thread that works until it has nothing to do, sleeps, and begins again.
class device_threads::worker {
  public:
    worker() = default;
    worker(const worker &) = delete;
    worker &operator=(const worker &) = delete;
    virtual ~worker() = default;

    void begin() {
        try {
            thread_ = begin_own_thread([this] {
                pthread_setname_np(pthread_self(), name());
                while (!ending_.load(std::memory_order_acquire)) {
                    work_or_sleep();
                }
            });
        } catch (const std::system_error &error) {
            fail(MPI_ERR_OTHER, "the system gives no thread for a device (LISLE_PROGRESS): ", error.what());
        }
    }
    void end() noexcept {
        // Release: pairs with the thread's loads, so one that is called after it sees it.
        ending_.store(true, std::memory_order_release);
        if (thread_.joinable()) {
            call();
            thread_.join();
        }
    }

  protected:
    /// For lists of threads: at most 15 characters.
    [[nodiscard]] virtual const char *name() const noexcept = 0;
    virtual void work_or_sleep() = 0;
    /// Ends the sleep that the thread is in, or is about to begin.
    virtual void call() noexcept = 0;
    [[nodiscard]] bool is_ending() const noexcept { return ending_.load(std::memory_order_acquire); }

  private:
    std::thread thread_;
    std::atomic<bool> ending_{false};
};

class device_threads::sender final : public worker {
  public:
    /// @param left what the device leaves to this thread; null: nothing
    sender(const fabric::packet_carrier &device, fabric::deferred_sending *left, device_threads &all)
        : device_{device}, left_{left}, all_{all} {
        if (left_ != nullptr) {
            left_->leave_sending_to([&all] { all.senders_called_.ring(); });
        }
    }
    ~sender() override {
        if (left_ != nullptr) {
            left_->leave_sending_to({});
        }
    }

  private:
    [[nodiscard]] const char *name() const noexcept override { return "lisle sender"; }
    void work_or_sleep() override {
        const std::uint32_t seen = all_.senders_called_.value();
        const fabric::send_step step = left_ != nullptr ? left_->send_some() : fabric::send_step::nothing;
        bool any = step == fabric::send_step::sent;
        bool rest = step == fabric::send_step::no_room;
        each_engine(all_.served_,
                    [&](engine &each) { any = each.mover().send_waiting(&device_, rest) || any; });
        if (any || !rest) {
            retry_ = first_retry;
        }
        if (!any && !is_ending()) {
            all_.senders_called_.sleep(seen, rest ? retry_ : 0);
            retry_ = std::min(2 * retry_, last_retry);
        }
    }
    void call() noexcept override { all_.senders_called_.ring(); }

    const fabric::packet_carrier &device_;
    fabric::deferred_sending *const left_;
    device_threads &all_;
    std::uint64_t retry_ = first_retry;
};

/// Of a device that has descriptors, one for each rank.
class device_threads::descriptor_receiver final : public worker {
  public:
    descriptor_receiver(fabric::packet_source &device, const std::vector<rank *> &served)
        : device_{device}, served_{served}, all_{epoll_create1(EPOLL_CLOEXEC)}, called_{
                                                                                    eventfd(0, EFD_CLOEXEC)} {
        watch(called_);
        for (const rank *const each : served_) {
            watch(device_.wakes(each->number()).descriptor);
        }
    }
    ~descriptor_receiver() override {
        close(all_);
        close(called_);
    }

  private:
    [[nodiscard]] const char *name() const noexcept override { return "lisle receiver"; }
    void work_or_sleep() override {
        bool any = false;
        for (rank *const each : served_) {
            become(each);
            any = each->engine().mover().receive_from(device_) || any;
        }
        // All are armed, also behind one that must not sleep: what arrives for them is in the next round.
        if (any || !std::ranges::all_of(served_,
                                        [this](rank *each) { return each->engine().mover().arm(device_); })) {
            return;
        }
        std::array<epoll_event, 4> ready{};
        static_cast<void>(epoll_wait(all_, ready.data(), static_cast<int>(ready.size()), -1));
    }
    void call() noexcept override { static_cast<void>(eventfd_write(called_, 1)); }
    void watch(int descriptor) {
        epoll_event event{};
        event.events = EPOLLIN;
        if (epoll_ctl(all_, EPOLL_CTL_ADD, descriptor, &event) != 0) {
            fail(MPI_ERR_OTHER,
                 "the system has no descriptors left for a device's Receiver (LISLE_PROGRESS)");
        }
    }

    fabric::packet_source &device_;
    const std::vector<rank *> &served_;
    int all_;
    int called_;
};

/// Of what rings the ranks' bells. In the shared manner that is every device, and the thread sends as well.
class device_threads::bell_receiver final : public worker {
  public:
    bell_receiver(const std::vector<rank *> &served, bool sends) : served_{served}, sends_{sends} {
        for (rank *const each : served_) {
            bells_.push_back({&each->bell(), 0});
        }
    }

  private:
    [[nodiscard]] const char *name() const noexcept override {
        return sends_ ? "lisle progress" : "lisle receiver";
    }
    void work_or_sleep() override {
        for (doorbell::seen_value &each : bells_) {
            each.value = each.bell->value();
        }
        bool any = false, rest = false, may_sleep = true;
        each_engine(served_, [&](engine &each) {
            any = each.mover().receive() || any;
            any = (sends_ && each.mover().send_waiting(nullptr, rest)) || any;
        });
        std::uint64_t longest = 0;
        if (!any) {
            each_engine(served_,
                        [&](engine &each) { may_sleep = each.mover().arm_all(longest) && may_sleep; });
        }
        if (any || !rest) {
            retry_ = first_retry;
        }
        if (any || !may_sleep || is_ending()) {
            return;
        }
        if (rest) {
            longest = longest == 0 ? retry_ : std::min(longest, retry_);
            retry_ = std::min(2 * retry_, last_retry);
        }
        doorbell::sleep_on_any(bells_, longest);
    }
    void call() noexcept override {
        for (const doorbell::seen_value &each : bells_) {
            each.bell->ring();
        }
    }

    const std::vector<rank *> &served_;
    std::vector<doorbell::seen_value> bells_;
    bool sends_;
    std::uint64_t retry_ = first_retry;
};

device_threads::device_threads(const fabric::routes &routes) : routes_{routes} {}

device_threads::~device_threads() {
    const std::scoped_lock guard{changing_};
    end_locked();
}

void device_threads::serve(rank &served) {
    const std::scoped_lock guard{changing_};
    if (std::ranges::find(served_, &served) != served_.end()) {
        return;
    }
    end_locked();
    served_.push_back(&served);
    served.tracks().each([&](engine &each) { each.out().be_served_by(&senders_bell(served)); });
    begin_locked();
}

void device_threads::dismiss(rank &served) {
    const std::scoped_lock guard{changing_};
    if (std::ranges::find(served_, &served) == served_.end()) {
        return;
    }
    end_locked();
    served.tracks().each([](engine &each) { each.out().be_served_by(nullptr); });
    std::erase(served_, &served);
    if (!served_.empty()) {
        begin_locked();
    }
}

void device_threads::serve_new_fabrics() {
    const std::scoped_lock guard{changing_};
    if (!served_.empty()) {
        end_locked();
        begin_locked();
    }
}

void device_threads::forsake(const fabric::fabric &gone) {
    const std::scoped_lock guard{changing_};
    end_locked();
    forsaken_.push_back(&gone);
    if (!served_.empty()) {
        begin_locked();
    }
}

doorbell &device_threads::senders_bell(rank &served) noexcept {
    return chosen_progress() == progress_manner::shared ? served.bell() : senders_called_;
}

bool device_threads::is_active(const fabric::packet_carrier &device) const noexcept {
    const int self = served_.front()->number();
    for (int peer = 0; peer != routes_.size(); ++peer) {
        if (peer != self && routes_.to(peer).carrier == &device) {
            return true;
        }
    }
    return false;
}

void device_threads::add_device_locked(fabric::fabric &device) {
    if (std::ranges::find(forsaken_, &device) != forsaken_.end() || !is_active(device)) {
        return;
    }
    workers_.push_back(std::make_unique<sender>(device, device.sending(), *this));
    if (is_received_by_thread(device, served_.front()->number())) {
        workers_.push_back(std::make_unique<descriptor_receiver>(device, served_));
    } else {
        workers_.push_back(std::make_unique<bell_receiver>(served_, false));
    }
}

void device_threads::begin_locked() {
    if (chosen_progress() == progress_manner::shared) {
        workers_.push_back(std::make_unique<bell_receiver>(served_, true));
    } else {
        for (fabric::fabric *const device : routes_.fabrics()) {
            add_device_locked(*device);
        }
    }
    for (const auto &each : workers_) {
        each->begin();
    }
}

void device_threads::end_locked() {
    for (const auto &each : workers_) {
        each->end();
    }
    workers_.clear();
}

} // namespace lisle::protocol
