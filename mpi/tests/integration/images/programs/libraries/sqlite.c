/* SPDX-License-Identifier: Apache-2.0
 * Each rank configures SQLite for itself and fills a data base of its own. */
#include "job.h"
#include <sqlite3.h>

static int add(void *sum, int columns, char **values, char **names) {
    (void)columns, (void)names;
    *(long *)sum += atol(values[0]);
    return 0;
}

int main(int count, char **words) {
    begin(&count, &words);
    check(sqlite3_config(SQLITE_CONFIG_SERIALIZED) == SQLITE_OK, "configuring");
    sqlite3 *base = NULL;
    check(sqlite3_open(file_name, &base) == SQLITE_OK, "opening");
    check(sqlite3_exec(base, "create table t(n integer); begin", NULL, NULL, NULL) == SQLITE_OK, "creating");
    for (int i = 0; i != 1000; ++i) {
        char text[64];
        snprintf(text, sizeof text, "insert into t values(%d)", i * (rank + 1));
        check(sqlite3_exec(base, text, NULL, NULL, NULL) == SQLITE_OK, "inserting");
    }
    long sum = 0;
    check(sqlite3_exec(base, "commit; select n from t where n % 3 = 0", &add, &sum, NULL) == SQLITE_OK,
          "selecting");
    sqlite3_close(base);
    printf("%d: %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
