// SPDX-License-Identifier: Apache-2.0
// The names of ports: what one program writes another reads, and nothing else passes for one.
#include "dynamic/port.hpp"

#include <netinet/in.h>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "../error_code.hpp"

namespace lisle::dynamic {
namespace {

port_place some_place(int family) {
    port_place made;
    made.secret.bytes[0] = std::byte{0x01};
    made.secret.bytes[15] = std::byte{0xef};
    if (family == AF_INET) {
        sockaddr_in four{};
        four.sin_family = AF_INET;
        four.sin_addr.s_addr = htonl(0xc0000207); // 192.0.2.7
        made.address = {reinterpret_cast<const sockaddr *>(&four), sizeof four};
    } else {
        sockaddr_in6 six{};
        six.sin6_family = AF_INET6;
        six.sin6_addr.s6_addr[0] = 0xfd;
        six.sin6_addr.s6_addr[15] = 9;
        made.address = {reinterpret_cast<const sockaddr *>(&six), sizeof six};
    }
    made.address.set_port(4711);
    return made;
}

class port_name : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(families, port_name, testing::Values(AF_INET, AF_INET6));

TEST_P(port_name, is_read_as_it_was_written) {
    const port_place place = some_place(GetParam());
    const port_place read = port_place::named(place.name());
    EXPECT_EQ(read.secret, place.secret);
    EXPECT_EQ(read.name(), place.name());
    EXPECT_LT(place.name().size(), static_cast<std::size_t>(MPI_MAX_PORT_NAME));
}

TEST_P(port_name, with_a_change_is_another_or_none) {
    const std::string name = some_place(GetParam()).name();
    std::mt19937 random{11};
    for (int repetition = 0; repetition != 5000; ++repetition) {
        std::string changed = name;
        for (auto changes = 1 + random() % 3; changes != 0; --changes) {
            const std::size_t at = random() % changed.size();
            switch (random() % 3) {
            case 0:
                changed[at] = static_cast<char>(random());
                break;
            case 1:
                changed.erase(at, 1 + random() % 4);
                break;
            default:
                changed.insert(at, 1, static_cast<char>(random()));
            }
            if (changed.empty()) {
                break;
            }
        }
        // Refused, or a name of some place, which is written in one way.
        port_place read;
        const int code = code_of([&] { read = port_place::named(changed); });
        ASSERT_TRUE(code == MPI_SUCCESS || code == MPI_ERR_PORT) << changed;
        if (code == MPI_SUCCESS) {
            ASSERT_EQ(port_place::named(read.name()).name(), read.name()) << changed;
        }
    }
    for (const char *const none :
         {"", "lisle", "tag=0 port=1", "lisle:192.0.2.7:99999:1", "lisle:nowhere:1:1"}) {
        EXPECT_EQ(code_of([none] { static_cast<void>(port_place::named(none)); }), MPI_ERR_PORT) << none;
    }
}

} // namespace
} // namespace lisle::dynamic
