/* SPDX-License-Identifier: Apache-2.0
 * Environment variables: what one rank sets is its own, through whichever door it looks. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int lone_job_rank(void);

static const char *look(const char *name) {
    const size_t length = strlen(name);
    for (char **each = environ; *each != NULL; ++each) {
        if (strncmp(*each, name, length) == 0 && (*each)[length] == '=') {
            return *each + length + 1;
        }
    }
    return NULL;
}

int main(int argc, char **argv, char **envp) {
    (void)argc, (void)argv;
    const int rank = lone_job_rank();
    int bad = getenv("PATH") == NULL || look("PATH") == NULL || envp[0] == NULL;
    char mine[32], name[32], put[64];
    snprintf(mine, sizeof mine, "%d", rank);
    for (int i = 0; i < 500; ++i) {
        snprintf(name, sizeof name, "NAME_%d", i);
        bad |= setenv(name, mine, 1) != 0;
    }
    for (int i = 0; i < 500; ++i) {
        snprintf(name, sizeof name, "NAME_%d", i);
        bad |= getenv(name) == NULL || strcmp(getenv(name), mine) != 0;
        bad |= look(name) == NULL || strcmp(look(name), mine) != 0;
    }
    snprintf(put, sizeof put, "NAME_3=put by %d", rank);
    putenv(put);
    bad |= strcmp(getenv("NAME_3"), put + 7) != 0 || setenv("a=b", "", 1) == 0;
    unsetenv("NAME_4");
    bad |= getenv("NAME_4") != NULL || look("NAME_4") != NULL;
    setenv("NAME_5", "not", 0);
    bad |= strcmp(getenv("NAME_5"), mine) != 0;
    const pid_t child = fork();
    if (child == 0) {
        execlp("sh", "sh", "-c", "exit $NAME_7", (char *)NULL);
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    bad |= WEXITSTATUS(status) != rank;
    char *few[] = {"ONLY=1", NULL};
    environ = few;
    bad |= getenv("PATH") != NULL || strcmp(getenv("ONLY"), "1") != 0;
    setenv("TWO", "2", 1);
    bad |= strcmp(look("ONLY"), "1") != 0 || strcmp(look("TWO"), "2") != 0;
    clearenv();
    bad |= getenv("ONLY") != NULL;
    puts(bad ? "BAD" : "good");
    return bad;
}
