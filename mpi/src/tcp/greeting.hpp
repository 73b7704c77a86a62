// SPDX-License-Identifier: Apache-2.0
// How the two ends of a connection find out that they belong together, before anything else is said. The
// caller says hello with a random challenge; the listener answers with its own and a proof that it knows the
// secret, and the caller proves the same. A proof is a keyed digest of both hellos, so the secret is never
// sent, and no proof is of use on another connection. Afterwards the listener may say words, each of which is
// a proof of its own. Nothing here waits. Laid out as in memory: a machine with another order of bytes is
// refused. docs/security.md says what this protects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/shared_secret.hpp"
#include "tcp/socket_address.hpp"

namespace lisle::tcp {

/// What is behind a socket that listens.
enum class service : std::uint32_t {
    messages = 1, ///< of the network fabric, on sockets of ours
    port,         ///< MPI_Open_port's; its secret stands in its name
    speaker,      ///< of nodes whose ranks may stand still
    pulse,        ///< tells that a process has ended
};

/// What becomes of all that follows a greeting.
enum class protection : std::uint32_t {
    none,
    integrity, ///< nobody else can change, repeat or add anything unnoticed
    encrypt,   ///< nor read it
};

/// What an end is, and may do. All but ports use the job's secret.
struct greeter {
    service with{};
    shared_secret secret{};
    socket_address listens{}; ///< where this end is connected to, if it is
    protection wants{};       ///< both ends want the same
};

struct hello {
    static constexpr std::uint64_t lisle = 0x4c69736c65544350; ///< another number in another order of bytes
    /// Changes with the layout of what any service says.
    static constexpr std::uint32_t current_version = 4;
    std::uint64_t magic = lisle;
    std::uint32_t version = current_version;
    service with{};
    std::array<std::byte, 16> challenge{};
    socket_address listens{};
    protection wants{};
};
static_assert(sizeof(hello) == 64);

/// One end's part.
class greeting {
  public:
    enum class side : std::uint8_t { caller, listener };
    enum class state : std::uint8_t {
        under_way,
        proven,  ///< the other end knows the secret
        told,    ///< at the caller: a word has come, see word()
        ended,   ///< the connection has
        refused, ///< see reason_to_refuse()
    };
    enum class word : std::uint8_t {
        welcome,
        crossing, ///< the other's own connection is the one to use: it comes, or is there
        farewell, ///< the process leaves, and has failed nobody
        retired,  ///< the process goes on, but not by this interface
    };

    greeting(side is, const greeter &own) noexcept;

    /// Says what is due, and takes in what has arrived, but nothing behind it. A caller comes here first when
    /// the connection is there.
    [[nodiscard]] state go_on(int socket) noexcept;
    /// A listener says a word. False: the connection has ended, or has not got so far.
    [[nodiscard]] bool say(int socket, word what) noexcept;

    /// True once a listener has answered a hello.
    [[nodiscard]] bool has_answered() const noexcept { return step_ != step::hears_hello; }
    /// True once the other end has shown that it knows the secret.
    [[nodiscard]] bool is_proven() const noexcept { return proven_; }
    /// The last one that a caller was told.
    [[nodiscard]] word told() const noexcept { return told_; }
    /// Why the other end is to be sent away; null: nothing speaks against it.
    [[nodiscard]] const char *reason_to_refuse() const noexcept { return reason_; }
    /// Where the other end listens, as it says. @pre is_proven()
    [[nodiscard]] const socket_address &listens_there() const noexcept { return there_.listens; }
    /// A key for one use of this connection, the same at both ends. @pre is_proven()
    [[nodiscard]] sha256_digest key(std::string_view use) const noexcept { return proof_of(use); }

  private:
    enum class step : std::uint8_t { says_hello, hears_hello, hears_proof, hears_words };

    /// False: not all of it has come, or the end of the connection.
    [[nodiscard]] bool hear(int socket, std::size_t bytes) noexcept;
    [[nodiscard]] sha256_digest proof_of(std::string_view label) const noexcept;
    [[nodiscard]] sha256_digest heard_digest(std::size_t at) const noexcept;
    [[nodiscard]] bool has_kind() noexcept;
    [[nodiscard]] bool wants_the_same() noexcept;
    void check_proof(const sha256_digest &expected, std::size_t at) noexcept;
    [[nodiscard]] bool hear_hello(int socket) noexcept;
    [[nodiscard]] bool hear_answer(int socket) noexcept;
    [[nodiscard]] bool hear_proof(int socket) noexcept;
    [[nodiscard]] bool hear_word(int socket) noexcept;

    side is_;
    step step_;
    bool proven_ = false;
    bool ended_ = false;
    word told_{};
    const char *reason_ = nullptr;
    shared_secret secret_;
    hello here_, there_;
    std::array<std::byte, sizeof(hello) + sizeof(sha256_digest)> heard_{};
    std::size_t bytes_ = 0; ///< of these, that have come
};

/// Lets a caller greet on a connection, and waits for the answer as long as the other end may take. False: it
/// has none.
[[nodiscard]] bool wait_proven(int socket, greeting &calling) noexcept;

} // namespace lisle::tcp
