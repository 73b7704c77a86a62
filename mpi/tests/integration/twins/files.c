/* SPDX-License-Identifier: Apache-2.0
 * Files. Their errors come as codes unless the program asks for something else, so these ask for the end of
 * the job, but for the one that looks at no code. */
#include "twins.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A name of its own for each run: rank 0's process says which. */
static const char *name(void) {
    static char text[64];
    long number = (long)getpid();
    MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(text, sizeof text, "twin_%ld", number);
    return text;
}

static MPI_File open_file(int mode) {
    MPI_File file;
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    /* A file_left file_modes */
    MPI_File_open(MPI_COMM_WORLD, name(), mode | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    return file;
}

static const int usual = MPI_MODE_CREATE | MPI_MODE_RDWR;

static void file_left(void) {
    MPI_File file = open_file(usual);
    if (right) {
        MPI_File_close(&file);
    }
}

static void file_modes(void) {
    MPI_File file = open_file(right || rank == 0 ? usual : MPI_MODE_CREATE | MPI_MODE_WRONLY);
    MPI_File_close(&file);
}

static void file_read_only(void) {
    MPI_File file = open_file(usual), again;
    MPI_File_open(MPI_COMM_WORLD, name(), right ? MPI_MODE_RDWR : MPI_MODE_RDONLY, MPI_INFO_NULL, &again);
    MPI_File_write_at(again, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE); /* A file_read_only */
    MPI_File_close(&again);
    MPI_File_close(&file);
}

static void file_part_of_etype(void) {
    char bytes[8] = {0};
    MPI_File file = open_file(usual);
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, rank, bytes, right ? 8 : 6, MPI_BYTE,
                      MPI_STATUS_IGNORE); /* A file_part_of_etype */
    MPI_File_close(&file);
}

static void file_split_twice(void) {
    int numbers[2] = {0}, others[2] = {0};
    MPI_File file = open_file(usual);
    MPI_File_write_at_all_begin(file, 8 * rank, numbers, 2, MPI_INT);
    if (right) {
        MPI_File_write_at_all_end(file, numbers, MPI_STATUS_IGNORE);
    }
    MPI_File_read_at_all_begin(file, 8 * rank, others, 2, MPI_INT); /* A file_split_twice */
    MPI_File_read_at_all_end(file, others, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void file_split_open(void) {
    int numbers[2] = {0};
    MPI_File file = open_file(usual);
    MPI_File_write_at_all_begin(file, 8 * rank, numbers, 2, MPI_INT);
    if (right) {
        MPI_File_write_at_all_end(file, numbers, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file); /* A file_split_open */
}

static void file_other_call(void) {
    int numbers[2] = {0};
    MPI_File file = open_file(usual);
    if (right || rank == 0) {
        MPI_File_write_at_all(file, 8 * rank, numbers, 2, MPI_INT, MPI_STATUS_IGNORE); /* A file_other_call */
    } else {
        MPI_File_read_at_all(file, 8 * rank, numbers, 2, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

static void file_changed(void) {
    static int numbers[1000];
    MPI_File file = open_file(usual);
    MPI_Request request;
    MPI_File_iwrite_at(file, (MPI_Offset)sizeof numbers * rank, numbers, 1000, MPI_INT,
                       &request); /* A file_changed */
    if (right) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    numbers[999] = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void file_backwards(void) {
    const int ones[2] = {1, 1}, there[2] = {0, 4}, back[2] = {4, 0};
    MPI_Datatype places;
    MPI_File file = open_file(usual);
    MPI_Type_indexed(2, ones, right ? there : back, MPI_INT, &places);
    MPI_Type_commit(&places);
    MPI_File_set_view(file, 0, MPI_INT, places, "native", MPI_INFO_NULL); /* A file_backwards */
    MPI_Type_free(&places);
    MPI_File_close(&file);
}

static void file_code_ignored(void) {
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, right ? "/dev/null" : "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL,
                  &file); /* A file_code_ignored */
    if (right) {
        MPI_File_close(&file);
    }
}

const struct mistake file_mistakes[] = {
    {"file_left", file_left, MPI_THREAD_SINGLE},
    {"file_modes", file_modes, MPI_THREAD_SINGLE},
    {"file_read_only", file_read_only, MPI_THREAD_SINGLE},
    {"file_part_of_etype", file_part_of_etype, MPI_THREAD_SINGLE},
    {"file_split_twice", file_split_twice, MPI_THREAD_SINGLE},
    {"file_split_open", file_split_open, MPI_THREAD_SINGLE},
    {"file_other_call", file_other_call, MPI_THREAD_SINGLE},
    {"file_changed", file_changed, MPI_THREAD_SINGLE},
    {"file_backwards", file_backwards, MPI_THREAD_SINGLE},
    {"file_code_ignored", file_code_ignored, MPI_THREAD_SINGLE},
    {0},
};
