// check: safe
// What goes out in the order of the network comes back as it was.
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static uint32_t on_the_wire;

static void *send_length(void *unused)
{
    (void)unused;
    on_the_wire = htonl(258);
    return NULL;
}

int main(void)
{
    pthread_t sender;
    pthread_create(&sender, NULL, send_length, NULL);
    pthread_join(sender, NULL);
    assert(((unsigned char *)&on_the_wire)[3] == 2);
    assert(ntohl(on_the_wire) == 258);
    assert(ntohs(htons(80)) == 80);
    return 0;
}
