// SPDX-License-Identifier: Apache-2.0
// Buffers that do not exist any more when their operations end, and some that do. Two ranks; the argument
// says which.
#include <lisle/lisle.hpp>

#include <memory>
#include <string_view>
#include <sys/mman.h>

namespace {

const lisle::communicator world = lisle::world();
int rank;
int other;

/// Keeps a variable where the compiler would do without.
void *opaque(void *address) {
    asm volatile("" : "+r"(address) : : "memory");
    return address;
}

[[gnu::noinline]] MPI_Request begin_send() {
    int number = 5;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(opaque(&number), 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    return request;
}

[[gnu::noinline]] MPI_Request begin_receive() {
    int number = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(opaque(&number), 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    return request;
}

[[gnu::noinline]] MPI_Request begin_receive_in(int *number) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(number, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    return request;
}

[[gnu::noinline]] lisle::future<> begin_lent() {
    int number = 5;
    return world.isend(lisle::borrow(*static_cast<int *>(opaque(&number))), other);
}

[[gnu::noinline]] void wait_below(MPI_Request request, int levels) {
    if (levels == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        wait_below(request, levels - 1);
        opaque(&levels);
    }
}

void pass_number() {
    int number = rank;
    MPI_Request request = begin_receive_in(&number);
    MPI_Send(&rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    wait_below(request, 5);
    if (number != other) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/// Rank 0 alone maps memory, after both ranks have started: where ranks are threads, any other mapping could
/// be put in the place of the one that was given back.
void use_memory_given_back() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        const int numbers[4] = {};
        MPI_Send(numbers, 4, MPI_INT, other, 0, MPI_COMM_WORLD);
        return;
    }
    constexpr std::size_t bytes = std::size_t{1} << 20;
    void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(memory, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    munmap(memory, bytes);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void call(std::string_view what) {
    int number = 0;
    if (what == "sent") {
        MPI_Request request = rank == 0 ? begin_send() : begin_receive_in(&number);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (what == "received") {
        if (rank == 0) {
            MPI_Request request = begin_receive();
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(&number, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        }
    } else if (what == "lent") {
        if (rank == 0) {
            lisle::future<> sending = begin_lent();
            sending.wait();
        } else {
            number = world.receive<int>(other);
        }
    } else if (what == "given_back") {
        use_memory_given_back();
    } else {
        pass_number();
        const auto later = std::make_unique<int>(rank);
        lisle::future<> sending = world.isend(lisle::borrow(*later), other);
        number = world.receive<int>(other);
        sending.wait();
    }
}

} // namespace

int main(int argc, char **argv) {
    const lisle::environment mpi;
    rank = world.rank();
    other = 1 - rank;
    call(argc > 1 ? argv[1] : "");
}
