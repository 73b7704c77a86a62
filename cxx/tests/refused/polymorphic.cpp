// says: A polymorphic object cannot be sent where it lies
#include <lisle/lisle.hpp>
struct shape {
    virtual ~shape();
    double size;
};
void mistake(const shape &s) {
    lisle::world().send(s, 1);
}
