// SPDX-License-Identifier: Apache-2.0
// Names of hosts, services and protocols: results and h_errno are each rank's own.
#include "launch/host/interpose/own_result.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

#include <arpa/inet.h>
#include <array>
#include <netdb.h>

namespace lisle::host {

namespace {

const real<"gethostbyname", hostent *(const char *)> real_host;
const real<"gethostbyname2", hostent *(const char *, int)> real_host_of_family;
const real<"gethostbyaddr", hostent *(const void *, socklen_t, int)> real_host_by_address;
const real<"getservbyname", servent *(const char *, const char *)> real_service;
const real<"getservbyport", servent *(int, const char *)> real_service_by_port;
const real<"getprotobyname", protoent *(const char *)> real_protocol;
const real<"getprotobynumber", protoent *(int)> real_protocol_by_number;
const real<"__h_errno_location", int *()> real_error_place;
const real<"inet_ntoa", char *(in_addr)> real_text_of;

struct network_names {
    own_result<hostent> host;
    own_result<servent> service;
    own_result<protoent> protocol;
    int error = 0;
    std::array<char, INET_ADDRSTRLEN> address{};
};
const rank_slot<network_names> rank_names;

/// The forms of gethostbyname with _r also give h_errno.
template <class Ask> hostent *find_host(hosted_rank &rank, Ask ask) {
    network_names &own = rank_names.of(rank);
    return own.host.filled_by([&](hostent *into, char *text, std::size_t size, hostent **found) {
        return ask(into, text, size, found, &own.error);
    });
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int *__h_errno_location() noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_error_place() : &rank_names.of(*rank).error;
}

hostent *gethostbyname(const char *name) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_host(name)
                           : find_host(*rank, [=](auto... into) { return gethostbyname_r(name, into...); });
}

hostent *gethostbyname2(const char *name, int family) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr
               ? real_host_of_family(name, family)
               : find_host(*rank, [=](auto... into) { return gethostbyname2_r(name, family, into...); });
}

hostent *gethostbyaddr(const void *address, socklen_t size, int family) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_host_by_address(address, size, family)
                           : find_host(*rank, [=](auto... into) {
                                 return gethostbyaddr_r(address, size, family, into...);
                             });
}

servent *getservbyname(const char *name, const char *protocol) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_service(name, protocol)
                           : rank_names.of(*rank).service.filled_by(
                                 [=](auto... into) { return getservbyname_r(name, protocol, into...); });
}

servent *getservbyport(int port, const char *protocol) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_service_by_port(port, protocol)
                           : rank_names.of(*rank).service.filled_by(
                                 [=](auto... into) { return getservbyport_r(port, protocol, into...); });
}

protoent *getprotobyname(const char *name) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_protocol(name) : rank_names.of(*rank).protocol.filled_by([=](auto... into) {
        return getprotobyname_r(name, into...);
    });
}

protoent *getprotobynumber(int number) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_protocol_by_number(number)
                           : rank_names.of(*rank).protocol.filled_by(
                                 [=](auto... into) { return getprotobynumber_r(number, into...); });
}

char *inet_ntoa(in_addr address) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_text_of(address);
    }
    std::array<char, INET_ADDRSTRLEN> &own = rank_names.of(*rank).address;
    inet_ntop(AF_INET, &address, own.data(), INET_ADDRSTRLEN);
    return own.data();
}

} // extern "C"
