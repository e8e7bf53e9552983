// std::string, whose code the library has, from its header.
#include <string>

template class std::basic_string<char>;
