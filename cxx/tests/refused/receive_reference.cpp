// says: T must be no reference
#include <lisle/lisle.hpp>
void mistake() {
    auto value = lisle::world().receive<const int &>(0);
}
