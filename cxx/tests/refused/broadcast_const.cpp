// says: This is const and cannot be received into
#include <lisle/lisle.hpp>
void mistake(const int &number) {
    lisle::world().broadcast(number);
}
