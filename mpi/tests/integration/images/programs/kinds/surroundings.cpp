// SPDX-License-Identifier: Apache-2.0
// What the C library learns from the environment, and what it keeps between calls, is each rank's own. Each
// rank does the same with other values and compares with what it would find alone.
#include <mpi.h>

#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <iomanip>
#include <search.h>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int rank;
int faults;

void meet() {
    MPI_Barrier(MPI_COMM_WORLD);
}

template <class T, class U> void same(const char *what, const T &found, const U &wanted) {
    if (!(found == wanted)) {
        std::ostringstream line;
        line << "rank " << rank << ": " << what << " is " << found << ", not " << wanted << "\n";
        std::fputs(line.str().c_str(), stdout);
        ++faults;
    }
}

void zones() {
    const std::string zone =
        "Z" + std::string(1, static_cast<char>('A' + rank)) + "X-" + std::to_string(rank + 1);
    setenv("TZ", zone.c_str(), 1);
    meet();
    tzset();
    meet();
    const std::time_t noon = 12 * 3600;
    same("timezone", timezone, -(rank + 1) * 3600);
    same("tzname", std::string(tzname[0]), zone.substr(0, 3));
    const std::tm *const kept = std::localtime(&noon);
    meet();
    same("localtime's hour", kept->tm_hour, 13 + rank);
    std::tm own{};
    localtime_r(&noon, &own);
    same("localtime_r's hour", own.tm_hour, 13 + rank);
    same("mktime", std::mktime(&own), noon);
    char text[64];
    std::strftime(text, sizeof text, "%H %Z", &own);
    same("strftime", std::string(text), std::to_string(13 + rank) + " " + zone.substr(0, 3));
    std::ostringstream stream;
    stream << std::put_time(&own, "%H %Z");
    same("put_time", stream.str(), std::string(text));
    const char *const spoken = std::ctime(&noon);
    meet();
    same("ctime", std::string(spoken).substr(11, 2), std::to_string(13 + rank));
    const std::time_t other = rank * 86400L;
    const std::tm *const universal = std::gmtime(&other);
    meet();
    same("gmtime's day", universal->tm_mday, 1 + rank);
}

void variables(const std::string &folder) {
    const std::string own = folder + "/" + std::to_string(rank);
    mkdir(own.c_str(), 0700);
    setenv("TMPDIR", own.c_str(), 1);
    setenv("LC_ALL", rank % 2 != 0 ? "C" : "C.UTF-8", 1);
    const std::string script = own + "/lisle-own-command";
    std::FILE *const file = std::fopen(script.c_str(), "w");
    std::fprintf(file, "#!/bin/sh\nexit %d\n", 10 + rank);
    std::fclose(file);
    chmod(script.c_str(), 0700);
    setenv("PATH", (own + ":/usr/bin:/bin").c_str(), 1);
    setenv("LISLE_TEST_OWN", std::to_string(rank).c_str(), 1);
    meet();
    // Not called by its name, at which linkers warn.
    const auto tempnam =
        reinterpret_cast<char *(*)(const char *, const char *)>(dlsym(RTLD_DEFAULT, "tempnam"));
    char *const name = tempnam(nullptr, "x");
    same("tempnam's folder", std::string(name).substr(0, own.size()), own);
    std::free(name);
    same("locale", std::string(std::setlocale(LC_CTYPE, "")), rank % 2 != 0 ? "C" : "C.UTF-8");
    meet();
    char command[] = "lisle-own-command";
    char *arguments[] = {command, nullptr};
    pid_t child = 0;
    int status = 0;
    same("posix_spawnp", posix_spawnp(&child, command, nullptr, nullptr, arguments, environ), 0);
    waitpid(child, &status, 0);
    same("what PATH leads to", WEXITSTATUS(status), 10 + rank);
    same("system", WEXITSTATUS(std::system("exit $((LISLE_TEST_OWN + 1))")), rank + 1);
    std::FILE *const answer = popen("echo $LISLE_TEST_OWN", "r");
    int told = -1;
    same("popen", std::fscanf(answer, "%d", &told), 1);
    pclose(answer);
    same("what popen tells", told, rank);
    child = fork();
    if (child == 0) {
        execlp("lisle-own-command", "lisle-own-command", static_cast<char *>(nullptr));
        _exit(99);
    }
    waitpid(child, &status, 0);
    same("execlp", WEXITSTATUS(status), 10 + rank);
}

void own_program() {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "self", "again", std::to_string(rank).c_str(), static_cast<char *>(nullptr));
        _exit(99);
    }
    waitpid(child, &status, 0);
    same("exec of /proc/self/exe", WEXITSTATUS(status), 20 + rank);
    char self[] = "self";
    char again[] = "again";
    std::string number = std::to_string(rank);
    char *arguments[] = {self, again, number.data(), nullptr};
    same("posix_spawn", posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ), 0);
    waitpid(child, &status, 0);
    same("posix_spawn of /proc/self/exe", WEXITSTATUS(status), 20 + rank);
}

void kept_between_calls() {
    hcreate(16);
    char key[] = "key";
    ENTRY item{key, reinterpret_cast<void *>(static_cast<long>(rank))};
    hsearch(item, ENTER);
    const double x = rank % 2 != 0 ? -0.5 : 0.5;
    const double logarithm = lgamma(x);
    meet();
    same("signgam", signgam, rank % 2 != 0 ? -1 : 1);
    same("lgamma", std::abs(logarithm - (rank % 2 != 0 ? 1.2655121234846454 : 0.5723649429247001)) < 1e-12,
         true);
    const ENTRY *const found = hsearch(item, FIND);
    same("hsearch", found != nullptr ? reinterpret_cast<long>(found->data) : -1L, static_cast<long>(rank));
    hdestroy();
}

void processor_time() {
    const std::clock_t begin = std::clock();
    meet();
    if (rank == 0) {
        while (std::clock() - begin < CLOCKS_PER_SEC / 5) {
        }
        int go = 0;
        MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        int arrived = 0;
        while (arrived == 0) { // no wait that spins
            usleep(10000);
            MPI_Iprobe(0, 0, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
        }
        int go = 0;
        MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        same("little time used", std::clock() - begin < CLOCKS_PER_SEC / 10, true);
    }
    meet();
}

} // namespace

int main(int count, char **words) {
    if (count > 2 && std::string(words[1]) == "again") {
        return 20 + std::atoi(words[2]);
    }
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    zones();
    variables(words[1]);
    own_program();
    kept_between_calls();
    processor_time();
    if (faults == 0) {
        std::printf("good\n");
    }
    MPI_Finalize();
    return faults != 0;
}
