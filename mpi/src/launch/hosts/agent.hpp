// SPDX-License-Identifier: Apache-2.0
// What reaches another host: ssh, or a program that is called in the same way, with a host's name and a
// command. Its standard input and output lead to the command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// The words in front of the host's name: of --launch-agent, LISLE_LAUNCH_AGENT, or the variables that Open
/// MPI and Hydra read; else those of ssh.
[[nodiscard]] std::vector<std::string> agent_words(const remote_request &remote);

/// The whole command that starts a keeper. @param agent agent_words() @param lislerun its file on that host
[[nodiscard]] std::vector<std::string> words_to_reach(const std::vector<std::string> &agent,
                                                      const std::string &host, const std::string &lislerun);

/// Why a host is not reached, as a sentence goes on behind "host b cannot be reached: ".
/// @param said what the agent has printed @param status as waitpid gives it; nothing: it has not ended
[[nodiscard]] std::string reason_of(const std::vector<std::string> &agent, const std::string &lislerun,
                                    std::string_view said, int status);

/// The last line of a text that is not blank.
[[nodiscard]] std::string last_line(std::string_view text);

} // namespace lisle::launch
