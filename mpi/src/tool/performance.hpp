// SPDX-License-Identifier: Apache-2.0
// Performance variables: what the calling rank's engine counts, and how many collectives a communicator has
// seen. Counters count from where a handle was started; levels show what is now.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tool/interface.hpp"

namespace lisle {
class communicator;
}

namespace lisle::tool {

struct performance_variable {
    std::string_view name;
    int variable_class; ///< MPI_T_PVAR_CLASS_*
    int binding;        ///< MPI_T_BIND_*
    const char *meaning;
    /// What it is now; `of` is null for variables that belong to no object.
    std::uint64_t (*value)(const communicator *of);

    /// Counters run from where they are started; all others always run.
    [[nodiscard]] bool counts() const noexcept {
        return variable_class == MPI_T_PVAR_CLASS_COUNTER || variable_class == MPI_T_PVAR_CLASS_AGGREGATE;
    }
};

[[nodiscard]] std::span<const performance_variable> performance_variables();

/// What MPI_T_pvar_session_create makes: keeps tools apart.
struct performance_session {};
inline const rank_local<handle_list<performance_session>> performance_sessions;

/// What MPI_T_pvar_handle_alloc makes.
class performance_handle {
  public:
    performance_handle(const performance_session &session, const performance_variable &variable,
                       const communicator *of) noexcept
        : session_{&session}, variable_{&variable}, of_{of} {}

    [[nodiscard]] const performance_session &session() const noexcept { return *session_; }
    [[nodiscard]] const performance_variable &variable() const noexcept { return *variable_; }
    [[nodiscard]] std::uint64_t read() const;
    void start();
    void stop();
    /// Counters only.
    void reset();

  private:
    const performance_session *session_;
    const performance_variable *variable_;
    const communicator *of_;
    bool running_ = false;
    std::uint64_t before_ = 0; ///< counted until it was stopped last
    std::uint64_t origin_ = 0; ///< the variable's value when it was started
};
inline const rank_local<handle_list<performance_handle>> performance_handles;

} // namespace lisle::tool
