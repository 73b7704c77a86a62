// SPDX-License-Identifier: Apache-2.0
// What the C++ interface costs: MPI.NET's experiments. Each one is done with MPI's C functions and through
// the interface in turns. Prints lines of "name size value", as bench.h's programs do; cxx/bench/interface
// makes a table and a chart of them. Times are seconds; ratios are C's time by the interface's, and by C's
// own.
#include <lisle/handover.hpp>
#include <lisle/lisle.hpp>
#include <lisle/two_messages.hpp>

#include "compare.hpp"

#if __has_include(<cereal/cereal.hpp>)
#include <lisle/serialize.hpp>
#endif

#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

struct boxed {
    double value;
    friend boxed operator+(const boxed &a, const boxed &b) { return {a.value + b.value}; }
};

/// Memory that begins with a page. Where malloc puts buffers decides how fast the processor copies between
/// them, by a factor of two at some sizes; both ways use the same ones, but the sizes could not be compared.
class pages {
  public:
    explicit pages(std::size_t bytes)
        : memory_{::operator new (bytes, std::align_val_t{4096})}, bytes_{bytes} {
        std::memset(memory_, 'x', bytes);
    }
    pages(const pages &) = delete;
    pages &operator=(const pages &) = delete;
    ~pages() { ::operator delete (memory_, std::align_val_t{4096}); }
    [[nodiscard]] std::span<char> span() const { return {static_cast<char *>(memory_), bytes_}; }

  private:
    void *memory_;
    std::size_t bytes_;
};

void ping_pong() {
    const int rank = world.rank();
    for (std::size_t size = 1; size <= 4194304; size *= 2) {
        const pages room_out{size};
        const pages room_in{size};
        const std::span<char> out = room_out.span();
        const std::span<char> in = room_in.span();
        const int count = static_cast<int>(size);
        const int rounds = size <= 4096 ? 50 : size <= 65536 ? 10 : 1;
        const auto plain = [&] {
            if (rank == 0) {
                MPI_Send(out.data(), count, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(in.data(), count, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(in.data(), count, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(out.data(), count, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
        };
        const auto compare_with = [&](const char *name, auto other) {
            compare(name, static_cast<long>(size), rounds, size <= 262144 ? 2001 : 301, plain, other);
        };
        compare_with("pingpong", [&] {
            if (rank == 0) {
                world.send(out, 1);
                world.receive_into(in, 1, 0);
            } else {
                world.receive_into(in, 0, 0);
                world.send(out, 0);
            }
        });
        // C that asks for a status, as the interface does: it lies on the stack and shifts what the library
        // keeps there.
        compare_with("status", [&] {
            MPI_Status status;
            if (rank == 0) {
                MPI_Send(out.data(), count, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(in.data(), count, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &status);
            } else {
                MPI_Recv(in.data(), count, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
                MPI_Send(out.data(), count, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
        });
    }
}

void add(void *in, void *inout, int *count, MPI_Datatype *) {
    for (int i = 0; i < *count; ++i)
        static_cast<double *>(inout)[i] += static_cast<double *>(in)[i];
}

/// What C has to keep for a function that reduces with an operation of its own, and may be called by anyone:
/// on the rank, since a global variable would be several ranks' and a thread_local one several fibers'. The
/// interface keeps what it makes of callables there, too.
struct kept {
    static void *make() {
        auto *const made = new kept;
        MPI_Op_create(add, 1, &made->plain);
        MPIX_Op_create_x(
            [](void *in, void *inout, MPI_Count count, MPI_Datatype, void *offset) {
                for (MPI_Count i = 0; i < count; ++i)
                    static_cast<double *>(inout)[i] +=
                        static_cast<double *>(in)[i] + *static_cast<double *>(offset);
            },
            nullptr, 1, &made->offset, &made->shifted);
        return made;
    }
    static void drop(void *made) {
        auto *const dropped = static_cast<kept *>(made);
        MPI_Op_free(&dropped->plain);
        MPI_Op_free(&dropped->shifted);
        delete dropped;
    }
    static kept &found() {
        void *data = nullptr;
        MPIX_Rank_data(make, drop, &data);
        return *static_cast<kept *>(data);
    }

    MPI_Op plain = MPI_OP_NULL;
    MPI_Op shifted = MPI_OP_NULL;
    double offset = 0; ///< the state of `shifted`: each call stores its own
};

/// Both ways the result is a value of the round's, as of a function that returns it, but for allreduce_into:
/// where ranks fetch and store each other's operands, as fibers do, one that lies among what the other rank
/// is just using costs C, too, up to 7% of the time. Callables are compared with operations that C has made
/// before and holds in its hand ("held"), which spares it what `world.allreduce(x, op{})` does besides; and
/// with C that does the same, which finds them where they are kept.
void reductions() {
    double mine = 1.5;
    double sum = 0;
    constexpr int rounds = 50;
    constexpr int stints = 1001;
    const auto reduce = [&](MPI_Op operation) {
        double result = 0;
        MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
        sum = result;
    };
    const auto compare_with = [&](const char *name, auto c, auto ours) {
        compare(name, 8, rounds, stints, c, ours);
    };
    const auto plus = [&] { sum = world.allreduce(mine, std::plus<>{}); };
    const auto with_lambda = [&] {
        sum = world.allreduce(mine, lisle::commutative([](double a, double b) { return a + b; }));
    };
    const boxed box{1.5};
    const auto with_struct = [&] { sum = world.allreduce(box, lisle::commutative(std::plus<>{})).value; };
    const double offset = 1;
    const auto with_captures = [&] {
        sum = world.allreduce(mine,
                              lisle::commutative([offset](double a, double b) { return a + b + offset; }));
    };

    compare_with(
        "allreduce_sum", [&] { reduce(MPI_SUM); }, plus);
    compare_with(
        "allreduce_into", [&] { MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
        [&] { world.allreduce_into(mine, sum, std::plus<>{}); });
    kept &hand = kept::found();
    const MPI_Op own = hand.plain;
    const auto with_own = [&, own] { reduce(own); };
    compare_with("allreduce_operation", with_own,
                 [&, own] { sum = world.allreduce(mine, lisle::operation{own}); });
    const auto found = [&] { reduce(kept::found().plain); };
    compare_with("allreduce_lambda", found, with_lambda);
    compare_with("allreduce_lambda_held", with_own, with_lambda);
    compare_with("allreduce_struct", found, with_struct);
    compare_with("allreduce_struct_held", with_own, with_struct);
    const auto with_offset = [&](kept &with) {
        with.offset = offset;
        reduce(with.shifted);
    };
    compare_with(
        "allreduce_captures", [&] { with_offset(kept::found()); }, with_captures);
    compare_with(
        "allreduce_captures_held", [&] { with_offset(hand); }, with_captures);
    std::vector<double> into(100'000, 0.0);
    compare(
        "allreduce_vector_lambda", static_cast<long>(into.size() * sizeof(double)), 1, 301,
        [&] {
            MPI_Allreduce(MPI_IN_PLACE, into.data(), static_cast<int>(into.size()), MPI_DOUBLE, own,
                          MPI_COMM_WORLD);
        },
        [&] {
            world.allreduce(lisle::in_place(into),
                            lisle::commutative([](double a, double b) { return a + b; }));
        });
}

#if __has_include(<cereal/cereal.hpp>)

/// Begins on rank 0 and is answered by rank 1.
template <class Send, class Receive> auto to_and_fro(Send send, Receive receive) {
    return [send, receive, first = world.rank() == 0] {
        if (first)
            send();
        receive();
        if (!first)
            send();
    };
}

/// A mebibyte of strings that goes to and fro, against as many bytes: the sender has just received what it
/// sends, so that it lies in the sender's caches in both cases, and not, unchanged, in both ranks'.
void strings() {
    const int other = 1 - world.rank();
    std::vector<std::string> text(1024, std::string(1016, 's'));
    std::vector<char> raw(std::size_t{1} << 20, 'x');
    const int count = static_cast<int>(raw.size());
    const auto plain = to_and_fro(
        [&] { MPI_Send(raw.data(), count, MPI_CHAR, other, 0, MPI_COMM_WORLD); },
        [&] { MPI_Recv(raw.data(), count, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    const auto send = [&] { world.send(text, other); };
    const auto compare_with = [&](const char *name, auto ours) { compare(name, count, 5, 101, plain, ours); };
    // Into new strings, and into those that are there.
    compare_with("strings", to_and_fro(send, [&] { text = world.receive<std::vector<std::string>>(other); }));
    compare_with("strings_into", to_and_fro(send, [&] { world.receive_into(text, other); }));
    // What it takes to make such an object at all: copied within the ranks, which take turns.
    compare_with("strings_copied", to_and_fro([&] { world.send(0, other); },
                                              [&] {
                                                  static_cast<void>(world.receive<int>(other));
                                                  text = std::vector<std::string>(text);
                                              }));
}
#endif

/// Data of unknown size against as much that is sent plainly.
void objects() {
    const int rank = world.rank();
    std::vector<char> raw(1 << 20, 'x');
    std::vector<char> room(raw.size());
    const auto plain = [&] {
        if (rank == 0)
            MPI_Send(raw.data(), static_cast<int>(raw.size()), MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(room.data(), static_cast<int>(room.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    };
    compare("unknown_size", 1 << 20, 10, 101, plain, [&] {
        if (rank == 0)
            world.send(raw, 1);
        else
            room = world.receive<std::vector<char>>(0);
        world.barrier();
    });
    // The same in MPI.NET's way.
    lisle::two_messages pair{world};
    compare("two_messages", 1 << 20, 10, 101, plain, [&] {
        if (rank == 0)
            pair.send(raw, 1);
        else
            room = pair.receive<std::vector<char>>(0);
        world.barrier();
    });
    int number = 7;
    const auto one = [&] {
        if (rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    };
    std::vector<int> some(10, 7);
    compare("unknown_size", 40, 50, 501, one, [&] {
        if (rank == 0)
            world.send(some, 1);
        else
            some = world.receive<std::vector<int>>(0);
        world.barrier();
    });
    compare("two_messages", 40, 50, 501, one, [&] {
        if (rank == 0)
            pair.send(some, 1);
        else
            some = pair.receive<std::vector<int>>(0);
        world.barrier();
    });
#if __has_include(<cereal/cereal.hpp>)
    strings();
#endif
    // An allreduce of a serialised class: reported, there is nothing in C to compare it with.
    double mine = 1.5;
    double sum = 0;
    const std::vector<std::string> name{std::to_string(rank)};
    compare(
        "allreduce_serialised", 8, 50, 301,
        [&] { MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
        [&] {
            static_cast<void>(
                world.allreduce(name, [](const auto &a, const auto &b) { return a < b ? b : a; }));
        });
}

/// A vector of a gibibyte that goes to and fro: once from rank to rank, where no byte is copied.
void hand_over() {
    const int rank = world.rank();
    const int other = 1 - rank;
    if (!world.shares_memory(other))
        return;
    std::vector<char> token(rank == 0 ? std::size_t{1} << 30 : 0);
    const auto to_and_fro = [&] {
        if (rank == 0) {
            lisle::hand_over(world, std::move(token), other);
            token = lisle::take_over<std::vector<char>>(world, other);
        } else {
            auto mine = lisle::take_over<std::vector<char>>(world, other);
            lisle::hand_over(world, std::move(mine), other);
        }
    };
    std::vector<double> times;
    for (int batch = 0; batch < 41; ++batch) {
        constexpr int rounds = 100;
        world.barrier();
        times.push_back(time_of(rounds, to_and_fro) / 2);
    }
    if (rank == 0)
        std::printf("handover %zu %.9g\n", token.size(), median(times));
}

} // namespace

int main() {
    const lisle::environment mpi;
    begin_with_two_ranks("interface");
    ping_pong();
    reductions();
    objects();
    hand_over();
}
