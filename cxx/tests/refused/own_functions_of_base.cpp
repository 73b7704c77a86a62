// says: This class has its own serialize(), or save() and load()
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
struct angle {
    double degrees;
    template <class Archive> void serialize(Archive &archive) { archive(degrees); }
};
struct turn : angle { // whose axis serialize() knows nothing of
    double axis[3];
};
void mistake(const turn &t) {
    lisle::world().send(t, 1);
}
