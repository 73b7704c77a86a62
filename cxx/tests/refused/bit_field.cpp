// says: This class has a bit-field
#include <lisle/lisle.hpp>
struct flags {
    int number;
    unsigned ready : 1;
};
void mistake() {
    lisle::world().send(flags{}, 1);
}
