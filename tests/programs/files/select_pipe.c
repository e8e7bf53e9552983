// check: safe
// A loop over select serves two pipes until both are closed; select alone is a sleep.
#include <assert.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

int commands[2], data[2];

void *send_command(void *argument) {
    assert(write(commands[1], "q", 1) == 1);
    close(commands[1]);
    return argument;
}

void *send_data(void *argument) {
    struct timeval moment = {0, 1000};
    assert(select(0, NULL, NULL, NULL, &moment) == 0);
    assert(write(data[1], "ab", 2) == 2);
    close(data[1]);
    return argument;
}

int main(void) {
    assert(pipe(commands) == 0 && pipe(data) == 0);
    pthread_t first, second;
    pthread_create(&first, NULL, send_command, NULL);
    pthread_create(&second, NULL, send_data, NULL);
    int open = 2, bytes = 0, files[] = {commands[0], data[0]};
    while (open > 0) {
        fd_set ready;
        FD_ZERO(&ready);
        for (int i = 0; i < 2; i++)
            if (files[i] >= 0)
                FD_SET(files[i], &ready);
        assert(select(data[0] + 1, &ready, NULL, NULL, NULL) >= 1);
        for (int i = 0; i < 2; i++) {
            char buffer[4];
            if (files[i] < 0 || !FD_ISSET(files[i], &ready))
                continue;
            long got = read(files[i], buffer, sizeof buffer);
            assert(got >= 0);
            bytes += got;
            if (got == 0)
                close(files[i]), files[i] = -1, open--;
        }
    }
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(bytes == 3);
    return 0;
}
