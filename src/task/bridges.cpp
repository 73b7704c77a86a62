// SPDX-License-Identifier: Apache-2.0
#include <lisle/task/bridges.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace lisle::tasks {

namespace {

/// Threads that run what they are given; one for each action if there are none to share.
class sender_pool {
  public:
    explicit sender_pool(int threads) {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { work(); });
        }
    }
    ~sender_pool() {
        {
            const std::scoped_lock guard{mutex_};
            is_stopped_ = true;
        }
        changed_.notify_all();
        for (std::thread &each : threads_) {
            each.join();
        }
        await_none();
    }
    void run(std::function<void()> action) {
        const std::scoped_lock guard{mutex_};
        ++under_way_;
        if (threads_.empty()) {
            std::thread{[this, action = std::move(action)] {
                finish(action);
            }}.detach(); // await_none() waits for it
        } else {
            queue_.push_back(std::move(action));
            changed_.notify_one();
        }
    }
    void await_none() {
        std::unique_lock guard{mutex_};
        none_.wait(guard, [&] { return under_way_ == 0; });
    }
    [[nodiscard]] bool is_empty() const {
        const std::scoped_lock guard{mutex_};
        return under_way_ == 0;
    }

  private:
    void work() {
        for (;;) {
            std::function<void()> action;
            {
                std::unique_lock guard{mutex_};
                changed_.wait(guard, [&] { return is_stopped_ || !queue_.empty(); });
                if (queue_.empty()) {
                    return;
                }
                action = std::move(queue_.front());
                queue_.pop_front();
            }
            finish(action);
        }
    }
    void finish(const std::function<void()> &action) {
        action();
        const std::scoped_lock guard{mutex_};
        if (--under_way_ == 0) {
            none_.notify_all();
        }
    }
    mutable std::mutex mutex_; ///< for all that follows
    std::condition_variable changed_, none_;
    std::deque<std::function<void()>> queue_;
    std::vector<std::thread> threads_;
    int under_way_ = 0;
    bool is_stopped_ = false;
};

/// Each bridge has a communicator, a thread that receives from it, and a count of what is being sent over it.
/// Packets carry their number, so that their order does not depend on bridges and threads. A large object is
/// one message, whose tag says where it goes: straight into its place.
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
        for (bridge &each : bridges_) {
            MPI_Comm_dup(comm, &each.comm);
        }
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &ranks_);
        sent_.resize(static_cast<std::size_t>(ranks_));
        sources_.resize(static_cast<std::size_t>(ranks_));
        if (options.sending != sending_mode::blocking) {
            senders_ =
                std::make_unique<sender_pool>(options.sending == sending_mode::pool ? options.senders : 0);
        }
        for (bridge &each : bridges_) {
            each.receiver = std::thread{[this, &each] { receive(each); }};
        }
    }
    bridges(const bridges &) = delete;
    bridges &operator=(const bridges &) = delete;
    /// @pre nothing is under way to this rank: the machine has found that out
    ~bridges() override {
        senders_.reset();
        for (bridge &each : bridges_) {
            MPI_Send(nullptr, 0, MPI_BYTE, rank_, stop_tag, each.comm);
            each.receiver.join();
            MPI_Comm_free(&each.comm);
        }
    }

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int ranks() const noexcept override { return ranks_; }

    void send(int to, std::vector<std::byte> packet) override {
        const std::uint64_t number = sent_[static_cast<std::size_t>(to)]++;
        packet.resize(packet.size() + sizeof number);
        std::memcpy(packet.data() + packet.size() - sizeof number, &number, sizeof number);
        bridge &over = choose(to);
        leave([this, to, &over, packet = std::move(packet)] { transmit(over, to, packet_tag, packet); });
    }

    int expect(int, std::span<std::byte> room, std::function<void()> done) override {
        const std::scoped_lock guard{mutex_};
        int channel = next_channel_;
        if (free_channels_.empty()) {
            if (++next_channel_ > most_channels) {
                throw std::runtime_error{"more than " + std::to_string(most_channels) +
                                         " large objects are awaited at once"};
            }
        } else {
            channel = free_channels_.front();
            free_channels_.pop_front();
        }
        expected_[channel] = {room, std::move(done)};
        return channel;
    }

    void send_from(int to, int channel, std::span<const std::byte> bytes, ref<object> keep) override {
        bridge &over = choose(to);
        leave([this, to, channel, bytes, &over, keep = std::move(keep)] {
            transmit(over, to, first_channel + channel, bytes);
        });
    }

    bool poll(const receiver &receive) override {
        std::deque<arrival> taken;
        {
            const std::scoped_lock guard{mutex_};
            taken.swap(arrivals_);
        }
        for (const arrival &each : taken) {
            if (each.done) {
                each.done();
            } else {
                receive(each.from, std::span{each.bytes}.first(each.bytes.size() - sizeof(std::uint64_t)));
            }
        }
        return !taken.empty();
    }

    void wait(const receiver &receive) override {
        for (auto pause = std::chrono::microseconds{500}; !poll(receive);
             pause = std::min(2 * pause, most_pause)) {
            int flag = 0; // lets the other fibers of this thread run, if there are any
            MPI_Iprobe(rank_, stop_tag, bridges_[0].comm, &flag, MPI_STATUS_IGNORE);
            std::unique_lock guard{mutex_};
            if (awake_.wait_for(guard, pause, [&] { return is_woken_ || !arrivals_.empty(); }) && is_woken_) {
                is_woken_ = false;
                return;
            }
        }
    }

    void wake() override {
        {
            const std::scoped_lock guard{mutex_};
            is_woken_ = true;
        }
        awake_.notify_one();
    }

    [[nodiscard]] bool has_sent_all() const override { return senders_ == nullptr || senders_->is_empty(); }

    std::vector<std::uint64_t> gather(std::uint64_t mine) override {
        std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks_));
        // The receivers probe for point-to-point messages only, which collectives never match.
        MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, bridges_[0].comm);
        return all;
    }

  private:
    static constexpr int packet_tag = 0, stop_tag = 1, first_channel = 2,
                         most_channels = 32000; // MPI_TAG_UB >= 32767
    static constexpr std::chrono::microseconds most_pause{8000};

    struct bridge {
        MPI_Comm comm = MPI_COMM_NULL;
        std::thread receiver;
        std::atomic<int> sending{0}; ///< relaxed: a hint for least_busy
    };
    struct arrival {
        int from = 0;
        std::vector<std::byte> bytes; ///< with the packet's number at the end
        std::function<void()> done;   ///< of an object, instead
    };
    struct expectation {
        std::span<std::byte> room;
        std::function<void()> done;
    };
    struct source { ///< packets of one rank
        std::uint64_t next = 0;
        std::map<std::uint64_t, std::vector<std::byte>> early;
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

    void leave(std::function<void()> action) {
        if (senders_) {
            senders_->run(std::move(action));
        } else {
            action();
        }
    }

    static void transmit(bridge &over, int to, int tag, std::span<const std::byte> bytes) {
        over.sending.fetch_add(1, std::memory_order_relaxed);
        MPI_Send_c(bytes.data(), static_cast<MPI_Count>(bytes.size()), MPI_BYTE, to, tag, over.comm);
        over.sending.fetch_sub(1, std::memory_order_relaxed);
    }

    // A receiver's thread. The matched probe takes its message away from all others.
    void receive(bridge &mine) {
        for (;;) {
            MPI_Message message;
            MPI_Status status;
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mine.comm, &message, &status);
            MPI_Count size = 0;
            MPI_Get_count_c(&status, MPI_BYTE, &size);
            if (status.MPI_TAG == stop_tag) {
                MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE);
                return;
            }
            if (status.MPI_TAG >= first_channel) {
                receive_object(message, status.MPI_TAG - first_channel, size);
                continue;
            }
            std::vector<std::byte> packet(static_cast<std::size_t>(size));
            MPI_Mrecv_c(packet.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
            put_in_order(status.MPI_SOURCE, std::move(packet));
        }
    }

    void receive_object(MPI_Message message, int channel, MPI_Count size) {
        expectation awaited;
        {
            const std::scoped_lock guard{mutex_};
            const auto found = expected_.find(channel);
            if (found != expected_.end() && found->second.room.size() == static_cast<std::size_t>(size)) {
                awaited = std::move(found->second);
                expected_.erase(found);
            }
        }
        if (!awaited.done) { // nobody has asked for it: it is taken in and dropped
            std::vector<std::byte> room(static_cast<std::size_t>(size));
            MPI_Mrecv_c(room.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
            return;
        }
        MPI_Mrecv_c(awaited.room.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        {
            const std::scoped_lock guard{mutex_};
            free_channels_.push_back(channel);
            arrivals_.push_back({0, {}, std::move(awaited.done)});
        }
        awake_.notify_one();
    }

    void put_in_order(int from, std::vector<std::byte> packet) {
        if (packet.size() < sizeof(std::uint64_t)) {
            return; // no packet of a bridge
        }
        std::uint64_t number = 0;
        std::memcpy(&number, packet.data() + packet.size() - sizeof number, sizeof number);
        {
            const std::scoped_lock guard{mutex_};
            source &sender = sources_[static_cast<std::size_t>(from)];
            sender.early.emplace(number, std::move(packet));
            for (auto next = sender.early.begin(); next != sender.early.end() && next->first == sender.next;
                 next = sender.early.erase(next), ++sender.next) {
                arrivals_.push_back({from, std::move(next->second), {}});
            }
        }
        awake_.notify_one();
    }

    const bridge_options options_;
    int rank_ = 0, ranks_ = 1;
    std::vector<bridge> bridges_;
    std::unique_ptr<sender_pool> senders_;
    std::vector<std::uint64_t> sent_; ///< the rank's own thread
    unsigned turn_ = 0;               ///< the rank's own thread

    std::mutex mutex_; ///< for all that follows
    std::condition_variable awake_;
    std::deque<arrival> arrivals_;
    std::vector<source> sources_;
    std::map<int, expectation> expected_;
    std::deque<int> free_channels_;
    int next_channel_ = 0;
    bool is_woken_ = false;
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

} // namespace lisle::tasks
