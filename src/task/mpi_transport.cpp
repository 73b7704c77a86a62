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

namespace lisle::tasks {

namespace {

void check(int code, const char *call) {
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPI_Error_string(code, text, &length);
        throw std::runtime_error{std::string{call} + ": " +
                                 std::string(text, static_cast<std::size_t>(length))};
    }
}

/// One receive for packets is always posted; packets that do not fit into it are announced and come like bulk
/// data, each on a tag of its own. So there is one thing to wait for: any of the requests.
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
            return begin_send(to, packet_tag, std::move(packet));
        }
        const notice announced{packet.size(), static_cast<std::uint64_t>(next_long_)};
        std::vector<std::byte> bytes(sizeof announced);
        std::memcpy(bytes.data(), &announced, sizeof announced);
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
        operation awaited;
        awaited.done = [this, channel, done = std::move(done)] {
            free_channels_.push_back(channel);
            done();
        };
        begin_receive(from, first_channel + channel, room, std::move(awaited));
        return channel;
    }

    void send_from(int to, int channel, std::span<const std::byte> bytes, ref<object> keep) override {
        MPI_Request request;
        check(MPI_Isend_c(bytes.data(), static_cast<MPI_Count>(bytes.size()), MPI_BYTE, to,
                          first_channel + channel, comm_, &request),
              "MPI_Isend");
        operation leaving;
        leaving.keep = std::move(keep);
        add(std::move(leaving), request);
    }

    bool poll(const receiver &receive) override {
        bool has_received = false;
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

    [[nodiscard]] bool has_sent_all() const override { return requests_.size() == 1; }

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

    /// In place of a long packet: its size, and the tag (less first_long) with which it comes. Shorter than
    /// any packet, which has a header; an empty message only wakes.
    struct notice {
        std::uint64_t bytes, tag;
    };

    /// What belongs to the request of the same index.
    struct operation {
        std::vector<std::byte> bytes; ///< being sent
        ref<object> keep;
        std::function<void()> done; ///< of an expected receive
    };
    /// Packets of one rank that have to wait for a longer one before them.
    struct held_packet {
        std::vector<std::byte> bytes;
        bool is_here = false;
    };

    void post() {
        room_ = std::move(spare_);
        room_.resize(largest_packet);
        MPI_Request request;
        check(MPI_Irecv(room_.data(), static_cast<int>(room_.size()), MPI_BYTE, MPI_ANY_SOURCE, packet_tag,
                        comm_, &request),
              "MPI_Irecv");
        if (requests_.empty()) {
            add({}, request);
        } else {
            requests_[0] = request;
        }
    }

    void add(operation begun, MPI_Request request) {
        requests_.push_back(request);
        operations_.push_back(std::move(begun));
    }

    void begin_send(int to, int tag, std::vector<std::byte> bytes) {
        operation leaving;
        leaving.bytes = std::move(bytes);
        MPI_Request request;
        check(MPI_Isend(leaving.bytes.data(), static_cast<int>(leaving.bytes.size()), MPI_BYTE, to, tag,
                        comm_, &request),
              "MPI_Isend");
        int is_done = 0;
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done == 0) {
            add(std::move(leaving), request);
        }
    }

    void begin_receive(int from, int tag, std::span<std::byte> room, operation awaited) {
        MPI_Request request;
        check(MPI_Irecv_c(room.data(), static_cast<MPI_Count>(room.size()), MPI_BYTE, from, tag, comm_,
                          &request),
              "MPI_Irecv");
        add(std::move(awaited), request);
    }

    // One request has completed. @return whether something has arrived
    bool complete(std::size_t index, const MPI_Status &status, const receiver &receive) {
        if (index == 0) {
            take_packet(status, receive);
            return true;
        }
        operation ended = std::move(operations_[index]);
        if (index + 1 != requests_.size()) {
            requests_[index] = requests_.back();
            operations_[index] = std::move(operations_.back());
        }
        requests_.pop_back();
        operations_.pop_back();
        if (ended.done) {
            ended.done();
        }
        deliver_held(receive);
        return static_cast<bool>(ended.done);
    }

    void take_packet(const MPI_Status &status, const receiver &receive) {
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        const auto size = static_cast<std::size_t>(count);
        const int from = status.MPI_SOURCE;
        std::vector<std::byte> packet = std::move(room_);
        post(); // first: the next one may be there already
        if (size == 0) {
            is_waking_.store(false, std::memory_order_release);
            return;
        }
        if (size == sizeof(notice)) {
            notice announced{};
            std::memcpy(&announced, packet.data(), sizeof announced);
            return receive_long(from, announced);
        }
        auto held = held_.find(from);
        if (held == held_.end()) {
            receive(from, std::span{packet.data(), size});
            spare_ = std::move(packet);
        } else {
            packet.resize(size);
            held->second.push_back(std::make_shared<held_packet>(held_packet{std::move(packet), true}));
        }
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
        operation awaited;
        awaited.done = [coming] { coming->is_here = true; };
        begin_receive(from, first_long + static_cast<int>(announced.tag), coming->bytes, std::move(awaited));
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
    std::vector<MPI_Request> requests_; ///< 0: the receive for packets
    std::vector<operation> operations_;
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
