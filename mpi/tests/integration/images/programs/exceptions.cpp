// SPDX-License-Identifier: Apache-2.0
// Exceptions through many frames, of the program's own types, in all ranks at once.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>

struct base {
    virtual ~base() = default;
};
struct derived : base {
    explicit derived(int d) : depth(d) {}
    int depth;
};

static int unwound = 0;
struct guard {
    ~guard() { ++unwound; }
};

static void descend(int depth) {
    const guard here;
    if (depth == 0) {
        throw derived(depth + 42);
    }
    descend(depth - 1);
}

int main() {
    for (int round = 0; round != 200; ++round) {
        unwound = 0;
        try {
            descend(20);
        } catch (const base &caught) {
            if (dynamic_cast<const derived &>(caught).depth != 42 || unwound != 21) {
                return 1;
            }
        }
        try {
            static_cast<void>(std::string("abc").at(7));
        } catch (const std::out_of_range &) {
            ++unwound;
        }
        const std::unique_ptr<base> object = std::make_unique<derived>(1);
        if (unwound != 22 || typeid(*object) != typeid(derived)) {
            return 2;
        }
    }
    std::printf("good\n");
}
