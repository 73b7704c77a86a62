// SPDX-License-Identifier: Apache-2.0
// The tool information interface: every variable, category and event can be asked for; control variables that
// can be written change what they say; performance variables count what the program does; events arrive.
#include "check.hpp"

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <set>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace {

/// What MPI_T_cvar_get_info and its kin tell of one item.
struct item {
    std::string name;
    int class_ = -1, verbosity = -1, bind = -1, scope = -1, readonly = 0, continuous = 0, atomic = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum words = MPI_T_ENUM_NULL;
};

item control(int index) {
    item found;
    char name[256];
    char description[1024];
    int name_length = sizeof name;
    int description_length = sizeof description;
    CHECK_MPI(MPI_T_cvar_get_info(index, name, &name_length, &found.verbosity, &found.type, &found.words,
                                  description, &description_length, &found.bind, &found.scope));
    found.name = name;
    CHECK_EQ(name_length, static_cast<int>(found.name.size()) + 1);
    CHECK(description_length > 1);
    return found;
}

item performance(int index) {
    item found;
    char name[256];
    char description[1024];
    int name_length = sizeof name;
    int description_length = sizeof description;
    CHECK_MPI(MPI_T_pvar_get_info(index, name, &name_length, &found.verbosity, &found.class_, &found.type,
                                  &found.words, description, &description_length, &found.bind,
                                  &found.readonly, &found.continuous, &found.atomic));
    found.name = name;
    return found;
}

std::vector<std::string> words_of(MPI_T_enum words) {
    int count = 0;
    char name[128];
    int length = sizeof name;
    CHECK_MPI(MPI_T_enum_get_info(words, &count, name, &length));
    std::vector<std::string> found;
    for (int i = 0; i < count; ++i) {
        int value = -1;
        length = sizeof name;
        CHECK_MPI(MPI_T_enum_get_item(words, i, &value, name, &length));
        found.emplace_back(name);
    }
    int value = 0;
    CHECK_EQ(MPI_T_enum_get_item(words, count, &value, name, &length), MPI_T_ERR_INVALID_ITEM);
    return found;
}

/// Lets one rank at a time on, of whatever kind they are.
class one_at_a_time {
  public:
    one_at_a_time() : file_{open("/proc/self/exe", O_RDONLY | O_CLOEXEC)} {
        CHECK(flock(file_, LOCK_EX) == 0);
    }
    one_at_a_time(const one_at_a_time &) = delete;
    one_at_a_time &operator=(const one_at_a_time &) = delete;
    ~one_at_a_time() { close(file_); }

  private:
    int file_;
};

/// Reads every control variable; writes those that may be written, and puts them back. The ranks of a process
/// have them in common.
void control_variables() {
    const one_at_a_time turn;
    int count = 0;
    CHECK_MPI(MPI_T_cvar_get_num(&count));
    CHECK(count > 10);
    std::set<std::string> names;
    for (int i = 0; i < count; ++i) {
        const item about = control(i);
        CHECK(names.insert(about.name).second);
        int index = -1;
        CHECK_MPI(MPI_T_cvar_get_index(about.name.c_str(), &index));
        CHECK_EQ(index, i);
        MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
        int elements = 0;
        CHECK_MPI(MPI_T_cvar_handle_alloc(i, nullptr, &handle, &elements));
        CHECK_EQ(elements, 1);
        std::int64_t before = 0; // the largest there is
        CHECK_MPI(MPI_T_cvar_read(handle, &before));
        if (about.scope == MPI_T_SCOPE_CONSTANT || about.scope == MPI_T_SCOPE_READONLY) {
            CHECK_EQ(MPI_T_cvar_write(handle, &before), MPI_T_ERR_CVAR_SET_NEVER);
        } else {
            CHECK(about.type == MPI_INT);
            const auto words = words_of(about.words);
            for (int wanted = 0; wanted < static_cast<int>(words.size()); ++wanted) {
                int value = -1;
                CHECK_MPI(MPI_T_cvar_write(handle, &wanted));
                CHECK_MPI(MPI_T_cvar_read(handle, &value));
                CHECK_EQ(value, wanted);
            }
            const int wrong = static_cast<int>(words.size());
            CHECK(MPI_T_cvar_write(handle, &wrong) != MPI_SUCCESS);
            CHECK_MPI(MPI_T_cvar_write(handle, &before));
        }
        CHECK_MPI(MPI_T_cvar_handle_free(&handle));
        CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    }
    int index = 0;
    CHECK_EQ(MPI_T_cvar_get_index("no such variable", &index), MPI_T_ERR_INVALID_NAME);
    // A short buffer gets as much of the name as fits.
    const std::string whole = control(0).name;
    char name[6];
    int length = sizeof name;
    int unused = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum words = MPI_T_ENUM_NULL;
    CHECK_MPI(
        MPI_T_cvar_get_info(0, name, &length, &unused, &type, &words, nullptr, nullptr, &unused, &unused));
    CHECK_EQ(std::string(name), whole.substr(0, 5));
    CHECK_EQ(
        MPI_T_cvar_get_info(count, name, &length, &unused, &type, &words, nullptr, nullptr, &unused, &unused),
        MPI_T_ERR_INVALID_INDEX);
}

/// One performance variable while a session looks at it.
class meter {
  public:
    meter(const char *name, int class_, MPI_Comm *of = nullptr) {
        CHECK_MPI(MPI_T_pvar_session_create(&session_));
        int index = -1;
        CHECK_MPI(MPI_T_pvar_get_index(name, class_, &index));
        const item about = performance(index);
        CHECK_EQ(about.bind, of != nullptr ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT);
        int count = 0;
        CHECK_MPI(MPI_T_pvar_handle_alloc(session_, index, of, &handle_, &count));
        CHECK_EQ(count, 1);
        if (about.continuous == 0)
            CHECK_MPI(MPI_T_pvar_start(session_, handle_));
    }
    ~meter() {
        CHECK_MPI(MPI_T_pvar_handle_free(session_, &handle_));
        CHECK_MPI(MPI_T_pvar_session_free(&session_));
        CHECK(session_ == MPI_T_PVAR_SESSION_NULL);
    }
    meter(const meter &) = delete;
    meter &operator=(const meter &) = delete;

    [[nodiscard]] std::uint64_t read() const {
        std::uint64_t value = 0;
        CHECK_MPI(MPI_T_pvar_read(session_, handle_, &value));
        return value;
    }
    void stop() const { CHECK_MPI(MPI_T_pvar_stop(session_, handle_)); }
    void start() const { CHECK_MPI(MPI_T_pvar_start(session_, handle_)); }
    void reset() const { CHECK_MPI(MPI_T_pvar_reset(session_, handle_)); }

  private:
    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

/// The counts are of what the program does.
void performance_variables(const check::job &job) {
    int count = 0;
    CHECK_MPI(MPI_T_pvar_get_num(&count));
    for (int i = 0; i < count; ++i) {
        const item about = performance(i);
        int index = -1;
        CHECK_MPI(MPI_T_pvar_get_index(about.name.c_str(), about.class_, &index));
        CHECK_EQ(index, i);
    }
    int index = 0;
    CHECK_EQ(MPI_T_pvar_get_index("no such variable", MPI_T_PVAR_CLASS_COUNTER, &index),
             MPI_T_ERR_INVALID_NAME);

    const meter messages{"lisle_unexpected_messages", MPI_T_PVAR_CLASS_COUNTER};
    const meter bytes{"lisle_unexpected_bytes", MPI_T_PVAR_CLASS_AGGREGATE};
    const meter stored{"lisle_unexpected_bytes_stored", MPI_T_PVAR_CLASS_LEVEL};
    const meter announced{"lisle_announced_messages", MPI_T_PVAR_CLASS_COUNTER};
    const std::uint64_t stored_before = stored.read();
    int out[25] = {};
    for (int i = 0; i < 10; ++i)
        CHECK_MPI(MPI_Send(out, 25, MPI_INT, job.rank, i, MPI_COMM_WORLD));
    int flag = 0;
    for (int i = 0; i < 10; ++i) // all are here now, since a probe has seen the last
        CHECK_MPI(MPI_Probe(job.rank, 9 - i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    // Others may have gone ahead, and a message of the library's come from them, too.
    CHECK(messages.read() >= 10U && messages.read() <= 20U);
    CHECK(bytes.read() >= 1000U && bytes.read() <= 5000U);
    CHECK(stored.read() - stored_before >= 1000U); // with what is kept about them
    messages.stop();
    const std::uint64_t counted = messages.read();
    for (int i = 0; i < 10; ++i)
        CHECK_MPI(MPI_Recv(out, 25, MPI_INT, job.rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    // Stopped: what comes now is not counted. Reset: what came is forgotten.
    CHECK_MPI(MPI_Send(out, 1, MPI_INT, job.rank, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Iprobe(job.rank, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(flag != 0);
    CHECK_EQ(messages.read(), counted);
    messages.reset();
    CHECK_EQ(messages.read(), 0U);
    CHECK_MPI(MPI_Recv(out, 1, MPI_INT, job.rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));

    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(out, 1, MPI_INT, job.rank, 0, MPI_COMM_WORLD, &request));
    CHECK_MPI(MPI_Ssend(out + 1, 1, MPI_INT, job.rank, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(announced.read(), 1U);

    MPI_Comm other = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    {
        const meter collectives{"lisle_collectives", MPI_T_PVAR_CLASS_COUNTER, &other};
        for (int i = 0; i < 5; ++i)
            CHECK_MPI(MPI_Barrier(other));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_EQ(collectives.read(), 5U);
    }
    CHECK_MPI(MPI_Comm_free(&other));
}

/// Sets the algorithm of an operation, on all ranks alike, and puts the former one back.
class chosen_algorithm {
  public:
    chosen_algorithm(const char *variable, const char *word) {
        int index = -1;
        CHECK_MPI(MPI_T_cvar_get_index(variable, &index));
        int elements = 0;
        CHECK_MPI(MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &elements));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); // ranks of a process have it in common
        CHECK_MPI(MPI_T_cvar_read(handle_, &before_));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        const auto words = words_of(control(index).words);
        const auto found = std::find(words.begin(), words.end(), word);
        CHECK(found != words.end());
        const int value = static_cast<int>(found - words.begin());
        CHECK_MPI(MPI_T_cvar_write(handle_, &value));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
    ~chosen_algorithm() {
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_MPI(MPI_T_cvar_write(handle_, &before_));
        CHECK_MPI(MPI_T_cvar_handle_free(&handle_));
    }
    chosen_algorithm(const chosen_algorithm &) = delete;
    chosen_algorithm &operator=(const chosen_algorithm &) = delete;

  private:
    MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
    int before_ = 0;
};

/// How many long messages the calling rank sends in a broadcast with this algorithm.
std::uint64_t messages_of_broadcast(const char *algorithm) {
    const chosen_algorithm chosen{"LISLE_COLLECTIVES.bcast", algorithm};
    const meter announced{"lisle_announced_messages", MPI_T_PVAR_CLASS_COUNTER};
    std::vector<char> data(3 << 20);
    CHECK_MPI(MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_CHAR, 0, MPI_COMM_WORLD));
    return announced.read();
}

/// A control variable that names an algorithm has it used: they differ in their messages.
void algorithms(const check::job &job) {
    const auto others = static_cast<std::uint64_t>(job.size - 1);
    for (int round = 0; round < 2; ++round) {
        CHECK_EQ(messages_of_broadcast("linear"), job.rank == 0 ? others : 0U);
        CHECK(messages_of_broadcast("scatter_allgather") >= others); // pieces go round
    }
}

/// Every variable and event is in a category, and every category says what it has.
void categories() {
    int variables = 0;
    int counters = 0;
    int events = 0;
    int count = 0;
    CHECK_MPI(MPI_T_cvar_get_num(&variables));
    CHECK_MPI(MPI_T_pvar_get_num(&counters));
    CHECK_MPI(MPI_T_event_get_num(&events));
    CHECK_MPI(MPI_T_category_get_num(&count));
    std::set<int> seen[3];
    for (int i = 0; i < count; ++i) {
        char name[256];
        int length = sizeof name;
        char description[512];
        int description_length = sizeof description;
        int has[3] = {};
        int below = 0;
        CHECK_MPI(MPI_T_category_get_info(i, name, &length, description, &description_length, &has[0],
                                          &has[1], &below));
        CHECK_MPI(MPI_T_category_get_num_events(i, &has[2]));
        int index = -1;
        CHECK_MPI(MPI_T_category_get_index(name, &index));
        CHECK_EQ(index, i);
        using getter = int (*)(int, int, int *);
        const getter getters[] = {MPI_T_category_get_cvars, MPI_T_category_get_pvars,
                                  MPI_T_category_get_events};
        for (std::size_t sort = 0; sort < 3; ++sort) {
            std::vector<int> members(static_cast<std::size_t>(has[sort]));
            CHECK_MPI(getters[sort](i, has[sort], members.data()));
            seen[sort].insert(members.begin(), members.end());
        }
    }
    CHECK_EQ(seen[0].size(), static_cast<std::size_t>(variables));
    CHECK_EQ(seen[1].size(), static_cast<std::size_t>(counters));
    CHECK_EQ(seen[2].size(), static_cast<std::size_t>(events));
    int stamp = 0;
    int later = 0;
    CHECK_MPI(MPI_T_category_changed(&stamp));
    CHECK_MPI(MPI_T_category_changed(&later));
    CHECK_EQ(stamp, later);
}

struct seen_event {
    int size = -1;
    int rank = -1;
    MPI_Count time = -1;
};

extern "C" void on_event(MPI_T_event_instance instance, MPI_T_event_registration, MPI_T_cb_safety,
                         void *seen) {
    seen_event found;
    CHECK_EQ(MPI_T_event_read(instance, 1, &found.size), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_read(instance, 2, &found.rank), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_get_timestamp(instance, &found.time), MPI_SUCCESS);
    static_cast<std::vector<seen_event> *>(seen)->push_back(found);
}

/// Callbacks hear of communicators that begin and end, until they are freed.
void events(const check::job &job) {
    std::vector<seen_event> begun;
    std::vector<seen_event> ended;
    MPI_T_event_registration registrations[2];
    const char *const names[] = {"lisle_communicator_begins", "lisle_communicator_ends"};
    std::vector<seen_event> *const lists[] = {&begun, &ended};
    for (int i = 0; i < 2; ++i) {
        int index = -1;
        CHECK_MPI(MPI_T_event_get_index(names[i], &index));
        CHECK_MPI(MPI_T_event_handle_alloc(index, nullptr, MPI_INFO_NULL, &registrations[i]));
        CHECK_MPI(MPI_T_event_register_callback(registrations[i], MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                                MPI_INFO_NULL, lists[i], on_event));
    }
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank / 2, 0, &pair));
    CHECK_MPI(MPI_Comm_dup(pair, &copy));
    CHECK_EQ(begun.size(), 2U);
    int size = 0;
    CHECK_MPI(MPI_Comm_size(pair, &size));
    for (const seen_event &each : begun) {
        CHECK_EQ(each.size, size);
        CHECK_EQ(each.rank, job.rank % 2);
    }
    CHECK(begun[1].time >= begun[0].time);
    CHECK(ended.empty());
    CHECK_MPI(MPI_Comm_free(&copy));
    CHECK_EQ(ended.size(), 1U);
    for (MPI_T_event_registration registration : registrations)
        CHECK_MPI(MPI_T_event_handle_free(registration, nullptr, nullptr));
    CHECK_MPI(MPI_Comm_free(&pair));
    CHECK_EQ(ended.size(), 1U);
}

} // namespace

int main(int argc, char **argv) {
    int level = 0;
    // Before MPI, several times; the calls fail outside.
    int count = 0;
    CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_MPI(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level));
    CHECK_EQ(level, MPI_THREAD_MULTIPLE);
    CHECK_MPI(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
    control_variables();
    categories();
    CHECK_MPI(MPI_T_finalize());
    CHECK_MPI(MPI_T_cvar_get_num(&count));
    {
        const check::job job{&argc, &argv};
        performance_variables(job);
        algorithms(job);
        events(job);
    }
    control_variables();
    CHECK_MPI(MPI_T_finalize());
    CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    return 0;
}
