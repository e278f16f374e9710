/* Programs that do what a library in their midst must survive. The first argument says what. Each
   prints "sound" and ends with 0 if all is well.

   fork      a child computes after its parent did, and so does the child's child
   threads   eight threads compute at once, and one of them forks meanwhile
   longjmp   an allocator leaves a call by longjmp
   signal    a handler leaves by longjmp while calls are under way
   exit      the process exits while another thread is inside a call
   limit     the address space is limited to little more than what is in use
   none      no call of GMP at all */

#define _GNU_SOURCE
#include <gmp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMBS 3000

static sigjmp_buf back;

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* (2^n − 1)² = 2^(2n) − 2^(n+1) + 1, and gcd(2^6m − 1, 2^4m − 1) = 2^2m − 1. */
static void compute(long n)
{
    mpz_t a, b, c;
    mpz_inits(a, b, c, NULL);
    mpz_setbit(a, n), mpz_sub_ui(a, a, 1);
    mpz_mul(b, a, a);
    mpz_setbit(c, 2 * n), mpz_sub_ui(c, c, 1), mpz_sub(c, c, a), mpz_sub(c, c, a);
    if (mpz_cmp(b, c))
        die("a product is wrong");
    mpz_set_ui(a, 0), mpz_setbit(a, n / 4 * 6), mpz_sub_ui(a, a, 1);
    mpz_set_ui(b, 0), mpz_setbit(b, n / 4 * 4), mpz_sub_ui(b, b, 1);
    mpz_gcd(c, a, b);
    mpz_set_ui(a, 0), mpz_setbit(a, n / 4 * 2), mpz_sub_ui(a, a, 1);
    if (mpz_cmp(a, c))
        die("a gcd is wrong");
    mpz_clears(a, b, c, NULL);
}

static void child_must_compute(int depth)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        compute(64 * LIMBS);
        if (depth > 0)
            child_must_compute(depth - 1);
        exit(0);
    }
    alarm(60);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        die("a child failed");
}

static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        compute(64 * LIMBS);
        if (arg && i % 5 == 0)
            child_must_compute(0);
    }
    return NULL;
}

static void *work_for_ever(void *arg)
{
    (void)arg;
    for (;;)
        compute(64 * 20 * LIMBS);
    return NULL;
}

static int refusals;

static void *refuse(void *at, size_t old, size_t size)
{
    if (size > 1000 && refusals-- > 0)
        siglongjmp(back, 1);
    return realloc(at, size);
    (void)old;
}

static void leave(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "fork")) {
        compute(64 * LIMBS);
        child_must_compute(2);
        compute(64 * LIMBS);
    } else if (!strcmp(what, "threads")) {
        pthread_t threads[8];
        for (int i = 0; i < 8; i++)
            pthread_create(&threads[i], NULL, work, i == 3 ? argv : NULL);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
    } else if (!strcmp(what, "longjmp")) {
        mpz_t a, r;
        mp_set_memory_functions(NULL, refuse, NULL);
        refusals = 0;
        mpz_init(r), mpz_init(a);
        mpz_setbit(a, 64 * LIMBS), mpz_sub_ui(a, a, 1);
        for (int i = 0; i < 50; i++) {
            mpz_clear(r), mpz_init2(r, 64);
            refusals = 1;
            if (sigsetjmp(back, 1) == 0) {
                mpz_mul(r, a, a);
                die("the allocator was not asked");
            }
            refusals = 0;
            mpz_mul(r, a, a);
            if (mpz_sizeinbase(r, 2) != 2 * 64 * LIMBS)
                die("a product is wrong");
        }
    } else if (!strcmp(what, "signal")) {
        struct itimerval timer = {{0, 3000}, {0, 3000}}, stop = {{0, 0}, {0, 0}};
        mpz_t a, r;
        volatile int left = 0;
        mpz_init(a), mpz_setbit(a, 64 * LIMBS), mpz_sub_ui(a, a, 1);
        /* Room ahead: the program's own realloc must not be left half-way. */
        mpz_init2(r, 128 * LIMBS + 64);
        signal(SIGALRM, leave);
        while (left < 100) {
            if (sigsetjmp(back, 1))
                left++;
            setitimer(ITIMER_REAL, left < 100 ? &timer : &stop, NULL);
            if (left < 100)
                for (;;)
                    mpz_mul(r, a, a);
        }
        signal(SIGALRM, SIG_DFL);
        compute(64 * LIMBS);
    } else if (!strcmp(what, "exit")) {
        pthread_t thread;
        compute(64 * LIMBS);
        pthread_create(&thread, NULL, work_for_ever, NULL);
        usleep(50000);
    } else if (!strcmp(what, "limit")) {
        char line[256];
        long kib = 0;
        FILE *status = fopen("/proc/self/status", "r");
        compute(64 * LIMBS);
        while (fgets(line, sizeof line, status))
            sscanf(line, "VmSize: %ld", &kib);
        fclose(status);
        struct rlimit limit = {(kib + 60000) * 1024, (kib + 60000) * 1024};
        if (kib == 0 || setrlimit(RLIMIT_AS, &limit))
            die("no limit");
        for (long n = 64; n <= 64 * 30000; n *= 2)
            compute(n);
    } else if (strcmp(what, "none")) {
        die("what?");
    }
    puts("sound");
    fflush(stdout);
    exit(0);
}
