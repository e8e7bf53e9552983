// A service as large as real ones: a pool of as many workers as the environment asks for, bounded queues with condition
// variables between its stages, and a dozen structures that a lock each protects. It never ends by itself; nobody knows how
// many jobs come. Every function says what it relies on with assertions.
//
// check: safe
// args: --engine prove --property assertion,memory,arithmetic,lock,thread

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

/* ------------------------------------------------------------------------------------------------------------------
 * Sizes
 */

enum {
    JOBS = 32,
    RESULTS = 48,
    LOG_LINES = 64,
    LINE = 12,
    SLOTS = 32,
    BUCKETS = 64,
    CLASSES = 16,
    LEVELS = 8,
    ACCOUNTS_TOTAL = 10000,
    LIMIT = 100,
    MOST_WORKERS = 48,
    TILE = 8,
    CLOCK_END = 1000000,
    SESSIONS = 24,
    RETRIES = 5,
};

/* ------------------------------------------------------------------------------------------------------------------
 * Small things that everybody uses
 */

static int clamp(int value, int low, int high)
{
    assert(low <= high);
    if (value < low)
        return low;
    if (value > high)
        return high;
    return value;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static unsigned hash(unsigned key)
{
    key ^= key >> 16;
    key *= 0x45d9f3bu;
    key ^= key >> 16;
    return key;
}

static void must_lock(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_lock(mutex);
    assert(error == 0);
}

static void must_unlock(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_unlock(mutex);
    assert(error == 0);
}

/* ------------------------------------------------------------------------------------------------------------------
 * The clock: it does not go back, and stops at its end
 */

static struct {
    pthread_mutex_t lock;
    int now;
} clock_state = {PTHREAD_MUTEX_INITIALIZER, 0};

static int clock_tick(void)
{
    must_lock(&clock_state.lock);
    int before = clock_state.now;
    if (clock_state.now < CLOCK_END)
        clock_state.now++;
    int now = clock_state.now;
    assert(now >= before);
    assert(now > 0);
    must_unlock(&clock_state.lock);
    return now;
}

static int clock_read(void)
{
    must_lock(&clock_state.lock);
    int now = clock_state.now;
    must_unlock(&clock_state.lock);
    assert(now >= 0 && now <= CLOCK_END);
    return now;
}

/* ------------------------------------------------------------------------------------------------------------------
 * The log: a ring that forgets its oldest lines
 */

struct line {
    int time;
    int level;
    char text[LINE];
};

static struct {
    pthread_mutex_t lock;
    struct line lines[LOG_LINES];
    int next;
    int used;
    int lost;
} journal = {PTHREAD_MUTEX_INITIALIZER};

/* The decimal digits of a number that is not negative, at the end of `text`. Returns how many. */
static int digits(char *text, int number)
{
    assert(number >= 0);
    int place = LINE - 1;
    text[place] = '\0';
    do {
        place--;
        text[place] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 && place > 0);
    assert(place >= 0 && place < LINE - 1);
    return LINE - 1 - place;
}

static void journal_write(int level, int number)
{
    char text[LINE];
    int length = digits(text, clamp(number, 0, 1000000000));
    assert(length >= 1 && length < LINE);
    int time = clock_read();

    must_lock(&journal.lock);
    assert(journal.next >= 0 && journal.next < LOG_LINES);
    assert(journal.used >= 0 && journal.used <= LOG_LINES);
    struct line *line = &journal.lines[journal.next];
    line->time = time;
    line->level = level;
    for (int i = 0; i < LINE; i++)
        line->text[i] = i < length ? text[i] : '\0';
    journal.next = (journal.next + 1) % LOG_LINES;
    if (journal.used < LOG_LINES)
        journal.used++;
    else if (journal.lost < 1000000)
        journal.lost++;
    assert(journal.used > 0);
    must_unlock(&journal.lock);
}

static int journal_count(int level)
{
    int found = 0;
    must_lock(&journal.lock);
    for (int i = 0; i < journal.used; i++) {
        if (journal.lines[i].level == level)
            found++;
    }
    assert(found <= LOG_LINES);
    must_unlock(&journal.lock);
    return found;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Statistics: how long jobs took, by class
 */

static struct {
    pthread_mutex_t lock;
    unsigned long counts[CLASSES];
    int shortest;
    int longest;
    bool any;
} durations = {PTHREAD_MUTEX_INITIALIZER};

static int class_of(int duration)
{
    int class = 0;
    while (duration > 1 && class < CLASSES - 1) {
        duration /= 2;
        class++;
    }
    assert(class >= 0 && class < CLASSES);
    return class;
}

static void durations_add(int duration)
{
    int class = class_of(duration);
    must_lock(&durations.lock);
    durations.counts[class]++;
    if (!durations.any) {
        durations.shortest = duration;
        durations.longest = duration;
        durations.any = true;
    } else {
        if (duration < durations.shortest)
            durations.shortest = duration;
        if (duration > durations.longest)
            durations.longest = duration;
    }
    assert(durations.shortest <= durations.longest);
    must_unlock(&durations.lock);
}

static int durations_spread(void)
{
    int spread = 0;
    must_lock(&durations.lock);
    if (durations.any) {
        assert(durations.shortest <= durations.longest);
        spread = durations.longest / 2 - durations.shortest / 2;
    }
    must_unlock(&durations.lock);
    return spread;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Accounts: money moves, but none is made
 */

static struct {
    pthread_mutex_t lock;
    int cash;
    int bank;
    int fees;
} accounts = {PTHREAD_MUTEX_INITIALIZER, 4000, 6000, 0};

static void accounts_check(void)
{
    assert(accounts.cash >= 0);
    assert(accounts.bank >= 0);
    assert(accounts.fees >= 0);
    assert(accounts.cash + accounts.bank + accounts.fees == ACCOUNTS_TOTAL);
}

static bool accounts_withdraw(int amount)
{
    bool done = false;
    if (amount <= 0 || amount > ACCOUNTS_TOTAL)
        return false;
    must_lock(&accounts.lock);
    if (accounts.bank >= amount) {
        accounts.bank -= amount;
        accounts.cash += amount;
        done = true;
    }
    must_unlock(&accounts.lock);
    return done;
}

static bool accounts_deposit(int amount)
{
    bool done = false;
    if (amount <= 0 || amount > ACCOUNTS_TOTAL)
        return false;
    must_lock(&accounts.lock);
    if (accounts.cash >= amount) {
        accounts.cash -= amount;
        accounts.bank += amount;
        done = true;
    }
    must_unlock(&accounts.lock);
    return done;
}

static void accounts_charge(void)
{
    must_lock(&accounts.lock);
    if (accounts.bank >= 1) {
        accounts.bank--;
        accounts.fees++;
    }
    must_unlock(&accounts.lock);
}

static void accounts_audit(void)
{
    must_lock(&accounts.lock);
    accounts_check();
    must_unlock(&accounts.lock);
}

/* ------------------------------------------------------------------------------------------------------------------
 * A limit on how much goes on at the same time
 */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    int taken;
    int left;
} limiter = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, LIMIT};

static void limiter_take(void)
{
    must_lock(&limiter.lock);
    while (limiter.left == 0)
        pthread_cond_wait(&limiter.freed, &limiter.lock);
    limiter.left--;
    limiter.taken++;
    assert(limiter.left >= 0 && limiter.left <= LIMIT);
    assert(limiter.taken + limiter.left == LIMIT);
    must_unlock(&limiter.lock);
}

static void limiter_give(void)
{
    must_lock(&limiter.lock);
    if (limiter.taken > 0) {
        limiter.taken--;
        limiter.left++;
    }
    assert(limiter.left <= LIMIT);
    pthread_cond_signal(&limiter.freed);
    must_unlock(&limiter.lock);
}

static bool limiter_is_idle(void)
{
    must_lock(&limiter.lock);
    assert(limiter.taken + limiter.left == LIMIT);
    bool idle = limiter.left == LIMIT;
    assert(!idle || limiter.taken == 0);
    must_unlock(&limiter.lock);
    return idle;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Slots of memory: a stack of those that are free
 */

static struct {
    pthread_mutex_t lock;
    int stack[SLOTS];
    int free;
    unsigned char bytes[SLOTS][TILE];
} slots = {PTHREAD_MUTEX_INITIALIZER};

static void slots_begin(void)
{
    must_lock(&slots.lock);
    for (int i = 0; i < SLOTS; i++)
        slots.stack[i] = i;
    slots.free = SLOTS;
    must_unlock(&slots.lock);
}

/* A slot that nobody has, or -1. */
static int slots_take(void)
{
    int slot = -1;
    must_lock(&slots.lock);
    assert(slots.free >= 0 && slots.free <= SLOTS);
    if (slots.free > 0) {
        slots.free--;
        slot = slots.stack[slots.free];
        if (slot < 0 || slot >= SLOTS)
            slot = -1;
    }
    must_unlock(&slots.lock);
    return slot;
}

static void slots_give(int slot)
{
    if (slot < 0 || slot >= SLOTS)
        return;
    must_lock(&slots.lock);
    if (slots.free < SLOTS) {
        slots.stack[slots.free] = slot;
        slots.free++;
        assert(slots.free > 0 && slots.free <= SLOTS);
    }
    must_unlock(&slots.lock);
}

static void slot_fill(int slot, unsigned seed)
{
    assert(slot >= 0 && slot < SLOTS);
    for (int i = 0; i < TILE; i++) {
        seed = hash(seed + (unsigned)i);
        slots.bytes[slot][i] = (unsigned char)seed;
    }
}

static unsigned slot_sum(int slot)
{
    unsigned sum = 0;
    assert(slot >= 0 && slot < SLOTS);
    for (int i = 0; i < TILE; i++)
        sum += slots.bytes[slot][i];
    return sum;
}

/* ------------------------------------------------------------------------------------------------------------------
 * A cache, direct-mapped
 */

static struct {
    pthread_mutex_t lock;
    unsigned keys[BUCKETS];
    int values[BUCKETS];
    bool used[BUCKETS];
    int entries;
    int hits;
    int misses;
} cache = {PTHREAD_MUTEX_INITIALIZER};

static bool cache_find(unsigned key, int *value)
{
    unsigned bucket = hash(key) % BUCKETS;
    bool found = false;
    must_lock(&cache.lock);
    if (cache.used[bucket] && cache.keys[bucket] == key) {
        *value = cache.values[bucket];
        found = true;
        if (cache.hits < 1000000)
            cache.hits++;
    } else {
        if (cache.misses < 1000000)
            cache.misses++;
    }
    assert(cache.hits >= 0 && cache.misses >= 0);
    must_unlock(&cache.lock);
    return found;
}

static void cache_put(unsigned key, int value)
{
    unsigned bucket = hash(key) % BUCKETS;
    must_lock(&cache.lock);
    if (!cache.used[bucket]) {
        cache.used[bucket] = true;
        if (cache.entries < BUCKETS)
            cache.entries++;
    }
    cache.keys[bucket] = key;
    cache.values[bucket] = value;
    assert(cache.entries >= 0 && cache.entries <= BUCKETS);
    must_unlock(&cache.lock);
}

static int cache_rate(void)
{
    int rate = 0;
    must_lock(&cache.lock);
    int all = cache.hits + cache.misses;
    assert(all >= 0);
    if (all > 0)
        rate = 100 * (cache.hits / 100) / (all / 100 + 1);
    must_unlock(&cache.lock);
    return rate;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Settings: many read them, few change them
 */

static struct {
    pthread_rwlock_t lock;
    int low;
    int high;
    int version;
} settings = {PTHREAD_RWLOCK_INITIALIZER, 10, 90, 0};

static void settings_read(int *low, int *high)
{
    int error = pthread_rwlock_rdlock(&settings.lock);
    if (error != 0) {
        *low = 0;
        *high = 100;
        return;
    }
    *low = settings.low;
    *high = settings.high;
    pthread_rwlock_unlock(&settings.lock);
}

static bool settings_change(int low, int high)
{
    if (low < 0 || high > 100 || low > high)
        return false;
    int error = pthread_rwlock_wrlock(&settings.lock);
    if (error != 0)
        return false;
    settings.low = low;
    settings.high = high;
    settings.version = (settings.version + 1) % 1000;
    assert(settings.version >= 0 && settings.version < 1000);
    assert(settings.low <= settings.high);
    pthread_rwlock_unlock(&settings.lock);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Jobs, and the queue of them
 */

enum kind { HASH, SUM, MOVE, FIND, PARSE, SORT, STOP };

struct job {
    enum kind kind;
    int argument;
    int time;
    int retries;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    struct job jobs[JOBS];
    int head;
    int count;
    bool closed;
} jobs = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};

static bool jobs_put(const struct job *job)
{
    bool done = false;
    must_lock(&jobs.lock);
    while (jobs.count == JOBS && !jobs.closed)
        pthread_cond_wait(&jobs.not_full, &jobs.lock);
    if (!jobs.closed) {
        assert(jobs.count >= 0 && jobs.count < JOBS);
        int tail = (jobs.head + jobs.count) % JOBS;
        jobs.jobs[tail].kind = job->kind;
        jobs.jobs[tail].argument = job->argument;
        jobs.jobs[tail].time = job->time;
        jobs.jobs[tail].retries = job->retries;
        jobs.count++;
        done = true;
        pthread_cond_signal(&jobs.not_empty);
    }
    must_unlock(&jobs.lock);
    return done;
}

static bool jobs_get(struct job *job)
{
    bool done = false;
    must_lock(&jobs.lock);
    while (jobs.count == 0 && !jobs.closed)
        pthread_cond_wait(&jobs.not_empty, &jobs.lock);
    if (jobs.count > 0) {
        assert(jobs.head >= 0 && jobs.head < JOBS);
        job->kind = jobs.jobs[jobs.head].kind;
        job->argument = jobs.jobs[jobs.head].argument;
        job->time = jobs.jobs[jobs.head].time;
        job->retries = jobs.jobs[jobs.head].retries;
        jobs.head = (jobs.head + 1) % JOBS;
        jobs.count--;
        assert(jobs.count >= 0 && jobs.count < JOBS);
        done = true;
        pthread_cond_signal(&jobs.not_full);
    }
    must_unlock(&jobs.lock);
    return done;
}

static void jobs_close(void)
{
    must_lock(&jobs.lock);
    jobs.closed = true;
    pthread_cond_broadcast(&jobs.not_empty);
    pthread_cond_broadcast(&jobs.not_full);
    must_unlock(&jobs.lock);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Results, and the queue of them
 */

struct result {
    int value;
    int duration;
    bool failed;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    struct result results[RESULTS];
    int first;
    int behind;
    int count;
    int dropped;
} results = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

static void results_put(int value, int duration, bool failed)
{
    must_lock(&results.lock);
    if (results.count < RESULTS) {
        assert(results.behind >= 0 && results.behind < RESULTS);
        results.results[results.behind].value = value;
        results.results[results.behind].duration = duration;
        results.results[results.behind].failed = failed;
        results.behind++;
        if (results.behind == RESULTS)
            results.behind = 0;
        results.count++;
        pthread_cond_signal(&results.not_empty);
    } else if (results.dropped < 1000000) {
        results.dropped++;
    }
    assert(results.count > 0 && results.count <= RESULTS);
    must_unlock(&results.lock);
}

static void results_get(struct result *result)
{
    must_lock(&results.lock);
    while (results.count == 0)
        pthread_cond_wait(&results.not_empty, &results.lock);
    assert(results.first >= 0 && results.first < RESULTS);
    result->value = results.results[results.first].value;
    result->duration = results.results[results.first].duration;
    result->failed = results.results[results.first].failed;
    results.first++;
    if (results.first == RESULTS)
        results.first = 0;
    results.count--;
    assert(results.count >= 0 && results.count < RESULTS);
    must_unlock(&results.lock);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Levels of urgency, counted
 */

static struct {
    pthread_mutex_t lock;
    int waiting[LEVELS];
    int total;
    int highest;
} levels = {PTHREAD_MUTEX_INITIALIZER};

static void levels_enter(int level)
{
    level = clamp(level, 0, LEVELS - 1);
    must_lock(&levels.lock);
    if (levels.waiting[level] < 100 && levels.total < 800) {
        levels.waiting[level]++;
        levels.total++;
        if (level > levels.highest)
            levels.highest = level;
    }
    assert(levels.highest >= 0 && levels.highest < LEVELS);
    assert(levels.total >= 0 && levels.total <= 800);
    must_unlock(&levels.lock);
}

static int levels_leave(void)
{
    int level = -1;
    must_lock(&levels.lock);
    if (levels.total > 0) {
        level = levels.highest;
        assert(level >= 0 && level < LEVELS);
        while (level > 0 && levels.waiting[level] == 0)
            level--;
        if (levels.waiting[level] > 0) {
            levels.waiting[level]--;
            levels.total--;
        }
        levels.highest = level;
    }
    must_unlock(&levels.lock);
    assert(level >= -1 && level < LEVELS);
    return level;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Sessions: each has a state, which changes in one order only
 */

enum state { CLOSED, OPENING, OPEN, CLOSING };

static struct {
    pthread_mutex_t lock;
    unsigned char states[SESSIONS];
    int open;
    int most;
} sessions = {PTHREAD_MUTEX_INITIALIZER};

static bool session_step(int session)
{
    if (session < 0 || session >= SESSIONS)
        return false;
    bool changed = true;
    must_lock(&sessions.lock);
    switch (sessions.states[session]) {
    case CLOSED:
        sessions.states[session] = OPENING;
        break;
    case OPENING:
        if (sessions.open < SESSIONS) {
            sessions.states[session] = OPEN;
            sessions.open++;
            if (sessions.open > sessions.most)
                sessions.most = sessions.open;
        } else {
            changed = false;
        }
        break;
    case OPEN:
        sessions.states[session] = CLOSING;
        break;
    case CLOSING:
        sessions.states[session] = CLOSED;
        if (sessions.open > 0)
            sessions.open--;
        break;
    default:
        sessions.states[session] = CLOSED;
        break;
    }
    assert(sessions.open >= 0 && sessions.open <= SESSIONS);
    assert(sessions.open <= sessions.most);
    assert(sessions.most <= SESSIONS);
    must_unlock(&sessions.lock);
    return changed;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Tickets, given out without a lock
 */

static int next_ticket;

/* A ticket, or -1 where there are no more. */
static int ticket_take(void)
{
    int expected = __atomic_load_n(&next_ticket, __ATOMIC_SEQ_CST);
    for (int i = 0; i < RETRIES; i++) {
        if (expected >= CLOCK_END)
            return -1;
        if (__atomic_compare_exchange_n(&next_ticket, &expected, expected + 1, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            assert(expected >= 0 && expected < CLOCK_END);
            return expected;
        }
    }
    return -1;
}

/* ------------------------------------------------------------------------------------------------------------------
 * A reader of input: `name = number;`, byte by byte
 */

enum token { NAME, EQUALS, NUMBER, END, BAD };

struct parser {
    enum token expected;
    int length;
    int number;
    int errors;
};

static void parser_begin(struct parser *parser)
{
    parser->expected = NAME;
    parser->length = 0;
    parser->number = 0;
    parser->errors = 0;
}

static void parser_fail(struct parser *parser)
{
    if (parser->errors < 100)
        parser->errors++;
    parser->expected = BAD;
}

static bool parser_byte(struct parser *parser, int byte)
{
    bool complete = false;
    switch (parser->expected) {
    case NAME:
        if (byte >= 'a' && byte <= 'z') {
            if (parser->length < 20)
                parser->length++;
        } else if (byte == '=' && parser->length > 0) {
            parser->expected = NUMBER;
        } else {
            parser_fail(parser);
        }
        break;
    case NUMBER:
        if (byte >= '0' && byte <= '9') {
            if (parser->number < 100000)
                parser->number = 10 * parser->number + (byte - '0');
        } else if (byte == ';') {
            parser->expected = END;
            complete = true;
        } else {
            parser_fail(parser);
        }
        break;
    case EQUALS:
    case END:
        parser_begin(parser);
        break;
    case BAD:
        if (byte == ';')
            parser->expected = NAME;
        break;
    }
    return complete;
}

static int parse_input(void)
{
    struct parser parser;
    parser_begin(&parser);
    for (int i = 0; i < 200; i++) {
        int byte = __VERIFIER_nondet_int();
        if (parser_byte(&parser, byte))
            break;
        assert(parser.length >= 0 && parser.length <= 20);
        assert(parser.errors >= 0 && parser.errors <= 100);
    }
    return parser.number;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Work on a small piece of memory of one's own
 */

static int sort_tile(unsigned seed)
{
    int tile[TILE];
    for (int i = 0; i < TILE; i++) {
        seed = hash(seed);
        tile[i] = (int)(seed % 1000u);
    }
    for (int i = 1; i < TILE; i++) {
        int value = tile[i];
        int j = i;
        while (j > 0 && tile[j - 1] > value) {
            tile[j] = tile[j - 1];
            j--;
        }
        tile[j] = value;
    }
    return tile[TILE / 2];
}

static int mean(int first, int second, int count)
{
    if (count <= 0)
        return 0;
    int half = least(first, second) / 2;
    return half / count;
}

/* ------------------------------------------------------------------------------------------------------------------
 * What workers do with a job
 */

static int do_hash(int argument)
{
    unsigned key = (unsigned)argument;
    int value = 0;
    if (!cache_find(key, &value)) {
        value = (int)(hash(key) % 1000u);
        cache_put(key, value);
    }
    return value;
}

static int do_sum(int argument)
{
    int slot = slots_take();
    if (slot < 0)
        return -1;
    slot_fill(slot, (unsigned)argument);
    unsigned sum = slot_sum(slot);
    slots_give(slot);
    return (int)(sum % 10000u);
}

static int do_move(int argument)
{
    int amount = clamp(argument, 1, 500);
    bool done = argument % 2 == 0 ? accounts_withdraw(amount) : accounts_deposit(amount);
    if (done)
        accounts_charge();
    return done ? amount : 0;
}

static int do_find(int argument)
{
    int low, high;
    settings_read(&low, &high);
    int session = clamp(argument, 0, SESSIONS);
    bool changed = session_step(session);
    return changed ? low : high;
}

static int perform(const struct job *job)
{
    switch (job->kind) {
    case HASH:
        return do_hash(job->argument);
    case SUM:
        return do_sum(job->argument);
    case MOVE:
        return do_move(job->argument);
    case FIND:
        return do_find(job->argument);
    case PARSE:
        return parse_input();
    case SORT:
        return sort_tile((unsigned)job->argument);
    case STOP:
        return 0;
    }
    return -1;
}

static void *worker(void *unused)
{
    struct job job;
    while (jobs_get(&job)) {
        limiter_take();
        int begin = clock_tick();
        int value = perform(&job);
        int end = clock_read();
        int duration = clamp(end - begin, 0, CLOCK_END);
        limiter_give();
        durations_add(duration);
        results_put(value, duration, value < 0);
        if (value < 0 && job.retries > 0 && job.retries <= RETRIES) {
            job.retries--;
            jobs_put(&job);
        }
    }
    return unused;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Threads of which there is one each
 */

static void *collector(void *unused)
{
    struct result result;
    int failures = 0;
    for (;;) {
        results_get(&result);
        if (result.failed && failures < 1000)
            failures++;
        assert(failures >= 0 && failures <= 1000);
        journal_write(result.failed ? 1 : 0, result.value);
    }
    return unused;
}

static void *auditor(void *unused)
{
    for (;;) {
        accounts_audit();
        int rate = cache_rate();
        int spread = durations_spread();
        if (limiter_is_idle())
            journal_write(2, mean(rate, spread, journal_count(1)));
        int level = levels_leave();
        if (level >= 0)
            journal_write(3, level);
    }
    return unused;
}

static void *administrator(void *unused)
{
    for (;;) {
        int low = __VERIFIER_nondet_int();
        int high = __VERIFIER_nondet_int();
        if (settings_change(low, high))
            journal_write(4, high - low);
        levels_enter(__VERIFIER_nondet_int());
    }
    return unused;
}

/* ------------------------------------------------------------------------------------------------------------------
 * The beginning
 */

static struct job next_job(void)
{
    struct job job;
    unsigned kind = __VERIFIER_nondet_uint();
    job.kind = (enum kind)(kind % STOP);
    job.argument = __VERIFIER_nondet_int();
    job.time = clock_read();
    job.retries = clamp(__VERIFIER_nondet_int(), 0, RETRIES);
    return job;
}

int main(void)
{
    pthread_t thread;
    pthread_t workers[MOST_WORKERS];

    slots_begin();
    assert(next_ticket == 0);
    pthread_create(&thread, 0, collector, 0);
    pthread_create(&thread, 0, auditor, 0);
    pthread_create(&thread, 0, administrator, 0);

    int wanted = clamp(__VERIFIER_nondet_int(), 1, MOST_WORKERS);
    for (int i = 0; i < wanted; i++)
        pthread_create(&workers[i], 0, worker, 0);

    while (ticket_take() >= 0) {
        struct job job = next_job();
        if (!jobs_put(&job))
            break;
    }
    jobs_close();
    for (int i = 0; i < wanted; i++)
        pthread_join(workers[i], 0);
    return 0;
}
