// says: This type cannot be sent
#include <lisle/lisle.hpp>
struct counted {
    counted() = default;
    counted(const counted &other) : copies{other.copies + 1} {}
    int copies = 0;
};
void mistake(const counted &c) {
    lisle::world().send(c, 1);
}
