// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <map>

class Dictionary {
    mutable std::shared_mutex mutex;
    std::map<std::string, int> words;

  public:
    void add(const std::string &word, int meaning) {
        std::unique_lock lock(mutex);
        words[word] = meaning;
    }
    int look_up(const std::string &word) const {
        std::shared_lock lock(mutex);
        auto found = words.find(word);
        return found == words.end() ? 0 : found->second;
    }
};

int main() {
    Dictionary dictionary;
    std::thread writer([&] { dictionary.add("selvedge", 1); });
    int meaning = dictionary.look_up("selvedge");
    assert(meaning == 0 || meaning == 1);
    writer.join();
    assert(dictionary.look_up("selvedge") == 1);
}
