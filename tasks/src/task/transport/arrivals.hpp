// SPDX-License-Identifier: Apache-2.0
// The messages that receiving threads leave to the rank's own: parcels, whose numbers keep their order
// whatever threads receive them, and large objects, which are received straight into their places. Any
// thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "task/transport/channels.hpp"
#include <lisle/task/transport.hpp>

namespace lisle::tasks {

class arrivals {
  public:
    struct expectation {
        std::span<std::byte> room;
        std::function<void()> done;
    };

    /// @param tags as many as there are for channels
    arrivals(int ranks, int tags) : sources_(static_cast<std::size_t>(ranks)), channels_{tags} {}

    /// A large object is going to come. @return the channel for it
    int expect(std::span<std::byte> room, std::function<void()> done) {
        const std::scoped_lock guard{mutex_};
        const int channel = channels_.take();
        expected_[channel] = {room, std::move(done)};
        return channel;
    }
    /// The place for an arriving large object; nothing: none of that size is expected there.
    std::optional<expectation> take_expected(int channel, std::size_t size) {
        const std::scoped_lock guard{mutex_};
        const auto found = expected_.find(channel);
        if (found == expected_.end() || found->second.room.size() != size) {
            return std::nullopt;
        }
        std::optional<expectation> taken{std::move(found->second)};
        expected_.erase(found);
        return taken;
    }
    void add_object(int channel, std::function<void()> done) {
        {
            const std::scoped_lock guard{mutex_};
            channels_.give_back(channel);
            ready_.push_back({0, {}, std::move(done)});
        }
        awake_.notify_one();
    }
    /// @param parcel with its number, from 0 on for each sender, as its last bytes
    void add_parcel(int from, std::vector<std::byte> parcel) {
        std::uint64_t number = 0;
        if (parcel.size() < sizeof number) {
            return; // expected by none
        }
        std::memcpy(&number, parcel.data() + parcel.size() - sizeof number, sizeof number);
        parcel.resize(parcel.size() - sizeof number);
        {
            const std::scoped_lock guard{mutex_};
            source &sender = sources_[static_cast<std::size_t>(from)];
            sender.early.emplace(number, std::move(parcel));
            for (auto next = sender.early.begin(); next != sender.early.end() && next->first == sender.next;
                 next = sender.early.erase(next), ++sender.next) {
                ready_.push_back({from, std::move(next->second), {}});
            }
        }
        awake_.notify_one();
    }

    /// Hands over all that has arrived. The rank's own thread. @return whether there was anything
    bool deliver(const transport::receiver &receive) {
        std::deque<arrival> taken;
        {
            const std::scoped_lock guard{mutex_};
            taken.swap(ready_);
        }
        for (const arrival &each : taken) {
            if (each.done) {
                each.done();
            } else {
                receive(each.from, each.bytes);
            }
        }
        return !taken.empty();
    }
    /// Waits until something arrives or wake() is called, at most so long. @return whether wake() was called
    bool sleep(std::chrono::microseconds most) {
        std::unique_lock guard{mutex_};
        awake_.wait_for(guard, most, [&] { return is_woken_ || !ready_.empty(); });
        return std::exchange(is_woken_, false);
    }
    void wake() {
        {
            const std::scoped_lock guard{mutex_};
            is_woken_ = true;
        }
        awake_.notify_one();
    }

  private:
    struct arrival {
        int from = 0;
        std::vector<std::byte> bytes;
        std::function<void()> done; ///< of an object, instead
    };
    struct source { ///< parcels of one rank
        std::uint64_t next = 0;
        std::map<std::uint64_t, std::vector<std::byte>> early;
    };

    std::mutex mutex_; ///< for all that follows
    std::condition_variable awake_;
    std::deque<arrival> ready_;
    std::vector<source> sources_;
    std::map<int, expectation> expected_;
    channel_numbers channels_;
    bool is_woken_ = false;
};

} // namespace lisle::tasks
