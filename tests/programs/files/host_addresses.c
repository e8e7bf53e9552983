// check: safe
// Addresses as texts: parsed and printed exactly.
// check -DNO_ROOM: unsafe memory
// check -DNO_HOST: unsafe memory
#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>
#include <string.h>

int main(void) {
    struct in_addr address;
    char text[INET_ADDRSTRLEN];
    assert(inet_pton(AF_INET, "192.168.0.10", &address) == 1);
    assert(ntohl(address.s_addr) == 0xC0A8000A);
    assert(inet_pton(AF_INET, "1.2.3", &address) == 0 && inet_pton(AF_INET, "1.2.3.256", &address) == 0);
    assert(inet_ntop(AF_INET, &address, text, sizeof text) == text && strcmp(text, "192.168.0.10") == 0);
    assert(inet_ntop(AF_INET, &address, text, 8) == NULL && strcmp(inet_ntoa(address), "192.168.0.10") == 0);
    assert(inet_addr("127.0.0.1") == htonl(INADDR_LOOPBACK) && inet_addr("none") == INADDR_NONE);
#ifdef NO_ROOM
    char small[4];
    inet_ntop(AF_INET, &address, small, sizeof text); //~ violation
#endif
    struct hostent *host = gethostbyname("example.org");
#ifndef NO_HOST
    if (!host)
        return 1;
#endif
    assert(host->h_length == 4 && host->h_addr_list[0] && !host->h_addr_list[1]); //~ violation
    return 0;
}
