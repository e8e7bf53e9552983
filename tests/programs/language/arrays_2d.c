// check: safe
#include <assert.h>

int grid[3][4];

int trace(int (*rows)[4], int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += rows[i][i];
    return sum;
}

int main(void) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            grid[i][j] = 10 * i + j;
    assert(trace(grid, 3) == 33 && grid[2][3] == 23 && *(*(grid + 1) + 2) == 12);
    int (*last)[4] = &grid[2];
    assert((*last)[0] == 20 && &grid[2][0] - &grid[0][0] == 8);
    return 0;
}
