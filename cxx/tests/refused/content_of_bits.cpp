// says: The elements of this container lie nowhere in memory
#include <lisle/layout.hpp>
#include <lisle/lisle.hpp>

#include <vector>
void mistake(std::vector<bool> &bits) {
    lisle::world().send(lisle::content(bits), 1);
}
void good(std::vector<std::vector<int>> &numbers) {
    lisle::world().send(lisle::content(numbers), 1);
}
