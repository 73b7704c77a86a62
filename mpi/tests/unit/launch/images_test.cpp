// SPDX-License-Identifier: Apache-2.0
// What the host reads from programs and libraries, what it decides, and how it edits copies; with files that
// are sound and with files that are not: whatever is in them, the answer is a refusal or a result, never a
// crash.
#include "launch/host/image/anonymous_file.hpp"
#include "launch/host/image/closure.hpp"
#include "launch/host/image/loading_stub.hpp"
#include "launch/host/image/preconditions.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace lisle::host {
namespace {

const std::string folder = IMAGE_FIXTURES;

std::string in_folder(const char *name) {
    return folder + "/" + name;
}

std::vector<char> content(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file of this content for as long as the object lives.
class temporary_file {
  public:
    explicit temporary_file(std::span<const char> bytes) : file_("damaged", bytes.size()) {
        file_.write(std::as_bytes(bytes), 0);
    }
    [[nodiscard]] const std::string &path() const { return file_.path(); }

  private:
    anonymous_file file_;
};

std::uint32_t modern_hash(std::string_view name) {
    std::uint32_t hash = 5381;
    for (const char each : name) {
        hash = hash * 33 + static_cast<unsigned char>(each);
    }
    return hash;
}

std::vector<std::string> symbols_of(const program_file &file, unsigned binding) {
    std::vector<std::string> names;
    for (const Elf64_Sym &each : file.tables().symbols()) {
        if (ELF64_ST_BIND(each.st_info) == binding) {
            names.emplace_back(file.tables().name_of(each));
        }
    }
    return names;
}

bool has(const std::vector<std::string> &all, const std::string &one) {
    return std::ranges::find(all, one) != all.end();
}

/// Edits of every sort that this file gives collective_call for.
copy_edits all_edits(const program_file &file) {
    copy_edits edits;
    for (const std::string &each : file.tables().needed()) {
        if (each.starts_with("libc.")) {
            edits.shared_libraries.emplace(each, "/a/longer/path/to/" + each);
        } else {
            edits.private_libraries.emplace(each, 0);
        }
    }
    for (const Elf64_Sym &each : file.tables().symbols()) {
        const std::string name(file.tables().name_of(each));
        if (name.size() > 1) {
            edits.new_names.emplace(name, name_of_equal_hash(name));
        }
    }
    for (const thread_local_reference &each : file.references().thread_locals()) {
        edits.own_relocations.push_back(each.entry);
    }
    return edits;
}

TEST(LibraryRules, FolderDecides) {
    const library_rules rules("", "");
    EXPECT_EQ(rules.of("libown.so", "/home/somebody/libown.so"), ownership::ordinary);
    EXPECT_EQ(rules.of("libown.so", "/usr/local/lib/libown.so"), ownership::ordinary);
    EXPECT_EQ(rules.of("libz.so.1", "/usr/lib/x86_64-linux-gnu/libz.so.1"), ownership::of_system);
    EXPECT_EQ(rules.of("libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1"), ownership::of_system);
    EXPECT_EQ(rules.of("libm.so.6", "/lib/x86_64-linux-gnu/libm.so.6"), ownership::shared);
    EXPECT_EQ(rules.of("libgomp.so.1", "/opt/gcc/lib64/libgomp.so.1"), ownership::shared);
    EXPECT_EQ(rules.of("/opt/lisle/lib/libmpi_abi.so.1", "/opt/lisle/lib/libmpi_abi.so.1"),
              ownership::shared);
}

TEST(LibraryRules, VariablesAreFound) {
    EXPECT_TRUE(program_file(in_folder("liblower.so"), role::library).has_variables());
    EXPECT_FALSE(program_file(in_folder("libconstant.so"), role::library).has_variables());
}

TEST(LibraryRules, ListsOverruleFolders) {
    const library_rules rules("libz.so*, /usr/lib/special/*", "liblarge*:/opt/vendor/*");
    EXPECT_EQ(rules.of("libz.so.1", "/usr/lib/libz.so.1"), ownership::asked_for);
    EXPECT_EQ(rules.of("libx.so", "/usr/lib/special/libx.so"), ownership::asked_for);
    EXPECT_EQ(rules.of("liblarge.so.2", "/home/somebody/liblarge.so.2"), ownership::shared);
    EXPECT_EQ(rules.of("libv.so", "/opt/vendor/lib/libv.so"), ownership::shared);
    EXPECT_EQ(library_rules("*", "").of("libgomp.so.1", "/usr/lib/libgomp.so.1"), ownership::shared);
}

TEST(LibrarySearch, FollowsPathsAsTheLoaderDoes) {
    const program_file program(in_folder("program"));
    const std::vector<const program_file *> chain{&program};
    EXPECT_EQ(library_search("", "").find("libupper.so", chain), in_folder("libupper.so")); // $ORIGIN
    EXPECT_EQ(library_search("", "").find("libabsent.so", chain), "");
    EXPECT_EQ(library_search("", "").find(in_folder("liblower.so"), chain), in_folder("liblower.so"));
    const program_file lower(in_folder("liblower.so"), role::library);
    const std::vector<const program_file *> other{&lower};
    EXPECT_EQ(library_search("/nowhere:" + folder, "").find("libupper.so", other), in_folder("libupper.so"));
}

TEST(LibrarySearch, ReadsTheSystemsCache) {
    const program_file lower(in_folder("liblower.so"), role::library);
    const std::vector<const program_file *> chain{&lower};
    const std::string found = library_search("", "/etc/ld.so.cache").find("libc.so.6", chain);
    EXPECT_TRUE(found.ends_with("/libc.so.6")) << found;
    EXPECT_TRUE(is_system_library(found)) << found;
}

TEST(LibrarySearch, SurvivesMalformedCaches) {
    const program_file lower(in_folder("liblower.so"), role::library);
    const std::vector<const program_file *> chain{&lower};
    std::vector<char> cache = content("/etc/ld.so.cache");
    cache.resize(std::min<std::size_t>(cache.size(), 20000));
    ASSERT_GT(cache.size(), 48U);
    std::mt19937 random(7);
    for (int round = 0; round != 200; ++round) {
        std::vector<char> damaged = cache;
        for (int i = 0; i != 20; ++i) {
            damaged[20 + random() % (damaged.size() - 20)] = static_cast<char>(random());
        }
        damaged.resize(random() % damaged.size());
        const temporary_file file(damaged);
        static_cast<void>(library_search("", file.path()).find("libc.so.6", chain));
    }
}

TEST(LoadingStub, LoadsWhatItNames) {
    const auto is_loaded = [](const char *name) { return dlopen(name, RTLD_LAZY | RTLD_NOLOAD) != nullptr; };
    ASSERT_FALSE(is_loaded("libresolv.so.2"));
    const std::vector<std::string> needed{"libc.so.6", "libresolv.so.2"};
    const std::vector<std::byte> stub = loading_stub(needed);
    const anonymous_file file("stub", stub.size());
    file.write(stub, 0);
    EXPECT_NE(dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
    EXPECT_TRUE(is_loaded("libresolv.so.2"));
}

TEST(AnonymousFile, HasAPathOfItsOwn) {
    const std::string first = anonymous_file("one", 10).path();
    const std::string second = anonymous_file("two", 10).path();
    EXPECT_NE(first, second);
    EXPECT_LE(second.size(), edited_copy::longest_name);
}

TEST(NameOfEqualHash, HasEqualHash) {
    for (const char *const each : {"error", "y1", "random", "a_rather_long_name_of_a_function"}) {
        EXPECT_NE(name_of_equal_hash(each), each);
        EXPECT_EQ(modern_hash(name_of_equal_hash(each)), modern_hash(each));
    }
}

TEST(Closure, FindsThePrograms) {
    const closure unit(in_folder("program"), library_rules("", ""), library_search("", ""));
    ASSERT_EQ(unit.modules().size(), 3U);
    EXPECT_EQ(unit.modules()[1].name, "libupper.so");
    EXPECT_EQ(unit.modules()[2].name, "liblower.so");
    EXPECT_EQ(unit.modules()[1].needed, std::vector<std::size_t>{2});
    EXPECT_EQ(unit.construction_order(), (std::vector<std::size_t>{2, 1})); // what is needed comes first
    EXPECT_TRUE(unit.library_defines("lower_variable"));
    EXPECT_FALSE(unit.library_defines("printf"));
}

TEST(Closure, PlacesThreadLocalVariablesApart) {
    const closure unit(in_folder("program"), library_rules("", ""), library_search("", ""));
    std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> places; // beginnings and ends
    for (const module &each : unit.modules()) {
        const thread_local_image &image = each.file->thread_locals();
        ASSERT_NE(image.memory_size, 0U);
        EXPECT_EQ((static_cast<std::ptrdiff_t>(image.address) - each.position) %
                      static_cast<std::ptrdiff_t>(image.alignment),
                  0);
        places.emplace_back(each.position, each.position + static_cast<std::ptrdiff_t>(image.memory_size));
    }
    std::ranges::sort(places);
    for (std::size_t i = 1; i != places.size(); ++i) {
        EXPECT_GE(places[i].first, places[i - 1].second);
    }
    EXPECT_GE(unit.thread_local_bytes(),
              static_cast<std::size_t>(places.back().second - places.front().first));
}

/// The sentence with which a check refuses; empty if it does not.
template <class Check> std::string refusal_of(Check check) {
    try {
        check();
        return {};
    } catch (const refusal &reason) {
        return reason.what();
    }
}

TEST(Preconditions, ProgramsThatStartOthersAreRefused) {
    EXPECT_EQ(
        refusal_of([] { check_for_wrapper("/opt/tools/strace"); }),
        "/opt/tools/strace starts other programs, which thread ranks cannot become: put it in front of the "
        "launcher (strace lislerun ...), or run its ranks as processes: --ranks process");
    EXPECT_NE(refusal_of([] { check_for_wrapper("bash"); }), "");
    EXPECT_EQ(refusal_of([] { check_for_wrapper(in_folder("program")); }), "");
}

TEST(Preconditions, RanksThatNeedTooManyMappingsAreRefused) {
    const closure unit(in_folder("program"), library_rules("", ""), library_search("", ""));
    EXPECT_EQ(refusal_of([&] { check_mappings(unit, 1, false); }), "");
    const std::string said = refusal_of([&] { check_mappings(unit, 1 << 20, false); });
    if (std::ifstream("/proc/sys/vm/max_map_count")) {
        EXPECT_TRUE(
            said.starts_with("1048576 thread ranks of " + in_folder("program") + " and its 2 own libraries"))
            << said;
        EXPECT_NE(said.find("the limit vm.max_map_count is "), std::string::npos) << said;
    }
}

TEST(Preconditions, ThreadLocalVariablesAreNotForFibers) {
    const closure unit(in_folder("program"), library_rules("", ""), library_search("", ""));
    EXPECT_EQ(refusal_of([&] { check_stack(unit, true); }), "");
    const std::string said = refusal_of([&] { check_for_fibers(unit); });
    EXPECT_EQ(said.empty(), unit.thread_local_bytes() == 0) << said;
}

TEST(Closure, SharesWhatSharedLibrariesNeed) {
    const closure all(in_folder("program"), library_rules("", "libupper.so"), library_search("", ""));
    EXPECT_EQ(all.modules().size(), 1U);
    const closure one(in_folder("program"), library_rules("", "liblower.so"), library_search("", ""));
    ASSERT_EQ(one.modules().size(), 2U);
    EXPECT_EQ(one.modules()[1].name, "libupper.so");
    EXPECT_THROW(
        closure(in_folder("program"), library_rules("liblower.so", "libupper.so"), library_search("", "")),
        refusal);
}

TEST(Closure, RenamesWhatTheSystemHasAsWell) {
    closure unit(in_folder("program"), library_rules("", ""), library_search("", ""));
    unit.prepare();
    EXPECT_TRUE(unit.new_names().contains("error"));
    EXPECT_EQ(unit.new_names().size(), 1U);
    const bool has_copies = std::ranges::any_of(unit.program().references().outer(), &outer_reference::copy);
    EXPECT_EQ(unit.held_variables().size(),
              has_copies ? 1U : 0U); // lower_variable, as compilers for x86-64 do
    for (const module &each : unit.modules()) {
        EXPECT_FALSE(each.thread_locals.empty()) << each.file->path();
    }
}

/// The copy, read again as a file.
std::unique_ptr<program_file> reread(const edited_copy &copy, const std::vector<std::string> &names,
                                     const anonymous_file &file) {
    copy.write(names,
               [&](std::span<const std::byte> bytes, std::size_t offset) { file.write(bytes, offset); });
    return std::make_unique<program_file>(file.path(), role::library);
}

TEST(EditedCopy, ChangesNamesAndSymbols) {
    const program_file upper(in_folder("libupper.so"), role::library);
    copy_edits edits;
    edits.private_libraries.emplace("liblower.so", 1);
    edits.new_names.emplace("error", "errpQ");
    const edited_copy copy(upper, edits);
    const anonymous_file file("libupper.so", copy.size());
    const std::string name = "/proc/1234567/fd/././/./99";
    const auto again = reread(copy, {"unused", name}, file);
    EXPECT_TRUE(has(again->tables().needed(), name));
    EXPECT_FALSE(has(again->tables().needed(), "liblower.so"));
    EXPECT_TRUE(has(symbols_of(*again, STB_GLOBAL), "errpQ"));
    EXPECT_FALSE(has(symbols_of(*again, STB_GLOBAL), "error"));
    const auto versions = again->tables().needed_versions();
    ASSERT_NE(versions.size, 0U);
    bool version_follows = false;
    for (std::size_t offset = versions.offset; offset < versions.offset + versions.size;) {
        const Elf64_Verneed &each = again->array<Elf64_Verneed>(offset, 1)[0];
        version_follows |= again->tables().string(each.vn_file) == name;
        if (each.vn_next == 0) {
            break;
        }
        offset += each.vn_next;
    }
    EXPECT_TRUE(version_follows);
}

TEST(EditedCopy, HasNothingThatBelongsToTheProcess) {
    const program_file lower(in_folder("liblower.so"), role::library);
    EXPECT_FALSE(symbols_of(lower, STB_GNU_UNIQUE).empty());
    EXPECT_NE(lower.thread_locals().memory_size, 0U);
    const edited_copy copy(lower, all_edits(lower));
    const anonymous_file file("liblower.so", copy.size());
    const auto again = reread(copy, std::vector<std::string>(1, "name"), file);
    EXPECT_TRUE(symbols_of(*again, STB_GNU_UNIQUE).empty());
    EXPECT_EQ(again->thread_locals().memory_size, 0U);
    EXPECT_TRUE(again->references().thread_locals().empty());
    EXPECT_EQ(again->tables().functions().constructors.count, 0U);
    EXPECT_EQ(again->tables().functions().first, 0U);
    for (const Elf64_Dyn &each : again->tables().entries()) {
        EXPECT_NE(each.d_tag, DT_SONAME);
    }
}

TEST(EditedCopy, KeepsWhatIsToStayUnique) {
    const program_file lower(in_folder("liblower.so"), role::library);
    copy_edits edits;
    for (const std::string &each : symbols_of(lower, STB_GNU_UNIQUE)) {
        edits.unique.insert(each);
    }
    const edited_copy copy(lower, edits);
    const anonymous_file file("liblower.so", copy.size());
    EXPECT_EQ(symbols_of(*reread(copy, {}, file), STB_GNU_UNIQUE), symbols_of(lower, STB_GNU_UNIQUE));
}

TEST(EditedCopy, RefusesWithoutRoomForASegment) {
    std::vector<char> bytes = content(in_folder("libupper.so"));
    Elf64_Ehdr head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    for (std::size_t i = 0; i != head.e_phnum; ++i) {
        Elf64_Phdr each{};
        char *const place = bytes.data() + head.e_phoff + i * sizeof each;
        std::memcpy(&each, place, sizeof each);
        if (each.p_type != PT_LOAD && each.p_type != PT_DYNAMIC) {
            each.p_type = PT_GNU_STACK;
            std::memcpy(place, &each, sizeof each);
        }
    }
    const temporary_file damaged(bytes);
    const program_file file(damaged.path(), role::library);
    EXPECT_NO_THROW(edited_copy(file, copy_edits{}));
    EXPECT_THROW(edited_copy(file, all_edits(file)), refusal);
}

/// Reads, edits and writes a file; returns whether it was refused.
bool treat(const std::string &path, role as) {
    try {
        const program_file file(path, as);
        const edited_copy copy(file, all_edits(file));
        std::size_t written = 0;
        copy.write(std::vector<std::string>(1, "name"),
                   [&](std::span<const std::byte> bytes, std::size_t offset) {
                       EXPECT_LE(offset + bytes.size(), copy.size());
                       written += bytes.size();
                   });
        EXPECT_NE(written, 0U);
        return false;
    } catch (const refusal &) {
        return true;
    }
}

class MalformedFile : public testing::TestWithParam<const char *> {
  protected:
    role kind() const { return std::string_view(GetParam()) == "program" ? role::program : role::library; }
    std::vector<char> sound() const { return content(in_folder(GetParam())); }
};

TEST_P(MalformedFile, CutAnywhere) {
    const std::vector<char> bytes = sound();
    EXPECT_FALSE(treat(in_folder(GetParam()), kind()));
    int refused = 0;
    for (std::size_t size = 0; size < bytes.size(); size += 61) {
        const temporary_file file(std::span<const char>(bytes).first(size));
        refused += treat(file.path(), kind()) ? 1 : 0;
    }
    EXPECT_GT(refused, 100);
}

TEST_P(MalformedFile, DamagedAnywhere) {
    std::mt19937 random(42);
    const std::vector<char> bytes = sound();
    Elf64_Ehdr head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    // The headers, and whatever the loader's tables are: the beginning of the file and its dynamic section.
    const std::size_t tables = std::min<std::size_t>(bytes.size(), 0x1000);
    int refused = 0;
    for (int round = 0; round != 3000; ++round) {
        std::vector<char> damaged = bytes;
        const std::size_t range = round % 3 == 0   ? head.e_phoff + head.e_phnum * sizeof(Elf64_Phdr)
                                  : round % 3 == 1 ? tables
                                                   : bytes.size();
        for (unsigned i = 0; i <= random() % 4; ++i) {
            static constexpr unsigned char telling[]{0x00, 0x01, 0x7f, 0x80, 0xff};
            const std::size_t at = 16 + random() % (range - 16);
            damaged[at] = static_cast<char>(random() % 2 == 0 ? telling[random() % 5] : random());
        }
        const temporary_file file(damaged);
        refused += treat(file.path(), kind()) ? 1 : 0;
    }
    EXPECT_GT(refused, 300);
}

TEST_P(MalformedFile, DamagedDynamicSection) {
    std::mt19937 random(4711);
    const std::vector<char> bytes = sound();
    const program_file whole(in_folder(GetParam()), kind());
    const std::size_t offset = whole.dynamic_offset();
    const std::size_t size = whole.tables().entries().size_bytes();
    for (int round = 0; round != 2000; ++round) {
        std::vector<char> damaged = bytes;
        for (int i = 0; i != 2; ++i) {
            damaged[offset + random() % size] = static_cast<char>(random());
        }
        const temporary_file file(damaged);
        static_cast<void>(treat(file.path(), kind()));
    }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, MalformedFile, testing::Values("program", "libupper.so", "liblower.so"),
                         [](const testing::TestParamInfo<const char *> &tested) {
                             std::string name = tested.param;
                             std::erase_if(name, [](char each) { return each == '.'; });
                             return name;
                         });

} // namespace
} // namespace lisle::host
