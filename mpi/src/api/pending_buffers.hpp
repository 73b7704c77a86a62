// SPDX-License-Identifier: Apache-2.0
// The buffers of operations under way (LISLE_CHECK=2): what a program does to them before it knows that the
// operation is complete is named on standard error, with the calls. The program goes on.
#pragma once

#include <list>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi/call_place.hpp"
#include "api/lent_buffers.hpp"
#include "api/operations_under_way.hpp"
#include "api/origin_buffers.hpp"
#include "api/window_mistakes.hpp"
#include "base/checks.hpp"
#include "datatype/watched_memory.hpp"
#include "execution/rank_local.hpp"
#include "execution/wait_note.hpp"
#include "protocol/message/request.hpp"

namespace lisle {
class communicator;
}
namespace lisle::protocol {
class receive_operation;
}

namespace lisle::abi {

/// Of one rank. Thread-safe.
class pending_buffers {
  public:
    [[nodiscard]] static bool watched() noexcept { return checks(check_level::all); }

    /// The call that the thread is in is about to use this memory: names what it collides with.
    void look(watched_list &used);
    /// The same for a call whose operation outlives it: begins to watch its memory.
    void begin(watched_list &used);
    /// The operation's request. @param used as given to begin(), or not begun if it is persistent
    void add(protocol::request &made, watched_list used);
    /// A non-blocking receive is about to be posted.
    void start_receive(protocol::receive_operation &receive);
    /// A number for a receive that the call in which the thread is is about to post.
    [[nodiscard]] std::uint32_t number_receive();
    /// A part of what a persistent operation under way reads is left to it: until the program learns of the
    /// end. @param whole as given to add(), without memory
    void begin_part(const protocol::request &whole, const typed_buffer &part);
    /// A persistent operation is started.
    void start(protocol::request &started);
    /// The program learns that the operation is complete: its data go to where they belong.
    void end(const protocol::request &complete);
    /// The program accesses memory, or is about to. @param code where @return an operation under way has it
    bool touched(access_filter::range memory, memory_access how, const void *code);
    /// Names receives from any source that could have taken another message, as far as that is known, and
    /// messages of MPI_Rsend that came before their receives.
    void report_wildcards();
    /// An operation that the program has begun and whose end it does not know.
    struct begun_operation {
        call_place place;
        wait_note::operation about; ///< as reports have it: peers are numbers in MPI_COMM_WORLD
    };
    /// All of them, the oldest first.
    [[nodiscard]] std::vector<begun_operation> begun();
    /// "MPI_Irecv at ring.c:12": the call that began an operation; empty: not known.
    [[nodiscard]] std::string call_of(const protocol::request &begun);
    /// The same of a receive, by its number.
    [[nodiscard]] std::string call_of_receive(std::uint32_t posting);
    /// The user frees a request that is not complete. True: its data have still to go to where they belong,
    /// so it belongs to this from now on.
    [[nodiscard]] bool adopt(protocol::request &freed);
    /// True if no operation on `about` is under way of those that were adopted.
    [[nodiscard]] bool adopted_complete(const communicator &about);

    origin_buffers accesses; ///< to windows
    window_mistakes windows;
    lent_buffers lent; ///< for buffered sends

  private:
    using operation = watched_operation;
    void look_locked(const watched_list &used, const operation *except);
    /// Names an operation under way whose buffer does not exist any more.
    static void lose(operation &under_way, const char *why);
    void look_for_lost_buffers_locked();
    void start_locked(protocol::request &started);
    void find_and_end_locked(const protocol::request &complete);
    /// Of an operation that is complete. May be done again.
    void end_buffers_locked(operation &ended, const protocol::request &complete);
    void end_adopted_locked();
    void end_parts_locked(const protocol::request &complete);
    /// Looks at its memory as long as it is under way, and listens to the program's loads and stores there.
    void watch_locked(operation &begun);
    void unwatch_locked(operation &ended);

    /// Of the receives whose calls are known, the latest are.
    static constexpr std::size_t most_places = 1024;
    [[nodiscard]] std::uint32_t number_locked(const call_address &place);
    void report_wildcards_locked();
    void report_early_locked();
    [[nodiscard]] std::string call_of_receive_locked(std::uint32_t posting) const;

    std::mutex mutex_; ///< protects the others
    std::uint64_t begun_ = 0;
    std::uint32_t receives_ = 0;
    std::vector<call_address> places_; ///< of receives, by number
    std::set<std::string> wildcards_named_;
    std::set<std::pair<const void *, const void *>> accesses_named_; ///< by a code and a call
    std::unordered_map<const protocol::request *, operation> operations_;
    std::unordered_map<const protocol::request *, std::list<operation>> parts_; ///< of some of these
    operations_under_way under_way_;                                            ///< of these
    std::vector<protocol::request *> adopted_;
};

/// Of the calling rank.
inline const rank_local<pending_buffers> pending;

} // namespace lisle::abi
