// says: resized() and grown() are for containers
#include <array>
#include <lisle/lisle.hpp>
void mistake(std::array<int, 4> &values) {
    lisle::world().receive_into(lisle::resized(values), 0);
}
