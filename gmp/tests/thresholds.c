/* Times every function at growing sizes, by bezout and by the original: the tuned thresholds of the
   library come from this.

   thresholds ORIGINAL MOST_LIMBS [LEAST_LIMBS], with the library preloaded and BEZOUT_GMP_MIN_LIMBS=1.

   One line for each function and size: microseconds of both, and how many times as fast bezout is.
   Times are the least of several. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *original;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void *real(const char *name)
{
    void *address = dlsym(original, name);
    if (!address)
        exit(2);
    return address;
}

#define LEAST(into, call)                                                                          \
    do {                                                                                           \
        double spent = 0;                                                                          \
        into = 1e99;                                                                               \
        for (int i = 0; i < 3 || (spent < 20000 && i < 200); i++) {                                \
            double begin = now();                                                                  \
            call;                                                                                  \
            double time = now() - begin;                                                           \
            spent += time;                                                                         \
            if (time < into)                                                                       \
                into = time;                                                                       \
        }                                                                                          \
    } while (0)

#define COMPARE(f, ...)                                                                            \
    do {                                                                                           \
        __typeof__(&f) theirs = (__typeof__(&f))real(#f);                                          \
        double by_bezout, by_original;                                                             \
        LEAST(by_bezout, f(__VA_ARGS__));                                                          \
        LEAST(by_original, theirs(__VA_ARGS__));                                                   \
        printf("%-20s %8ld %12.2f %12.2f %8.2f\n", #f, n, by_bezout, by_original,                  \
               by_original / by_bezout);                                                           \
        fflush(stdout);                                                                            \
    } while (0)

int main(int argc, char **argv)
{
    long n, most = argc > 2 ? atol(argv[2]) : 4096;
    gmp_randstate_t random;
    mpz_t a, b, c, q, r, s, t, e;
    original = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    if (!original)
        return 2;
    gmp_randinit_default(random);
    mpz_inits(a, b, c, q, r, s, t, e, NULL);
    for (n = argc > 3 ? atol(argv[3]) : 8; n <= most; n += n & (n - 1) ? n / 3 : n / 2) {
        mp_limb_t *p = malloc(16 * n);
        char *text;
        mpz_urandomb(a, random, 64 * n), mpz_setbit(a, 64 * n - 1);
        mpz_urandomb(b, random, 64 * n), mpz_setbit(b, 64 * n - 1), mpz_setbit(b, 0);
        mpz_urandomb(c, random, 128 * n), mpz_setbit(c, 128 * n - 1);
        mpz_urandomb(e, random, 64);
        mpz_mul(t, a, b);
        COMPARE(__gmpn_mul_n, p, a->_mp_d, b->_mp_d, n);
        COMPARE(__gmpn_sqr, p, a->_mp_d, n);
        COMPARE(__gmpz_mul, q, a, b);
        COMPARE(__gmpz_tdiv_qr, q, r, c, a);
        COMPARE(__gmpz_divexact, q, t, a);
        COMPARE(__gmpz_gcd, q, a, b);
        COMPARE(__gmpz_gcdext, q, r, s, a, b);
        COMPARE(__gmpz_invert, q, a, b);
        COMPARE(__gmpz_lcm, q, a, b);
        if (n < 5000)
            COMPARE(__gmpz_powm, q, a, e, b);
        COMPARE(__gmpz_sqrt, q, a);
        COMPARE(__gmpz_root, q, a, 3);
        text = malloc(64 * n + 2);
        COMPARE(__gmpz_get_str, text, 10, a);
        COMPARE(__gmpz_set_str, q, text, 10);
        COMPARE(__gmpz_fib_ui, q, 92 * n);
        COMPARE(__gmpz_primorial_ui, q, 44 * n);
        COMPARE(__gmpz_bin_uiui, q, 64 * n, 32 * n);
        COMPARE(__gmpz_fac_ui, q, 5 * n);
        free(text), free(p);
    }
    return 0;
}
