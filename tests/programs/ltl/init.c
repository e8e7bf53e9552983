// check: safe
// args: --no-merging --init begin --ltl level&&X(level)&&X(X(!level)) --prop level=level==7
// lazy: skip a formula
// The run begins behind the function that comes first.
int level, table[8];
void begin(void) {
    for (int i = 0; i < 8; i++)
        table[i] = level = i;
}
int main(void) {
    table[7] = 7;
    level = 0;
    return 0;
}
