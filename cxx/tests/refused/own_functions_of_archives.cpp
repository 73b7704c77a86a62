// says: This class has its own serialize(), or save() and load()
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>

#include <concepts>
struct angle { // for another archive
    double degrees;
    template <class Archive>
    requires std::same_as<Archive, int>
    void serialize(Archive &) {}
};
void mistake(const angle &a) {
    lisle::world().send(a, 1);
}
