// check: safe
// args: --init begin --invariant level==7
// lazy: skip an invariant
// Not yet true at the start, but after the function that comes first.
int level, table[8];
void begin(void) {
    for (int i = 0; i < 8; i++)
        table[i] = level = i;
}
int main(void) {
    return table[7] != 7;
}
