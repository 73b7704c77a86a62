// SPDX-License-Identifier: Apache-2.0
// Random operations of every kind on the windows of all ranks, against an oracle: every rank draws the same
// operations, keeps a copy of what all windows must hold, and compares its own window and whatever it
// fetches.
//     random_operations [operations in each mode] [seed] [threads of a rank] [blocks of a rank]
// The more blocks, the more operations come between two synchronisations.
#include "payload.hpp"
#include "window.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

namespace {

using element = std::int64_t;
const MPI_Datatype element_type = MPI_INT64_T;
constexpr int block_length = 16;
constexpr int most = 8; ///< elements in one operation

enum class kind { put, get, accumulate, get_accumulate, fetch_and_op, compare_and_swap };

/// What is given to the program.
struct extent {
    long operations; ///< in each mode
    int threads;     ///< of a rank
    int blocks;      ///< in each rank's part
};

struct operation {
    kind what;
    MPI_Op op;
    int origin, target, block;
    int first;         ///< element of the target's part
    int count, stride; ///< elements there
    int number;        ///< among all of the test
    bool flushed;      ///< a flush comes first
};

const std::array<MPI_Op, 6> operations{MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BXOR, MPI_BOR};

element combined(MPI_Op op, element held, element given) {
    if (op == MPI_SUM)
        return static_cast<element>(static_cast<std::uint64_t>(held) + static_cast<std::uint64_t>(given));
    if (op == MPI_PROD)
        return static_cast<element>(static_cast<std::uint64_t>(held) * static_cast<std::uint64_t>(given));
    if (op == MPI_MIN)
        return std::min(held, given);
    if (op == MPI_MAX)
        return std::max(held, given);
    if (op == MPI_BXOR)
        return held ^ given;
    if (op == MPI_BOR)
        return held | given;
    return op == MPI_REPLACE ? given : held;
}

/// The operand's i-th element; small, so that comparisons hit now and then.
element operand(const operation &each, int i) {
    const std::uint64_t mixed =
        (static_cast<std::uint64_t>(each.number) * 31 + static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u;
    return static_cast<element>(mixed >> 60) - 3;
}

class oracle_test {
  public:
    oracle_test(const check::job &job, flavour how, mode synchronisation, std::uint64_t seed,
                const extent &asked)
        : job_{job}, how_{how}, mode_{synchronisation}, random_{seed}, threads_{asked.threads},
          blocks_{asked.blocks}, window_{how, static_cast<std::size_t>(asked.blocks * block_length)},
          held_(static_cast<std::size_t>(job.size), std::vector<element>(window_.memory().size())) {
        for (int count = 1; count <= most; ++count) {
            MPI_Datatype type = MPI_DATATYPE_NULL;
            CHECK_MPI(MPI_Type_vector(count, 1, 2, element_type, &type));
            CHECK_MPI(MPI_Type_commit(&type));
            strided_.push_back(type);
        }
    }
    ~oracle_test() {
        for (MPI_Datatype &type : strided_)
            MPI_Type_free(&type);
    }
    oracle_test(const oracle_test &) = delete;
    oracle_test &operator=(const oracle_test &) = delete;

    void run(long operations_in_all) {
        for (; before_round_ < operations_in_all; before_round_ += static_cast<int>(drawn_.size())) {
            draw();
            expect();
            perform();
            compare();
        }
    }

  private:
    /// What ranks do with a block in one round is drawn so that the result is known.
    void draw() {
        drawn_.clear();
        for (int target = 0; target < job_.size; ++target)
            for (int block = 0; block < blocks_; ++block) {
                const int owner = random_.below(job_.size);
                switch (random_.below(4)) {
                case 0: // everybody reads
                    for (int i = random_.below(4); i > 0; --i)
                        add(kind::get, MPI_NO_OP, random_.below(job_.size), target, block);
                    break;
                case 1: // one rank puts, and reads what it has put where it can wait for that
                    add(kind::put, MPI_REPLACE, owner, target, block);
                    if (is_passive(mode_)) {
                        add(kind::get, MPI_NO_OP, owner, target, block, true);
                        add(kind::put, MPI_REPLACE, owner, target, block, true);
                    }
                    break;
                case 2: // one rank's accumulates come in order
                    for (int i = random_.below(5); i > 0; --i)
                        add_ordered(owner, target, block);
                    break;
                default: { // everybody's accumulates with one operation come in any order
                    const MPI_Op op = operations[random_.below(operations.size())];
                    for (int i = random_.below(5); i > 0; --i)
                        add(kind::accumulate, op, random_.below(job_.size), target, block);
                    break;
                }
                }
            }
    }

    void add(kind what, MPI_Op op, int origin, int target, int block, bool flushed = false) {
        const int number = before_round_ + static_cast<int>(drawn_.size());
        operation each{what, op, origin, target, block, 0, 1, 1, number, flushed};
        if (what != kind::fetch_and_op && what != kind::compare_and_swap) {
            each.count = 1 + random_.below(most);
            each.stride = 1 + random_.below(2);
        }
        each.first = block * block_length + random_.below(block_length - (each.count - 1) * each.stride);
        drawn_.push_back(each);
    }

    void add_ordered(int origin, int target, int block) {
        const MPI_Op op = operations[random_.below(operations.size())];
        switch (random_.below(6)) {
        case 0:
            return add(kind::accumulate, op, origin, target, block);
        case 1:
            return add(kind::get_accumulate, op, origin, target, block);
        case 2:
            return add(kind::get_accumulate, MPI_NO_OP, origin, target, block);
        case 3:
            return add(kind::accumulate, MPI_REPLACE, origin, target, block);
        case 4:
            return add(kind::fetch_and_op, op, origin, target, block);
        default:
            return add(kind::compare_and_swap, MPI_REPLACE, origin, target, block);
        }
    }

    [[nodiscard]] static bool fetches(kind what) { return what != kind::put && what != kind::accumulate; }

    /// Does all operations on the copies, and keeps what this rank must fetch.
    void expect() {
        expected_.assign(drawn_.size() * most, 0);
        for (std::size_t n = 0; n < drawn_.size(); ++n) {
            const operation &each = drawn_[n];
            for (int i = 0; i < each.count; ++i) {
                element &held = held_[static_cast<std::size_t>(each.target)]
                                     [static_cast<std::size_t>(each.first + i * each.stride)];
                expected_[n * most + static_cast<std::size_t>(i)] = held;
                if (each.what == kind::compare_and_swap)
                    held = held == comparand(each) ? operand(each, i) : held;
                else
                    held = combined(each.op, held, operand(each, i));
            }
        }
    }

    /// Half of the comparisons hit, if the oracle is right about what the target holds.
    [[nodiscard]] element comparand(const operation &each) const {
        const auto n = static_cast<std::size_t>(each.number - before_round_);
        return each.number % 2 == 0 ? expected_[n * most] : -7;
    }

    void perform() {
        given_.assign(drawn_.size() * most, 0);
        comparands_.assign(drawn_.size(), 0);
        fetched_.assign(drawn_.size() * most, -1);
        synchronised(mode_, window_.handle(), MPI_COMM_WORLD, [&](int target) {
            if (threads_ == 1)
                return perform_on(target, 0);
            std::vector<std::thread> threads;
            for (int t = 0; t < threads_; ++t)
                threads.emplace_back([&, t] { perform_on(target, t); });
            for (std::thread &thread : threads)
                thread.join();
        });
    }

    /// This rank's operations on the blocks of a target that are a thread's.
    void perform_on(int target, int thread) {
        std::vector<MPI_Request> requests;
        for (std::size_t n = 0; n < drawn_.size(); ++n) {
            const operation &each = drawn_[n];
            if (each.origin != job_.rank || each.target != target || each.block % threads_ != thread)
                continue;
            if (each.flushed)
                CHECK_MPI(MPI_Win_flush(target, window_.handle()));
            for (int i = 0; i < each.count; ++i)
                given_[n * most + static_cast<std::size_t>(i)] = operand(each, i);
            comparands_[n] = comparand(each);
            requests.push_back(MPI_REQUEST_NULL);
            start(each, &given_[n * most], &comparands_[n], &fetched_[n * most], requests.back());
        }
        CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    }

    void start(const operation &each, const element *given, const element *comparand, element *fetched,
               MPI_Request &request) {
        const MPI_Datatype type =
            each.stride == 1 ? element_type : strided_[static_cast<std::size_t>(each.count - 1)];
        const int count = each.stride == 1 ? each.count : 1;
        const MPI_Aint at = window_.at(each.target, static_cast<std::size_t>(each.first));
        MPI_Win window = window_.handle();
        const bool asks = is_passive(mode_) && each.number % 3 == 0; // by a request
        switch (each.what) {
        case kind::put:
            CHECK_MPI(asks ? MPI_Rput(given, each.count, element_type, each.target, at, count, type, window,
                                      &request)
                           : MPI_Put(given, each.count, element_type, each.target, at, count, type, window));
            break;
        case kind::get:
            CHECK_MPI(asks
                          ? MPI_Rget(fetched, each.count, element_type, each.target, at, count, type, window,
                                     &request)
                          : MPI_Get(fetched, each.count, element_type, each.target, at, count, type, window));
            break;
        case kind::accumulate:
            CHECK_MPI(asks ? MPI_Raccumulate(given, each.count, element_type, each.target, at, count, type,
                                             each.op, window, &request)
                           : MPI_Accumulate(given, each.count, element_type, each.target, at, count, type,
                                            each.op, window));
            break;
        case kind::get_accumulate:
            CHECK_MPI(asks ? MPI_Rget_accumulate(given, each.count, element_type, fetched, each.count,
                                                 element_type, each.target, at, count, type, each.op, window,
                                                 &request)
                           : MPI_Get_accumulate(given, each.count, element_type, fetched, each.count,
                                                element_type, each.target, at, count, type, each.op, window));
            break;
        case kind::fetch_and_op:
            CHECK_MPI(MPI_Fetch_and_op(given, fetched, element_type, each.target, at, each.op, window));
            break;
        case kind::compare_and_swap:
            CHECK_MPI(MPI_Compare_and_swap(given, comparand, fetched, element_type, each.target, at, window));
            break;
        }
    }

    void compare() {
        for (std::size_t n = 0; n < drawn_.size(); ++n) {
            const operation &each = drawn_[n];
            if (each.origin != job_.rank || !fetches(each.what))
                continue;
            for (std::size_t i = 0; i < static_cast<std::size_t>(each.count); ++i)
                if (fetched_[n * most + i] != expected_[n * most + i])
                    report("operation " + std::to_string(n) + " of kind " +
                               std::to_string(static_cast<int>(each.what)) + " on rank " +
                               std::to_string(each.target) + " fetched for element " +
                               std::to_string(each.first) + " + " + std::to_string(i),
                           fetched_[n * most + i], expected_[n * most + i]);
        }
        const std::vector<element> &mine = held_[static_cast<std::size_t>(job_.rank)];
        for (std::size_t i = 0; i < mine.size(); ++i)
            if (window_[i] != mine[i])
                report("element " + std::to_string(i) + " holds", window_[i], mine[i]);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); // the next round begins when all have looked
    }

    [[noreturn]] void report(const std::string &what, element is, element should) const {
        check::fail(__FILE__, __LINE__,
                    name_of(how_) + ", " + name_of(mode_) + ", after " + std::to_string(before_round_) +
                        " operations: " + what + " " + std::to_string(is) + ", not " +
                        std::to_string(should));
    }

    const check::job &job_;
    flavour how_;
    mode mode_;
    random_numbers random_;
    const int threads_, blocks_;
    window_of<element> window_;
    std::vector<std::vector<element>> held_; ///< what each rank's part must hold
    std::vector<MPI_Datatype> strided_;      ///< by the number of elements
    int before_round_ = 0;                   ///< operations
    std::vector<operation> drawn_;
    std::vector<element> expected_, given_, comparands_, fetched_; ///< `most` for each operation
};

} // namespace

int main(int argc, char **argv) {
    const auto given = [&](int position, long otherwise) {
        return argc > position ? std::atol(argv[position]) : otherwise;
    };
    const extent asked{given(1, 1500), static_cast<int>(given(3, 1)), static_cast<int>(given(4, 16))};
    const auto seed = static_cast<std::uint64_t>(given(2, 1));
    const check::job job(&argc, &argv, asked.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    const std::vector<flavour> all = flavours(MPI_COMM_WORLD);
    for (const mode each : all_modes)
        for (const flavour how : all)
            oracle_test(job, how, each, seed + static_cast<std::uint64_t>(each), asked)
                .run(asked.operations / static_cast<long>(all.size()));
}
