// says: This type has no datatype of its own
#include <lisle/lisle.hpp>
#include <lisle/window.hpp>

#include <vector>

void mistake() {
    lisle::window<std::vector<int>> lists{lisle::world(), 8};
}

int main() {
    lisle::window<int> numbers{lisle::world(), 8};
}
