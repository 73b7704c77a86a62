/* SPDX-License-Identifier: Apache-2.0
 * The serial HDF5 library: each rank writes and reads a file of its own, and the library closes at the end.
 */
#include "job.h"
#include <hdf5.h>

int main(int count, char **words) {
    begin(&count, &words);
    long sum = 0;
    for (int round = 0; round != 5; ++round) {
        hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        const hsize_t extent = 1000;
        hid_t space = H5Screate_simple(1, &extent, NULL);
        hid_t set = H5Dcreate2(file, "numbers", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        int numbers[1000];
        for (int i = 0; i != 1000; ++i) {
            numbers[i] = i * (rank + round);
        }
        check(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0, "writing");
        H5Dclose(set);
        H5Sclose(space);
        H5Fclose(file);
        file = H5Fopen(file_name, H5F_ACC_RDONLY, H5P_DEFAULT);
        set = H5Dopen2(file, "numbers", H5P_DEFAULT);
        int read_back[1000] = {0};
        check(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read_back) >= 0, "reading");
        for (int i = 0; i != 1000; ++i) {
            sum += read_back[i];
        }
        H5Dclose(set);
        H5Fclose(file);
    }
    printf("%d: %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
