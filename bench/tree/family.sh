#!/usr/bin/env bash
# Prints a program of one of the families of the paper's tables, as C. Usage: family.sh NAME N [M]
#
#   reorder N      N threads set two variables, one after the other; one thread looks at both
#   twostage N     N threads set two variables under two locks; one thread reads both
#   wronglock N    one thread increments a counter under its lock, N others under another one
#   micro N M      N threads add 1 to a counter M times, and find it positive
set -euo pipefail

name=$1 count=$2 length=${3:-1}

# The text of main: so many threads of the first function, so many of the second.
main() {
    cat <<END
int main(void)
{
    pthread_t first[$2], second[$4 + 1];
    for (int i = 0; i < $2; i++)
        pthread_create(&first[i], 0, $1, 0);
    for (int i = 0; i < $4; i++)
        pthread_create(&second[i], 0, $3, 0);
    for (int i = 0; i < $2; i++)
        pthread_join(first[i], 0);
    for (int i = 0; i < $4; i++)
        pthread_join(second[i], 0);
    return 0;
}
END
}

printf '#include <assert.h>\n#include <pthread.h>\n\n'
case $name in
reorder)
    cat <<'END'
int a, b;

void *set(void *arg)
{
    a = 1;
    b = -1;
    return 0;
}

void *look(void *arg)
{
    if (!((a == 0 && b == 0) || (a == 1 && b == -1)))
        assert(!"half of it");
    return 0;
}

END
    main set "$count" look 1
    ;;
twostage)
    cat <<'END'
pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
int first_value, second_value;

void *set(void *arg)
{
    pthread_mutex_lock(&first_lock);
    first_value = 1;
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
    second_value = first_value + 1;
    pthread_mutex_unlock(&second_lock);
    return 0;
}

void *look(void *arg)
{
    pthread_mutex_lock(&first_lock);
    int first = first_value;
    pthread_mutex_unlock(&first_lock);
    if (first == 0)
        return 0;
    pthread_mutex_lock(&second_lock);
    int second = second_value;
    pthread_mutex_unlock(&second_lock);
    assert(second == first + 1);
    return 0;
}

END
    main set "$count" look 1
    ;;
wronglock)
    cat <<'END'
pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER, wrong_lock = PTHREAD_MUTEX_INITIALIZER;
int value;

void *right(void *arg)
{
    pthread_mutex_lock(&right_lock);
    int before = value;
    value++;
    assert(value == before + 1);
    pthread_mutex_unlock(&right_lock);
    return 0;
}

void *wrong(void *arg)
{
    pthread_mutex_lock(&wrong_lock);
    value++;
    pthread_mutex_unlock(&wrong_lock);
    return 0;
}

END
    main right 1 wrong "$count"
    ;;
micro)
    printf 'int x;\n\nvoid *add(void *arg)\n{\n'
    for ((i = 0; i < length; i++)); do echo '    x++;'; done
    printf '    assert(x > 0);\n    return 0;\n}\n\n'
    main add "$count" add 0
    ;;
*)
    echo "family.sh: there is no family $name" >&2
    exit 2
    ;;
esac
