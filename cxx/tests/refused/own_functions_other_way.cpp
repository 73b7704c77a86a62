// says: This class has its own serialize(), or save() and load()
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
struct angle {
    double degrees;
    template <class Archive> void load(Archive &archive) { archive(degrees); }
};
void mistake(const angle &a) {
    lisle::world().allgather(a);
}
