// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lisle/couple/job.hpp>

#include "couple/activity.hpp"
#include "couple/configuration.hpp"
#include "couple/declaration.hpp"
#include "couple/incoming.hpp"
#include "couple/outgoing.hpp"
#include "couple/restart_file.hpp"

namespace lisle::couple {

/// What one rank has of a component: what it has declared, and, once the job has begun, its couplings and its
/// time.
class component::state {
  public:
    state(std::string name, MPI_Comm ranks) : name_{std::move(name)}, ranks_{ranks} {}
    state(const state &) = delete;
    state &operator=(const state &) = delete;
    ~state() { MPI_Comm_free(&ranks_); }

    [[nodiscard]] const std::string &name() const noexcept { return name_; }
    [[nodiscard]] MPI_Comm ranks() const noexcept { return ranks_; }

    // Before the job begins.
    void set_steps(const steps &when);
    void add(offer what);
    void add(want what);
    void keep(offer what);
    /// What a configuration file says of a want. @return false: there is none of this name
    [[nodiscard]] bool configure(const detail::configured_want &how);
    [[nodiscard]] detail::declaration declared() const;

    // As it begins.
    [[nodiscard]] const offer &offer_at(std::size_t which) const { return offers_[which].what; }
    [[nodiscard]] const want &want_at(std::size_t which) const { return wants_[which].what; }
    /// They are needed no more once their rows have been made.
    [[nodiscard]] std::vector<weight> take_weights(std::size_t which) {
        return std::exchange(wants_[which].what.weights, {});
    }
    /// @param receiver whose want it is, as restart files call it
    void add_outgoing(std::size_t which, const std::string &receiver, bool is_iterated,
                      detail::outgoing coupling) {
        offers_[which].couplings.push_back({receiver, is_iterated, std::move(coupling)});
    }
    void set_incoming(std::size_t which, detail::incoming coupling) {
        wants_[which].coupling = std::make_unique<detail::incoming>(std::move(coupling));
    }
    void begin(bool is_watched) noexcept {
        begun_ = true;
        if (is_watched) {
            activity_.emplace().begin();
        }
    }

    // After that.
    [[nodiscard]] ticks time() const noexcept { return when_.time(step_); }
    [[nodiscard]] bool is_at_end() const noexcept { return step_ >= when_.count(); }
    void put(const std::string &field);
    void put_all();
    void get(const std::string &field);
    void get_all();
    void advance();
    void settle();
    void repeat();
    void finish();

    /// How this rank spent its time, until the component's end or until now. @pre begun with is_watched
    [[nodiscard]] detail::activity &end_activity() noexcept {
        activity_->end();
        return *activity_;
    }

    // Restart files.

    /// Steps that have been put, and got, once all of this time have.
    [[nodiscard]] std::int64_t steps_done() const noexcept { return is_at_end() ? step_ : step_ + 1; }
    /// A sentence if not all of this time has been put; empty: it has.
    [[nodiscard]] std::string what_is_not_put() const;
    /// Receives what the senders, which have done so many steps, have sent.
    void collect(const std::map<std::string, std::int64_t> &steps_done_of);
    [[nodiscard]] detail::restart_file write(const std::string &path);
    /// @return a sentence if the file does not fit; empty: the component stands where it stood
    [[nodiscard]] std::string resume(const std::string &header);
    void read(detail::restart_file &from);

  private:
    struct sending {
        std::string receiver;
        bool is_iterated;
        detail::outgoing coupling;
    };
    struct offered_field {
        offer what;
        std::vector<sending> couplings;
        std::int64_t put_until = 0; ///< steps of which it has been put
        [[nodiscard]] bool is_iterated() const {
            return std::ranges::any_of(couplings, &sending::is_iterated);
        }
    };
    struct wanted_field {
        want what;
        std::unique_ptr<detail::incoming> coupling;
        std::int64_t got_until = 0;
    };

    [[nodiscard]] std::int64_t steps_between_gets(const wanted_field &field) const noexcept {
        return when_.spaced(field.what.every).period / when_.period;
    }
    void check_not_begun() const;
    void check_running(const char *call) const;
    void put(offered_field &field);
    void get(wanted_field &field);
    [[nodiscard]] std::string header() const;
    /// Calls visit(points, place) for all fields of a restart file, in their order.
    template <class Visit> void for_stored(const Visit &visit);

    std::string name_;
    MPI_Comm ranks_;
    steps when_{1, 0, 0};
    std::vector<offered_field> offers_;
    std::vector<wanted_field> wants_;
    std::vector<offer> kept_;
    std::optional<detail::activity> activity_; ///< if the job is watched
    std::int64_t step_ = 0;
    std::int64_t restored_step_ = -1; ///< of which all was put and got before a restart
    bool repeats_ = false;            ///< the step has been put once, and only what is iterated is put again
    bool begun_ = false;
};

} // namespace lisle::couple
