// SPDX-License-Identifier: Apache-2.0
#include <lisle/task/mpi_transport.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "task/transport/channels.hpp"
#include "task/transport/departures.hpp"
#include "task/transport/held_parcels.hpp"

namespace lisle::tasks {

namespace {

constexpr std::size_t largest_parcel = 65536;
// Tags. Below the smallest MPI_TAG_UB that the standard allows, 32767.
constexpr int parcel_tag = 0, first_long = 1, long_tags = 1000, first_channel = first_long + long_tags;

/// The last byte of a message with parcel_tag says what it is. An empty message only wakes.
constexpr std::byte is_parcel{0}, is_notice{1};
/// In place of a long parcel: its size, and the tag (less first_long) with which it comes.
struct notice {
    std::uint64_t bytes, tag;
};

/// Receives that are posted, and what follows each. There is one thing to wait for: any of them.
class posted_receives {
  public:
    /// @param has_come false: its sender has failed
    using action = std::function<void(bool has_come)>;
    struct completed {
        bool is_first = false, has_come = false;
        MPI_Status status{};
        action then;
    };

    explicit posted_receives(failed_ranks &failed) noexcept : failed_{failed} {}

    void add(MPI_Request request, action then) {
        requests_.push_back(request);
        then_.push_back(std::move(then));
    }
    /// The first one is posted again and again.
    void repeat_first(MPI_Request request) {
        if (requests_.empty()) {
            add(request, {});
        } else {
            requests_[0] = request;
        }
    }
    /// False: it has failed, because a rank has.
    [[nodiscard]] bool has_first() const noexcept { return requests_[0] != MPI_REQUEST_NULL; }
    void cancel_first() {
        if (has_first()) {
            MPI_Cancel(requests_.data());
            MPI_Wait(requests_.data(), MPI_STATUS_IGNORE);
        }
    }
    /// @return whether one has completed
    bool test(completed &found) {
        int index = MPI_UNDEFINED, flag = 0;
        const int code = MPI_Testany(size(), requests_.data(), &index, &flag, &found.status);
        return take(index, !failed_.note(code, "MPI_Testany"), found);
    }
    /// False: none has completed, but a rank has failed.
    bool wait(completed &found) {
        int index = MPI_UNDEFINED;
        const int code = MPI_Waitany(size(), requests_.data(), &index, &found.status);
        return take(index, !failed_.note(code, "MPI_Waitany"), found);
    }

  private:
    [[nodiscard]] int size() const noexcept { return static_cast<int>(requests_.size()); }
    bool take(int which, bool has_come, completed &found) {
        if (which == MPI_UNDEFINED) {
            return false;
        }
        const auto index = static_cast<std::size_t>(which);
        found.has_come = has_come;
        found.is_first = index == 0;
        if (found.is_first || requests_[index] != MPI_REQUEST_NULL) {
            return has_come;
        }
        found.then = std::move(then_[index]);
        if (index + 1 != requests_.size()) {
            requests_[index] = requests_.back();
            then_[index] = std::move(then_.back());
        }
        requests_.pop_back();
        then_.pop_back();
        return true;
    }

    failed_ranks &failed_;
    std::vector<MPI_Request> requests_;
    std::vector<action> then_;
};

/// Wakes the rank's own thread where no other may call MPI.
class alarm {
  public:
    void ring() {
        {
            const std::scoped_lock guard{mutex_};
            is_woken_ = true;
        }
        awake_.notify_one();
    }
    /// @return whether it has rung, at latest after this time
    bool sleep(std::chrono::microseconds most) {
        std::unique_lock guard{mutex_};
        return awake_.wait_for(guard, most, [&] { return is_woken_; }) && std::exchange(is_woken_, false);
    }

  private:
    std::mutex mutex_; ///< for is_woken_
    std::condition_variable awake_;
    bool is_woken_ = false;
};

/// One receive for parcels is always posted; parcels that do not fit into it are announced and come like
/// large objects, each on a tag of its own.
class mpi_transport final : public transport {
  public:
    explicit mpi_transport(MPI_Comm comm)
        : comm_{duplicate_of(comm)}, channels_{largest_tag(comm_) - first_channel} {
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &ranks_);
        int granted = 0;
        MPI_Query_thread(&granted);
        wakes_by_message_ = granted == MPI_THREAD_MULTIPLE;
        has_other_threads_ = granted != MPI_THREAD_SINGLE;
        post();
    }
    mpi_transport(const mpi_transport &) = delete;
    mpi_transport &operator=(const mpi_transport &) = delete;
    ~mpi_transport() override {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (finalized == 0) {
            receives_.cancel_first();
            MPI_Comm_free(&comm_);
        }
    }

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int ranks() const noexcept override { return ranks_; }

    void send(int to, std::vector<std::byte> parcel) override {
        if (parcel.size() <= largest_parcel) {
            parcel.push_back(is_parcel);
            return departures_.send(to, parcel_tag, std::move(parcel));
        }
        const notice announced{parcel.size(), static_cast<std::uint64_t>(next_long_)};
        std::vector<std::byte> bytes(sizeof announced);
        std::memcpy(bytes.data(), &announced, sizeof announced);
        bytes.push_back(is_notice);
        departures_.send(to, parcel_tag, std::move(bytes));
        departures_.send(to, first_long + next_long_, std::move(parcel));
        next_long_ = (next_long_ + 1) % long_tags;
    }

    int expect(int from, std::span<std::byte> room, std::function<void()> done) override {
        const int channel = channels_.take();
        begin_receive(from, first_channel + channel, room,
                      [this, channel, done = std::move(done)](bool has_come) {
                          channels_.give_back(channel);
                          if (has_come) {
                              done();
                          }
                      });
        return channel;
    }

    void send_from(int to, int channel, std::span<const std::byte> bytes, ref<object> keep) override {
        departures_.send_from(to, first_channel + channel, bytes, std::move(keep));
    }

    bool poll(const receiver &receive) override {
        departures_.look();
        bool has_received = false;
        for (posted_receives::completed found; receives_.test(found); has_received = true) {
            complete(found, receive);
        }
        return has_received;
    }

    std::vector<int> lost() override {
        std::vector<int> fresh = failed_.take();
        if (!receives_.has_first()) {
            post();
        }
        return fresh;
    }

    void wait(const receiver &receive) override {
        if (wakes_by_message_ || !has_other_threads_) {
            if (posted_receives::completed found; receives_.wait(found)) {
                complete(found, receive);
            }
            return;
        }
        // No other thread may call MPI, and none could end a wait in it: look, and sleep for a while that
        // grows.
        for (auto pause = std::chrono::microseconds{20};
             !poll(receive) && !failed_.has_news() && !alarm_.sleep(pause);) {
            pause = std::min(2 * pause, std::chrono::microseconds{2000});
        }
    }

    void expect_wakes() override { has_other_threads_ = true; }

    void wake() override {
        if (!wakes_by_message_) {
            return alarm_.ring();
        }
        // One such message under way is enough. Acquire and release: the thread that wakes sees that the last
        // one was received, and the thread that is woken sees what was done before.
        if (!is_waking_.exchange(true, std::memory_order_acq_rel)) {
            MPI_Send(nullptr, 0, MPI_BYTE, rank_, parcel_tag, comm_);
        }
    }

    [[nodiscard]] bool has_sent_all() const override { return departures_.is_empty(); }

    std::vector<std::uint64_t> gather(std::uint64_t mine) override { return gather_numbers(comm_, mine); }

  private:
    static MPI_Comm duplicate_of(MPI_Comm comm) {
        MPI_Comm made = MPI_COMM_NULL;
        check(MPI_Comm_dup(comm, &made), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
        return made;
    }

    void post() {
        room_ = std::move(spare_);
        room_.resize(largest_parcel + 1);
        MPI_Request request = MPI_REQUEST_NULL;
        failed_.note(MPI_Irecv(room_.data(), static_cast<int>(room_.size()), MPI_BYTE, MPI_ANY_SOURCE,
                               parcel_tag, comm_, &request),
                     "MPI_Irecv");
        receives_.repeat_first(request);
    }

    void begin_receive(int from, int tag, std::span<std::byte> room, posted_receives::action then) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (failed_.note(MPI_Irecv_c(room.data(), static_cast<MPI_Count>(room.size()), MPI_BYTE, from, tag,
                                     comm_, &request),
                         "MPI_Irecv")) {
            return then(false);
        }
        receives_.add(request, std::move(then));
    }

    void complete(const posted_receives::completed &found, const receiver &receive) {
        if (found.is_first) {
            return take_parcel(found.status, receive);
        }
        found.then(found.has_come);
        held_.deliver(receive);
    }

    void take_parcel(const MPI_Status &status, const receiver &receive) {
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        auto size = static_cast<std::size_t>(count);
        const int from = status.MPI_SOURCE;
        std::vector<std::byte> parcel = std::move(room_);
        post(); // first: the next one may be there already
        if (size == 0) {
            is_waking_.store(false, std::memory_order_release);
            return;
        }
        --size;
        if (parcel[size] == is_notice && size == sizeof(notice)) {
            notice announced{};
            std::memcpy(&announced, parcel.data(), sizeof announced);
            return receive_long(from, announced);
        }
        if (const auto bytes = std::span{parcel}.first(size); !held_.hold(from, bytes)) {
            receive(from, bytes);
        }
        spare_ = std::move(parcel);
    }

    void receive_long(int from, const notice &announced) {
        if (announced.tag >= static_cast<std::uint64_t>(long_tags) || announced.bytes <= largest_parcel ||
            announced.bytes > std::uint64_t{1} << 40U) {
            throw std::runtime_error{"rank " + std::to_string(from) + " announces a parcel of " +
                                     std::to_string(announced.bytes) + " bytes on tag " +
                                     std::to_string(announced.tag)};
        }
        const auto coming = held_.expect(from, announced.bytes);
        begin_receive(from, first_long + static_cast<int>(announced.tag), coming->bytes,
                      [coming](bool has_come) { coming->is_here = has_come; });
    }

    MPI_Comm comm_;
    int rank_ = 0, ranks_ = 1;
    bool wakes_by_message_ = false;  ///< other threads may call MPI
    bool has_other_threads_ = false; ///< which may wake this one
    failed_ranks failed_{comm_};
    posted_receives receives_{failed_}; ///< the first one is for parcels
    departures departures_{comm_, failed_};
    held_parcels held_;
    channel_numbers channels_;
    std::vector<std::byte> room_, spare_;
    int next_long_ = 0;
    std::atomic<bool> is_waking_{false};
    alarm alarm_;
};

} // namespace

std::unique_ptr<transport> make_mpi_transport(MPI_Comm comm) {
    return std::make_unique<mpi_transport>(comm);
}

} // namespace lisle::tasks
