// SPDX-License-Identifier: Apache-2.0
// Files of the system: what is read beyond the end, how a refusal is named, locks of ranges.
#include "file/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "../error_code.hpp"

namespace lisle::file {
namespace {

class file_descriptor : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = std::filesystem::temp_directory_path() / "lisle-file-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string name(const char *file) const { return folder_ / file; }

    static std::vector<std::byte> some(std::size_t bytes, int seed) {
        std::vector<std::byte> made(bytes);
        for (std::size_t at = 0; at != bytes; ++at) {
            made[at] = static_cast<std::byte>(at * 7 + static_cast<std::size_t>(seed));
        }
        return made;
    }

  private:
    std::filesystem::path folder_;
};

constexpr int make = MPI_MODE_CREATE | MPI_MODE_RDWR;

TEST_F(file_descriptor, reads_what_was_written_up_to_the_end) {
    const descriptor open{name("a"), make};
    const auto data = some(100'000, 1);
    open.write(data, 50);
    EXPECT_EQ(open.size(), 100'050);
    std::vector<std::byte> back(200'000, std::byte{0xff});
    EXPECT_EQ(open.read(back, 0), 100'050U);
    EXPECT_TRUE(
        std::all_of(back.begin(), back.begin() + 50, [](std::byte each) { return each == std::byte{}; }));
    EXPECT_TRUE(std::equal(data.begin(), data.end(), back.begin() + 50));
    EXPECT_EQ(back[100'050], std::byte{0xff}) << "what no byte was read to stays as it was";
    EXPECT_EQ(open.read(back, 100'050), 0U);
    EXPECT_EQ(open.read(back, 1'000'000), 0U);
}

TEST_F(file_descriptor, grows_and_shrinks) {
    const descriptor open{name("a"), make};
    open.set_size(5000);
    EXPECT_EQ(open.size(), 5000);
    open.preallocate(4000);
    EXPECT_EQ(open.size(), 5000) << "preallocation does not cut";
    open.preallocate(9000);
    EXPECT_EQ(open.size(), 9000);
    open.set_size(10);
    EXPECT_EQ(open.size(), 10);
    open.sync();
}

TEST_F(file_descriptor, a_refusal_has_the_class_of_its_reason) {
    { const descriptor made{name("there"), make}; }
    std::filesystem::create_directory(name("folder"));
    const auto opening = [this](const char *file, int amode) {
        return code_of([&] { const descriptor open{name(file), amode}; });
    };
    EXPECT_EQ(opening("none", MPI_MODE_RDONLY), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(opening("none/below", make), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(opening("there", make | MPI_MODE_EXCL), MPI_ERR_FILE_EXISTS);
    EXPECT_NE(opening("folder", make), MPI_SUCCESS);
    EXPECT_EQ(code_of([this] { remove_file(name("none")); }), MPI_ERR_NO_SUCH_FILE);
    remove_file(name("there"));
    EXPECT_FALSE(std::filesystem::exists(name("there")));
}

TEST_F(file_descriptor, a_refusal_names_the_file) {
    try {
        const descriptor open{name("none"), MPI_MODE_RDONLY};
        FAIL();
    } catch (const mpi_error &error) {
        EXPECT_NE(std::string{error.what()}.find(name("none")), std::string::npos) << error.what();
    }
}

TEST(file_errors, every_reason_has_a_class) {
    EXPECT_EQ(class_of_errno(ENOENT), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(class_of_errno(EACCES), MPI_ERR_ACCESS);
    EXPECT_EQ(class_of_errno(ENOSPC), MPI_ERR_NO_SPACE);
    EXPECT_EQ(class_of_errno(EDQUOT), MPI_ERR_QUOTA);
    EXPECT_EQ(class_of_errno(EROFS), MPI_ERR_READ_ONLY);
    for (int reason = 1; reason != 134; ++reason) {
        EXPECT_NE(class_of_errno(reason), MPI_SUCCESS);
    }
}

TEST(file_names, lose_the_prefix_of_a_file_system) {
    EXPECT_EQ(plain_name("ufs:/tmp/a"), "/tmp/a");
    EXPECT_EQ(plain_name("nfs:a"), "a");
    EXPECT_EQ(plain_name("/tmp/ufs:a"), "/tmp/ufs:a");
    EXPECT_EQ(plain_name("strange:a"), "strange:a");
}

TEST_F(file_descriptor, an_exclusive_lock_keeps_others_out_of_its_range) {
    const descriptor one{name("a"), make}, other{name("a"), make};
    ASSERT_EQ(one.try_lock({0, 100}, lock_kind::exclusive), lock_answer::taken);
    EXPECT_EQ(other.try_lock({50, 10}, lock_kind::shared), lock_answer::busy);
    ASSERT_EQ(other.try_lock({100, 10}, lock_kind::exclusive), lock_answer::taken);
    other.unlock({100, 10});
    one.unlock({0, 100});
    EXPECT_EQ(other.try_lock({50, 10}, lock_kind::exclusive), lock_answer::taken);
    other.unlock({50, 10});
}

TEST_F(file_descriptor, threads_that_share_one_exclude_each_other) {
    const descriptor open{name("a"), make};
    const long rounds = 2000;
    long counted = 0; // guarded by the lock
    const auto count = [&] {
        for (long left = rounds; left != 0;) {
            if (open.try_lock({0, 1}, lock_kind::exclusive) == lock_answer::taken) {
                ++counted;
                open.unlock({0, 1});
                --left;
            } else {
                std::this_thread::yield();
            }
        }
    };
    std::thread first{count}, second{count};
    first.join();
    second.join();
    EXPECT_EQ(counted, 2 * rounds);
}

} // namespace
} // namespace lisle::file
