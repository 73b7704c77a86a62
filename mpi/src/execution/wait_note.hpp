// SPDX-License-Identifier: Apache-2.0
// What a waiting rank says of its wait when it is asked (wait_table.hpp). Plain bytes, since ranks of other
// processes and the launcher read it: each reader clamps the counts and ends the texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/call_chain.hpp"

namespace lisle {

/// Ranks are numbers in the job.
struct wait_note {
    enum class sort : std::uint8_t {
        other, ///< what messages of any ranks bring about
        receive,
        send,
        synchronous_send,
        probe,
        collective,
        outside,     ///< what may end without another rank, or it has not said
        unmarked,    ///< a partition that the rank itself has not marked ready
        uncompleted, ///< a generalized request that the program has not completed
    };
    static constexpr std::int32_t anybody = -1; ///< MPI_ANY_SOURCE
    static constexpr std::int32_t nobody = -2;  ///< no rank in particular

    /// One operation that has to end before the wait does.
    struct operation {
        std::uint64_t context; ///< the message space, see communicator/context.hpp
        std::int64_t bytes;
        std::int32_t peer, tag;
        sort what;
        std::int32_t partition = 0; ///< of `unmarked`
    };
    /// A message that has come and that no receive has taken.
    struct message {
        std::uint64_t context;
        std::int64_t bytes;
        std::int32_t source, tag;
    };
    /// A communicator that the other entries speak of.
    struct comm {
        static constexpr int most_members = 12;
        std::uint64_t context;            ///< the first of its message spaces
        std::uint64_t collectives;        ///< how many the rank has begun there
        std::int32_t size, first, stride; ///< stride 0: the first members are listed
        std::int32_t owner, number;       ///< the rank that proposed the context, and how many it had before
        std::int32_t members[most_members];
        char name[40];
        std::uint8_t of_session, has_remote_group;
    };
    /// An operation that the program has begun and not waited for (with LISLE_CHECK=2).
    struct begun_operation {
        char call[32];
        call_chain offsets; ///< in `file`; 0: it was called elsewhere
        char place[64];     ///< in words, if it is known so; else empty
        std::int32_t peer, tag;
        sort what;
    };
    /// Ranks of another job, which have numbers in a row behind those of the own job.
    struct met_ranks {
        std::int64_t job;
        std::int32_t first_rank, first_number, count;
    };
    static constexpr unsigned most_operations = 8, most_messages = 6, most_comms = 8, most_begun = 4,
                              most_met = 8;

    char call[40];                 ///< the MPI function
    char file[168];                ///< what the program's call lies in, or its place in words
    call_chain offsets;            ///< where there; 0: the place is in words
    std::uint32_t operation_count; ///< may be more than there is room for
    std::uint32_t message_count;
    std::uint32_t comm_count;
    std::uint32_t begun_count; ///< as operation_count
    std::uint32_t met_count;   ///< likewise
    std::uint8_t any;          ///< one of the operations is enough
    std::uint8_t
        only_ranks; ///< nothing else than other ranks ends the wait, and no other thread calls MPI here
    std::uint8_t may_fail;      ///< the program goes on after errors, so an error may end the wait, too
    std::uint64_t stored_limit; ///< of unexpected messages in bytes, if senders wait because of it; else 0
    std::uint32_t looks; ///< how often in a row a rank that tests in a loop has found nothing; 0: it waits
    operation operations[most_operations];
    message messages[most_messages];
    comm comms[most_comms];
    begun_operation begun[most_begun];
    met_ranks met[most_met]; ///< all that the rank's process can reach

    void add(const operation &next) noexcept { append(operations, operation_count, next); }
    void add(const message &next) noexcept { append(messages, message_count, next); }
    void add(const comm &next) noexcept { append(comms, comm_count, next); }
    void add(const begun_operation &next) noexcept { append(begun, begun_count, next); }
    void add(const met_ranks &next) noexcept { append(met, met_count, next); }

    /// True if one of the operations is of this sort.
    [[nodiscard]] bool waits_for(sort what) const noexcept {
        for (std::uint32_t i = 0; i < operation_count && i < most_operations; ++i) {
            if (operations[i].what == what) {
                return true;
            }
        }
        return false;
    }

    /// Copies a text into one of the fields, as far as it fits.
    template <std::size_t Room> static void write(char (&field)[Room], std::string_view text) noexcept {
        field[text.copy(field, Room - 1)] = '\0';
    }

  private:
    template <class Entry, std::size_t Room>
    static void append(Entry (&list)[Room], std::uint32_t &count, const Entry &next) noexcept {
        if (count < Room) {
            list[count] = next;
        }
        ++count;
    }
};

} // namespace lisle
