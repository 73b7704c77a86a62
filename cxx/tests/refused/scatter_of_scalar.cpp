// says: This is no range
#include <lisle/lisle.hpp>
void mistake() {
    auto mine = lisle::world().scatter(1.5);
}
