// check: unsafe assertion
// Virtual calls, dynamic_cast, a base class that starts the thread in its constructor.
#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <vector>

class Shape {
  public:
    virtual ~Shape() = default;
    virtual int corners() const = 0;
};
class Square : public Shape {
  public:
    int corners() const override { return 4; }
};
class Triangle : public Shape {
  public:
    int corners() const override { return 3; }
};

int main() {
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Square>());
    shapes.push_back(std::make_unique<Triangle>());
    int corners = 0;
    auto count = [&](std::size_t which) { corners += shapes[which]->corners(); };
    std::thread a(count, 0), b(count, 1);
    a.join();
    b.join();
    assert(dynamic_cast<Square *>(shapes[0].get()));
    assert(!dynamic_cast<Square *>(shapes[1].get()));
    assert(corners == 7); //~ violation
}
