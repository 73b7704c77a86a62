// says: This type cannot be sent
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <optional>
struct angle {
    double degrees;
    template <class Archive> void save(Archive &archive) const { archive(degrees); }
};
void mistake(const std::optional<angle> &a) {
    lisle::world().send(a, 1);
}
