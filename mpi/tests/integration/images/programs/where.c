/* SPDX-License-Identifier: Apache-2.0
 * Working directory and identity: the rank's own, and the program's. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lone_job_rank(void);
extern char *program_invocation_short_name;

int main(void) {
    char path[PATH_MAX] = "", folder[PATH_MAX], wanted[64];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    snprintf(wanted, sizeof wanted, "/proc/%d", lone_job_rank() % 2 == 0 ? getpid() : getppid());
    if (length <= 0 || chdir(wanted) != 0) {
        return 1;
    }
    usleep(20000); /* long enough for the others to change theirs */
    if (getcwd(folder, sizeof folder) == NULL || strcmp(folder, wanted) != 0) {
        return 2;
    }
    printf("%s %s\n", strrchr(path, '/') + 1, program_invocation_short_name);
    return 0;
}
