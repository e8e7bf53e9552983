// check: safe
// An unknown function matters only where it is called.
int mystery(int x);

int flag;

int main(void) {
    if (flag)
        return mystery(3);
    return 0;
}
