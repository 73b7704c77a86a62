// SPDX-License-Identifier: Apache-2.0
// A run of a job whose choices are left open until all ranks wait (execution/clock.hpp, leaves_open). All
// ranks are fibers of one thread. When none can go on, messages and receives that belong together meet; when
// there are none, one choice is made: as the launcher has ordered, or what came first. Each is written down
// before anything follows from it, so that a run that crashes has told all. See
// mpi/docs/design/exploration.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "choice/choice.hpp"
#include "exploration/account_file.hpp"
#include "exploration/open_choice.hpp"
#include "exploration/pairing.hpp"
#include "exploration/random_numbers.hpp"
#include "exploration/recorded_looks.hpp"
#include "exploration/turns.hpp"
#include "protocol/message/envelope.hpp"

namespace lisle {
class job;
}
namespace lisle::protocol {
class engine;
class awaited;
class receive_operation;
class unexpected_message;
} // namespace lisle::protocol

namespace lisle::exploration {

/// The number in the job of a rank of the communicator with this context, which `owner` is in.
[[nodiscard]] int number_in_job(rank &owner, std::uint64_t context, int source);

class run {
  public:
    /// @param folder for the account. Throws mpi_error (MPI_ERR_FILE) if that cannot be written.
    run(job &own, const choice::orders &given, const std::string &folder);
    run(const run &) = delete;
    run &operator=(const run &) = delete;

    /// That of the process; null: nothing is left open. Set before any rank has entered.
    [[nodiscard]] static run *of_process() noexcept { return of_process_; }
    static void begin(run &own) noexcept { of_process_ = &own; }

    /// Whether a send of the standard mode does not wait for its receive. By the calling rank, once for each.
    [[nodiscard]] bool buffers_send(int rank, std::int64_t bytes);
    /// Waits until the choice is made, and returns what is taken. By the calling rank.
    /// @param what it waits for, for reports
    [[nodiscard]] int ask(open_choice &call, const protocol::awaited &what);

    /// Returns when the calling rank has its turn. @param about what the place belongs to
    void ask_for_turn(protocol::engine &about, const turn_place &at);
    /// By this rank, which may not have had it.
    void give_turn_back(const turn_place &at, int rank) { turns_.take_back(at, rank); }
    /// The caller is in a call that cannot be explored: the run ends.
    [[noreturn]] void end_refused();
    /// Of a rank that has polled in vain, by a call that asks nothing: returns when no other can go on.
    void let_others_go_on(int rank);

    // ---- when no rank can go on ----

    /// Brings together what belongs together. True: there was any.
    [[nodiscard]] bool join_what_is_sure();
    /// Makes a choice. False: there is none to make.
    [[nodiscard]] bool choose();
    /// Polls in a row that have found nothing, since something has happened.
    [[nodiscard]] unsigned polls_in_vain() const noexcept { return fruitless_; }

    /// What an engine has to bring together.
    struct tables {
        protocol::engine *of;
        std::vector<protocol::receive_operation *> posted;
        std::vector<protocol::unexpected_message *> stored;
        std::vector<protocol::envelope> patterns, messages;
    };
    [[nodiscard]] static tables read(protocol::engine &of);

    /// What is said of a receive of the program's: its call and line. Set while the library is loaded, by a
    /// layer that knows. @param posting see receive_operation
    using receive_words = std::string (*)(rank &owner, std::uint32_t posting);
    static inline constinit receive_words words_of_receive = [](rank &, std::uint32_t) {
        return std::string{};
    };

  private:
    /// A call that waits for its answer.
    struct question {
        open_choice &of;
        unsigned number;
        const void *site; ///< where the program has called
        std::string told{};
        std::optional<int> taken{};
    };
    /// A choice that can be made, or waits.
    struct candidate {
        choice::point at;
        std::vector<int> could_take;
        std::vector<protocol::unexpected_message *> messages{}; ///< as many; of a receive alone
        protocol::receive_operation *receive = nullptr;
        question *call = nullptr; ///< of a turn: the one that is usual
        protocol::engine *of = nullptr;
        bool waits = false; ///< for what has not come
    };
    /// Of a decision before which others could have been made: what else comes for it.
    struct watched {
        std::size_t decision;
        protocol::engine *of;
        protocol::envelope pattern;
        std::set<int> known;
    };
    /// The same of a turn.
    struct watched_turn {
        std::size_t decision;
        turn_place at;
        std::set<int> known;
    };

    template <class Action> void each_engine(Action action);
    void add_receives(const tables &here, std::vector<candidate> &all);
    void add_calls(std::vector<candidate> &all);
    /// Leaves of what a look could find what it is to find.
    void keep_to_record(candidate &look);
    void add_turn(question &call, std::vector<candidate> &all);
    [[nodiscard]] std::vector<question *> askers(const turn_place &at) const;
    void give_turn(const turn_place &at, int rank);
    [[nodiscard]] unsigned number_of(const protocol::receive_operation &receive, int rank);
    /// What has come since, for decisions before which others could have been made.
    void note_arrivals(const tables &here);
    void note_arrival(watched &by, const protocol::envelope &message);
    void note_askers();
    [[nodiscard]] bool meet_waiting(std::vector<candidate> &all);
    [[nodiscard]] candidate *next_of(std::vector<candidate> &all);
    void find_nothing(candidate &poll);
    void decide(candidate &chosen, bool others_open);
    void watch(const candidate &chosen);
    [[nodiscard]] std::string words_of(const candidate &chosen, int taken) const;
    void take(candidate &chosen, int what);
    void answer(question &call, int what);
    void write(const std::string &line) { write_account(account_, line); }
    [[noreturn]] void end(const std::string &line);

    static inline constinit run *of_process_ = nullptr;
    job &job_;
    const choice::orders orders_;
    owned_descriptor account_;
    std::map<choice::point, int> follow_;
    std::map<int, recorded_looks> looks_; ///< by rank
    random_numbers random_;
    std::map<std::pair<choice::kind, int>, unsigned> numbers_; ///< the latest, by rank
    std::map<const protocol::receive_operation *, unsigned> receives_;
    std::map<choice::point, int> waiting_;
    std::vector<watched> watched_;
    std::vector<watched_turn> watched_turns_;
    turns turns_;
    std::vector<question *> calls_;
    /// Polls that were told nothing though there was something, and not since: by rank and place.
    std::set<std::pair<int, const void *>> refused_;
    std::size_t decisions_ = 0;
    unsigned fruitless_ = 0;
    std::set<int> sizes_; ///< of messages of the standard mode, by class
};

} // namespace lisle::exploration
