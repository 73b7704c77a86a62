// says: This type cannot be sent
#include <lisle/lisle.hpp>
struct list_node {
    int value;
    list_node *next;
};
void mistake(const list_node &node) {
    lisle::world().send(node, 1);
}
