// SPDX-License-Identifier: Apache-2.0
// What a rank has put and completed, its target finds by plain loads once it has been told, and what a rank
// has stored in its own part, others get once they have been told: in the unified memory model without a call
// on the window in between. In each round every rank accesses the part of another one, completes that, and
// tells it in a way that changes: by messages of several kinds, through a third rank, by collectives, or by a
// word in the window. All ranks draw the same plan; what they do besides lets them meet in different ways.
//     told [rounds with each kind of window] [seed]
#include "payload.hpp"
#include "window.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

using element = std::int64_t;
const MPI_Datatype element_type = MPI_INT64_T;
constexpr int longest = 1 << 14; ///< elements of an access: longer than what is copied at once
constexpr std::size_t word_at = 2 * longest - 1; ///< the element behind those of a strided access

enum class access {
    put,
    put_strided,
    put_by_request,
    accumulate,
    replace,
    fetch_and_op,
    compare_and_swap,
    get
};
enum class completion { flush, flush_all, unlock };
enum class way {
    received,
    posted,
    tested,
    probed,
    synchronous,
    relayed,
    barrier,
    started_barrier,
    allreduce,
    word
};

/// ThreadSanitizer takes a put and the loads that look for it for a race, and all that they order for others.
#ifdef __SANITIZE_THREAD__
constexpr bool words_order = false;
#else
constexpr bool words_order = true;
#endif

/// ThreadSanitizer does not see an order of two ranks of one process that another process has a part in, and
/// is shown it. Of ranks that are all in one process it sees all itself.
class shown_order {
  public:
    explicit shown_order(const check::job &job) {
        struct place {
            std::int64_t process;
            std::atomic<int> *turns;
        };
        const place own{static_cast<int>(syscall(SYS_getpid)), &own_turns_};
        std::vector<place> all(static_cast<std::size_t>(job.size));
        CHECK_MPI(
            MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD));
        const auto here = [&own](const place &each) { return each.process == own.process; };
        if (!words_order && !std::ranges::all_of(all, here))
            turns_ = std::ranges::find_if(all, here)->turns;
    }
    /// Around what orders: what a rank did before the one comes before what another does after the other.
    void begin() noexcept {
        if (turns_ != nullptr)
            turns_->fetch_add(1, std::memory_order_release); // pairs with end()
    }
    void end() noexcept {
        if (turns_ != nullptr)
            static_cast<void>(turns_->load(std::memory_order_acquire)); // pairs with begin()
    }

  private:
    std::atomic<int> own_turns_{0};
    std::atomic<int> *turns_ = nullptr; ///< of the first rank of the process; null: nothing needs to be shown
};

constexpr int longest_letter = 100000; ///< bytes of the message that tells
constexpr int tag = 7;
constexpr int never_sent = 8; ///< as a tag

/// What all ranks do in one round.
struct plan {
    plan(random_numbers &random, int ranks)
        : what{static_cast<access>(random.below(8))}, by{static_cast<completion>(random.below(3))},
          told{static_cast<way>(random.below(10))}, distance{1 + random.below(std::max(ranks - 1, 1))},
          number{static_cast<element>(random.next() >> 2)} {
        // Mostly short: what takes long has arrived before anybody looks. One element is the shortest way.
        constexpr std::array lengths{1, 1, 16, 16, 16, 600, longest};
        count = 1 + random.below(lengths[random.below(lengths.size())]);
        constexpr std::array letters{0, 0, 8, longest_letter};
        letter = letters[random.below(letters.size())];
        if (what == access::fetch_and_op || what == access::compare_and_swap)
            count = 1;
        if (told == way::word && !words_order)
            told = way::received;
        if (told == way::word && by == completion::unlock) // the word is put in the same epoch
            by = completion::flush;
    }
    access what;
    completion by;
    way told;
    int count = 0;  ///< elements
    int letter = 0; ///< bytes of the message that tells
    int distance;   ///< from each rank to the one whose part it accesses
    element number;
};

/// Whom a rank tells, and who tells it.
struct neighbours {
    int to, from;
};

class told_test {
  public:
    told_test(const check::job &job, flavour how, std::uint64_t seed)
        : job_{job}, order_{job}, how_{how}, plans_{seed},
          own_{seed + static_cast<std::uint64_t>(job.rank) + 1}, window_{how, word_at + 1}, given_(longest),
          fetched_(longest), sent_letter_(longest_letter), letter_(longest_letter) {
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm_));
        CHECK_MPI(MPI_Win_lock_all(0, window_.handle()));
    }
    ~told_test() {
        CHECK_MPI(MPI_Win_unlock_all(window_.handle()));
        CHECK_MPI(MPI_Comm_free(&comm_));
    }
    told_test(const told_test &) = delete;
    told_test &operator=(const told_test &) = delete;

    void run(int rounds) {
        for (round_ = 0; round_ < rounds; ++round_)
            one_round(plan(plans_, job_.size));
    }

  private:
    void one_round(const plan &now) {
        const neighbours ring{(job_.rank + now.distance) % job_.size,
                              (job_.rank - now.distance + job_.size) % job_.size};
        const bool gets = now.what == access::get;
        prepare(now, ring.to);
        meet(); // all parts are prepared, and nobody looks at the former ones
        MPI_Request posted = MPI_REQUEST_NULL;
        if (now.told == way::posted)
            CHECK_MPI(MPI_Irecv(letter_.data(), now.letter, MPI_BYTE, gets ? ring.to : ring.from, tag, comm_,
                                &posted));
        rest();
        if (gets) {
            for (int i = 0; i < now.count; ++i)
                window_[static_cast<std::size_t>(i)] = value(now, job_.rank, i);
            tell(now, {ring.from, ring.to}, posted);
            access_part(now, ring.to);
            complete(now, ring.to);
            expect(now, fetched_, ring.to, 1);
        } else {
            access_part(now, ring.to);
            complete(now, ring.to);
            tell(now, ring, posted);
            expect(now, window_.memory(), job_.rank, step(now));
        }
        if (now.by == completion::unlock)
            CHECK_MPI(MPI_Win_lock_all(0, window_.handle()));
        CHECK_MPI(MPI_Wait(&sent_, MPI_STATUS_IGNORE));
        meet();
    }

    void meet() {
        order_.begin();
        CHECK_MPI(MPI_Barrier(comm_));
        order_.end();
    }

    static std::size_t step(const plan &now) { return now.what == access::put_strided ? 2 : 1; }

    /// The i-th element of what a rank's part is to hold.
    static element value(const plan &now, int rank, int i) {
        return now.number + element{rank} * 1000003 + i;
    }

    void prepare(const plan &now, int target) {
        const auto count = static_cast<std::size_t>(now.count);
        std::fill_n(window_.memory().begin(), step(now) * count, element{0});
        window_[word_at] = -1;
        for (std::size_t i = 0; i < count; ++i) {
            given_[i] = value(now, target, static_cast<int>(i));
            fetched_[i] = -1;
        }
    }

    /// Time passes, and now and then others run.
    void rest() {
        if (own_.below(4) == 0) {
            int there = 0;
            for (int left = own_.below(20); left > 0; --left)
                CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, never_sent, comm_, &there, MPI_STATUS_IGNORE));
        }
        for (int left = own_.below(own_.below(2) == 0 ? 30 : 3000); left > 0; --left)
            static_cast<void>(own_.next());
    }

    void access_part(const plan &now, int target) {
        const MPI_Win window = window_.handle();
        const MPI_Aint at = window_.at(target, 0);
        const element *const given = given_.data();
        element *const fetched = fetched_.data();
        static const element zero = 0; // read until the access is complete
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Datatype every_second = MPI_DATATYPE_NULL;
        switch (now.what) {
        case access::put:
            CHECK_MPI(MPI_Put(given, now.count, element_type, target, at, now.count, element_type, window));
            break;
        case access::put_strided:
            CHECK_MPI(MPI_Type_vector(now.count, 1, 2, element_type, &every_second));
            CHECK_MPI(MPI_Type_commit(&every_second));
            CHECK_MPI(MPI_Put(given, now.count, element_type, target, at, 1, every_second, window));
            CHECK_MPI(MPI_Type_free(&every_second));
            break;
        case access::put_by_request:
            CHECK_MPI(MPI_Rput(given, now.count, element_type, target, at, now.count, element_type, window,
                               &request));
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
            break;
        case access::accumulate:
            CHECK_MPI(MPI_Accumulate(given, now.count, element_type, target, at, now.count, element_type,
                                     MPI_SUM, window));
            break;
        case access::replace:
            CHECK_MPI(MPI_Get_accumulate(given, now.count, element_type, fetched, now.count, element_type,
                                         target, at, now.count, element_type, MPI_REPLACE, window));
            break;
        case access::fetch_and_op:
            CHECK_MPI(MPI_Fetch_and_op(given, fetched, element_type, target, at, MPI_SUM, window));
            break;
        case access::compare_and_swap:
            CHECK_MPI(MPI_Compare_and_swap(given, &zero, fetched, element_type, target, at, window));
            break;
        case access::get:
            CHECK_MPI(MPI_Get(fetched, now.count, element_type, target, at, now.count, element_type, window));
            break;
        }
    }

    void complete(const plan &now, int target) {
        switch (now.by) {
        case completion::flush:
            CHECK_MPI(MPI_Win_flush(target, window_.handle()));
            break;
        case completion::flush_all:
            CHECK_MPI(MPI_Win_flush_all(window_.handle()));
            break;
        case completion::unlock:
            CHECK_MPI(MPI_Win_unlock_all(window_.handle()));
            break;
        }
    }

    /// Tells a rank that what comes before is done; returns when the calling one has been told.
    void tell(const plan &now, const neighbours &with, MPI_Request &posted) {
        int done = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        order_.begin();
        switch (now.told) {
        case way::barrier:
            CHECK_MPI(MPI_Barrier(comm_));
            break;
        case way::started_barrier:
            CHECK_MPI(MPI_Ibarrier(comm_, &request));
            while (done == 0)
                CHECK_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
            break;
        case way::allreduce:
            CHECK_MPI(MPI_Allreduce(&round_, &done, 1, MPI_INT, MPI_MAX, comm_));
            break;
        case way::word:
            tell_by_word(now, with.to);
            break;
        case way::relayed: // each rank is also the one between two others
            pass_on(now.letter, {next_to(with.to), before(with.from)}, posted);
            pass_on(0, {before(job_.rank), next_to(job_.rank)}, posted);
            break;
        default:
            pass_on(now.letter, with, posted, now.told);
            break;
        }
        order_.end();
    }

    [[nodiscard]] int next_to(int rank) const noexcept { return (rank + 1) % job_.size; }
    [[nodiscard]] int before(int rank) const noexcept { return (rank + job_.size - 1) % job_.size; }

    /// A message to one rank and one from another.
    void pass_on(int bytes, const neighbours &with, MPI_Request &posted, way how = way::received) {
        const auto start = how == way::synchronous ? MPI_Issend : MPI_Isend;
        CHECK_MPI(MPI_Wait(&sent_, MPI_STATUS_IGNORE));
        CHECK_MPI(start(sent_letter_.data(), bytes, MPI_BYTE, with.to, tag, comm_, &sent_));
        rest();
        if (how == way::tested)
            CHECK_MPI(MPI_Irecv(letter_.data(), bytes, MPI_BYTE, with.from, tag, comm_, &posted));
        int done = 0;
        if (how == way::tested) {
            while (done == 0)
                CHECK_MPI(MPI_Test(&posted, &done, MPI_STATUS_IGNORE));
        } else if (how == way::posted) {
            CHECK_MPI(MPI_Wait(&posted, MPI_STATUS_IGNORE));
        } else {
            if (how == way::probed)
                CHECK_MPI(MPI_Probe(with.from, tag, comm_, MPI_STATUS_IGNORE));
            CHECK_MPI(MPI_Recv(letter_.data(), bytes, MPI_BYTE, with.from, tag, comm_, MPI_STATUS_IGNORE));
        }
    }

    /// A word that is put behind the data. The ranks look for theirs by loads, with MPI_Win_sync between
    /// them.
    void tell_by_word(const plan &now, int to) {
        CHECK_MPI(MPI_Put(&now.number, 1, element_type, to, window_.at(to, word_at), 1, element_type,
                          window_.handle()));
        CHECK_MPI(MPI_Win_flush(to, window_.handle()));
        while (static_cast<const volatile element &>(window_[word_at]) != now.number)
            CHECK_MPI(MPI_Win_sync(window_.handle()));
        CHECK_MPI(MPI_Win_sync(window_.handle()));
    }

    /// The last element first: it is the one that was written last.
    void expect(const plan &now, std::span<const element> held, int rank, std::size_t step) {
        for (int i = now.count - 1; i >= 0; --i) {
            const auto at = static_cast<std::size_t>(i) * step;
            const element found = static_cast<const volatile element &>(held[at]);
            if (found != value(now, rank, i))
                check::fail(__FILE__, __LINE__,
                            name_of(how_) + ", round " + std::to_string(round_) + ", access " +
                                std::to_string(static_cast<int>(now.what)) + " completed by " +
                                std::to_string(static_cast<int>(now.by)) + " and told by " +
                                std::to_string(static_cast<int>(now.told)) + ": element " +
                                std::to_string(i) + " of " + std::to_string(now.count) + " is " +
                                std::to_string(found) + ", not " + std::to_string(value(now, rank, i)));
        }
    }

    const check::job &job_;
    shown_order order_;
    flavour how_;
    random_numbers plans_; ///< the same in all ranks
    random_numbers own_;
    window_of<element> window_;
    std::vector<element> given_, fetched_;
    std::vector<char> sent_letter_, letter_; ///< what messages hold
    MPI_Request sent_ = MPI_REQUEST_NULL;    ///< waited for after the look
    MPI_Comm comm_ = MPI_COMM_NULL;
    int round_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 150;
    const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atol(argv[2]) : 1);
    for (const flavour how : flavours(MPI_COMM_WORLD))
        told_test(job, how, seed + static_cast<std::uint64_t>(how)).run(rounds);
}
