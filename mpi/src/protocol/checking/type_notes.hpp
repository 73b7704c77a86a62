// SPDX-License-Identifier: Apache-2.0
// Compares what messages are made of with what their receives take, where messages are checked. Of one
// representation the header of each packet says enough (packet_kind::eager, annotation). Other messages bring
// a type_note, with the signature of what was sent: a receive takes so many bytes of its own type, whose
// signature has to be the same. With LISLE_CHECK=2 all messages bring one, which says where they were sent.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "datatype/datatype.hpp"
#include "datatype/typed_buffer.hpp"
#include "execution/rank_local.hpp"
#include "protocol/message/packet.hpp"

namespace lisle::protocol {

class receive_operation;

/// Of one rank. Thread-safe.
class type_notes {
  public:
    /// Whether a message of such elements is described.
    [[nodiscard]] static bool describes(const datatype &type) noexcept;
    /// @param place as number_call() has given it
    [[nodiscard]] type_note note_of(const typed_buffer &message, std::uint32_t place);
    /// A number for the place of the MPI call that the thread is in; 0 unless everything is looked for.
    [[nodiscard]] std::uint32_t number_call();
    /// Writes the call and its place, "MPI_Send at ring.c:12". Set while the library is loaded, by a layer
    /// that knows.
    using call_namer = std::string (*)();
    static inline constinit call_namer name_call = [] { return std::string{}; };
    /// A number that calls in different places do not share; 0: the thread is in no call. Set as name_call
    /// is, which takes longer.
    using call_finder = std::uint64_t (*)();
    static inline constinit call_finder find_call = [] { return std::uint64_t{0}; };
    /// Writes what name_call() says, or as much of its end as there is room for.
    void write_call(std::span<char> to);

    /// Keeps the note of a message that is stored, or of a receive whose data are still to come.
    void keep(const void *message_or_receive, const type_note &note);
    void move(const void *message, const receive_operation &receive);

    /// True: compare() would find nothing, for the receive takes just such elements.
    [[nodiscard]] static bool are_alike(std::uint8_t elements, const datatype &taken) noexcept {
        return elements == static_cast<std::uint8_t>(taken.basic()) &&
               elements != static_cast<std::uint8_t>(basic_type::mixed);
    }
    /// Notes an error in a receive that has its data, if it takes others.
    /// @param elements as the packet has said @param owner of the note, if one was kept, which is dropped
    void compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner);
    /// The same with a note that was not kept.
    void compare(receive_operation &receive, std::uint8_t elements, const type_note *note);
    /// Notes that the receive takes other elements than those that were sent. @param note null: none came
    /// along
    void refuse(receive_operation &receive, basic_type sent, const type_note *note);
    /// What has been found about a message, which is then forgotten: "2 MPI_FLOAT (MPI_Send at ring.c:12),
    /// and the receive takes 2 MPI_INT". Empty: nothing.
    [[nodiscard]] std::string take_finding(int source, int tag);

  private:
    struct finding {
        int source, tag;
        std::string text;
    };
    static constexpr std::size_t most_findings = 64;

    std::mutex mutex_; ///< protects the others
    std::unordered_map<const void *, type_note> kept_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_; ///< of places, by what find_call() says
    std::vector<std::string> places_;                          ///< by number - 1
    std::vector<finding> findings_;                            ///< the latest
};

inline const rank_local<type_notes> rank_type_notes;

} // namespace lisle::protocol
