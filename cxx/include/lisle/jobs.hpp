// SPDX-License-Identifier: Apache-2.0
// Jobs that meet: spawning, ports, published names. Beside lisle.hpp, since few programs need it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"
#include "lisle/info.hpp"

namespace lisle {

/// What spawn() starts.
struct program {
    std::string command;
    std::vector<std::string> arguments{};
    int ranks = 1;
    info hints{}; ///< {"lisle_ranks", "thread"}, {"wdir", "/tmp"}, ...
};

/// Starts a job of these programs; its ranks are the other side. Collective; only the root's list counts.
/// Throws `error` of the class MPI_ERR_SPAWN at all ranks if the job does not begin. [MPI-5.0 11.8]
///
///     auto workers = lisle::spawn(world, {{.command = "./worker", .arguments = {"--fast"}, .ranks = 4}});
///     workers.send(job, 0);
///     lisle::disconnect(std::move(workers));
[[nodiscard]] inline owned<intercommunicator> spawn(const communicator &parents,
                                                    std::vector<program> programs, int root = 0) {
    std::vector<char *> commands;
    std::vector<std::vector<char *>> words(programs.size());
    std::vector<char **> arguments;
    std::vector<int> ranks;
    std::vector<MPI_Info> hints;
    for (std::size_t i = 0; i != programs.size(); ++i) {
        program &each = programs[i];
        for (std::string &word : each.arguments)
            words[i].push_back(word.data());
        words[i].push_back(nullptr);
        commands.push_back(each.command.data());
        arguments.push_back(words[i].data());
        ranks.push_back(each.ranks);
        hints.push_back(each.hints.native());
    }
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Comm_spawn_multiple(static_cast<int>(programs.size()), commands.data(),
                                          arguments.data(), ranks.data(), hints.data(), root,
                                          parents.native(), &made, MPI_ERRCODES_IGNORE),
                  "MPI_Comm_spawn_multiple", named_value{"count", static_cast<long long>(programs.size())},
                  named_value{"root", root});
    return owned<intercommunicator>{made};
}

/// The ranks that have spawned this job, while they are connected; empty if it was not spawned.
[[nodiscard]] inline std::optional<intercommunicator> parents() {
    MPI_Comm found = MPI_COMM_NULL;
    detail::check(MPI_Comm_get_parent(&found), "MPI_Comm_get_parent");
    return found != MPI_COMM_NULL ? std::optional<intercommunicator>{intercommunicator{found}} : std::nullopt;
}

/// Ends what the two sides have to do with each other: one may end without the other. Collective over both;
/// messages under way arrive first. (An owner that goes out of scope only frees its side.)
inline void disconnect(owned<intercommunicator> other) {
    MPI_Comm handle = other.release();
    detail::check(MPI_Comm_disconnect(&handle), "MPI_Comm_disconnect");
}
/// The same for parents().
inline void disconnect(intercommunicator other) {
    MPI_Comm handle = other.native();
    detail::check(MPI_Comm_disconnect(&handle), "MPI_Comm_disconnect");
}

/// Where groups of other jobs can connect to. Closed at the end of the scope; can only be moved. Belongs to
/// one rank. [MPI-5.0 11.9]
///
///     lisle::port here;
///     lisle::published_name name{"weather", here};
///     auto client = here.accept(lisle::self());
class port {
  public:
    port() {
        char text[MPI_MAX_PORT_NAME];
        detail::check(MPI_Open_port(MPI_INFO_NULL, text), "MPI_Open_port");
        name_ = text;
    }
    port(port &&other) noexcept : name_{std::exchange(other.name_, {})} {}
    port &operator=(port &&other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~port() {
        if (!name_.empty())
            MPI_Close_port(name_.c_str());
    }
    /// What connect() takes.
    [[nodiscard]] const std::string &name() const noexcept { return name_; }
    /// Waits for a group that connects. Collective over `group`, whose rank `root` has the port: others call
    /// accept() below.
    [[nodiscard]] owned<intercommunicator> accept(const communicator &group, int root = 0) const {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(MPI_Comm_accept(name_.c_str(), MPI_INFO_NULL, root, group.native(), &made),
                      "MPI_Comm_accept", named_value{"root", root});
        return owned<intercommunicator>{made};
    }

  private:
    std::string name_;
};

/// What the ranks of the group call that do not have the port.
[[nodiscard]] inline owned<intercommunicator> accept(const communicator &group, int root = 0) {
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Comm_accept("", MPI_INFO_NULL, root, group.native(), &made), "MPI_Comm_accept",
                  named_value{"root", root});
    return owned<intercommunicator>{made};
}

/// Connects a group to a port by its name, which counts at the root. Collective. Throws `error` of the class
/// MPI_ERR_PORT at all ranks if nobody accepts.
/// @param hints {"timeout", "5"}: for so many seconds
[[nodiscard]] inline owned<intercommunicator> connect(const communicator &group, const std::string &port_name,
                                                      int root = 0, const info &hints = {}) {
    MPI_Comm made = MPI_COMM_NULL;
    detail::check(MPI_Comm_connect(port_name.c_str(), hints.native(), root, group.native(), &made),
                  "MPI_Comm_connect", named_value{"root", root});
    return owned<intercommunicator>{made};
}

/// The name of a service under which look_up() finds a port, until the end of the scope. Can only be moved.
/// Throws `error` of the class MPI_ERR_SERVICE if a program that runs has published it.
class published_name {
  public:
    published_name(std::string service, const port &where)
        : service_{std::move(service)}, port_{where.name()} {
        detail::check(MPI_Publish_name(service_.c_str(), MPI_INFO_NULL, port_.c_str()), "MPI_Publish_name");
    }
    published_name(published_name &&other) noexcept
        : service_{std::move(other.service_)}, port_{std::exchange(other.port_, {})} {}
    published_name &operator=(published_name &&other) noexcept {
        std::swap(service_, other.service_);
        std::swap(port_, other.port_);
        return *this;
    }
    ~published_name() {
        if (!port_.empty())
            MPI_Unpublish_name(service_.c_str(), MPI_INFO_NULL, port_.c_str());
    }

  private:
    std::string service_;
    std::string port_;
};

/// The port that a service has published; nothing if there is none.
[[nodiscard]] inline std::optional<std::string> look_up(const std::string &service) {
    char text[MPI_MAX_PORT_NAME];
    const int code = MPI_Lookup_name(service.c_str(), MPI_INFO_NULL, text);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    if (error_class == MPI_ERR_NAME)
        return std::nullopt;
    detail::check(code, "MPI_Lookup_name");
    return text;
}

} // namespace lisle
