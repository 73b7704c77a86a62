// SPDX-License-Identifier: Apache-2.0
// Opens libraries as programs do: by name, found beside the program, by path, itself; with names that are
// visible to others, and closes one and opens it again.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace {
int base;

using counting = int (*)();

counting find(void *library, const char *name) {
    return reinterpret_cast<counting>(dlsym(library, name));
}

void say(const char *what, counting function) {
    std::printf("%s %d\n", what, function != nullptr ? function() : -1);
}

struct watcher {
    ~watcher() { std::printf("program ends\n"); }
} watching;
} // namespace

extern "C" int program_adds(int number) {
    return base + number;
}

extern "C" int program_number() {
    return base;
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &base);
    base *= 10;
    const int rank = base / 10;
    std::atexit([] { std::printf("program's handler\n"); });
    void *const self = dlopen(nullptr, RTLD_NOW);
    say("dlopen(nullptr)", find(self, "program_number"));
    say("RTLD_DEFAULT", find(RTLD_DEFAULT, "program_number"));
    void *library = dlopen("libplugin.so", rank % 2 != 0 ? RTLD_LAZY : RTLD_NOW);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 1;
    }
    say("first", find(library, "plugin_counts"));
    MPI_Barrier(MPI_COMM_WORLD);
    say("second", find(library, "plugin_counts"));
    const std::string folder = std::string(words[0]).substr(0, std::string(words[0]).rfind('/'));
    void *const again = dlopen((folder + "/plugins/libplugin.so").c_str(), RTLD_NOW);
    std::printf("the same %d\n", again == library);
    dlclose(again);
    say("still open", find(library, "plugin_counts"));
    dlclose(library);
    library = dlopen("libplugin.so", RTLD_NOW);
    say("opened again", find(library, "plugin_counts"));
    void *const neighbour = dlopen("libneighbour.so", RTLD_NOW);
    say("of its own", find(neighbour, "shared_count"));
    say("unlike the others", find(neighbour, "shared_count"));
    void *const visible = dlopen("libplugin_helper.so", RTLD_NOW | RTLD_GLOBAL);
    say("helper", find(visible, "helper_counts"));
    void *const user = dlopen("libplugin_user.so", RTLD_NOW);
    say("user of what is visible", find(user, "user_counts"));
    const void *const nothing = dlopen("libabsent_here.so", RTLD_NOW);
    const char *const reason = dlerror();
    std::printf("absent %d %d\n", nothing == nullptr,
                reason != nullptr && std::strstr(reason, "libabsent_here.so"));
    const void *const unfit = dlopen("libunfit.so", RTLD_NOW);
    std::printf("unfit %d %d\n", unfit == nullptr, dlerror() != nullptr);
    MPI_Finalize();
}
