// SPDX-License-Identifier: Apache-2.0
// One rank's part of the machine: its tiles, the programs, what it keeps for other ranks and what it awaits
// from them. The rank's own thread moves packets; with one tile it is that tile, too.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "task/code.hpp"
#include "task/keeper.hpp"
#include "task/packet.hpp"
#include "task/termination.hpp"
#include "task/tile.hpp"
#include "task/wire.hpp"
#include <lisle/task/machine.hpp>

namespace lisle::tasks {

/// A program that this rank has loaded.
struct program_state {
    std::uint64_t number = 0; ///< gateway rank << 32 | count
    code text;
    // On the gateway only:
    int acknowledged = 0;     ///< ranks that have loaded it
    bool is_complete = false; ///< under engine::mutex_
    value result;
};

class engine {
  public:
    engine(const registry &kernels, transport &between, const machine_options &options);
    engine(const engine &) = delete;
    engine &operator=(const engine &) = delete;
    ~engine();

    // For the machine.
    std::uint64_t start(const source &program);
    value wait(std::uint64_t program, std::string &file);
    void finish();
    [[nodiscard]] machine_counts counts() const;
    [[nodiscard]] const std::vector<trace_event> &trace() const noexcept { return trace_; }
    [[nodiscard]] const tile_place &first_place() const noexcept { return tiles_[0]->place(); }
    std::function<void(const std::string &)> printer;

    // For tiles; any thread.
    [[nodiscard]] const registry &kernels() const noexcept { return kernels_; }
    [[nodiscard]] const tile_map &map() const noexcept { return map_; }
    [[nodiscard]] bool wraps() const noexcept { return options_.wraps; }
    [[nodiscard]] bool traces() const noexcept { return options_.traces; }
    [[nodiscard]] bool spreads_kernels() const noexcept {
        return options_.where == spread::round_robin || options_.where == spread::least_loaded;
    }
    [[nodiscard]] double now() const;
    void print(const std::string &line);
    /// Gives a task to a tile of this rank.
    void post(int tile, const task &ready);
    /// Gives a task to some tile of this rank.
    void post_anywhere(const task &ready);
    /// Sends a task to a tile of any rank, now or when that rank has room. Takes over the task's frame.
    void dispatch(tile &from, task &placed, int target);
    /// Which tile an expression without a number goes to; -1: any.
    int choose_tile(tile &from, const node &expression, frame &variables);
    /// Whether anybody sleeps or has asked for work. Sequentially consistent, as below.
    [[nodiscard]] bool waits_for_work() const noexcept {
        return asleep_count_.load(std::memory_order_seq_cst) + hungry_count_.load(std::memory_order_seq_cst) >
               0;
    }
    /// A tile has a new task that others may steal.
    void announce_work(tile &from);
    /// Before a kernel, which may take long: gives others work and takes in packets.
    void before_kernel(tile &by);
    /// Whether this rank has to stop making tasks until others have begun those they have.
    [[nodiscard]] bool is_throttled() const noexcept { return throttled_.load(std::memory_order_relaxed); }
    /// A task of another rank has begun: that rank may send one more. @param now tell it at once
    void credit(int rank, bool now);

    void send_answer(record &answered);
    void complete_program(record &root);
    /// Whether everything in the program's result is here; else the task waits for it.
    bool is_complete_or_fetches(tile &by, task &root);
    /// An operation on a cell of any rank. `then` gets what it gives, or a failure.
    void use_cell(packet_request what, const value &which, value given, continuation then);

  private:
    /// What another rank owes: a result for slots of a record, or for whatever is to be done with it.
    struct awaited {
        int from;
        record *to;
        std::uint32_t slot;
        std::uint32_t count; ///< how many slots it fills
        continuation then;
        bool is_list = false; ///< one value for each slot
    };
    /// A task that waits for a cell. Resumed once: by the cell, or with a failure when nothing can come any
    /// more.
    struct parked {
        std::atomic<bool> is_resumed{false}; ///< relaxed exchange: only decides who resumes
        continuation then;
    };

    // engine.cpp
    void drive(const std::function<bool()> &until);
    bool make_progress();
    [[nodiscard]] bool is_idle() const;
    void when_idle();
    void act_on(packet_finish verdict);
    void resume_all_parked();
    program_state &program(std::uint64_t number);
    program_state &load(std::uint64_t number, const source &written);
    void begin(program_state &loaded);
    [[nodiscard]] std::vector<std::uint64_t> own_programs() const;
    void gather_trace();

    // sending.cpp; any thread
    void send(int to, const packet &header, std::vector<std::byte> payload = {});
    void do_later(std::function<void()> action);
    void send_task(task &shipped, int rank, packet header);
    void send_result(int to, std::uint64_t address, const value &result);
    void write_task(const task &shipped, packet &header, encoder &out);
    std::uint64_t await(awaited result);
    void flush();
    void fetch(const ref<remote_object> &wanted);
    bool feed_hungry();
    void ask_for_work(int rank);
    bool steal_any(task &stolen);

    // receiving.cpp; the rank's own thread
    void receive(int from, std::span<const std::byte> bytes);
    static void write_source(const source &program, encoder &out, value_writer &values);
    void receive_code(int from, const packet &header, decoder &in);
    void receive_task(int from, const packet &header, decoder &in);
    void receive_result(int from, const packet &header, decoder &in);
    void receive_content(int from, const packet &header, decoder &in);
    void receive_request(int from, const packet &header, decoder &in);
    void receive_cell_request(int from, const packet &header, decoder &in);
    void receive_acknowledgement(int from, const packet &header);
    void receive_finish(int from, const packet &header, decoder &in);
    void receive_trace(decoder &in);
    void send_content(int to, const packet &request);
    void fill(const awaited &expected, value result);
    void refill(int rank);
    value_reader reader_of(int from);

    const registry &kernels_;
    transport &transport_;
    const machine_options options_;
    tile_map map_;
    const std::thread::id own_thread_ = std::this_thread::get_id();
    std::vector<std::unique_ptr<tile>> tiles_;
    std::vector<std::thread> threads_;
    std::shared_ptr<keeper> keeper_;
    termination termination_;

    mutable std::mutex mutex_; ///< for what follows, up to the empty line
    std::map<std::uint64_t, std::unique_ptr<program_state>> programs_;
    std::unordered_map<std::uint64_t, awaited> awaited_;
    std::uint64_t last_address_ = 0, last_program_ = 0, most_waiting_ = 0;
    std::map<std::uint64_t, std::shared_ptr<parked>> parked_;
    std::uint64_t last_parked_ = 0;
    struct to_be_sent {
        task placed;
        int target;
    };
    std::vector<std::deque<to_be_sent>> waiting_for_credit_; ///< by rank
    std::vector<unsigned> under_way_;                        ///< by rank: tasks that it has not begun
    std::vector<unsigned> credit_owed_;                      ///< by rank

    struct outgoing {
        int to;
        std::vector<std::byte> bytes;
        std::function<void()> action; ///< instead of a packet
    };
    std::mutex outbox_mutex_;               ///< for outbox_; nothing is called under it
    std::vector<outgoing> outbox_;          ///< for the rank's own thread
    std::atomic<bool> has_outgoing_{false}; ///< a hint; seq_cst, see is_idle()
    std::mutex print_mutex_;                ///< for printer

    // Relaxed: a hint that changes what a tile does next, never whether it is right.
    std::atomic<bool> throttled_{false};
    std::atomic<unsigned> turn_{0};
    // Sequentially consistent: a tile pushes a task and then reads these; who becomes hungry or falls asleep
    // writes them and then looks at the deques. One of them sees the other's.
    std::atomic<int> hungry_count_{0}, asleep_count_{0};
    std::atomic<std::uint64_t> wake_ups_{0};     ///< seq_cst: is_idle() looks at it before and after
    std::atomic<bool> is_woken_for_work_{false}; ///< relaxed: the rank's thread has been woken already

    // Only the rank's own thread.
    block_pool pool_;
    std::vector<int> hungry_;     ///< ranks that want work
    std::vector<bool> has_asked_; ///< ranks that this one has asked for work
    std::vector<trace_event> trace_;
    int traces_missing_ = 0;
    bool has_ended_ = false, is_finishing_ = false;
    std::chrono::steady_clock::time_point last_poll_{};
    machine_counts counts_;

    friend class tile;
};

} // namespace lisle::tasks
