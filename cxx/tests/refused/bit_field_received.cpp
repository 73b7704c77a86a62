// says: This class has a bit-field
#include <lisle/lisle.hpp>
struct flags {
    unsigned ready : 1;
    int number;
};
void mistake() {
    auto got = lisle::world().receive<flags>(1);
}
