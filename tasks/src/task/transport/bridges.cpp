// SPDX-License-Identifier: Apache-2.0
#include <lisle/task/bridges.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "task/transport/arrivals.hpp"
#include "task/transport/mpi_check.hpp"
#include "task/transport/sender_pool.hpp"

namespace lisle::tasks {

namespace {

/// Each bridge has a thread that receives, and a count of sends under way. One receiver at a time leads: it
/// waits for messages, receives short ones itself and hands long ones to the bridges that their tags name.
/// The other receivers sleep until they get a message or the lead. Parcels carry sequence numbers, so their
/// order does not depend on bridges and threads. A large object is one message, received in place: its tag
/// names the channel.
class bridges final : public transport {
  public:
    bridges(MPI_Comm comm, const bridge_options &options)
        : options_{options}, bridges_(static_cast<std::size_t>(options.receivers)) {
        int granted = 0;
        MPI_Query_thread(&granted);
        if (granted != MPI_THREAD_MULTIPLE) {
            throw std::runtime_error{
                "bridges are threads that call MPI: MPI_THREAD_MULTIPLE is wanted, level " +
                std::to_string(granted) + " is granted (MPI_Init_thread)"};
        }
        MPI_Comm_dup(comm, &comm_);
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &ranks_);
        sent_.resize(static_cast<std::size_t>(ranks_));
        arrivals_ = std::make_unique<arrivals>(ranks_, (largest_tag(comm_) - stop_tag()) / options.receivers);
        if (options.sending != sending_mode::blocking) {
            senders_ =
                std::make_unique<sender_pool>(options.sending == sending_mode::pool ? options.senders : 0);
        }
        for (bridge &each : bridges_) {
            each.receiver = std::thread{[this, &each] { work(each); }};
        }
    }
    bridges(const bridges &) = delete;
    bridges &operator=(const bridges &) = delete;
    /// @pre nothing is under way to this rank: the machine has found that out
    ~bridges() override {
        senders_.reset();
        MPI_Send(nullptr, 0, MPI_BYTE, rank_, stop_tag(), comm_);
        for (bridge &each : bridges_) {
            each.receiver.join();
        }
        MPI_Comm_free(&comm_);
    }

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int ranks() const noexcept override { return ranks_; }

    void send(int to, std::vector<std::byte> parcel) override {
        const std::uint64_t number = sent_[static_cast<std::size_t>(to)]++;
        parcel.resize(parcel.size() + sizeof number);
        std::memcpy(parcel.data() + parcel.size() - sizeof number, &number, sizeof number);
        leave(to, -1, {}, {}, std::move(parcel));
    }

    int expect(int, std::span<std::byte> room, std::function<void()> done) override {
        return arrivals_->expect(room, std::move(done));
    }

    void send_from(int to, int channel, std::span<const std::byte> bytes, ref<object> keep) override {
        leave(to, channel, bytes, std::move(keep), {});
    }

    bool poll(const receiver &receive) override { return arrivals_->deliver(receive); }

    void wait(const receiver &receive) override {
        for (auto pause = std::chrono::microseconds{500}; !poll(receive);
             pause = std::min(2 * pause, most_pause)) {
            int flag = 0; // lets the other fibers of this thread run, if there are any
            MPI_Iprobe(rank_, stop_tag(), comm_, &flag, MPI_STATUS_IGNORE);
            if (arrivals_->sleep(pause)) {
                return;
            }
        }
    }

    void wake() override { arrivals_->wake(); }

    [[nodiscard]] bool has_sent_all() const override { return senders_ == nullptr || senders_->is_empty(); }

    std::vector<std::uint64_t> gather(std::uint64_t mine) override {
        // The receivers probe for point-to-point messages only, which collectives never match.
        return gather_numbers(comm_, mine);
    }

    [[nodiscard]] std::vector<std::uint64_t> messages() const {
        std::vector<std::uint64_t> all;
        for (const bridge &each : bridges_) {
            all.push_back(each.sent);
        }
        return all;
    }

  private:
    static constexpr std::chrono::microseconds most_pause{8000};
    /// To receive less takes no longer than to call another thread.
    static constexpr MPI_Count long_message = 262144;

    /// A message that only its holder can receive.
    struct matched {
        MPI_Message message = MPI_MESSAGE_NULL;
        int from = 0, tag = 0;
        MPI_Count size = 0;
    };
    struct bridge {
        std::thread receiver;
        std::atomic<int> sending{0}; ///< relaxed: a hint for least_busy
        std::uint64_t sent = 0;      ///< messages; the rank's own thread
        // Under leading_:
        std::deque<matched> given; ///< by the receiver that leads
        bool is_idle = false;
        std::condition_variable called;
    };
    bridge &choose(int to) {
        switch (options_.choice) {
        case bridge_choice::by_pair:
            return bridges_[static_cast<std::size_t>(rank_ + to) % bridges_.size()];
        case bridge_choice::least_busy:
            return *std::ranges::min_element(bridges_, {}, [](const bridge &each) {
                return each.sending.load(std::memory_order_relaxed);
            });
        case bridge_choice::round_robin:
            break;
        }
        return bridges_[turn_++ % bridges_.size()];
    }

    // Tags: parcels by bridge, the end, objects by channel and bridge.
    [[nodiscard]] int tag_of(int channel, const bridge &over) const noexcept {
        const int number = static_cast<int>(&over - bridges_.data());
        return channel < 0 ? number : stop_tag() + 1 + channel * options_.receivers + number;
    }
    [[nodiscard]] int stop_tag() const noexcept { return options_.receivers; }
    [[nodiscard]] int channel_of(int tag) const noexcept {
        return tag < stop_tag() ? -1 : (tag - stop_tag() - 1) / options_.receivers;
    }
    [[nodiscard]] bridge &bridge_of(int tag) noexcept {
        return bridges_[static_cast<std::size_t>(
            tag < stop_tag() ? tag : (tag - stop_tag() - 1) % options_.receivers)];
    }

    /// The data of a send: bytes of an object, or a parcel.
    struct departure {
        std::span<const std::byte> bytes;
        ref<object> keep;
        std::vector<std::byte> parcel;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    // Sends as options_.sending says. The pool gets only sends that are not complete after the call.
    void leave(int to, int channel, std::span<const std::byte> bytes, ref<object> keep,
               std::vector<std::byte> parcel) {
        bridge &over = choose(to);
        const int tag = tag_of(channel, over);
        ++over.sent;
        over.sending.fetch_add(1, std::memory_order_relaxed);
        const auto gone = std::make_shared<departure>(departure{bytes, std::move(keep), std::move(parcel)});
        if (channel < 0) {
            gone->bytes = gone->parcel;
        }
        const auto size = static_cast<MPI_Count>(gone->bytes.size());
        const auto transmit = [this, gone, size, to, tag, &over] {
            MPI_Send_c(gone->bytes.data(), size, MPI_BYTE, to, tag, comm_);
            over.sending.fetch_sub(1, std::memory_order_relaxed);
        };
        if (options_.sending == sending_mode::blocking) {
            return transmit();
        }
        if (options_.sending == sending_mode::thread_per_send) {
            return senders_->run(transmit);
        }
        MPI_Isend_c(gone->bytes.data(), size, MPI_BYTE, to, tag, comm_, &gone->request);
        int has_left = 0;
        MPI_Test(&gone->request, &has_left, MPI_STATUS_IGNORE);
        if (has_left != 0) {
            over.sending.fetch_sub(1, std::memory_order_relaxed);
            return;
        }
        auto see_off = [gone, size, &over] {
            wait_for(gone->request, size);
            over.sending.fetch_sub(1, std::memory_order_relaxed);
        };
        if (size >= long_message) {
            senders_->run(std::move(see_off));
        } else {
            senders_->run_soon(std::move(see_off));
        }
    }

    // Waits until a message has left. MPI may need a hand for a long one. A shorter one leaves by what the
    // receiver that leads does for it inside MPI; to wait there as well would take a core from those who
    // work.
    static void wait_for(MPI_Request &request, MPI_Count size) {
        if (size >= long_message) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            return;
        }
        int has_left = 0;
        for (auto pause = std::chrono::microseconds{20};; pause = std::min(2 * pause, most_pause)) {
            MPI_Test(&request, &has_left, MPI_STATUS_IGNORE);
            if (has_left != 0) {
                return;
            }
            std::this_thread::sleep_for(pause);
        }
    }

    // A receiver's thread: sleeps until it is given a message or the lead.
    void work(bridge &mine) {
        for (;;) {
            std::unique_lock guard{leading_};
            mine.is_idle = true;
            mine.called.wait(guard, [&] {
                return !mine.given.empty() || leader_ == nullptr || leader_ == &mine || has_stopped_;
            });
            mine.is_idle = false;
            if (!mine.given.empty()) {
                const matched message = mine.given.front();
                mine.given.pop_front();
                if (leader_ == &mine) {
                    pass_lead();
                }
                guard.unlock();
                receive(message);
                continue;
            }
            if (has_stopped_) {
                return;
            }
            leader_ = &mine;
            guard.unlock();
            lead(mine);
        }
    }

    // Waits for messages, until one is long and this bridge's own. The matched probe takes a message away
    // from all other threads.
    void lead(bridge &mine) {
        for (;;) {
            matched next;
            MPI_Status status;
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &next.message, &status);
            MPI_Get_count_c(&status, MPI_BYTE, &next.size);
            next.from = status.MPI_SOURCE;
            next.tag = status.MPI_TAG;
            if (next.tag == stop_tag()) {
                MPI_Mrecv(nullptr, 0, MPI_BYTE, &next.message, MPI_STATUS_IGNORE);
                return stop();
            }
            if (next.size < long_message || bridges_.size() == 1) {
                receive(next);
                continue;
            }
            bridge &wanted = bridge_of(next.tag);
            const std::scoped_lock guard{leading_};
            wanted.given.push_back(next);
            if (&wanted == &mine) {
                return pass_lead();
            }
            wanted.called.notify_one();
        }
    }

    // To a receiver that has nothing to do; if there is none, the first that has done its work takes it. The
    // caller holds leading_.
    void pass_lead() {
        const auto idle = std::ranges::find_if(bridges_, [](const bridge &each) { return each.is_idle; });
        leader_ = idle != bridges_.end() ? &*idle : nullptr;
        if (leader_ != nullptr) {
            leader_->called.notify_one();
        }
    }

    void stop() {
        const std::scoped_lock guard{leading_};
        has_stopped_ = true;
        for (bridge &each : bridges_) {
            each.called.notify_one();
        }
    }

    void receive(matched next) {
        if (const int channel = channel_of(next.tag); channel >= 0) {
            return receive_object(next.message, channel, next.size);
        }
        std::vector<std::byte> parcel(static_cast<std::size_t>(next.size));
        MPI_Mrecv_c(parcel.data(), next.size, MPI_BYTE, &next.message, MPI_STATUS_IGNORE);
        arrivals_->add_parcel(next.from, std::move(parcel));
    }

    void receive_object(MPI_Message message, int channel, MPI_Count size) {
        auto awaited = arrivals_->take_expected(channel, static_cast<std::size_t>(size));
        if (!awaited) { // it is not expected: received and dropped
            std::vector<std::byte> room(static_cast<std::size_t>(size));
            MPI_Mrecv_c(room.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
            return;
        }
        MPI_Mrecv_c(awaited->room.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        arrivals_->add_object(channel, std::move(awaited->done));
    }

    const bridge_options options_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, ranks_ = 1;
    std::vector<bridge> bridges_;
    std::mutex leading_; ///< for leader_ and has_stopped_
    bridge *leader_ = nullptr;
    bool has_stopped_ = false;
    std::unique_ptr<sender_pool> senders_;
    std::vector<std::uint64_t> sent_; ///< the rank's own thread
    unsigned turn_ = 0;               ///< the rank's own thread
    std::unique_ptr<arrivals> arrivals_;
};

} // namespace

std::unique_ptr<transport> make_bridges(MPI_Comm comm, const bridge_options &options) {
    if (options.receivers < 1 || options.senders < 1) {
        throw std::invalid_argument{"make_bridges: " + std::to_string(options.receivers) + " receivers and " +
                                    std::to_string(options.senders) +
                                    " senders; at least one of each is needed"};
    }
    return std::make_unique<bridges>(comm, options);
}

std::vector<std::uint64_t> messages_over_bridges(const transport &between) {
    const auto *const them = dynamic_cast<const bridges *>(&between);
    return them == nullptr ? std::vector<std::uint64_t>{} : them->messages();
}

} // namespace lisle::tasks
