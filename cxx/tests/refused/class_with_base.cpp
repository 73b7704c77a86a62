// says: This class has a base class
#include <lisle/lisle.hpp>
struct body {
    double mass;
};
struct particle : body {
    int kind;
};
void mistake(const particle &p) {
    lisle::world().send(p, 1);
}
