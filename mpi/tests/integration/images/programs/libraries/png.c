/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"
#include <png.h>
#include <string.h>

int main(int count, char **words) {
    begin(&count, &words);
    static unsigned char pixels[64 * 64 * 3], back[64 * 64 * 3];
    for (size_t i = 0; i != sizeof pixels; ++i) {
        pixels[i] = (unsigned char)(i * (size_t)(rank + 1));
    }
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = 64;
    image.format = PNG_FORMAT_RGB;
    check(png_image_write_to_file(&image, file_name, 0, pixels, 0, NULL), "writing");
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    check(png_image_begin_read_from_file(&image, file_name), "opening");
    image.format = PNG_FORMAT_RGB;
    check(png_image_finish_read(&image, NULL, back, 0, NULL), "reading");
    check(memcmp(pixels, back, sizeof pixels) == 0, "comparing");
    printf("%d: %u by %u\n", rank, image.width, image.height);
    MPI_Finalize();
    return 0;
}
