// says: include <lisle/serialize.hpp>
#include <lisle/lisle.hpp>
#include <lisle/window.hpp>
#include <string>

struct entry {
    int key;
    std::string text;
};

void mistake() {
    lisle::window<entry> table{lisle::world(), 8};
}

int main() {
    lisle::window<int> table{lisle::world(), 8};
}
