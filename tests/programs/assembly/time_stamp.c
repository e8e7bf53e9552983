// check: unsafe assertion
// The time stamp counter is an input.
#include <assert.h>
#include <stdint.h>

static inline uint64_t rdtsc(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

int main(void) {
    uint64_t start = rdtsc();
    assert(start != 0x100000002); //~ violation
    return 0;
}
