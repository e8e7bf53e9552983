/* One producer, two consumers, a bounded buffer with a lock and two condition variables, as in
   bench/programs/ring_buffer.c. A process that waits for a condition holds a ticket that a signal takes. */
#define SIZE 2
#define ITEMS 4
byte buffer[SIZE], first, used, taken;
bool lock;
byte wait_full, wait_empty, go_full, go_empty;

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }
inline wait(waiting, go) {
    atomic { waiting++; lock = false };
    atomic { go > 0 -> go--; };
    acquire()
}
inline signal(waiting, go) {
    atomic {
        if
        :: waiting > 0 -> waiting--; go++
        :: else
        fi
    }
}

active proctype produce() {
    byte i;
    do
    :: i < ITEMS ->
        acquire();
        do
        :: used == SIZE -> wait(wait_full, go_full)
        :: else -> break
        od;
        skip;
        d_step { buffer[(first + used) % SIZE] = i; used++; }
        signal(wait_empty, go_empty);
        release();
        i++
    :: else -> break
    od
}

active [2] proctype consume() {
    byte i;
    do
    :: i < ITEMS / 2 ->
        acquire();
        do
        :: used == 0 -> wait(wait_empty, go_empty)
        :: else -> break
        od;
        assert(buffer[first] == taken);
        d_step { taken++; first = (first + 1) % SIZE; used--; }
        signal(wait_full, go_full);
        release();
        i++
    :: else -> break
    od
}
