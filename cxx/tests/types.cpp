// SPDX-License-Identifier: Apache-2.0
// A message is received as what it was sent as: with any other type the receive ends with MPI_ERR_TYPE,
// whatever way the message has taken, and the next one comes as if nothing had been. Messages to and from
// calls of C are not compared.
#include <lisle/lisle.hpp>

#include <array>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();
int next = 0, previous = 0; // in a ring of all ranks

/// The class of the error that a call throws; MPI_SUCCESS if it throws none.
template <class Call> int thrown_by(Call call) {
    const auto done = lisle::attempt(call);
    return done.has_value() ? MPI_SUCCESS : done.error().error_class();
}

// ---- every pair of types ----

constexpr std::size_t message_bytes = 32; // some elements of each type

template <class T> void send_values() {
    world.send(std::array<T, message_bytes / sizeof(T)>{}, next);
}
template <class T> void receive_values() {
    std::array<T, message_bytes / sizeof(T)> values;
    world.receive_into(values, previous);
}
template <class T> void receive_by_request() {
    std::array<T, message_bytes / sizeof(T)> values;
    world.ireceive_into(lisle::borrow(values), previous).wait();
}

struct ways {
    void (*send)();
    void (*receive)();
    void (*receive_later)();
};
template <class... T> auto ways_of() {
    return std::array{ways{&send_values<T>, &receive_values<T>, &receive_by_request<T>}...};
}

/// The first rank sends before it receives, so the others mostly wait for their messages.
template <class Send, class Receive> void in_turn(Send send, Receive receive) {
    if (world.rank() == 0)
        send();
    receive();
    if (world.rank() != 0)
        send();
}

void every_pair() {
    // Those that are the same for the machine, such as long and long long, are the same here.
    const auto types = ways_of<char, signed char, unsigned char, bool, short, unsigned short, int, unsigned,
                               long, unsigned long, wchar_t, float, double, long double, std::complex<float>,
                               std::complex<double>, std::complex<long double>>();
    for (const ways &sent : types)
        for (const ways &taken : types) {
            const int expected = sent.send == taken.send ? MPI_SUCCESS : MPI_ERR_TYPE;
            in_turn(sent.send, [&] { CHECK_EQ(thrown_by(taken.receive), expected); });
            in_turn(sent.send, [&] { CHECK_EQ(thrown_by(taken.receive_later), expected); });
        }
}

void bytes_fit_all() {
    world.send(std::array<std::byte, 4>{}, next);
    CHECK_EQ(world.receive<int>(previous), 0);
    world.send(0, next);
    CHECK_EQ(world.receive<std::vector<std::byte>>(previous).size(), sizeof(int));
    world.send(std::vector<int>{}, next); // nothing is of no type
    CHECK(world.receive<std::vector<float>>(previous).empty());
}

// ---- every way of a message ----

struct spaced {
    alignas(8) int first;
    alignas(8) int second;
};

/// @param receive that takes so many elements of the type that is sent, or of another @param elements of int
template <class Receive> void by_every_send(std::size_t elements, Receive receive) {
    std::vector<int> ints(elements, 5);
    std::vector<float> floats(elements, 5);
    const auto ends = [&](auto send) {
        for (const bool same : {false, true}) {
            auto sending = same ? send(lisle::borrow(ints)) : send(lisle::borrow(floats));
            CHECK_EQ(thrown_by(receive), same ? MPI_SUCCESS : MPI_ERR_TYPE);
            sending.wait();
        }
    };
    ends([](auto what) { return world.isend(what, next); });
    ends([](auto what) { return world.issend(what, next); });
}

void every_way(std::size_t elements) {
    std::vector<int> room(elements);
    by_every_send(elements, [&] { world.receive_into(room, previous); });
    by_every_send(elements, [&] { world.ireceive_into(lisle::borrow(room), previous).wait(); });
    by_every_send(elements, [&] { world.mprobe(previous).receive_into(room); });
    by_every_send(elements, [&] { CHECK_EQ(world.receive<std::vector<int>>(previous).size(), elements); });
    by_every_send(elements, [&] { world.ireceive<std::vector<int>>(lisle::any_source).wait(); });
    by_every_send(elements,
                  [&] { CHECK_EQ(world.mprobe(previous).receive<std::vector<int>>().size(), elements); });
    by_every_send(elements, [&] { world.receive_into(lisle::resized(room), previous); });
    std::vector<int> wide(2 * elements);
    const auto extent = static_cast<std::ptrdiff_t>(elements);
    by_every_send(elements, [&] {
        world.receive_into(lisle::strided{wide.data(), {extent}, {2}}, previous);
    });
    auto receiving = world.receive_init(lisle::borrow(room), previous);
    by_every_send(elements, [&] {
        receiving.start();
        receiving.wait();
    });
    std::vector<spaced> pairs(elements / 2);
    by_every_send(elements, [&] { world.receive_into(pairs, previous); });
}

void both_ways_at_once() {
    float number = 1;
    int got = 0;
    CHECK_EQ(thrown_by([&] { world.sendrecv_into(number, got, {.dest = next, .source = previous}); }),
             MPI_ERR_TYPE);
    // One that is sent and replaced.
    const bool odd = world.rank() % 2 == 1;
    std::array<int, 3> ints{1, 2, 3};
    std::array<float, 3> floats{1, 2, 3};
    if (world.size() % 2 == 0) {
        const lisle::exchange with{.dest = next, .source = previous};
        CHECK_EQ(thrown_by([&] {
                     if (odd)
                         world.sendrecv(lisle::in_place(ints), with);
                     else
                         world.sendrecv(lisle::in_place(floats), with);
                 }),
                 MPI_ERR_TYPE);
    }
    CHECK_EQ(world.sendrecv(7, {.dest = next, .source = previous}), 7);
}

void in_parts() {
    std::vector<int> ints(8);
    std::vector<float> floats(8);
    for (const bool same : {false, true}) {
        auto sending = same ? world.partitioned_send_init(lisle::borrow(ints), 4, next)
                            : world.partitioned_send_init(lisle::borrow(floats), 4, next);
        auto receiving = world.partitioned_receive_init(lisle::borrow(ints), 2, previous);
        receiving.start();
        sending.start();
        for (int part = 0; part < 4; ++part)
            sending.ready(part);
        CHECK_EQ(thrown_by([&] { receiving.wait(); }), same ? MPI_SUCCESS : MPI_ERR_TYPE);
        sending.wait();
    }
}

// ---- with calls of C ----

void to_and_from_c() {
    const float sent = 1.5F;
    int bits = 0;
    std::memcpy(&bits, &sent, sizeof bits);
    for (int i = 0; i < 2; ++i) {
        in_turn([&] { MPI_Send(&sent, 1, MPI_FLOAT, next, 3, MPI_COMM_WORLD); },
                [&] { CHECK_EQ(world.receive<int>(previous, 3), bits); });
        in_turn([&] { world.send(sent, next, 3); },
                [&] {
                    int got = 0;
                    MPI_Recv(&got, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    CHECK_EQ(got, bits);
                });
    }
}

/// What is given back is the handle that C has.
void handles_of_c() {
    const MPI_Datatype type = lisle::datatype_of<spaced>();
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    std::array<MPI_Count, 5> counts{};
    std::array<MPI_Datatype, 2> parts{};
    MPI_Type_get_contents_c(type, 0, 0, 2, 1, nullptr, nullptr, counts.data(), &inner); // resized
    MPI_Type_get_contents_c(inner, 0, 0, 5, 2, nullptr, nullptr, counts.data(), parts.data());
    CHECK(parts[0] == MPI_INT && parts[1] == MPI_INT);
    MPI_Type_free(&inner);
}

void the_error_names_both() {
    world.send(std::array{1.5F, 2.5F}, next, 4);
    const auto done =
        lisle::attempt([] { static_cast<void>(world.receive<std::array<int, 2>>(previous, 4)); });
    const std::string said = done.has_value() ? "" : done.error().what();
    CHECK(said.find("2 MPI_FLOAT, and the receive takes 2 MPI_INT") != std::string::npos);
}

} // namespace

int main() {
    const lisle::environment mpi;
    next = (world.rank() + 1) % world.size();
    previous = (world.rank() + world.size() - 1) % world.size();
    every_pair();
    bytes_fit_all();
    for (const std::size_t elements : {2, 10, 1000, 50000, 400000})
        every_way(elements);
    both_ways_at_once();
    in_parts();
    handles_of_c();
    if (std::getenv("LISLE_CHECK") == nullptr) // which compares all messages
        to_and_from_c();
    the_error_names_both();
}
