/* SPDX-License-Identifier: Apache-2.0
 * Prints what getopt makes of the arguments; ranks scan at the same time. The first argument says how. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    static int flag = 0;
    static const struct option longs[] = {
        {"alpha", no_argument, NULL, 'a'},       {"beta", required_argument, NULL, 'b'},
        {"gamma", optional_argument, NULL, 'c'}, {"flag", no_argument, &flag, 7},
        {"alpine", no_argument, NULL, 'p'},      {NULL, 0, NULL, 0}};
    char text[4096] = "";
    const char *const how = argv[1];
    char **const arguments = argv + 1;
    const int count = argc - 1;
    for (int result, which = -1;;) {
        if (strcmp(how, "short") == 0) {
            result = getopt(count, arguments, "ab:c::");
        } else if (strcmp(how, "quiet") == 0) {
            result = getopt(count, arguments, ":ab:c::");
        } else if (strcmp(how, "require") == 0) {
            result = getopt(count, arguments, "+ab:c::");
        } else if (strcmp(how, "inplace") == 0) {
            result = getopt(count, arguments, "-ab:c::");
        } else if (strcmp(how, "only") == 0) {
            result = getopt_long_only(count, arguments, "ab:c::", longs, &which);
        } else {
            result = getopt_long(count, arguments, "ab:c::", longs, &which);
        }
        if (result == -1) {
            break;
        }
        char piece[256];
        snprintf(piece, sizeof piece, "%d(%s,%d,%d) ", result, optarg != NULL ? optarg : "-", which,
                 result == '?' || result == ':' ? optopt : 0);
        strcat(text, piece);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "| %d flag %d:", optind, flag);
    for (int i = 1; i < count; ++i) {
        strcat(strcat(text, " "), arguments[i]);
    }
    puts(text);
    return 0;
}
