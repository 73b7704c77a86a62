// says: A raw pointer cannot be sent
#include <lisle/lisle.hpp>
void mistake(const int *numbers) {
    lisle::world().send(numbers, 1);
}
