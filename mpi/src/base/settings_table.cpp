// SPDX-License-Identifier: Apache-2.0
// The table of settings, and what a row says of texts and values. A setting is added by a row: the build
// reads this file for its name (`setting`), so a row begins with name, readers, default, least and greatest
// value. Texts, for which the last two are equal, stand below all others.
#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"

namespace lisle {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
constexpr std::int64_t most_ranks = 1 << 22;

std::vector<setting_description> rows() {
    using enum audience;
    return {
        {"LISLE_EAGER_LIMIT", users, -1, -1, most_bytes,
         "largest message in bytes that is sent before its receive is known (auto: what suits the fabric)",
         "auto"},
        {"LISLE_CMA_MINIMUM", experts, cma_by_measurement, cma_off, most_bytes,
         "smallest message in bytes that the kernel copies straight between the memories of two processes; "
         "shorter ones "
         "stream through shared memory (auto: from 64 KiB on what is found to be faster, from 512 KiB on "
         "always; off: "
         "the kernel is never asked)",
         "off|auto"},
        {"LISLE_SHARED_HEAP", experts, 1, 0, 1,
         "on: MPI_Alloc_mem gives memory that the other processes of the node reach by address, so that "
         "messages from it "
         "are copied once",
         "off|on"},
        {"LISLE_SHARED_MALLOC", experts, 0, 0, 1,
         "on: so does malloc for blocks from 64 KiB on, in programs that lislerun starts as process ranks "
         "(lislerun "
         "--shared-malloc)",
         "off|on"},
        {"LISLE_UNEXPECTED_LIMIT", users, -1, -1, most_bytes,
         "bytes of unexpected messages that a rank stores before its senders have to wait (auto: 64 MiB, and "
         "more while "
         "that is less than an eighth of the memory that is left)",
         "auto"},
        {"LISLE_WAIT", users, -4, -4, 1'000'000'000,
         "how a rank waits: auto (polls, then yields, then sleeps), spin, yield, park (sleeps at once); a "
         "number: how often it polls before it sleeps",
         "auto|spin|yield|park"},
        {"LISLE_PROGRESS", users, 0, 0, 3,
         "which threads make progress: caller (those that are in a call), threads (a Sender and a Receiver "
         "for "
         "each device), shared (one for all devices), round-robin (callers, which poll each device in each "
         "round)",
         "caller|threads|shared|round-robin"},
        {"LISLE_TRACKS", experts, 4, 1, 4,
         "over how many engines, each with a lock and mailboxes of its own, the communicators of a rank are "
         "spread whose "
         "threads call at once (MPI_THREAD_MULTIPLE)",
         ""},
        {"LISLE_CHECK", users, 0, 0, 2,
         "how much is looked for besides deadlocks: 1 what costs little (types of messages, objects that are "
         "not freed, "
         "messages that are not received, collectives that differ), 2 everything (sends that rely on "
         "buffers, buffers "
         "that are used while an operation is under way, receives from any source that could have taken "
         "another "
         "message)",
         ""},
        {"LISLE_DEADLOCK", users, 1, 0, 1,
         "what happens when all ranks of a job wait for each other: end (they are listed, and the job ends), "
         "or wait "
         "(nothing, so that a debugger finds them)",
         "wait|end"},
        {"LISLE_CRASH", users, 0, 0, 3,
         "what happens when a rank crashes: report (its stack with lines of the source, and what the others "
         "do), quiet, core (the "
         "same as report; the limit of core files is raised first), gdb (the process stays as it is, for a "
         "debugger)",
         "report|quiet|core|gdb"},
        {"LISLE_WATCHDOG", users, 0, 0, 3600,
         "seconds after which a fiber rank that lets no other fiber run is named, with its place in the "
         "program (0: "
         "never)",
         ""},
        {"LISLE_NODES", experts, 0, -most_ranks, most_ranks,
         "how many nodes the processes of a job count as being on, in blocks, whatever machines they are on "
         "(0: as the "
         "machines are, -1: each process on a node of its own, -3: on three nodes one by one; with --with-ft "
         "always -1); messages between nodes go over the network",
         ""},
        {"LISLE_NETWORK_SILENCE", users, 10, 1, 3600,
         "seconds without a sign of life from a machine after which its ranks count as failed, or its "
         "interface as lost "
         "if there is another one",
         ""},
        {"LISLE_NETWORK_SECURITY", users, 0, 0, 2,
         "what connections of lisle-tcp have against others on the network: none (both ends prove once that "
         "they belong to the job), integrity (nothing can be changed or added unnoticed), encrypt (nor "
         "read); "
         "the last two need OpenSSL's libcrypto.so.3",
         "none|integrity|encrypt"},
        {"LISLE_RECOVERY", experts, 0, 0, 1,
         "on: the job goes on when processes fail, which share no memory then (lislerun --with-ft)",
         "off|on"},
        {"LISLE_SHOW", experts, 0, 0, 1,
         "what rank 0 prints when MPI begins: collectives (which algorithm is used when)",
         "nothing|collectives"},
        {"LISLE_INITIAL_ERRHANDLER", experts, 0, 0, 2,
         "the error handler that communicators and sessions have at first (mpiexec -initial-errhandler)",
         "mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return"},
        {"LISLE_UNIVERSE_SIZE", experts, 0, 0, most_ranks,
         "how many ranks a program may count on, with those that it spawns: MPI_UNIVERSE_SIZE, at least the "
         "ranks of the "
         "job (0: as many as it may use processors, or as lislerun's hosts have slots)",
         ""},
        {"LISLE_GDB", experts, 0, 0, 1,
         "hold: a process of ranks waits for a debugger before its program begins (lislerun --gdb)",
         "off|hold"},
        {"LISLE_THREADS_PER_PROCESS", launching, 0, 0, most_ranks,
         "how many ranks each process has where another launcher starts lislerun: 4 as in srun lislerun -T 4 "
         "(0: as the command line says)",
         ""},
        {"LISLE_COLLECTIVES", users, 0, 0, 0,
         "which algorithms collectives use where they can, all others their own choice: "
         "bcast=binomial,allreduce=ring "
         "(the names are below)",
         ""},
        {"LISLE_NETWORK_INTERFACE", users, 0, 0, 0,
         "the network interfaces to use, or the networks that they are on: eth1 or 10.0.2.0/24,eth0", ""},
        {"LISLE_NETWORK_PROVIDER", users, 0, 0, 0,
         "what carries packets between nodes: lisle-tcp, ucx, or a provider of libfabric, or several, "
         "the preferred one first",
         ""},
        {"LISLE_FABRIC", experts, 0, 0, 0,
         "what carries packets within the job: local, or tile:WxH (lislerun --fabric)", ""},
        {"LISLE_LOG", experts, 0, 0, 0,
         "what the library writes about itself: level[:area,...][:file]. Levels: off, events, packets (each "
         "message and packet). "
         "Areas: matching, eager, rendezvous, network, collective, window, file, launch (all). In the file's "
         "name %p is the "
         "process and %r the rank (mpi/docs/debugging.md)",
         ""},
        {"LISLE_NAMES", launching, 0, 0, 0,
         "the folder of published names, which only its user may write to (/tmp/lisle-names-UID)", ""},
        {"LISLE_LAUNCHER", launching, 0, 0, 0,
         "the program that starts the jobs of MPI_Comm_spawn (the lislerun beside the library)", ""},
        {"LISLE_THROUGH", launching, 0, 0, 0,
         "what starts the processes on other hosts: ssh, srun, prterun, orterun, mpiexec.hydra (lislerun "
         "--through)",
         ""},
        {"LISLE_LAUNCH_AGENT", launching, 0, 0, 0,
         "the command that reaches other hosts instead of ssh (lislerun --launch-agent)", ""},
        {"LISLE_RANKS", launching, 0, 0, 0,
         "what a rank is where the command line does not say: process, thread or fiber (lislerun --ranks)",
         ""},
        {"LISLE_PRIVATE_LIBRARIES", launching, 0, 0, 0,
         "libraries of which each thread rank gets a copy of its own (lislerun --private-libraries)", ""},
        {"LISLE_SHARED_LIBRARIES", launching, 0, 0, 0,
         "libraries that thread ranks share (lislerun --shared-libraries)", ""},
        {"LISLE_TILE_MACHINE", tiles, 0, 0, 0, "file with the parameters of the machine (lislerun --mesh)",
         ""},
        {"LISLE_TILE_MAP", tiles, 0, 0, 0, "which tile has which rank (lislerun --map)", ""},
        {"LISLE_TILE_PACKETS", tiles, 0, 0, 0, "how messages are cut into packets (lislerun --packets)", ""},
        {"LISLE_TILE_COMPUTE", tiles, 0, 0, 0,
         "what computing costs: nothing, or the host's time (lislerun --compute)", ""},
        {"LISLE_TILE_TRACE", tiles, 0, 0, 0, "the folder for pictures of the run (lislerun --trace)", ""},
    };
}

setting_description row_of(const collective_operation_description &about) {
    std::string words = "auto";
    for (const collective_algorithm each : about.offered) {
        words += '|';
        words += name_of(each);
    }
    return {sentence("LISLE_COLLECTIVES.", about.name),
            audience::users,
            0,
            0,
            static_cast<std::int64_t>(about.offered.size()),
            sentence("algorithm of ", about.functions, " where the call allows it"),
            std::move(words)};
}

std::vector<setting_description> make() {
    std::vector<setting_description> all = rows();
    for (const auto &each : collective_operations) {
        all.push_back(row_of(each));
    }
    return all;
}

constexpr std::array<other_variable, 3> read_by_compilers{{
    {"LISLE_CC", "the C compiler that mpicc calls"},
    {"LISLE_CXX", "the C++ compiler that mpicxx calls"},
    {"LISLE_FC", "the Fortran compiler that mpifort calls"},
}};
constexpr std::array<other_variable, 9> read_by_ranks{{
    {"LISLE_RANK",
     "the rank of a process that is one rank, before MPI_Init, too: for scripts around the program"},
    {"LISLE_SIZE", "how many ranks the job has"},
    {"LISLE_JOB", ""},
    {"LISLE_PARENT_FD", ""},
    {"LISLE_PARENT_PORT", ""},
    {"LISLE_HOST_PRELOAD", ""},
    {"LISLE_REPORT_FOLDER", ""},
    {"LISLE_REPORT_PARENT", ""},
    {"LISLE_RECORD_FOLDER", ""},
}};

std::int64_t word_count(std::string_view words) noexcept {
    return words.empty() ? 0 : 1 + std::count(words.begin(), words.end(), '|');
}

} // namespace

std::span<const other_variable> compiler_variables() noexcept {
    return read_by_compilers;
}
std::span<const other_variable> rank_variables() noexcept {
    return read_by_ranks;
}

std::span<const setting_description> all_settings() {
    // Never destroyed: tools may ask while the process's static objects are taken down.
    static const std::vector<setting_description> &made = *new std::vector<setting_description>{make()};
    return made;
}

const setting_description &description_of(setting which) {
    return all_settings()[static_cast<std::size_t>(which)];
}

bool setting_description::is_enumeration() const noexcept {
    return !words.empty() && least + word_count(words) - 1 == most;
}

std::optional<std::int64_t> setting_description::value_of(std::string_view text) const noexcept {
    std::int64_t value = least;
    for (const std::string_view word : words_of(words, "|")) {
        if (word == text) {
            return value;
        }
        ++value;
    }
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::int64_t least_number = is_enumeration() ? least : least + word_count(words);
    const bool fits =
        problem == std::errc{} && end == text.data() + text.size() && value >= least_number && value <= most;
    // Words alone are clearer than numbers that stand for them, but for off and on.
    return fits && (!is_enumeration() || words == "off|on") ? std::optional{value} : std::nullopt;
}

std::string setting_description::text_of(std::int64_t value) const {
    const auto all = words_of(words, "|");
    const auto place = static_cast<std::size_t>(value - least);
    return place < all.size() ? std::string{all[place]} : std::to_string(value);
}

std::string setting_description::values() const {
    if (least == most) {
        return "text";
    }
    if (is_enumeration()) {
        return words;
    }
    return sentence(words, words.empty() ? "" : " or ", least + word_count(words), " to ", most);
}

} // namespace lisle
