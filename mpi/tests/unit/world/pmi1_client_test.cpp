// SPDX-License-Identifier: Apache-2.0
// The PMI-1 client against a launcher that the test plays, and the texts that travel.
#include "world/pmi/pmi1_client.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "world/pmi/wire_text.hpp"

namespace {

using namespace lisle;

std::vector<std::byte> bytes(std::string_view text) {
    const auto *const begin = reinterpret_cast<const std::byte *>(text.data());
    return {begin, begin + text.size()};
}

/// A launcher for one process: answers line by line until the process closes its end.
class launcher {
  public:
    using answerer = std::function<std::string(const std::string &)>;

    explicit launcher(answerer answer) {
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
        thread_ = std::thread{[this, answer] { serve(answer); }};
    }
    ~launcher() {
        thread_.join();
        close(ends_[0]);
    }
    [[nodiscard]] int descriptor() const { return ends_[1]; }

    /// What a sound launcher answers; its values are at most 40 characters long.
    static std::string sound(std::map<std::string, std::string> &store, const std::string &line) {
        const std::string command{word_in(line, "cmd").value_or("")};
        const std::string key{word_in(line, "key").value_or("")};
        if (command == "init") {
            return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0";
        }
        if (command == "get_maxes") {
            return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=40";
        }
        if (command == "get_my_kvsname") {
            return "cmd=my_kvsname kvsname=kvs_7";
        }
        if (command == "put") {
            const std::string value{word_in(line, "value").value_or("")};
            const bool fits = value.size() < 40 && key.size() < 64 && word_in(line, "kvsname") == "kvs_7";
            store[key] = value;
            return fits ? "cmd=put_result rc=0 msg=success" : "cmd=put_result rc=-1 msg=too_long";
        }
        if (command == "get") {
            return store.contains(key) ? "cmd=get_result rc=0 msg=success value=" + store[key]
                                       : "cmd=get_result rc=-1 msg=key_not_found value=unknown";
        }
        return command == "barrier_in" ? "cmd=barrier_out" : "cmd=" + command + "_ack";
    }

  private:
    void serve(const answerer &answer) {
        std::string unread;
        char buffer[256];
        for (ssize_t some = 0; (some = read(ends_[0], buffer, sizeof buffer)) > 0;) {
            unread.append(buffer, static_cast<std::size_t>(some));
            for (std::size_t end = 0; (end = unread.find('\n')) != std::string::npos;
                 unread.erase(0, end + 1)) {
                const std::string line = answer(unread.substr(0, end));
                if (line.empty()) {
                    shutdown(ends_[0], SHUT_RDWR);
                    return;
                }
                // In two pieces, as a network may deliver them.
                const std::string whole = line + '\n';
                EXPECT_EQ(write(ends_[0], whole.data(), whole.size() / 2), ssize_t(whole.size() / 2));
                EXPECT_EQ(write(ends_[0], whole.data() + whole.size() / 2, whole.size() - whole.size() / 2),
                          ssize_t(whole.size() - whole.size() / 2));
            }
        }
    }

    int ends_[2]{};
    std::thread thread_;
};

TEST(pmi1_client, values_of_all_lengths_return_whole) {
    std::map<std::string, std::string> store;
    launcher other{[&](const std::string &line) { return launcher::sound(store, line); }};
    pmi1_client client{other.descriptor(), 1, 3};
    for (std::size_t length : {0, 1, 18, 19, 20, 38, 39, 40, 1000}) {
        std::vector<std::byte> value(length);
        for (std::size_t at = 0; at != length; ++at) {
            value[at] = static_cast<std::byte>(at * 7);
        }
        const std::string key = "address-" + std::to_string(length);
        client.put(key, value);
        client.fence();
        EXPECT_EQ(client.get(1, key), value) << length;
    }
    EXPECT_THROW(static_cast<void>(client.get(2, "address-1")), mpi_error);
    client.finalize();
}

TEST(pmi1_client, a_launcher_that_leaves_is_an_error_and_no_hang) {
    std::map<std::string, std::string> store;
    launcher other{[&](const std::string &line) {
        return line == "cmd=barrier_in" ? "" : launcher::sound(store, line);
    }};
    pmi1_client client{other.descriptor(), 0, 2};
    EXPECT_THROW(client.fence(), mpi_error);
    client.abort(3, "nothing to be told");
    client.finalize();
}

TEST(pmi1_client, garbage_is_an_error) {
    for (const char *garbage : {"cmd=response_to_init rc=-1", "hello", "cmd=", "=="}) {
        launcher other{[&](const std::string &) { return garbage; }};
        EXPECT_THROW((pmi1_client{other.descriptor(), 0, 1}), mpi_error) << garbage;
        shutdown(other.descriptor(), SHUT_RDWR);
        close(other.descriptor());
    }
}

TEST(pmi1_client, words_of_a_line) {
    EXPECT_EQ(word_in("cmd=get_result rc=0 value=a b=c", "rc"), "0");
    EXPECT_EQ(word_in("cmd=get_result rc=0 value=a b=c", "value"), "a b=c");
    EXPECT_EQ(word_in("cmd=get_result rc=0 value=a b=c", "b"), std::nullopt);
    EXPECT_EQ(word_in("", "cmd"), std::nullopt);
}

TEST(pmi1_client, mappings_of_processes_to_nodes) {
    EXPECT_EQ(nodes_from_mapping("(vector,(0,2,2))", 4), (std::vector<int>{0, 0, 1, 1}));
    EXPECT_EQ(nodes_from_mapping("(vector,(0,2,1))", 4), (std::vector<int>{0, 1, 0, 1}));
    EXPECT_EQ(nodes_from_mapping("(vector,(1,1,2),(0,1,1))", 5), (std::vector<int>{0, 0, 1, 0, 0}));
    EXPECT_TRUE(nodes_from_mapping("(vector,)", 4).empty());
    EXPECT_TRUE(nodes_from_mapping("(vector,(0,0,1))", 4).empty());
    EXPECT_TRUE(nodes_from_mapping("(vector,(0,1))", 4).empty());
    EXPECT_TRUE(nodes_from_mapping("unknown", 4).empty());
}

TEST(wire_text, is_what_it_was) {
    EXPECT_EQ(to_text(bytes("\x01zA")), "017a41");
    EXPECT_EQ(from_text("017a41"), bytes("\x01zA"));
    EXPECT_EQ(from_text("01z"), std::nullopt);
    EXPECT_EQ(from_text("0g"), std::nullopt);
}

} // namespace
