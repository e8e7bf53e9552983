// check: unknown unsupported
// headline explicit: unknown (not supported: `std::ios_base::ios_base` of the C++ library at string_stream.cpp:10)
// String streams have no model, and are named.
#include <sstream>
#include <string>
#include <thread>

int main() {
    std::string text;
    std::thread writer([&] { std::ostringstream out; out << 12; text = out.str(); });
    writer.join();
    return text == "12" ? 0 : 1;
}
