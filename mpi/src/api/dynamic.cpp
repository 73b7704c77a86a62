// SPDX-License-Identifier: Apache-2.0
#include "api/dynamic.hpp"

#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <sys/socket.h>
#include <unistd.h>

#include "abi/check.hpp"
#include "api/explored.hpp"
#include "base/error.hpp"
#include "communicator/agreement.hpp"
#include "communicator/introduction.hpp"
#include "communicator/predefined.hpp"
#include "communicator/remote_exchange.hpp"
#include "dynamic/names.hpp"
#include "dynamic/port.hpp"
#include "dynamic/start.hpp"
#include "execution/rank_local.hpp"
#include "tcp/connecting.hpp"
#include "world/job.hpp"

namespace lisle::api {

namespace {

/// The ports of a rank, by name. Threads of the rank may open and close some while others wait at theirs.
struct open_ports {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<dynamic::port>, std::less<>> by_name;
};
const rank_local<open_ports> ports;

std::shared_ptr<dynamic::port> find_port(std::string_view name) {
    open_ports &own = *ports;
    const std::scoped_lock guard{own.mutex};
    const auto found = own.by_name.find(name);
    if (found == own.by_name.end()) {
        fail(MPI_ERR_PORT, "no port called \"", name, "\" is open in this process");
    }
    return found->second;
}

/// What the root of a call has given.
std::string_view named(const char *port_name) {
    if (port_name == nullptr) {
        fail(MPI_ERR_ARG, "port_name is a null pointer");
    }
    return port_name;
}

/// introduce(), where that is not refused.
template <class Link> communicator_ref meet_job(communicator &comm, int root, Link link) {
    refuse_other_jobs_if_explored();
    return introduce(comm, root, std::move(link));
}

void check_intra(const communicator &comm) {
    if (comm.inter()) {
        fail(MPI_ERR_COMM, comm.label(), " is an inter-communicator");
    }
}

std::string hint(const info *hints, std::string_view key) {
    return hints != nullptr ? hints->get(key).value_or("") : "";
}

/// How long a group waits to be accepted: the hint "timeout", in seconds.
std::chrono::seconds patience_of(const info *hints) {
    const std::string wanted = hint(hints, "timeout");
    long seconds = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), seconds);
    return error == std::errc{} && end == wanted.data() + wanted.size() && seconds >= 0
               ? std::chrono::seconds{seconds}
               : dynamic::usual_patience;
}

/// What the root of a spawn has been told to start.
dynamic::started_program program_of(const char *command, char *const *argv, int ranks, const info *hints) {
    if (command == nullptr || *command == '\0') {
        fail(MPI_ERR_ARG, "the command is empty");
    }
    if (ranks < 0) {
        fail(MPI_ERR_ARG, "maxprocs is ", ranks, ", which is negative");
    }
    dynamic::started_program made{.command = command,
                                  .arguments = {},
                                  .ranks = ranks,
                                  .directory = hint(hints, "wdir"),
                                  .search_path = hint(hints, "path"),
                                  .kind = hint(hints, "lisle_ranks"),
                                  .hosts = hint(hints, "host"),
                                  .errhandler = hint(hints, "mpi_initial_errhandler")};
    for (char *const *each = argv; each != nullptr && *each != nullptr; ++each) {
        made.arguments.emplace_back(*each);
    }
    return made;
}

/// What the root does: starts the job and waits until its first rank connects.
std::unique_ptr<leaders_link> start_and_meet(const std::vector<dynamic::started_program> &programs) {
    dynamic::port waiting;
    const owned_descriptor launcher = dynamic::start_job(programs, waiting.name());
    return waiting.accept([&launcher] {
        if (tcp::is_readable(launcher.get())) {
            fail(MPI_ERR_SPAWN, "the new job has ended before its ranks called MPI_Init");
        }
    });
}

/// @param describe tells what is to be started; called at the root only
template <class Describe> void spawn(const Describe &describe, int root, communicator &comm,
                                     MPI_Comm *intercomm, int array_of_errcodes[]) {
    check_intra(comm);
    *intercomm = MPI_COMM_NULL;
    std::vector<dynamic::started_program> programs;
    const party all{comm.channel(message_space::agreement), comm.next_agreement_tag()};
    // All hear of it if the root's arguments are wrong.
    const int ranks =
        told_by_leader<int>(all, root, 1, [&] {
            programs = describe();
            return std::vector<int>{std::accumulate(
                programs.begin(), programs.end(), 0,
                [](int sum, const dynamic::started_program &each) { return sum + each.ranks; })};
        }).at(0);
    const auto tell_codes = [&](int code) {
        if (array_of_errcodes != MPI_ERRCODES_IGNORE && array_of_errcodes != nullptr) {
            std::fill_n(array_of_errcodes, ranks, code);
        }
    };
    try {
        *intercomm = give_handle(meet_job(comm, root, [&programs] { return start_and_meet(programs); }));
    } catch (const std::exception &caught) {
        tell_codes(error_of(caught).code());
        throw;
    }
    tell_codes(MPI_SUCCESS);
}

} // namespace

// ---- ports ----

void open_port(info *, char *port_name) {
    auto made = std::make_shared<dynamic::port>();
    const std::string name = made->name();
    std::memcpy(port_name, name.c_str(), name.size() + 1);
    open_ports &own = *ports;
    const std::scoped_lock guard{own.mutex};
    own.by_name.emplace(name, std::move(made));
}

void close_port(const char *port_name) {
    static_cast<void>(find_port(port_name));
    open_ports &own = *ports;
    const std::scoped_lock guard{own.mutex};
    own.by_name.erase(port_name);
}

void comm_accept(const char *port_name, info *, int root, communicator &comm, MPI_Comm *newcomm) {
    check_intra(comm);
    *newcomm =
        give_handle(meet_job(comm, root, [port_name] { return find_port(named(port_name))->accept(); }));
}

void comm_connect(const char *port_name, info *hints, int root, communicator &comm, MPI_Comm *newcomm) {
    check_intra(comm);
    *newcomm = give_handle(
        meet_job(comm, root, [&] { return dynamic::connect_to_port(named(port_name), patience_of(hints)); }));
}

void comm_join(int fd, MPI_Comm *intercomm) {
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) {
        fail(MPI_ERR_ARG, "fd ", fd, " is no stream socket");
    }
    communicator &alone = *predefined->self;
    *intercomm = give_handle(meet_job(
        alone, 0, [fd] { return std::make_unique<dynamic::connection>(owned_descriptor{dup(fd)}); }));
}

// ---- names ----

void publish_name(const char *service_name, info *, const char *port_name) {
    dynamic::publish(service_name, port_name);
}

void lookup_name(const char *service_name, info *, char *port_name) {
    const std::string found = dynamic::look_up(service_name);
    std::memcpy(port_name, found.c_str(), std::min<std::size_t>(found.size() + 1, MPI_MAX_PORT_NAME));
    port_name[MPI_MAX_PORT_NAME - 1] = '\0';
}

void unpublish_name(const char *service_name, info *, const char *port_name) {
    dynamic::unpublish(service_name, port_name);
}

// ---- new processes ----

void comm_spawn(const char *command, char *argv[], int maxprocs, info *hints, int root, communicator &comm,
                MPI_Comm *intercomm, int array_of_errcodes[]) {
    spawn([&] { return std::vector{program_of(command, argv, maxprocs, hints)}; }, root, comm, intercomm,
          array_of_errcodes);
}

void comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                         const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                         communicator &comm, MPI_Comm *intercomm, int array_of_errcodes[]) {
    const auto describe = [&] {
        if (count <= 0 || array_of_commands == nullptr || array_of_maxprocs == nullptr) {
            fail(MPI_ERR_ARG, "count is ", count, ", or an array of so many programs is missing");
        }
        std::vector<dynamic::started_program> programs;
        for (int i = 0; i < count; ++i) {
            const MPI_Info given = array_of_info != nullptr ? array_of_info[i] : MPI_INFO_NULL;
            programs.push_back(program_of(
                array_of_commands[i], array_of_argv != MPI_ARGVS_NULL ? array_of_argv[i] : MPI_ARGV_NULL,
                array_of_maxprocs[i], abi::to_info_or_null(given, "array_of_info")));
        }
        return programs;
    };
    spawn(describe, root, comm, intercomm, array_of_errcodes);
}

void comm_get_parent(MPI_Comm *parent) {
    communicator *const own = predefined->parent;
    *parent = own != nullptr ? own->handle() : MPI_COMM_NULL;
}

} // namespace lisle::api
