// says: use the functions that end in _into
#include <lisle/lisle.hpp>
void mistake() {
    double plate[3][3];
    auto all = lisle::world().gather(lisle::strided{&plate[0][1], {3}, {3}});
}
