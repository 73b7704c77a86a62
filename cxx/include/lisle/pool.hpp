// SPDX-License-Identifier: Apache-2.0
// A pool of workers: one rank, the manager, hands out tasks and collects results; the others do the same work
// with each task that comes. A worker has the next task before it ends one, and a faster one gets more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"

#if !LISLE_USE_EXCEPTIONS
#error "lisle/pool.hpp needs exceptions"
#include <lisle/nothing after the error above>
#endif

namespace lisle {

namespace detail {

/// Tags of a pool's messages, which have a communicator of their own. An end is a message without elements,
/// and so is the news that the work has thrown, which a text follows.
enum pool_tag : int { task_tag, end_tag, result_tag, thrown_tag, text_tag };
inline constexpr std::span<const std::byte> no_elements{};

/// Objects that are received where they lie, without looking first how long they are.
template <class T>
concept of_known_size = direct<T> && std::is_default_constructible_v<T>;

/// The next message of a pool, which is a T if it has that tag, and else nothing.
template <class T>
std::pair<std::optional<T>, status> next_of_pool(const point_to_point &channel, int source, pool_tag wanted) {
    if constexpr (of_known_size<T>) {
        std::optional<T> object{std::in_place};
        const status came = channel.receive_into(std::span<T>{&*object, 1}, source, any_tag);
        if (came.tag() != wanted)
            object.reset();
        return {std::move(object), came};
    } else {
        message found = channel.mprobe(source);
        const status came = found.status();
        if (came.tag() == wanted)
            return {found.template receive<T>(), came};
        found.receive_into(std::span<std::byte>{});
        return {std::nullopt, came};
    }
}

/// A duplicate for the messages of a pool. Collective.
inline owned<communicator> pool_channel(const point_to_point &comm) {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm.native(), &made), "MPI_Comm_dup");
    return owned<communicator>{made};
}

/// What travels for a result: something also where the work returns nothing.
template <class Result> using carried = std::conditional_t<std::is_void_v<Result>, char, Result>;

template <class Result, class Work, class Task> carried<Result> result_of_work(Work &work, Task task) {
    if constexpr (std::is_void_v<Result>)
        return std::invoke(work, std::move(task)), char{};
    else
        return std::invoke(work, std::move(task));
}

inline std::string text_of(const std::exception_ptr &thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception &known) {
        return known.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

/// A task that has been handed in, and what has become of it.
template <class Result> struct pool_entry {
    std::optional<carried<Result>> result;
    std::string thrown; ///< the text of what the work has thrown
    int worker = -1;
    bool done = false;

    carried<Result> take() {
        if (!result)
            raise_final(MPI_ERR_OTHER, "lisle::pool", {{"worker", worker}}, thrown.c_str());
        return std::move(*std::exchange(result, std::nullopt));
    }
};

} // namespace detail

/// Does `work` with every task of a pool until that ends. All ranks that are not the pool's manager call it.
/// What the work throws is thrown again where the manager asks for the result, as an `error` with its text.
template <class Task, class Work> void serve(const point_to_point &comm, Work work) {
    using result = std::invoke_result_t<Work &, Task>;
    constexpr int manager = 0;
    const owned<communicator> channel = detail::pool_channel(comm);
    for (;;) {
        std::optional<detail::carried<result>> done;
        std::exception_ptr thrown;
        try {
            auto [task, came] = detail::next_of_pool<Task>(channel, manager, detail::task_tag);
            if (!task)
                return;
            done.emplace(detail::result_of_work<result>(work, std::move(*task)));
        } catch (...) {
            thrown = std::current_exception();
        }
        if (done) {
            channel.send(*done, manager, detail::result_tag);
        } else {
            channel.send(detail::no_elements, manager, detail::thrown_tag);
            channel.send(detail::text_of(thrown), manager, detail::text_tag);
        }
    }
}

/// The manager's side. Tasks and results are of any types that can be sent. Not to be moved: results refer to
/// it. Its end waits for the tasks that were handed in (after an exception: for those that have begun), and
/// lets the workers return.
///
///     const auto work = [](int number) { return std::sqrt(number); };
///     if (world.rank() == 0) {
///         lisle::pool<int, double> pool{world, work}; // alone it does the work itself
///         auto one = pool.submit(2);
///         std::vector<double> roots = pool.map(numbers);
///         use(one.get(), roots);
///     } else {
///         lisle::serve<int>(world, work);
///     }
template <class Task, class Result> class pool {
    using entry = detail::pool_entry<Result>;

  public:
    /// The result of a task, to come. Lives on after the pool.
    class pending_result {
      public:
        /// True if get() will not wait. Takes what has come meanwhile.
        [[nodiscard]] bool ready() {
            while (!entry_->done && from_->advance(false)) {
            }
            return entry_->done;
        }
        /// Waits for the result. Once only.
        Result get() {
            while (!entry_->done)
                from_->advance(true);
            return static_cast<Result>(entry_->take());
        }

      private:
        friend class pool;
        pending_result(pool &from, std::shared_ptr<entry> of) : from_{&from}, entry_{std::move(of)} {}
        pool *from_;
        std::shared_ptr<entry> entry_;
    };

    /// Rank 0 of a communicator, whose other ranks call serve(). `work` is for tasks when there are none.
    pool(const communicator &comm, std::function<Result(Task)> work)
        : pool(comm, std::move(work), 1, comm.size()) {}
    /// Rank 0 of a group whose other side has the workers: a job that has been spawned, say, where all call
    /// serve() with lisle::parents(). Collective in the manager's group.
    explicit pool(const intercommunicator &workers) : pool(workers, {}, 0, workers.remote_size()) {}

    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;
    ~pool() {
        if (std::uncaught_exceptions() > exceptions_)
            drop_waiting();
        while (advance(true)) {
        }
        for (std::size_t i = 0; i < workers_.size(); ++i)
            channel_.send(detail::no_elements, first_ + static_cast<int>(i), detail::end_tag);
    }

    /// The number of workers.
    [[nodiscard]] int size() const noexcept { return static_cast<int>(workers_.size()); }
    /// Hands a task in. It is done when a worker is free, while the manager waits or asks for something.
    [[nodiscard]] pending_result submit(Task task) {
        auto made = std::make_shared<entry>();
        hand_in(made, std::move(task));
        return {*this, std::move(made)};
    }
    /// The results of all tasks, in their order. If the work throws, the first such result does so, after the
    /// end of all tasks.
    template <class Tasks> auto map(const Tasks &tasks) {
        const auto all = std::make_shared<std::vector<entry>>(
            static_cast<std::size_t>(std::distance(std::ranges::begin(tasks), std::ranges::end(tasks))));
        for (std::size_t i = 0; const auto &task : tasks)
            hand_in({all, &(*all)[i++]}, task);
        while (advance(true)) {
        }
        if constexpr (std::is_void_v<Result>) {
            for (entry &each : *all)
                static_cast<void>(each.take());
        } else {
            std::vector<Result> results;
            results.reserve(all->size());
            for (entry &each : *all)
                results.push_back(each.take());
            return results;
        }
    }

  private:
    static constexpr std::size_t tasks_of_a_worker = 2; // one that it does and one that it will

    struct waiting_task {
        std::shared_ptr<entry> of;
        Task task;
    };
    struct begun_task {
        std::shared_ptr<entry> of;
        Task task;
        future<> sending; ///< of the task; no plain send: the worker may be sending a result
    };

    pool(const point_to_point &comm, std::function<Result(Task)> work, int first, int end)
        : channel_{detail::pool_channel(comm)}, work_{std::move(work)}, first_{first},
          workers_(static_cast<std::size_t>(end - first)) {}

    void hand_in(std::shared_ptr<entry> of, Task task) {
        waiting_.push_back({std::move(of), std::move(task)});
        hand_out();
    }
    /// Gives waiting tasks to workers that have room, those with the fewest first.
    void hand_out() {
        while (!waiting_.empty() && !workers_.empty()) {
            const auto worker =
                std::min_element(workers_.begin(), workers_.end(),
                                 [](const auto &a, const auto &b) { return a.size() < b.size(); });
            if (worker->size() == tasks_of_a_worker)
                return;
            waiting_task &next = waiting_.front();
            const int rank = first_ + static_cast<int>(worker - workers_.begin());
            worker->push_back(
                {std::move(next.of), std::move(next.task), {}}); // stays there until it is taken
            waiting_.pop_front();
            worker->back().sending = channel_.isend(borrow(worker->back().task), rank, detail::task_tag);
        }
    }
    /// Takes a result that has come, or does a task where there are no workers. @param wait for one
    /// @return false if nothing came
    bool advance(bool wait) {
        if (workers_.empty())
            return do_one();
        const bool any =
            std::any_of(workers_.begin(), workers_.end(), [](const auto &w) { return !w.empty(); });
        if (!any)
            return false;
        int source = MPI_ANY_SOURCE;
        if (!wait) {
            const std::optional<status> came = channel_.iprobe(any_source);
            if (!came)
                return false;
            source = came->source();
        }
        take(source);
        hand_out();
        return true;
    }
    /// Takes the next result of a worker, or of any.
    void take(int source) {
        auto [result, came] =
            detail::next_of_pool<detail::carried<Result>>(channel_, source, detail::result_tag);
        source = came.source();
        auto &worker = workers_[static_cast<std::size_t>(source - first_)];
        begun_task &ended = worker.front(); // results come in the order of tasks
        ended.of->worker = source;
        if (!result)
            ended.of->thrown = channel_.template receive<std::string>(source, detail::text_tag);
        ended.of->result = std::move(result);
        ended.of->done = true;
        ended.sending.wait();
        worker.pop_front();
    }
    bool do_one() {
        if (waiting_.empty())
            return false;
        waiting_task next = std::move(waiting_.front());
        waiting_.pop_front();
        next.of->worker = 0;
        try {
            next.of->result.emplace(detail::result_of_work<Result>(work_, std::move(next.task)));
        } catch (...) {
            next.of->thrown = detail::text_of(std::current_exception());
        }
        next.of->done = true;
        return true;
    }
    void drop_waiting() {
        for (waiting_task &each : waiting_) {
            each.of->thrown = "the pool has ended before a worker could begin this task";
            each.of->done = true;
        }
        waiting_.clear();
    }

    owned<communicator> channel_;
    std::function<Result(Task)> work_;
    int first_;
    std::vector<std::deque<begun_task>> workers_; ///< the tasks that each has, in their order
    std::deque<waiting_task> waiting_;
    int exceptions_ = std::uncaught_exceptions();
};

} // namespace lisle
