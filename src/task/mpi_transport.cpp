// SPDX-License-Identifier: Apache-2.0
#include <lisle/task/mpi_transport.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "task/mpi_check.hpp"

namespace lisle::tasks {

namespace {

/// One receive for packets is always posted; packets that do not fit into it are announced and come like bulk
/// data, each on a tag of its own. So there is one thing to wait for: any of the receives. Sends are looked
/// at now and then, those to one rank in the order in which they began, so that thousands of them cost no
/// more than one.
class mpi_transport final : public transport {
  public:
    explicit mpi_transport(MPI_Comm comm) {
        check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &ranks_);
        int granted = 0;
        MPI_Query_thread(&granted);
        wakes_by_message_ = granted == MPI_THREAD_MULTIPLE;
        int *bound = nullptr;
        int has_bound = 0;
        MPI_Comm_get_attr(comm_, MPI_TAG_UB, static_cast<void *>(&bound), &has_bound);
        if (has_bound != 0) {
            last_channel_ = std::min(last_channel_, *bound - first_channel);
        }
        post();
    }
    mpi_transport(const mpi_transport &) = delete;
    mpi_transport &operator=(const mpi_transport &) = delete;
    ~mpi_transport() override {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (finalized != 0) {
            return;
        }
        MPI_Cancel(&requests_[0]);
        MPI_Wait(&requests_[0], MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm_);
    }

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int ranks() const noexcept override { return ranks_; }

    void send(int to, std::vector<std::byte> packet) override {
        if (packet.size() <= largest_packet) {
            packet.push_back(is_packet);
            return begin_send(to, packet_tag, std::move(packet));
        }
        const notice announced{packet.size(), static_cast<std::uint64_t>(next_long_)};
        std::vector<std::byte> bytes(sizeof announced);
        std::memcpy(bytes.data(), &announced, sizeof announced);
        bytes.push_back(is_notice);
        begin_send(to, packet_tag, std::move(bytes));
        begin_send(to, first_long + next_long_, std::move(packet));
        next_long_ = (next_long_ + 1) % long_tags;
    }

    int expect(int from, std::span<std::byte> room, std::function<void()> done) override {
        const int channel = free_channels_.empty() ? next_channel_++ : free_channels_.front();
        if (!free_channels_.empty()) {
            free_channels_.pop_front();
        }
        if (channel > last_channel_) {
            throw std::runtime_error{"more than " + std::to_string(last_channel_) +
                                     " large objects are awaited at once: MPI_TAG_UB allows no more tags"};
        }
        begin_receive(from, first_channel + channel, room, [this, channel, done = std::move(done)] {
            free_channels_.push_back(channel);
            done();
        });
        return channel;
    }

    void send_from(int to, int channel, std::span<const std::byte> bytes, ref<object> keep) override {
        departure leaving;
        leaving.keep = std::move(keep);
        check(MPI_Isend_c(bytes.data(), static_cast<MPI_Count>(bytes.size()), MPI_BYTE, to,
                          first_channel + channel, comm_, &leaving.request),
              "MPI_Isend");
        departures_[to].push_back(std::move(leaving));
    }

    bool poll(const receiver &receive) override {
        bool has_received = false;
        drop_departed();
        for (;;) {
            int index = MPI_UNDEFINED, flag = 0;
            MPI_Status status;
            check(MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &index, &flag, &status),
                  "MPI_Testany");
            if (flag == 0 || index == MPI_UNDEFINED) {
                return has_received;
            }
            has_received = complete(static_cast<std::size_t>(index), status, receive) || has_received;
        }
    }

    void wait(const receiver &receive) override {
        if (wakes_by_message_ || !has_other_threads_.load(std::memory_order_relaxed)) {
            int index = MPI_UNDEFINED;
            MPI_Status status;
            check(MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, &status),
                  "MPI_Waitany");
            complete(static_cast<std::size_t>(index), status, receive);
            return;
        }
        // No other thread may call MPI: look, and sleep for a while that grows.
        for (auto pause = std::chrono::microseconds{20}; !poll(receive);) {
            std::unique_lock guard{mutex_};
            if (awake_.wait_for(guard, pause, [&] { return is_woken_; })) {
                is_woken_ = false;
                return;
            }
            pause = std::min(2 * pause, std::chrono::microseconds{2000});
        }
    }

    void wake() override {
        has_other_threads_.store(true, std::memory_order_relaxed); // only chooses how to wait
        if (wakes_by_message_) {
            // A flood of these would help nobody. Acquire and release: who wakes sees that the last one was
            // taken, and the woken one what was done before.
            if (!is_waking_.exchange(true, std::memory_order_acq_rel)) {
                MPI_Send(nullptr, 0, MPI_BYTE, rank_, packet_tag, comm_);
            }
            return;
        }
        {
            const std::scoped_lock guard{mutex_};
            is_woken_ = true;
        }
        awake_.notify_one();
    }

    [[nodiscard]] bool has_sent_all() const override { return departures_.empty(); }

    std::vector<std::uint64_t> gather(std::uint64_t mine) override {
        std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks_));
        check(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm_), "MPI_Allgather");
        return all;
    }

  private:
    static constexpr std::size_t largest_packet = 65536;
    // Below the smallest MPI_TAG_UB that the standard allows, 32767.
    static constexpr int packet_tag = 0, first_long = 1, long_tags = 1000,
                         first_channel = first_long + long_tags;

    /// The last byte of a message with packet_tag says what it is. An empty message only wakes.
    static constexpr std::byte is_packet{0}, is_notice{1};
    /// In place of a long packet: its size, and the tag (less first_long) with which it comes.
    struct notice {
        std::uint64_t bytes, tag;
    };

    /// What is being sent.
    struct departure {
        MPI_Request request = MPI_REQUEST_NULL;
        std::vector<std::byte> bytes;
        ref<object> keep;
    };
    /// Packets of one rank that have to wait for a longer one before them.
    struct held_packet {
        std::vector<std::byte> bytes;
        bool is_here = false;
    };

    void post() {
        room_ = std::move(spare_);
        room_.resize(largest_packet + 1);
        MPI_Request request;
        check(MPI_Irecv(room_.data(), static_cast<int>(room_.size()), MPI_BYTE, MPI_ANY_SOURCE, packet_tag,
                        comm_, &request),
              "MPI_Irecv");
        if (requests_.empty()) {
            add(request, {});
        } else {
            requests_[0] = request;
        }
    }

    void add(MPI_Request request, std::function<void()> done) {
        requests_.push_back(request);
        done_.push_back(std::move(done));
    }

    void begin_send(int to, int tag, std::vector<std::byte> bytes) {
        departure leaving;
        leaving.bytes = std::move(bytes);
        check(MPI_Isend(leaving.bytes.data(), static_cast<int>(leaving.bytes.size()), MPI_BYTE, to, tag,
                        comm_, &leaving.request),
              "MPI_Isend");
        if (!has_departed(leaving)) {
            departures_[to].push_back(std::move(leaving));
        }
    }

    static bool has_departed(departure &leaving) {
        int is_done = 0;
        check(MPI_Test(&leaving.request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        return is_done != 0;
    }

    void drop_departed() {
        for (auto each = departures_.begin(); each != departures_.end();) {
            auto &queue = each->second;
            while (!queue.empty() && has_departed(queue.front())) {
                queue.pop_front();
            }
            each = queue.empty() ? departures_.erase(each) : std::next(each);
        }
    }

    void begin_receive(int from, int tag, std::span<std::byte> room, std::function<void()> done) {
        MPI_Request request;
        check(MPI_Irecv_c(room.data(), static_cast<MPI_Count>(room.size()), MPI_BYTE, from, tag, comm_,
                          &request),
              "MPI_Irecv");
        add(request, std::move(done));
    }

    // One request has completed. @return whether something has arrived
    bool complete(std::size_t index, const MPI_Status &status, const receiver &receive) {
        if (index == 0) {
            take_packet(status, receive);
            return true;
        }
        const std::function<void()> done = std::move(done_[index]);
        if (index + 1 != requests_.size()) {
            requests_[index] = requests_.back();
            done_[index] = std::move(done_.back());
        }
        requests_.pop_back();
        done_.pop_back();
        done();
        deliver_held(receive);
        return true;
    }

    void take_packet(const MPI_Status &status, const receiver &receive) {
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        auto size = static_cast<std::size_t>(count);
        const int from = status.MPI_SOURCE;
        std::vector<std::byte> packet = std::move(room_);
        post(); // first: the next one may be there already
        if (size == 0) {
            is_waking_.store(false, std::memory_order_release);
            return;
        }
        --size;
        if (packet[size] == is_notice && size == sizeof(notice)) {
            notice announced{};
            std::memcpy(&announced, packet.data(), sizeof announced);
            return receive_long(from, announced);
        }
        auto held = held_.find(from);
        const auto bytes = std::span{packet}.first(size);
        if (held == held_.end()) {
            receive(from, bytes);
        } else {
            held->second.push_back(
                std::make_shared<held_packet>(held_packet{{bytes.begin(), bytes.end()}, true}));
        }
        spare_ = std::move(packet);
    }

    void receive_long(int from, const notice &announced) {
        if (announced.tag >= static_cast<std::uint64_t>(long_tags) || announced.bytes <= largest_packet ||
            announced.bytes > std::uint64_t{1} << 40U) {
            throw std::runtime_error{"rank " + std::to_string(from) + " announces a packet of " +
                                     std::to_string(announced.bytes) + " bytes on tag " +
                                     std::to_string(announced.tag)};
        }
        auto coming = std::make_shared<held_packet>();
        coming->bytes.resize(announced.bytes);
        held_[from].push_back(coming);
        begin_receive(from, first_long + static_cast<int>(announced.tag), coming->bytes,
                      [coming] { coming->is_here = true; });
    }

    void deliver_held(const receiver &receive) {
        for (auto each = held_.begin(); each != held_.end();) {
            auto &[from, queue] = *each;
            while (!queue.empty() && queue.front()->is_here) {
                const auto next = std::move(queue.front());
                queue.pop_front();
                receive(from, next->bytes);
            }
            each = queue.empty() ? held_.erase(each) : std::next(each);
        }
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, ranks_ = 1;
    bool wakes_by_message_ = false;
    int last_channel_ = 30000;
    std::vector<MPI_Request> requests_;               ///< 0: the receive for packets
    std::vector<std::function<void()>> done_;         ///< what follows each receive; nothing for the first
    std::map<int, std::deque<departure>> departures_; ///< by rank, none of them empty
    std::vector<std::byte> room_, spare_;
    int next_long_ = 0, next_channel_ = 0;
    std::deque<int> free_channels_;
    std::map<int, std::deque<std::shared_ptr<held_packet>>> held_;

    std::atomic<bool> has_other_threads_{false}, is_waking_{false};
    std::mutex mutex_; ///< for is_woken_
    std::condition_variable awake_;
    bool is_woken_ = false;
};

} // namespace

std::unique_ptr<transport> make_mpi_transport(MPI_Comm comm) {
    return std::make_unique<mpi_transport>(comm);
}

} // namespace lisle::tasks
