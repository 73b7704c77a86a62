/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"
#include <string.h>
#include <zlib.h>

int main(int count, char **words) {
    begin(&count, &words);
    static unsigned char text[100000], packed[110000], back[100000];
    for (size_t i = 0; i != sizeof text; ++i) {
        text[i] = (unsigned char)(i * i % (size_t)(rank + 11));
    }
    uLongf length = sizeof packed, again = sizeof back;
    check(compress2(packed, &length, text, sizeof text, 1 + rank) == Z_OK, "compressing");
    check(uncompress(back, &again, packed, length) == Z_OK, "expanding");
    check(memcmp(text, back, sizeof text) == 0, "comparing");
    printf("%d: %lu %lu\n", rank, length, crc32(0, packed, (uInt)length));
    MPI_Finalize();
    return 0;
}
