// SPDX-License-Identifier: Apache-2.0
// Mistakes of C++ programs, each beside its correct twin: exceptions, containers that grow, destructors,
// closures.
#include <lisle/lisle.hpp>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

bool right;
int rank;
int other;

void receive() {
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

[[gnu::noinline]] void send_and_throw(MPI_Request &request, int *kept) {
    int own = rank;
    MPI_Isend(right ? kept : &own, 1, MPI_INT, other, 5, MPI_COMM_WORLD, &request); // A exception_passes
    throw std::runtime_error("no more");
}

/// An exception takes the buffer away.
void exception_passes() {
    int kept = rank;
    MPI_Request request = MPI_REQUEST_NULL;
    try {
        send_and_throw(request, &kept);
    } catch (const std::runtime_error &) {
        receive();
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Elements move when a vector grows.
void vector_grows() {
    std::vector<int> numbers(1000, rank);
    if (right) {
        numbers.reserve(100'000);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(numbers.data(), 1000, MPI_INT, other, 5, MPI_COMM_WORLD, &request); // A vector_grows
    numbers.resize(100'000, rank);
    std::vector<int> more(1000, -1);
    MPI_Recv(more.data(), 1000, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

struct committed {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    ~committed() {
        if (type != MPI_DATATYPE_NULL) {
            MPI_Type_free(&type); // A destructor_late
        }
    }
};

/// The destructor of a static object comes after MPI_Finalize.
void destructor_late() {
    static committed late;
    committed soon;
    committed &used = right ? soon : late;
    MPI_Type_contiguous(2, MPI_INT, &used.type);
    MPI_Type_commit(&used.type);
}

/// What a closure has by reference has gone when it is called.
[[gnu::noinline]] std::function<MPI_Request()> later(int *kept) {
    int own = rank;
    int &sent = right ? *kept : own;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&sent, 1, MPI_INT, other, 5, MPI_COMM_WORLD, &request); // A closure_refers
    return [request] { return request; };
}

void closure_refers() {
    int kept = 0;
    const auto pending = later(&kept);
    MPI_Send(&rank, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
    MPI_Request request = pending();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

struct particle {
    int id;
    std::array<float, 3> place;
};
struct cell {
    std::array<float, 3> place;
    int id;
};

template <class Type> void share() {
    std::vector<Type> all(4);
    lisle::world().broadcast(all); // A objects_differ
}

/// Objects of other types, of the same size.
void objects_differ() {
    if (right || rank == 0) {
        share<particle>();
    } else {
        share<cell>();
    }
}

/// The last fence says that there is nothing for it to complete.
void fence_denies() {
    auto memory = std::make_unique<std::array<int, 4>>();
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(memory.get(), sizeof *memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_fence(right ? MPI_MODE_NOSUCCEED : MPI_MODE_NOPRECEDE, window); // A fence_denies
    MPI_Win_free(&window);
}

const std::map<std::string_view, void (*)()> mistakes{
    {"exception_passes", exception_passes}, {"vector_grows", vector_grows},
    {"destructor_late", destructor_late},   {"closure_refers", closure_refers},
    {"objects_differ", objects_differ},     {"fence_denies", fence_denies},
};

} // namespace

int main(int argc, char **argv) {
    const auto found = mistakes.find(argc > 1 ? argv[1] : "");
    if (found == mistakes.end()) {
        return 2;
    }
    const lisle::environment mpi;
    right = argc > 2;
    rank = lisle::world().rank();
    other = 1 - rank;
    found->second();
}
