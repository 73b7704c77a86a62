// says: This class has its own serialize(), or save() and load()
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
struct angle { // whom it lets in is not cereal
    double degrees;

  private:
    template <class Archive> void serialize(Archive &archive) { archive(degrees); }
};
void mistake(const angle &a) {
    lisle::world().send(a, 1);
}
