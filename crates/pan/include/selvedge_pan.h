/* Selvedge's virtual machine for SPIN: SPIN decides which thread runs next, and stores states; the machine computes
 * what a thread does. After pancam (Zaks and Joshi, SPIN 2008).
 *
 * All calls work on the state in `pan_driver.state`, which the model tracks as "Matched": SPIN may put back an older
 * state at any time. Nothing else that is changed by a step needs to be tracked. */
#ifndef SELVEDGE_PAN_H
#define SELVEDGE_PAN_H

#include <stddef.h>
#include <stdint.h>

struct pan_driver {
    uint64_t *state;           /* zero before the first call; tracked */
    size_t state_words;
    uint64_t *key;             /* under a data abstraction: what is matched instead of the state; else NULL */
    size_t key_words;
    const char *program;       /* a file: the program as `selvedge check --emit program` prints it */
    const char *sharing;       /* a file: what is known of what threads share; need not exist */
    const char *properties;    /* what is checked: "assertion,deadlock" */
    uint64_t max_input_values; /* inputs with more values are not tried one by one */
    int threads;               /* so many can run in the model */
    int preemptions;           /* at most so many switches away from a thread that could go on; -1: any number */
    int retelling;             /* not 0: steps are told, as for `pan -r` */
    int several;               /* not 0: several processes search at once */
    void (*say)(const char *line);
    void (*stop)(int code);    /* must not return */
};

/* Why a search stops before its end: the codes that `stop` gets. */
enum {
    PAN_LEARNT = 3,  /* more is shared between threads than was known; it is known now: begin anew */
    PAN_BYTES = 4,   /* the state does not fit */
    PAN_THREADS = 5, /* there are more threads than the model has */
    PAN_WRONG = 6,   /* a file, a name or an observing function is not what it should be */
    PAN_BUG = 70     /* a bug in Selvedge */
};

/* Reads the program. pan_setup does so if nobody has; processes that are to share it call this before they fork. */
void pan_load(const struct pan_driver *driver);
/* The program's first state, in which thread 0 is about to run main. May be called again. */
void pan_setup(const struct pan_driver *driver);
/* `int name(void)`, a function of the program, must return true after every step. */
void pan_register_invariant(const char *name);
/* Runs `void name(void)`, a function of the program, to its end. Only before the first step. */
void pan_run_function(const char *name);
/* Lets a thread begin with this function: thread 0, in place of main, or the next. Only before the first step. */
void pan_start_thread(int thread, const char *name, uint64_t argument);
/* Looks at the first state as at all others. */
void pan_begin(void);

/* In how many ways can the thread go on? More than one where it depends on inputs. */
int pan_ways(int thread);
int pan_enabled(int thread); /* is there any? */
/* One visible step of the thread, and what follows that no other thread can see. Not 0 if all is well. */
int pan_step(int thread, int way);

int pan_ready(void);  /* has the program begun? */
int pan_failed(void); /* is something wrong? */
int pan_over(void);   /* has the process ended? */
void pan_end(void);   /* from now on the proposition `end` holds */
int pan_stuck(void);  /* is the process not over, and does some thread wait for ever? */
int pan_pruned(void); /* does an assumption not hold? Then there is no such run */
int pan_holds(int proposition);

#endif
