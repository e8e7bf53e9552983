// check: safe
#include <assert.h>

int run(const char *code) {
    static void *targets[] = {&&halt, &&increment, &&twice};
    int value = 0;
    goto *targets[*code++ - '0'];
increment:
    value++;
    goto *targets[*code++ - '0'];
twice:
    value *= 2;
    goto *targets[*code++ - '0'];
halt:
    return value;
}

int main(void) {
    assert(run("112210") == 9);
    return 0;
}
