/* The lock-free stack of bench/programs/safestack.c: one step an atomic operation. Indices are one higher: 0 is none. */
#define CELLS 3
#define THREADS 3
byte value[CELLS + 1], next[CELLS + 1];
byte head = 1, count = CELLS;

init {
    atomic {
        next[1] = 2; next[2] = 3; next[3] = 0;
        run work(1); run work(2); run work(3)
    }
}

proctype work(byte me) {
    byte i, element, second, seen;
    do
    :: i < 2 ->
pop:    if
        :: count > 1
        :: else -> goto pop
        fi;
        element = head;
        d_step { second = next[element]; next[element] = 255 };
        if
        :: second != 0 && second != 255 ->
            atomic {
                if
                :: head == element -> head = second; seen = 1
                :: else -> seen = 0
                fi
            };
            if
            :: seen == 0 -> next[element] = second; goto pop
            :: else
            fi
        :: else -> goto pop
        fi;
        count--;
        value[element] = me;
        assert(value[element] == me);
        second = head;
push:   next[element] = second;
        atomic {
            if
            :: head == second -> head = element; seen = 1
            :: else -> second = head; seen = 0
            fi
        };
        if
        :: seen == 0 -> goto push
        :: else
        fi;
        count++;
        i++
    :: else -> break
    od
}
