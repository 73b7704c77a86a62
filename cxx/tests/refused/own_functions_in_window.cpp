// says: This class has its own serialize(), or save() and load()
#include <lisle/lisle.hpp>
#include <lisle/window.hpp>
struct angle {
    double degrees;
    template <class Archive> void serialize(Archive &archive) { archive(degrees); }
};
void mistake() {
    auto shared = lisle::window<angle>::shared(lisle::world(), 8);
}
