// SPDX-License-Identifier: Apache-2.0
// Senders: descriptions of work that begins when it is started, in the manner of std::execution (P2300). What
// a sender, a receiver and an operation are, and the senders that others are made of: futures, tasks,
// schedule(), just(). A scheduler (coroutine.hpp) drives them all in the thread that runs it.
#pragma once

#include <algorithm>
#include <concepts>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/coroutine.hpp"

namespace lisle {

/// A sender says `using sender_concept = lisle::sender_tag`, names what it gives as `values`, a
/// detail::type_list, and has `connect(receiver) &&`, which returns an operation that has `start()`. A
/// receiver has set_value(values...), set_error(std::exception_ptr), set_stopped(), of which the operation
/// calls one, once, and environment().
struct sender_tag {};

namespace detail {

/// An operation that can be asked to end early.
class stoppable {
  public:
    virtual void stop() noexcept = 0;

  protected:
    ~stoppable() = default;
};

/// Asks for the end of all operations that are part of one. Used by one thread, like the scheduler.
class stop_source final : public stoppable {
  public:
    void add(stoppable &part) { parts_.push_back(&part); }
    void remove(stoppable &part) noexcept { std::erase(parts_, &part); }
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    void stop() noexcept override {
        stopped_ = true;
        while (!parts_.empty()) {
            stoppable *const part = parts_.back();
            parts_.pop_back();
            part->stop();
        }
    }

  private:
    std::vector<stoppable *> parts_;
    bool stopped_ = false;
};

} // namespace detail

/// What an operation learns from its receiver: the scheduler that drives it, and the source of stop requests
/// (or null).
struct sender_environment {
    lisle::scheduler *scheduler;
    detail::stop_source *stop;
};

namespace detail {

template <class T> struct values_as_list { using type = type_list<T>; };
template <> struct values_as_list<void> { using type = type_list<>; };

/// An operation's place in its environment's list, from its start to its end.
class stop_registration {
  public:
    void begin(stop_source *source, stoppable &operation) {
        source_ = source;
        operation_ = &operation;
        if (source_ != nullptr)
            source_->add(operation);
    }
    void end() noexcept {
        if (source_ != nullptr)
            source_->remove(*operation_);
        source_ = nullptr;
    }

  private:
    stop_source *source_ = nullptr;
    stoppable *operation_ = nullptr;
};

/// A future as a sender: it gives what the future gives.
template <class T> class future_sender {
  public:
    using sender_concept = sender_tag;
    using values = typename values_as_list<T>::type;

    explicit future_sender(future<T> &&under_way) : future_{std::move(under_way)} {}

    template <class Receiver> class operation final : stoppable {
      public:
        operation(future<T> &&under_way, Receiver receiver)
            : future_{std::move(under_way)}, receiver_{std::move(receiver)} {}
        operation(const operation &) = delete;
        operation &operator=(const operation &) = delete;

        void start() noexcept {
            const sender_environment around = receiver_.environment();
            try {
                if (around.stop != nullptr && around.stop->stopped())
                    stop();
                if (future_.ready())
                    return complete();
                around.scheduler->resume_after(
                    future_, {[](void *self) { static_cast<operation *>(self)->complete(); }, this});
                stopping_.begin(around.stop, *this);
            } catch (...) {
                receiver_.set_error(std::current_exception());
            }
        }

      private:
        void stop() noexcept override {
            try {
                future_.cancel();
            } catch (...) { // then it goes on to its end
            }
        }
        void complete() noexcept {
            stopping_.end();
            std::optional<std::conditional_t<std::is_void_v<T>, nothing, T>> value;
            try {
                if (future_.status().cancelled())
                    return receiver_.set_stopped();
                if constexpr (std::is_void_v<T>)
                    future_.take();
                else
                    value.emplace(future_.take());
            } catch (...) {
                return receiver_.set_error(std::current_exception());
            }
            if constexpr (std::is_void_v<T>)
                receiver_.set_value();
            else
                receiver_.set_value(std::move(*value));
        }

        future<T> future_;
        Receiver receiver_;
        stop_registration stopping_;
    };
    template <class Receiver> operation<Receiver> connect(Receiver receiver) && {
        return {std::move(future_), std::move(receiver)};
    }

  private:
    future<T> future_;
};

/// A task as a sender: it gives what the coroutine returns.
template <class T> class task_sender {
  public:
    using sender_concept = sender_tag;
    using values = typename values_as_list<T>::type;

    explicit task_sender(task<T> &&work) : work_{std::move(work)} {}

    template <class Receiver> class operation {
      public:
        operation(task<T> &&work, Receiver receiver)
            : work_{std::move(work)}, receiver_{std::move(receiver)} {}
        operation(const operation &) = delete;
        operation &operator=(const operation &) = delete;
        void start() noexcept {
            try {
                receiver_.environment().scheduler->spawn(drive(std::move(work_), receiver_));
            } catch (...) {
                receiver_.set_error(std::current_exception());
            }
        }

      private:
        static task<> drive(task<T> work, Receiver &receiver) {
            std::exception_ptr failure;
            std::optional<std::conditional_t<std::is_void_v<T>, nothing, T>> value;
            try {
                if constexpr (std::is_void_v<T>)
                    co_await std::move(work);
                else
                    value.emplace(co_await std::move(work));
            } catch (...) {
                failure = std::current_exception();
            }
            if (failure)
                receiver.set_error(failure);
            else if constexpr (std::is_void_v<T>)
                receiver.set_value();
            else
                receiver.set_value(std::move(*value));
        }
        task<T> work_;
        Receiver receiver_;
    };
    template <class Receiver> operation<Receiver> connect(Receiver receiver) && {
        return {std::move(work_), std::move(receiver)};
    }

  private:
    task<T> work_;
};

template <class S>
concept says_sender = std::same_as<typename std::remove_cvref_t<S>::sender_concept, sender_tag>;
template <class T> inline constexpr bool is_future = false;
template <class T> inline constexpr bool is_future<future<T>> = true;
template <class T> inline constexpr bool is_task = false;
template <class T> inline constexpr bool is_task<task<T>> = true;

/// Futures and tasks as what they are to others; senders as they are.
template <class T> future_sender<T> as_sender(future<T> &&under_way) {
    return future_sender<T>{std::move(under_way)};
}
template <class T> task_sender<T> as_sender(task<T> &&work) {
    return task_sender<T>{std::move(work)};
}
template <says_sender S> S &&as_sender(S &&already) noexcept {
    return std::forward<S>(already);
}
template <class S> using sender_of = std::remove_cvref_t<decltype(as_sender(std::declval<S>()))>;
template <class S> using values_of = typename sender_of<S>::values;
template <class S, class Receiver> using operation_of =
    decltype(std::declval<sender_of<S>>().connect(std::declval<Receiver>()));

} // namespace detail

/// What the functions of execution.hpp take: futures and tasks (as rvalues: they are used up), and what these
/// functions return.
template <class S>
concept sender = detail::says_sender<S> || detail::is_future<std::remove_cvref_t<S>> ||
    detail::is_task<std::remove_cvref_t<S>>;

namespace detail {

class schedule_sender {
  public:
    using sender_concept = sender_tag;
    using values = type_list<>;

    explicit schedule_sender(scheduler &driver) noexcept : driver_{&driver} {}

    template <class Receiver> class operation {
      public:
        operation(scheduler &driver, Receiver receiver) : driver_{&driver}, receiver_{std::move(receiver)} {}
        operation(const operation &) = delete;
        operation &operator=(const operation &) = delete;
        void start() noexcept {
            driver_->resume_soon(
                {[](void *self) { static_cast<operation *>(self)->receiver_.set_value(); }, this});
        }

      private:
        scheduler *driver_;
        Receiver receiver_;
    };
    template <class Receiver> operation<Receiver> connect(Receiver receiver) && {
        return {*driver_, std::move(receiver)};
    }

  private:
    scheduler *driver_;
};

template <class... Values> class just_sender {
  public:
    using sender_concept = sender_tag;
    using values = type_list<Values...>;

    explicit just_sender(Values... given) : given_{std::move(given)...} {}

    template <class Receiver> class operation {
      public:
        operation(std::tuple<Values...> &&given, Receiver receiver)
            : given_{std::move(given)}, receiver_{std::move(receiver)} {}
        operation(const operation &) = delete;
        operation &operator=(const operation &) = delete;
        void start() noexcept {
            std::apply([this](Values &...each) { receiver_.set_value(std::move(each)...); }, given_);
        }

      private:
        std::tuple<Values...> given_;
        Receiver receiver_;
    };
    template <class Receiver> operation<Receiver> connect(Receiver receiver) && {
        return {std::move(given_), std::move(receiver)};
    }

  private:
    std::tuple<Values...> given_;
};

} // namespace detail

/// Gives nothing, in the scheduler's next turn: what follows runs there.
[[nodiscard]] inline detail::schedule_sender schedule(scheduler &driver) noexcept {
    return detail::schedule_sender{driver};
}
/// Gives these values at once.
template <class... Values> [[nodiscard]] auto just(Values... given) {
    return detail::just_sender<Values...>{std::move(given)...};
}

} // namespace lisle
