// says: This class has its own serialize(), or save() and load()
#include <lisle/lisle.hpp>
#include <vector>
struct angle {
    double degrees;
    template <class Archive> void serialize(Archive &archive) { archive(degrees); }
};
void mistake(const std::vector<angle> &all) {
    lisle::world().send(all, 1);
}
