// says: resized() and grown() are for containers
#include <lisle/lisle.hpp>

#include <array>
void mistake(std::array<int, 4> &values) {
    lisle::world().receive_into(lisle::resized(values), 0);
}
