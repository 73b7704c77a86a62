// SPDX-License-Identifier: Apache-2.0
#include "tcp/greeting.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace lisle::tcp {

namespace {

constexpr std::string_view listeners_proof = "lisle listener";
constexpr std::string_view callers_proof = "lisle caller";
constexpr std::array<std::string_view, 4> word_labels{"lisle welcome", "lisle crossing", "lisle farewell",
                                                      "lisle retired"};

/// The kernel has room for the few bytes of a greeting. False: the connection has ended.
bool say_bytes(int socket, std::span<const std::byte> bytes) noexcept {
    return send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
}

} // namespace

greeting::greeting(side is, const greeter &own) noexcept
    : is_{is}, step_{is == side::caller ? step::says_hello : step::hears_hello}, secret_{own.secret} {
    here_.with = own.with;
    here_.listens = own.listens;
    here_.wants = own.wants;
    if (!fill_at_random(here_.challenge)) {
        reason_ = "for whose greeting the system has no random numbers";
    }
}

greeting::state greeting::go_on(int socket) noexcept {
    bool advances = reason_ == nullptr && !ended_;
    while (advances) {
        switch (step_) {
        case step::says_hello:
            ended_ = !say_bytes(socket, std::as_bytes(std::span{&here_, 1}));
            step_ = step::hears_hello;
            advances = !ended_;
            break;
        case step::hears_hello:
            advances = is_ == side::caller ? hear_answer(socket) : hear_hello(socket);
            break;
        case step::hears_proof:
            advances = hear_proof(socket);
            break;
        case step::hears_words:
            if (is_ == side::caller && hear_word(socket)) {
                return state::told;
            }
            advances = false;
            break;
        }
    }
    return reason_ != nullptr ? state::refused
           : ended_           ? state::ended
           : proven_          ? state::proven
                              : state::under_way;
}

bool greeting::say(int socket, word what) noexcept {
    const sha256_digest said = proof_of(word_labels[static_cast<std::size_t>(what)]);
    return step_ != step::hears_hello && say_bytes(socket, said);
}

bool greeting::hear(int socket, std::size_t bytes) noexcept {
    const ssize_t count = recv(socket, heard_.data() + bytes_, bytes - bytes_, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
        ended_ = true;
        return false;
    }
    bytes_ += count > 0 ? static_cast<std::size_t>(count) : 0;
    return bytes_ == bytes;
}

sha256_digest greeting::proof_of(std::string_view label) const noexcept {
    const auto bytes_of = [](const hello &each) { return std::as_bytes(std::span{&each, 1}); };
    const bool calls = is_ == side::caller;
    const std::array<std::span<const std::byte>, 3> pieces{
        std::as_bytes(std::span{label}), bytes_of(calls ? here_ : there_), bytes_of(calls ? there_ : here_)};
    return hmac(secret_.bytes, pieces);
}

sha256_digest greeting::heard_digest(std::size_t at) const noexcept {
    sha256_digest found{};
    std::memcpy(found.data(), heard_.data() + at, sizeof found);
    return found;
}

// A stranger is to be found out by what it has said, however little.
bool greeting::has_kind() noexcept {
    std::memcpy(&there_, heard_.data(), sizeof there_);
    if (bytes_ >= offsetof(hello, version) && there_.magic != hello::lisle) {
        reason_ = "from something else than Lisle, or a machine with another order of bytes";
    } else if (bytes_ >= offsetof(hello, with) && there_.version != hello::current_version) {
        reason_ = "from another version of Lisle";
    } else if (bytes_ >= offsetof(hello, challenge) && there_.with != here_.with) {
        reason_ = "for something else than is here";
    }
    return reason_ == nullptr;
}

bool greeting::wants_the_same() noexcept {
    if (there_.wants != here_.wants) {
        reason_ = "with another LISLE_NETWORK_SECURITY than this process has";
    }
    return reason_ == nullptr;
}

void greeting::check_proof(const sha256_digest &expected, std::size_t at) noexcept {
    proven_ = is_same(expected, heard_digest(at));
    if (!proven_) {
        reason_ = "without the secret of this job, or of this port";
    }
    bytes_ = 0;
}

bool greeting::hear_hello(int socket) noexcept {
    const bool whole = hear(socket, sizeof there_);
    if (!has_kind() || !whole) {
        return false;
    }
    std::array<std::byte, sizeof here_ + sizeof(sha256_digest)> answer{};
    const sha256_digest proof = proof_of(listeners_proof);
    std::memcpy(answer.data(), &here_, sizeof here_);
    std::memcpy(answer.data() + sizeof here_, proof.data(), sizeof proof);
    ended_ = !say_bytes(socket, answer); // also to one that wants something else, so that it can say so
    bytes_ = 0;
    step_ = step::hears_proof;
    return wants_the_same() && !ended_;
}

bool greeting::hear_answer(int socket) noexcept {
    const bool whole = hear(socket, sizeof there_ + sizeof(sha256_digest));
    if (!has_kind() || !whole || !wants_the_same()) {
        return false;
    }
    check_proof(proof_of(listeners_proof), sizeof there_);
    if (proven_) {
        // That the listener has ended meanwhile shows behind the word that it may have said before.
        static_cast<void>(say_bytes(socket, proof_of(callers_proof)));
        step_ = step::hears_words;
    }
    return proven_;
}

bool greeting::hear_proof(int socket) noexcept {
    if (!hear(socket, sizeof(sha256_digest))) {
        return false;
    }
    check_proof(proof_of(callers_proof), 0);
    step_ = step::hears_words;
    return proven_;
}

bool greeting::hear_word(int socket) noexcept {
    if (!hear(socket, sizeof(sha256_digest))) {
        return false;
    }
    bytes_ = 0;
    const sha256_digest said = heard_digest(0);
    for (std::size_t each = 0; each != word_labels.size(); ++each) {
        if (is_same(said, proof_of(word_labels[each]))) {
            told_ = static_cast<word>(each);
            return true;
        }
    }
    reason_ = "with a word that its peer cannot have said";
    return false;
}

bool wait_proven(int socket, greeting &calling) noexcept {
    constexpr std::chrono::seconds longest{60};
    const auto until = std::chrono::steady_clock::now() + longest;
    auto now = calling.go_on(socket);
    while (now == greeting::state::under_way && std::chrono::steady_clock::now() < until) {
        constexpr int between_looks = 1000; // milliseconds
        pollfd asked{socket, POLLIN, 0};
        poll(&asked, 1, between_looks);
        now = calling.go_on(socket);
    }
    return now == greeting::state::proven;
}

} // namespace lisle::tcp
