// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <lisle/couple/job.hpp>

#include "couple/declaration.hpp"
#include "couple/incoming.hpp"
#include "couple/outgoing.hpp"

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
    [[nodiscard]] detail::declaration declared() const;

    // As it begins.
    [[nodiscard]] const offer &offer_at(std::size_t which) const { return offers_[which].what; }
    [[nodiscard]] const want &want_at(std::size_t which) const { return wants_[which].what; }
    void add_outgoing(std::size_t which, detail::outgoing coupling) {
        offers_[which].couplings.push_back(std::move(coupling));
    }
    void set_incoming(std::size_t which, detail::incoming coupling) {
        wants_[which].coupling = std::make_unique<detail::incoming>(std::move(coupling));
    }
    void begin() noexcept { begun_ = true; }

    // After that.
    [[nodiscard]] ticks time() const noexcept { return when_.time(step_); }
    [[nodiscard]] bool is_at_end() const noexcept { return step_ >= when_.count(); }
    void put(const std::string &field);
    void put_all();
    void get(const std::string &field);
    void get_all();
    void advance();
    void finish();

  private:
    struct offered_field {
        offer what;
        std::vector<detail::outgoing> couplings;
        std::int64_t put_until = 0; ///< steps of which it has been put
    };
    struct wanted_field {
        want what;
        std::unique_ptr<detail::incoming> coupling;
        std::int64_t got_until = 0;
    };

    void check_not_begun() const;
    void check_running(const char *call) const;
    void put(offered_field &field);
    void get(wanted_field &field);

    std::string name_;
    MPI_Comm ranks_;
    steps when_{1, 0, 0};
    std::vector<offered_field> offers_;
    std::vector<wanted_field> wants_;
    std::int64_t step_ = 0;
    bool begun_ = false;
};

} // namespace lisle::couple
