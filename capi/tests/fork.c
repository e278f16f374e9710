/* The library in forked children while another thread of the parent is at work in it. */
#define _POSIX_C_SOURCE 200809L
#include <bezout.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 20, PATIENCE = 120 };

static const bezout_int *base;
static const bezout_int *expected;
static atomic_bool is_done;

static void must(bezout_status status)
{
    if (status != BEZOUT_OK) {
        fprintf(stderr, "%s: %s\n", bezout_status_name(status), bezout_last_error());
        exit(1);
    }
}

/* A long product, which takes several threads. Says whether the result is right. */
static bool is_right(void)
{
    bezout_int *square = bezout_int_new();
    bool is_equal = false;
    must(bezout_int_mul(square, base, base));
    must(bezout_int_equal(&is_equal, square, expected));
    bezout_int_free(square);
    return is_equal;
}

static void *work(void *unused)
{
    while (!is_done) {
        if (!is_right()) {
            exit(1);
        }
    }
    return unused;
}

int main(void)
{
    bezout_int *a = bezout_int_from_u64(3), *b = bezout_int_new();
    pthread_t thread;
    must(bezout_int_pow(b, a, 800000));
    must(bezout_int_pow(a, a, 400000));
    base = a;
    expected = b;
    if (pthread_create(&thread, NULL, work, NULL) != 0) {
        return 1;
    }
    for (int fork_number = 0; fork_number < FORKS; fork_number++) {
        pid_t child = fork();
        int status = 0;
        if (child < 0) {
            perror("fork");
            return 1;
        }
        if (child == 0) {
            /* A child that hangs ends by a signal. */
            alarm(PATIENCE);
            _exit(is_right() && is_right() ? 0 : 1);
        }
        if (waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "child %d: %#x\n", fork_number, (unsigned)status);
            return 1;
        }
    }
    is_done = true;
    pthread_join(thread, NULL);
    bezout_int_free(a);
    bezout_int_free(b);
    puts("all right");
    return 0;
}
