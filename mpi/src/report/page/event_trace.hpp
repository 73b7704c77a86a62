// SPDX-License-Identifier: Apache-2.0
// A run as trace events, the JSON that Perfetto and Chrome read: a process for each host, a thread for each
// rank, calls as slices, messages as arrows from slice to slice. Written while the records are gone through,
// so that it takes no memory.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/page/trace_writer.hpp"

namespace lisle::report {

class json;

class event_trace final : public trace_writer {
  public:
    explicit event_trace(std::ostream &to);
    void rank(int number, std::string_view host) override;
    void phase(int rank, int level, std::uint64_t time) override;
    void call(const timed_call &one, std::string_view place) override;
    void message(int from, std::uint64_t begun, int to, std::uint64_t ended) override;
    [[nodiscard]] bool finish() override;

  private:
    /// Begins an event of a rank. @param kind its letter in the format
    json begin(const char *kind, std::string_view name, int rank, std::uint64_t time) const;
    void name_of(const char *what, int host, int rank, std::string_view name);
    void write(json &event);

    std::ostream &to_;
    bool first_ = true;
    std::uint64_t messages_ = 0;
    std::unordered_map<std::string, int> hosts_; ///< their numbers, from 1 on
    std::vector<int> host_of_;                   ///< by rank; 0: not known
};

} // namespace lisle::report
