// SPDX-License-Identifier: Apache-2.0
// The record of one rank. The library is loaded once for each rank, whatever ranks are, so it is written as
// for a process.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <pthread.h>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "mpi.h"
#include "replay/recorder/known_handles.hpp"
#include "replay/recorder/known_requests.hpp"
#include "replay/trace/bytes.hpp"
#include "replay/trace/format.hpp"
#include "report/recorder/trace_file.hpp"

namespace lisle::replay {

class rank_record {
  public:
    /// That of this rank.
    [[nodiscard]] static rank_record &own() noexcept;
    rank_record(const rank_record &) = delete;
    rank_record &operator=(const rank_record &) = delete;

    /// The rank is in MPI from here on.
    void start();
    /// The record is complete.
    void finish();

    /// A call of the program begins: what has passed since the last one is noted. False: it is not to be
    /// recorded, as it is made within another one or by another thread.
    [[nodiscard]] bool begin_call(std::string_view name);
    /// The library's own call is over.
    void ended_call() noexcept { inside_ = false; }
    /// All of the call is recorded, and the program goes on.
    void end_call() noexcept;

    void write_call(std::string_view function, std::string_view arguments);
    void write_look(std::string_view function, bool found, const std::string &arguments,
                    std::string_view outcome);
    void write_reading();
    void write_compute(std::int64_t cycles);
    void write_access(const void *start, std::int64_t bytes, bool writes);
    /// A call cannot be replayed. Thread-safe.
    void leave_out(std::string_view name);
    /// Where in the file the arguments of a call will be that is written next.
    [[nodiscard]] std::size_t place_of_arguments(std::string_view function, std::size_t bytes);
    /// A receive has ended that has left its source or tag open.
    void fill_in(const known_request &receive, const MPI_Status &met) noexcept;

    template <class Handle> [[nodiscard]] known_handles<Handle> &handles() noexcept {
        return std::get<known_handles<Handle>>(handles_);
    }
    [[nodiscard]] known_requests &requests() noexcept { return requests_; }

  private:
    rank_record() = default;
    /// Looks in vain that are put off, as more of them may follow.
    struct looks {
        std::uint64_t function = 0;
        std::uint64_t count = 0;
        std::string arguments;
        std::string between; ///< items
    };

    [[nodiscard]] bool is_own_thread() const noexcept { return pthread_equal(thread_, pthread_self()) != 0; }
    [[nodiscard]] std::uint64_t number_of(std::string_view function);
    void note_passed_time();
    /// An item of what happens between two calls.
    void write_between(item what, std::initializer_list<std::uint64_t> values);
    void write_looks();
    void put(std::string_view bytes);

    bool on_ = false;
    bool inside_ = false;
    pthread_t thread_{};
    int rank_ = 0;
    std::string folder_;
    report::trace_file file_;
    std::int64_t last_time_ = -1;     ///< when the last call ended, where time is simulated
    std::int64_t last_processor_ = 0; ///< the processor's time then, where it is not
    std::unordered_map<std::string_view, std::uint64_t> functions_;
    std::mutex left_out_lock_;
    std::set<std::string, std::less<>> left_out_;
    looks looks_;
    byte_writer between_; ///< what has happened since them
    std::tuple<known_handles<MPI_Comm>, known_handles<MPI_Datatype>, known_handles<MPI_Group>,
               known_handles<MPI_Op>, known_handles<MPI_Info>, known_handles<MPI_Win>,
               known_handles<MPI_Message>>
        handles_;
    known_requests requests_;
};

} // namespace lisle::replay
