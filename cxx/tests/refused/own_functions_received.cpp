// says: This class has its own serialize(), or save() and load()
#include <lisle/lisle.hpp>
struct angle {
    double degrees;
    template <class Archive> void serialize(Archive &archive) { archive(degrees); }
};
void mistake(angle &a) {
    lisle::world().receive_into(a, 1);
}
