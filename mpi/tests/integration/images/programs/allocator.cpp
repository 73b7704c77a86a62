// SPDX-License-Identifier: Apache-2.0
// Brings its own operator new.
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>

void *operator new(std::size_t size) {
    return std::malloc(size);
}
void operator delete(void *place) noexcept {
    std::free(place);
}
void operator delete(void *place, std::size_t) noexcept {
    std::free(place);
}

int main(int argc, char **) {
    std::string text(1000, 'x');
    text.append(static_cast<std::size_t>(argc) * 1000, 'y');
    std::cout << text << std::endl;
}
