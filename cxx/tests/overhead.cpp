// SPDX-License-Identifier: Apache-2.0
// What a call of the interface costs: how often it calls MPI, with which addresses, and how often it
// allocates. The functions of MPI are intercepted through the profiling interface, operator new by replacing
// it.
#include <lisle/lisle.hpp>

#include <array>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

struct counters {
    int allocations = 0;
    int calls = 0;
    const void *address = nullptr;
    MPI_Count count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
};
counters seen;
bool counting = false;
int operations = 0; ///< made and not freed

/// A call of MPI: counted, but for what the library allocates in it.
class call {
  public:
    call(const void *address = nullptr, MPI_Count count = 0, MPI_Datatype type = MPI_DATATYPE_NULL) {
        if (std::exchange(counting, false)) {
            counted_ = true;
            ++seen.calls;
            seen.address = address;
            seen.count = count;
            seen.type = type;
        }
    }
    call(const call &) = delete;
    call &operator=(const call &) = delete;
    ~call() { counting = counted_; }

  private:
    bool counted_ = false;
};

template <class Body> counters count(Body body) {
    seen = {};
    counting = true;
    body();
    counting = false;
    return seen;
}

} // namespace

void *operator new(std::size_t bytes) {
    if (counting)
        ++seen.allocations;
    if (void *const memory = std::malloc(bytes != 0 ? bytes : 1))
        return memory;
    throw std::bad_alloc{};
}
void operator delete(void *memory) noexcept {
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept {
    std::free(memory);
}

extern "C" {

int MPI_Send_c(const void *buf, MPI_Count n, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    const call counted{buf, n, type};
    return PMPI_Send_c(buf, n, type, dest, tag, comm);
}
int MPI_Recv_c(void *buf, MPI_Count n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Status *status) {
    const call counted{buf, n, type};
    return PMPI_Recv_c(buf, n, type, source, tag, comm, status);
}
int MPI_Isend_c(const void *buf, MPI_Count n, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                MPI_Request *request) {
    const call counted{buf, n, type};
    return PMPI_Isend_c(buf, n, type, dest, tag, comm, request);
}
int MPI_Bcast_c(void *buf, MPI_Count n, MPI_Datatype type, int root, MPI_Comm comm) {
    const call counted{buf, n, type};
    return PMPI_Bcast_c(buf, n, type, root, comm);
}
int MPI_Allreduce_c(const void *in, void *out, MPI_Count n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    const call counted{in, n, type};
    return PMPI_Allreduce_c(in, out, n, type, op, comm);
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    const call counted;
    return PMPI_Wait(request, status);
}
int MPI_Comm_rank(MPI_Comm comm, int *rank) {
    const call counted;
    return PMPI_Comm_rank(comm, rank);
}
int MPI_Comm_size(MPI_Comm comm, int *size) {
    const call counted;
    return PMPI_Comm_size(comm, size);
}
int MPI_Type_create_struct_c(MPI_Count n, const MPI_Count *lengths, const MPI_Count *offsets,
                             const MPI_Datatype *types, MPI_Datatype *made) {
    const call counted;
    return PMPI_Type_create_struct_c(n, lengths, offsets, types, made);
}
int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype type, MPI_Count *n) {
    const call counted;
    return PMPI_Get_count_c(status, type, n);
}
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    const call counted;
    return PMPI_Probe(source, tag, comm, status);
}
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    const call counted;
    return PMPI_Mprobe(source, tag, comm, message, status);
}
int MPIX_Op_create_x(MPIX_User_function_x *function, MPIX_Destructor_function *destructor, int commute,
                     void *state, MPI_Op *op) {
    const call counted;
    ++operations;
    return PMPIX_Op_create_x(function, destructor, commute, state, op);
}
int MPI_Op_free(MPI_Op *op) {
    --operations;
    return PMPI_Op_free(op);
}

} // extern "C"

namespace {

struct uniform {
    double x, y, z;
};
struct mixed {
    char c;
    double d;
};

/// One call of MPI, with this address, without an allocation. Messages name their type in its strict form.
void one_call(const counters &c, const void *address, MPI_Count n, MPI_Datatype type) {
    CHECK_EQ(c.calls, 1);
    CHECK_EQ(c.allocations, 0);
    CHECK_EQ(c.address, address);
    CHECK_EQ(c.count, n);
    CHECK(c.type == type || c.type == lisle::detail::strict(type));
}

} // namespace

int main() {
    const lisle::environment mpi;
    const lisle::communicator world = lisle::world();
    const int other = 1 - world.rank();
    const std::vector<double> values(100, 1.5);
    std::array<double, 100> room{};
    const uniform u{1, 2, 3};
    const int number = 7;
    mixed m{'m', 1};
    world.broadcast(m); // its datatype is made here
    const auto handle = lisle::datatype_of<mixed>();

    one_call(count([&] { world.send(values, other); }), values.data(), 100, MPI_DOUBLE);
    one_call(count([&] { world.receive_into(room, other); }), room.data(), 100, MPI_DOUBLE);
    one_call(count([&] { world.send(u, other); }), &u, 3, MPI_DOUBLE);
    one_call(count([&] { world.receive_into(room, other); }), room.data(), 100, MPI_DOUBLE);
    one_call(count([&] { world.send(number, other); }), &number, 1, MPI_INT);
    int got = 0;
    const counters received = count([&] { got = world.receive<int>(other); });
    CHECK_EQ(received.calls, 1);
    CHECK_EQ(received.allocations, 0);
    CHECK_EQ(got, 7);
    one_call(count([&] { world.send(m, other); }), &m, 1, handle);
    one_call(count([&] { world.receive_into(m, other); }), &m, 1, handle);
    one_call(count([&] { world.broadcast(room); }), room.data(), 100, MPI_DOUBLE);
    double sum = 0;
    const counters reduced = count([&] { sum = world.allreduce(1.5, std::plus<>{}); });
    CHECK_EQ(reduced.calls, 1);
    CHECK_EQ(reduced.allocations, 0);
    CHECK_EQ(sum, 3.0);
    one_call(count([&] { world.allreduce(lisle::in_place(room), std::plus<>{}); }), MPI_IN_PLACE, 100,
             MPI_DOUBLE);
    // Into memory that exists: one call more where the number of ranks is needed, which is the library's
    // load.
    std::vector<double> sums;
    sums.reserve(400);
    one_call(count([&] { world.allreduce_into(values, lisle::resized(sums), std::plus<>{}); }), values.data(),
             100, MPI_DOUBLE);
    CHECK_EQ(sums.size(), 100u);
    one_call(count([&] { world.allreduce_into(values, room, std::plus<>{}); }), values.data(), 100,
             MPI_DOUBLE);
    world.allgather_into(values,
                         lisle::grown(sums)); // at the first call the communicator notes its algorithms
    sums.resize(100);
    const counters gathered = count([&] { world.allgather_into(values, lisle::grown(sums)); });
    CHECK_EQ(gathered.allocations, 0);
    CHECK_EQ(sums.size(), 200u);
    world.send(values, other);
    const double *const memory = sums.data();
    world.receive_into(lisle::resized(sums), other);
    CHECK_EQ(sums.data(), memory);
    CHECK_EQ(sums.size(), 100u);
    // A lent buffer costs no allocation, a lambda without state no operation after the first time.
    const counters lent = count([&] {
        auto sending = world.isend(lisle::borrow(values), other);
        sending.wait();
    });
    CHECK_EQ(lent.calls, 2);
    CHECK_EQ(lent.allocations, 0);
    world.receive_into(room, other);
    const auto least = [](int a, int b) { return b < a ? b : a; };
    static_cast<void>(world.allreduce(number, least));
    const counters again = count([&] { static_cast<void>(world.allreduce(number, least)); });
    CHECK_EQ(again.calls, 1);
    CHECK_EQ(again.allocations, 0);
    const auto either = lisle::commutative(lisle::slices([](auto first, auto second) {
        for (std::size_t i = 0; i < first.size(); ++i)
            second[i] |= first[i];
    }));
    CHECK_EQ(world.allreduce(1 << world.rank(), either), 3);
    const counters wrapped = count([&] { static_cast<void>(world.allreduce(number, either)); });
    CHECK_EQ(wrapped.calls, 1);
    CHECK_EQ(wrapped.allocations, 0);
    // One with a state: an operation in the frame of this call, and nothing that is allocated.
    const auto less = [](int by) { return [by](int a, int b) { return a + b - by; }; };
    CHECK_EQ(world.allreduce(number, less(1)), 2 * number - 1);
    const counters captures = count([&] { CHECK_EQ(world.allreduce(number, less(number)), number); });
    CHECK_EQ(captures.calls, 1);
    CHECK_EQ(captures.allocations, 0);
    const int lasting = operations;
    for (int i = 0; i < 100'000; ++i)
        CHECK_EQ(world.allreduce(i, less(i)), i);
    CHECK_EQ(operations, lasting);
    // Several under way at once have an operation each, and none is left to be freed.
    {
        auto first = world.iallreduce(1, less(100));
        auto second = world.iallreduce(2, less(200));
        CHECK_EQ(operations, lasting);
        CHECK_EQ(second.wait(), 4 - 200);
        CHECK_EQ(world.allreduce(3, less(300)), 6 - 300);
        CHECK_EQ(first.wait(), 2 - 100);
    }
    CHECK_EQ(operations, lasting);
    // A vector of unknown size: no probe, only the extension's call, which is not among those counted.
    world.send(values, other);
    std::vector<double> grown;
    const counters growing = count([&] { grown = world.receive<std::vector<double>>(other); });
    CHECK_EQ(growing.calls, 0);
    CHECK(grown == values);
}
