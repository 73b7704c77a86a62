// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/provider.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace lisle::fabric::network;

bool is_loaded(const char *library) {
    void *const loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    return loaded != nullptr && dlclose(loaded) == 0;
}

TEST(choice_of_provider, libfabric_is_asked_only_where_there_is_hardware_for_it) {
    const std::filesystem::path kinds = testing::TempDir() + "lisle_devices_" + std::to_string(getpid());
    // In a process of its own: a library stays loaded.
    const auto asks_libfabric = [&](std::string_view provider) {
        const pid_t child = fork();
        if (child == 0) {
            static_cast<void>(choose_providers({std::string{provider}, "lo", false, kinds}));
            _exit(is_loaded("libfabric.so.1") ? 1 : 0);
        }
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status));
        return WEXITSTATUS(status) == 1;
    };
    EXPECT_FALSE(asks_libfabric(""));
    std::filesystem::create_directories(kinds / "infiniband"); // the driver is there, no device
    EXPECT_FALSE(asks_libfabric(""));
    std::filesystem::create_directories(kinds / "infiniband" / "mlx5_0");
    EXPECT_FALSE(asks_libfabric(own_tcp));
#ifdef LISLE_WITH_LIBFABRIC
    EXPECT_TRUE(asks_libfabric(""));
#endif
    std::filesystem::remove_all(kinds);
}

} // namespace
