/* The intrinsics: the whole language in which Selvedge's thread models are written.
 *
 * Everything else (pthreads, C11 threads, semaphores, libc) is ordinary C over these, compiled
 * with every program. A user's own model (`--model my_rtos.c`) may use them too.
 *
 * The rules:
 *  - Code between atomic_begin and atomic_end runs without a context switch. Sections nest.
 *  - block_until(c) with c false undoes the atomic section it stands in, back to the outermost
 *    atomic_begin; the thread is disabled until the section can be completed. So
 *        atomic_begin(); block_until(!m->locked); m->locked = 1; atomic_end();
 *    is a lock. Outside of a section a false condition blocks the thread for ever.
 *  - A variable `int __selvedge_reached_NAME = 0` begins as 1 if the program reaches a function of that name.
 *  - assume(c) with c false discards the whole run: it is no deadlock, and no behaviour either.
 */
#ifndef SELVEDGE_H
#define SELVEDGE_H

typedef __SIZE_TYPE__ __selvedge_size;

/* Threads are numbered 0 (main), 1, 2, … in order of creation. */
int __selvedge_spawn(void (*body)(void *, void *), void *first, void *second); /* the new thread's number */
int __selvedge_self(void);
/* This thread's number plus one, for a lock that says who owns it: to be kept in the lowest 15 bits of the first four
 * bytes (or in the only byte) of the object that acquired is then told of, and nowhere else, from atomic_begin to the
 * atomic_end of that section; or only to be compared with what is there. The search may rename it. */
unsigned __selvedge_owner(void);
int __selvedge_threads(void);       /* how many were ever created, main included */
_Bool __selvedge_created(int thread);       /* is there a thread of this number by now? */
_Bool __selvedge_finished(int thread);      /* for use under block_until: only ever turns true */
_Bool __selvedge_poll_finished(int thread); /* the same question, asked without waiting */
void __selvedge_thread_exit(void) __attribute__((noreturn)); /* ends this thread, whatever its stack */
void __selvedge_process_exit(void) __attribute__((noreturn)); /* ends the process: what main's return does */
void *__selvedge_tls_of(int thread, void *mine); /* thread's copy of the thread-local that `mine` points to */
void __selvedge_yield(void);        /* a context switch here is voluntary: it counts as no preemption */

void __selvedge_atomic_begin(void);
void __selvedge_atomic_end(void);
void __selvedge_block_until(_Bool condition);
void __selvedge_assume(_Bool condition);

/* A violation of the named property: "assertion", "deadlock", "memory", "arithmetic", "lock", "thread",
 * "abort", "exit", "overflow" or "leak". The text is shown to the user, with the source line of the innermost function that
 * is not a model. Both must be string literals.
 * It RETURNS where that property is not checked: the model then goes on as the real library would, since
 * ending the run there could hide a violation that is asked for (--property assertion must see what
 * follows a misused lock). A failed assertion is followed by process_exit. */
void __selvedge_violation(const char *property, const char *text);
/* The run cannot go on because of a limit of ours; the verdict becomes unknown (text). */
void __selvedge_unsupported(const char *text) __attribute__((noreturn));

/* Nondeterministic inputs. `range` is inclusive at both ends. */
unsigned long long __selvedge_nondet_range(unsigned long long low, unsigned long long high);
_Bool __selvedge_nondet_bool(void);
int __selvedge_nondet_int(void);
unsigned long long __selvedge_nondet_u64(void);

/* Memory. alloc returns uninitialised bytes and never null; free requires the start of a live heap object. */
void *__selvedge_alloc(__selvedge_size size, __selvedge_size align);
void __selvedge_free(void *start);
__selvedge_size __selvedge_object_size(const void *p);  /* bytes of the object p points into; 0 if none */
__selvedge_size __selvedge_object_offset(const void *p); /* where in that object p points */
void __selvedge_check_read(const void *p, __selvedge_size size);  /* a memory violation unless readable */
void __selvedge_check_write(void *p, __selvedge_size size);

/* Mutual exclusion, told to the search so that it need not interrupt a thread where nobody can come
 * between. Call them inside the atomic section that takes the lock or gives it back. They change nothing
 * else, and a promise that turns out to be wrong is noticed. */
void __selvedge_acquired(const void *lock, _Bool exclusively);
void __selvedge_released(const void *lock);

/* Declares the thread that is waited for, for the search for deadlocks. Call it inside a section, right before block_until:
 * if that waits, then for something that only `thread` can do. If it is called for several threads, each of them has to
 * act. `object` is what they hold, for the report; null if they are only expected to end. Without this call a section
 * may be waiting for any thread; so may a section inside of another one, where the call has no effect. */
void __selvedge_waits_for(const void *object, int thread);

/* setjmp and longjmp: buffer holds two words. */
int __selvedge_setjmp(void *buffer) __attribute__((returns_twice));
void __selvedge_longjmp(void *buffer, int value) __attribute__((noreturn));

/* For programs rather than models: marks progress. --livelock requires that every infinite run calls this
 * infinitely often; other checks ignore it. */
void selvedge_progress(void);

#endif
