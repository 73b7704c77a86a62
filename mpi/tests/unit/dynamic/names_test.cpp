// SPDX-License-Identifier: Apache-2.0
// Published names: one program's at a time, for as long as it runs.
#include "dynamic/names.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "../error_code.hpp"

namespace lisle::dynamic {
namespace {

/// A folder of this test's own, named before anything asks for the settings.
class own_folder : public testing::Environment {
  public:
    own_folder() {
        std::string pattern = std::filesystem::temp_directory_path() / "lisle-names-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        setenv("LISLE_NAMES", folder_.c_str(), 1);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

  private:
    std::string folder_;
};
[[maybe_unused]] const auto *const registered = testing::AddGlobalTestEnvironment(new own_folder);

TEST(published_names, are_found_until_they_are_taken_back) {
    EXPECT_EQ(code_of([] { static_cast<void>(look_up("ocean")); }), MPI_ERR_NAME);
    publish("ocean", "port 1");
    publish("atmosphere", "port 2");
    EXPECT_EQ(look_up("ocean"), "port 1");
    EXPECT_EQ(look_up("atmosphere"), "port 2");
    EXPECT_EQ(code_of([] { unpublish("ocean", "port 2"); }), MPI_ERR_SERVICE) << "another port's";
    unpublish("ocean", "port 1");
    EXPECT_EQ(code_of([] { static_cast<void>(look_up("ocean")); }), MPI_ERR_NAME);
    EXPECT_EQ(code_of([] { unpublish("ocean", "port 1"); }), MPI_ERR_SERVICE);
    unpublish("atmosphere", "port 2");
}

TEST(published_names, belong_to_who_was_first) {
    publish("ocean", "port 1");
    EXPECT_EQ(code_of([] { publish("ocean", "port 2"); }), MPI_ERR_SERVICE);
    EXPECT_EQ(look_up("ocean"), "port 1");
    unpublish("ocean", "port 1");
}

TEST(published_names, may_be_any_text) {
    std::vector<std::string> names{std::string(1000, 'x'), std::string(1001, 'x')};
    for (const char *const each : {"", "/", "../up", "a b\nc", "\xff\xfe"}) {
        names.emplace_back(each);
    }
    for (const std::string &name : names) {
        publish(name, "port of " + std::to_string(name.size()));
    }
    for (const std::string &name : names) {
        EXPECT_EQ(look_up(name), "port of " + std::to_string(name.size()));
        unpublish(name, "port of " + std::to_string(name.size()));
    }
}

TEST(published_names, of_a_program_that_has_ended_are_free) {
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        publish("ocean", "port of the dead");
        _exit(look_up("ocean") == "port of the dead" ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_EQ(code_of([] { static_cast<void>(look_up("ocean")); }), MPI_ERR_NAME);
    publish("ocean", "port 1");
    EXPECT_EQ(look_up("ocean"), "port 1");
    unpublish("ocean", "port 1");
}

} // namespace
} // namespace lisle::dynamic
