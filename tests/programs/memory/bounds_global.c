// check: unsafe memory
int table[4];

int main(void) {
    for (int i = 0; i <= 4; i++)
        table[i] = i; //~ violation
    return 0;
}
