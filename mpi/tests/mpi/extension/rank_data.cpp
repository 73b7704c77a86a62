// SPDX-License-Identifier: Apache-2.0
// MPIX_Rank_data: one object for each rank and function, in whatever order threads come; what `create` and
// `destroy` call may be MPI's; MPI_Finalize destroys the latest first.
#include "check.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <thread>
#include <utility>
#include <vector>

namespace {

// Ranks have variables of their own, whatever they are.
std::atomic<int> made, destroyed, alive;
std::vector<int> ended;

struct datatype {
    MPI_Datatype type = MPI_DATATYPE_NULL;
};

void *make_datatype() {
    auto *const object = new datatype;
    CHECK_MPI(MPI_Type_contiguous(3, MPI_INT, &object->type));
    CHECK_MPI(MPI_Type_commit(&object->type));
    ++made;
    ++alive;
    return object;
}

void destroy_datatype(void *object) {
    CHECK_MPI(MPI_Type_free(&static_cast<datatype *>(object)->type));
    delete static_cast<datatype *>(object);
    ++destroyed;
    --alive;
}

template <int Number> void *make_number() {
    return new int{Number};
}
void destroy_number(void *number) {
    ended.push_back(*static_cast<int *>(number));
    delete static_cast<int *>(number);
}

template <class T> T *data_of(MPIX_Rank_data_function *create, MPIX_Destructor_function *destroy) {
    void *data = nullptr;
    CHECK_MPI(MPIX_Rank_data(create, destroy, &data));
    return static_cast<T *>(data);
}

/// Uses as many different functions as there are numbers: more than a table of them may have places.
template <int... Numbers> void use_numbers(std::integer_sequence<int, Numbers...>) {
    const std::array<int *, sizeof...(Numbers)> numbers{
        data_of<int>(make_number<Numbers>, destroy_number)...};
    for (std::size_t i = 0; i < numbers.size(); ++i)
        CHECK_EQ(*numbers[i], static_cast<int>(i));
    const bool same = ((data_of<int>(make_number<Numbers>, destroy_number) == numbers[Numbers]) && ...);
    CHECK(same);
}

void first_use_by_many() {
    constexpr int count = 8;
    std::array<datatype *, count> found{};
    std::barrier together{count};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            together.arrive_and_wait();
            found[static_cast<std::size_t>(i)] = data_of<datatype>(make_datatype, destroy_datatype);
        });
    for (std::thread &each : threads)
        each.join();
    for (const datatype *const each : found)
        CHECK_EQ(each, found[0]);
    CHECK_EQ(alive, 1);
    int bytes = 0;
    CHECK_MPI(MPI_Type_size(found[0]->type, &bytes));
    CHECK_EQ(bytes, 3 * static_cast<int>(sizeof(int)));
}

} // namespace

int main() {
    int provided = MPI_THREAD_SINGLE;
    CHECK_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    constexpr int numbers = 100;
    use_numbers(std::make_integer_sequence<int, numbers>{});
    first_use_by_many();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    void *data = nullptr;
    CHECK_ERROR(MPI_ERR_NO_MEM, MPIX_Rank_data([]() -> void * { return nullptr; }, nullptr, &data));
    CHECK(ended.empty());
    CHECK_MPI(MPI_Finalize());
    if (alive != 0 || made != destroyed || ended.size() != numbers)
        return 1;
    for (int i = 0; i < numbers; ++i)
        if (ended[static_cast<std::size_t>(i)] != numbers - 1 - i)
            return 2;
    return 0;
}
