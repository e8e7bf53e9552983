// check: safe
// args: --longest-input 4 --unwind 3
// A server that gives each connection to a thread.
// check -DONE_TOO_MANY: unsafe memory
// check -DUNCHECKED: unsafe memory
// check -DADDRESS_LOST: unsafe leak
// args: --property leak
#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void *serve(void *given) {
    int connection = *(int *)given;
    free(given);
    char text[4];
#ifdef ONE_TOO_MANY
    ssize_t length = recv(connection, text, sizeof text, 0);
#else
    ssize_t length = recv(connection, text, sizeof text - 1, 0);
#endif
    if (length > 0) {
        text[length] = 0;
        send(connection, text, strlen(text), 0);
    }
    close(connection);
    return NULL;
}

int main(void) {
    struct addrinfo hints, *found, *address;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    int error = getaddrinfo(NULL, "8080", &hints, &found);
#ifndef UNCHECKED
    if (error)
        return 1;
#endif
    int door = -1;
    for (address = found; address && door < 0; address = address->ai_next) {
        door = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
        if (door >= 0 && bind(door, address->ai_addr, address->ai_addrlen)) {
            close(door);
            door = -1;
        }
    }
#ifndef ADDRESS_LOST
    freeaddrinfo(found);
#endif
    if (door < 0 || listen(door, 5))
        return 1;
    struct sockaddr_storage client;
    socklen_t length = sizeof client;
    int *connection = malloc(sizeof *connection);
    *connection = accept(door, (struct sockaddr *)&client, &length);
    pthread_t thread;
    if (*connection < 0 || pthread_create(&thread, NULL, serve, connection))
        free(connection);
    else
        pthread_join(thread, NULL);
    close(door);
    return 0;
}
