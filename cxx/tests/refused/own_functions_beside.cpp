// says: This class has its own serialize(), or save() and load()
#include <lisle/lisle.hpp>
struct angle {
    double degrees;
};
template <class Archive> void save(Archive &archive, const angle &a) {
    archive(a.degrees);
}
template <class Archive> void load(Archive &archive, angle &a) {
    archive(a.degrees);
}
void mistake(const angle &a) {
    lisle::world().send(a, 1);
}
