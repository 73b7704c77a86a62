// says: A class with this field cannot be sent
#include <lisle/lisle.hpp>
struct angle {
    double degrees;
    template <class Archive> void serialize(Archive &archive) { archive(degrees); }
};
struct turn {
    int number;
    angle by[2];
};
void mistake(const turn &t) {
    lisle::world().send(t, 1);
}
