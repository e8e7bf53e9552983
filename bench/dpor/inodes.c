/* N threads look for a free block for their inode; there are 32 inodes and 26 blocks, and a lock for each. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 12
#endif
enum { BLOCKS = 26, INODES = 32 };

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void *allocate(void *argument)
{
    int i = (int)(long)argument % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int b = i * 2 % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            pthread_mutex_unlock(&block_lock[b]);
            b = (b + 1) % BLOCKS;
        }
    }
    assert(inode[i] > 0);
    pthread_mutex_unlock(&inode_lock[i]);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], 0);
    for (int b = 0; b < BLOCKS; b++)
        pthread_mutex_init(&block_lock[b], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, allocate, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
