// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/agent.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/wait.h>

#include "base/environment.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "launch/common/launch_error.hpp"

namespace lisle::launch {

namespace {

bool is_program(const std::vector<std::string> &agent, std::string_view name) {
    const std::string_view file = agent.front();
    return file.substr(file.rfind('/') + 1) == name;
}

std::vector<std::string> split_words(std::string_view text) {
    const auto pieces = words_of(text, " \t");
    return {pieces.begin(), pieces.end()};
}

/// For the shell of the other host, which reads the command.
std::string quoted(const std::string &word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:@%,=";
    if (word.find_first_not_of(plain) == std::string::npos) {
        return word;
    }
    std::string result = "'";
    for (const char letter : word) {
        result += letter == '\'' ? std::string{"'\\''"} : std::string{letter};
    }
    return result + "'";
}

/// What agents say, and what it means.
struct known_failure {
    std::string_view said;
    std::string_view means;
};
constexpr known_failure failures[] = {
    {"Could not resolve hostname", "its name is unknown here"},
    {"Connection refused", "nothing listens at its port of ssh: is sshd running there, at this port?"},
    {"Connection timed out",
     "its port of ssh does not answer: it is down, or a firewall drops what is sent there"},
    {"timed out during banner", "its port of ssh takes connections, but says nothing"},
    {"No route to host", "no network leads there"},
    {"Network is unreachable", "no network leads there"},
    {"IDENTIFICATION HAS CHANGED",
     "its host key is not the one in known_hosts (ssh-keygen -R forgets that one)"},
    {"Host key verification failed",
     "its host key is not known yet: call ssh to it once by hand, or use ssh-keyscan"},
    {"Permission denied",
     "it wants a password, and a job cannot answer: give it your public key (ssh-copy-id)"},
    {"Too many authentication failures", "it takes none of the keys that are offered"},
    {"not enough room", "it has no room for another process"},
};

} // namespace

std::string last_line(std::string_view text) {
    std::string_view last;
    for (const auto line : words_of(text, "\r\n")) {
        last = line.find_first_not_of(" \t") == std::string_view::npos ? last : line;
    }
    return std::string{last};
}

std::vector<std::string> agent_words(const remote_request &remote) {
    std::vector<std::string> words = split_words(remote.launch_agent);
    if (words.empty()) {
        words = split_words(text_of(setting::launch_agent));
    }
    // As the Kubernetes operator sets them for the others.
    for (const auto said : {environment_text("OMPI_MCA_plm_rsh_agent"),
                            environment_text("HYDRA_LAUNCHER_EXEC"), environment_text("HYDRA_LAUNCH_EXEC")}) {
        words = words.empty() ? split_words(said) : words;
    }
    if (words.empty()) {
        words = {"ssh"};
    }
    if (is_program(words, "ssh")) {
        // Nobody is there to answer questions. A port that does not answer is to be told of within ten
        // seconds.
        words.insert(words.begin() + 1, {"-T", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8"});
    }
    return words;
}

std::vector<std::string> words_to_reach(const std::vector<std::string> &agent, const std::string &host,
                                        const std::string &lislerun) {
    auto words = agent;
    words.push_back(host);
    if (is_program(agent, "kubectl")) {
        words.emplace_back("--");
    }
    words.push_back(quoted(lislerun));
    words.emplace_back("--keeper");
    return words;
}

std::string reason_of(const std::vector<std::string> &agent, const std::string &lislerun,
                      std::string_view said, int status) {
    const auto line = last_line(said);
    const auto *const known = std::ranges::find_if(failures, [said](const known_failure &each) {
        return said.find(each.said) != std::string_view::npos;
    });
    const auto quote = line.empty() ? std::string{} : sentence(" (", agent.front(), ": ", line, ")");
    if (known != std::end(failures)) {
        return sentence(known->means, quote);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_not_found) {
        return sentence("there is no ", lislerun,
                        ": install Lisle there under the same path, or name its place with "
                        "--prefix",
                        quote);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_not_executable) {
        return sentence(lislerun, " cannot be executed there", quote);
    }
    const auto how = WIFSIGNALED(status) ? sentence("was ended by signal ", WTERMSIG(status))
                                         : sentence("ended with exit code ", WEXITSTATUS(status));
    return line.empty() ? sentence(agent.front(), " ", how, " and said nothing")
                        : sentence(agent.front(), " ", how, ": ", line);
}

} // namespace lisle::launch
