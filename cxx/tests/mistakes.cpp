// SPDX-License-Identifier: Apache-2.0
// Mistakes of programs: each is an error with a sentence, and the library can be used afterwards. And what
// keeps programs from making them: scopes, containers of futures, enumerators as tags.
#include <lisle/lisle.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();

/// The class of the error that a call throws; MPI_SUCCESS if it throws none.
template <class Call> int thrown_by(Call call) {
    try {
        call();
    } catch (const lisle::error &failure) {
        return failure.error_class();
    }
    return MPI_SUCCESS;
}

/// A class that owns its memory and says where it lies.
class matrix {
  public:
    explicit matrix(int value) : numbers_(12, value) {}
    friend lisle::buffer to_buffer(matrix &m) { return lisle::as_buffer(m.numbers_); }
    friend lisle::buffer to_buffer(const matrix &m) { return lisle::as_buffer(m.numbers_); }
    [[nodiscard]] const std::vector<int> &numbers() const { return numbers_; }

  private:
    std::vector<int> numbers_;
};

struct padded {
    char letter;
    double number;
};

void results_are_given_once(int next, int previous) {
    auto sending = world.isend(std::vector<int>{1, 2, 3}, next);
    auto receiving = world.ireceive<std::vector<int>>(previous);
    CHECK_EQ(receiving.wait().size(), 3u);
    CHECK_EQ(thrown_by([&] { static_cast<void>(receiving.wait()); }), MPI_ERR_REQUEST);
    CHECK_EQ(thrown_by([&] { static_cast<void>(receiving.take()); }), MPI_ERR_REQUEST);
    while (!sending.test().has_value()) {
    }
    CHECK_EQ(thrown_by([&] { static_cast<void>(sending.wait()); }), MPI_ERR_REQUEST);

    lisle::future<int> nothing;
    CHECK_EQ(thrown_by([&] { static_cast<void>(nothing.wait()); }), MPI_ERR_REQUEST);
    auto moved = world.ireceive<int>(previous, 5);
    auto holder = std::move(moved);
    CHECK_EQ(thrown_by([&] { static_cast<void>(moved.wait()); }), MPI_ERR_REQUEST);
    CHECK_EQ(thrown_by([&] { static_cast<void>(holder.take()); }), MPI_ERR_REQUEST); // too early
    world.send(7, next, 5);
    CHECK_EQ(holder.wait(), 7);

    auto never = world.ireceive<int>(previous, 6);
    never.cancel();
    CHECK_EQ(thrown_by([&] { static_cast<void>(never.wait()); }), MPI_ERR_REQUEST);
    auto in_vain = world.ireceive<std::vector<int>>(previous, 6);
    in_vain.cancel();
    CHECK_EQ(thrown_by([&] { static_cast<void>(in_vain.test()); }), MPI_ERR_REQUEST);

    lisle::future<> no_value; // gives nothing, so it may be asked again
    no_value.wait();
    no_value.wait();
}

void an_object_is_received_whole(int next, int previous) {
    const auto after = [&](auto sent, auto receive) {
        auto sending = world.isend(std::move(sent), next);
        const int thrown = thrown_by(receive);
        sending.wait_complete();
        return thrown;
    };
    // Over MPIs that compare no types it does not fit.
    const int of_another_type = lisle::detail::strict(MPI_CHAR) == MPI_CHAR ? MPI_ERR_TRUNCATE : MPI_ERR_TYPE;
    CHECK_EQ(after(std::vector<int>{}, [&] { static_cast<void>(world.receive<int>(previous)); }),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(after(std::vector<int>{1, 2},
                   [&] { static_cast<void>(world.receive<std::array<int, 4>>(previous)); }),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(after('c', [&] { static_cast<void>(world.receive_with_status<padded>(previous)); }),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(after('c', [&] { static_cast<void>(world.ireceive<double>(previous).wait()); }),
             of_another_type);
    CHECK_EQ(after('c', [&] { static_cast<void>(world.mprobe(previous).receive<double>()); }),
             of_another_type);
    CHECK(after(std::vector<int>{1, 2, 3},
                [&] { static_cast<void>(world.receive<std::vector<double>>(previous)); }) != MPI_SUCCESS);
    CHECK_EQ(after(padded{'x', 1.5}, [&] { CHECK_EQ(world.receive<padded>(previous).number, 1.5); }),
             MPI_SUCCESS);
    CHECK_EQ(after(std::vector<char>(9, 'c'),
                   [&] { CHECK_EQ(world.receive<std::string>(previous), "ccccccccc"); }),
             MPI_SUCCESS);
    CHECK_EQ(world.receive<int>(lisle::no_rank), 0); // there is nobody who could have sent one
}

void temporaries_live_in_the_future(int next, int previous) {
    auto sending = world.isend(matrix{world.rank()}, next);
    CHECK(world.receive<std::vector<int>>(previous) == std::vector<int>(12, previous));
    CHECK(sending.wait().numbers() == std::vector<int>(12, world.rank()));
}

void parts_and_counts_are_checked() {
    std::vector<int> ten(10);
    CHECK_EQ(thrown_by([&] { static_cast<void>(world.partitioned_send_init(lisle::borrow(ten), 3, 0)); }),
             MPI_ERR_COUNT);
    CHECK_EQ(thrown_by([&] { static_cast<void>(world.partitioned_receive_init(lisle::borrow(ten), 0, 0)); }),
             MPI_ERR_COUNT);
    const auto ranks = static_cast<std::size_t>(world.size());
    const std::vector<int> all(3 * ranks, 1);
    const auto scattered = [&](const std::vector<MPI_Count> &counts) {
        return thrown_by([&] { static_cast<void>(world.scatterv(all, {.root = 0, .counts = counts})); });
    };
    // Every rank throws: none waits for the root.
    CHECK_EQ(scattered(std::vector<MPI_Count>(ranks, 4)), MPI_ERR_COUNT);
    CHECK_EQ(scattered(std::vector<MPI_Count>(ranks, -1)), MPI_ERR_COUNT);
    CHECK_EQ(scattered(std::vector<MPI_Count>(ranks + 1, 1)), MPI_ERR_COUNT);
    CHECK_EQ(scattered(std::vector<MPI_Count>(ranks, 3)), MPI_SUCCESS);
    CHECK_EQ(thrown_by([&] {
                 const std::vector<MPI_Count> negative{-2};
                 static_cast<void>(
                     lisle::self().gatherv(std::vector<int>{}, {.root = 0, .counts = negative}));
             }),
             MPI_ERR_COUNT);
}

void a_scope_waits(int next, int previous) {
    const std::vector<int> out(1000, world.rank());
    std::vector<int> in(1000);
    {
        lisle::scope messages{world};
        messages.ireceive_into(in, previous);
        messages.isend(out, next);
    }
    CHECK_EQ(in.back(), previous);
    lisle::scope again{world};
    again.ireceive_into(in, previous);
    again.issend(out, next);
    again.wait();
    CHECK_EQ(thrown_by([&] { again.isend(out, world.size()); }), MPI_ERR_RANK);
}

void containers_of_futures(int next, int previous) {
    std::vector<lisle::future<std::string>> texts;
    std::vector<lisle::future<>> sent;
    for (int i = 0; i < 10; ++i)
        texts.push_back(world.ireceive<std::string>(previous, i));
    for (int i = 0; i < 10; ++i)
        sent.push_back(world.isend(i, next, 100 + i));
    for (int i = 9; i >= 0; --i)
        world.send(std::string(static_cast<std::size_t>(i), 'x'), next, i);
    CHECK(lisle::wait_any(texts).has_value());
    const std::vector<std::string> all = lisle::wait_all(texts);
    for (int i = 0; i < 10; ++i) {
        CHECK_EQ(all[static_cast<std::size_t>(i)].size(), static_cast<std::size_t>(i));
        CHECK_EQ(world.receive<int>(previous, 100 + i), i);
    }
    lisle::wait_all(sent);
    CHECK(lisle::test_all(sent));
}

void functions_go_on_with_results(int next, int previous) {
    auto length =
        world.ireceive<std::string>(previous, 1).then([](const std::string &text) { return text.size(); });
    int ran = 0;
    auto sent = world.isend(1, next, 2).then([&] { ++ran; });
    world.send(std::string("four"), next, 1);
    CHECK_EQ(length.wait(), 4u);
    CHECK_EQ(thrown_by([&] { static_cast<void>(length.wait()); }), MPI_ERR_REQUEST);
    sent.wait();
    sent.wait();
    CHECK_EQ(ran, 1);
    {
        auto dropped =
            world.ireceive<int>(previous, 2).then([](int one) { return one + 1; }).then([&](int two) {
                ran = 10 * two;
            });
    }
    CHECK_EQ(ran, 20);
    auto failing = world.isend(1, next, 3).then([]() -> int {
        throw lisle::error{1, MPI_ERR_OTHER, "f", {}, "no"};
    });
    CHECK_EQ(thrown_by([&] { static_cast<void>(failing.wait()); }), MPI_ERR_OTHER);
    CHECK_EQ(thrown_by([&] { static_cast<void>(failing.wait()); }), MPI_ERR_REQUEST);
    CHECK_EQ(world.receive<int>(previous, 3), 1);
}

enum class news { position = 3, end };

void enumerators_are_tags(int next, int previous) {
    world.send(1, next, news::end);
    world.send(2, next, news::position);
    CHECK_EQ(world.receive<int>(previous, news::position), 2);
    const auto [value, status] = world.receive_with_status<int>(previous);
    CHECK_EQ(value, 1);
    CHECK(status.tag<news>() == news::end && status.tag() == 4);
    const int got =
        world.sendrecv(5, {.dest = next, .source = previous, .send_tag = news::end, .tag = news::end});
    CHECK_EQ(got, 5);
}

void an_error_says_what_the_library_knows() {
    try {
        world.send(1, 99);
        CHECK(false);
    } catch (const lisle::error &failure) {
        const std::string said = failure.what();
        CHECK(said.find("99") != std::string::npos);
#if LISLE_USE_EXTENSIONS
        CHECK(said.find("rank 99 is outside MPI_COMM_WORLD") != std::string::npos);
        CHECK(said.find(" (at ") != std::string::npos); // the line, where the program has debug information
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPIX_Error_sentence(MPI_ERR_TAG, text, &length); // the last error was another one
        CHECK(std::string(text).find("99") == std::string::npos);
#endif
    }
}

} // namespace

int main() {
    const lisle::environment mpi;
    const int next = (world.rank() + 1) % world.size();
    const int previous = (world.rank() + world.size() - 1) % world.size();
    results_are_given_once(next, previous);
    an_object_is_received_whole(next, previous);
    temporaries_live_in_the_future(next, previous);
    parts_and_counts_are_checked();
    a_scope_waits(next, previous);
    containers_of_futures(next, previous);
    functions_go_on_with_results(next, previous);
    enumerators_are_tags(next, previous);
    an_error_says_what_the_library_knows();
}
