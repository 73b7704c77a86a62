// says: particle::name)>|always_false<std::basic_string
#include <lisle/lisle.hpp>
#include <string>
struct particle {
    int kind;
    std::string name;
    double mass;
};
struct pair {
    int number;
    particle first;
};
void mistake(const pair &p) {
    lisle::world().send(p, 1);
}
