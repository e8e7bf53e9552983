/* The locks of streams, which a thread may take more than once (POSIX, flockfile). Output that others print meanwhile does not
 * wait, for nobody can tell. */
#include "internal.h"
#include "mutex.c"
#include "streams.c"

void flockfile(struct stream *stream) { lock_mutex(&stream->lock); }
int ftrylockfile(struct stream *stream) { return lock_mutex_or(&stream->lock, E_BUSY); }
void funlockfile(struct stream *stream) { unlock_mutex(&stream->lock); }
