// SPDX-License-Identifier: Apache-2.0
// A run in Paje's format, which ViTE, pj_dump and programs for SimGrid's traces read: a container for each
// host and each rank, calls as states, phases as states of their own, messages as links. The format wants
// events in the order of time, and calls are heard of at their ends: so all are kept until the run is over.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/page/trace_writer.hpp"

namespace lisle::report {

class paje_trace final : public trace_writer {
  public:
    explicit paje_trace(std::ostream &to) : to_{to} {}
    void rank(int number, std::string_view host) override;
    void phase(int rank, int level, std::uint64_t time) override;
    void call(const timed_call &one, std::string_view place) override;
    void message(int from, std::uint64_t begun, int to, std::uint64_t ended) override;
    [[nodiscard]] bool finish() override;

  private:
    enum class kind : std::uint8_t { call_begins, call_ends, phase_begins, message_begins, message_ends };
    struct event {
        std::uint64_t time; ///< ns
        kind what;
        int rank;
        std::uint64_t value; ///< the call, the level of a phase, or the number of a message
    };

    void define_types();
    void define_values();
    void make_containers();
    void write(const event &one);

    std::ostream &to_;
    std::vector<std::string> hosts_; ///< in the order of their first ranks
    std::unordered_map<std::string, int> numbers_;
    std::vector<int> host_of_; ///< by rank
    std::vector<event> events_;
    std::uint64_t messages_ = 0;
};

} // namespace lisle::report
