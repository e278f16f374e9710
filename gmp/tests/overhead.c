/* Nanoseconds of short calls: run it with and without the library.

   overhead: one line for each function, the least of several passes. */

#include <gmp.h>
#include <stdio.h>
#include <time.h>

#define CALLS 10000
#define PASSES 1000

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

#define MEASURE(name, call)                                                                        \
    do {                                                                                           \
        double least = 1e99;                                                                       \
        for (int pass = 0; pass < PASSES; pass++) {                                                \
            double begin = now();                                                                  \
            for (int i = 0; i < CALLS; i++)                                                        \
                call;                                                                              \
            double time = (now() - begin) / CALLS;                                                 \
            if (time < least)                                                                      \
                least = time;                                                                      \
        }                                                                                          \
        printf("%s %.2f\n", name, least);                                                          \
    } while (0)

int main(void)
{
    mp_limb_t a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, r[8];
    mpz_t x, y, z;
    mpz_init_set_ui(x, 12345), mpz_init_set_ui(y, 678), mpz_init(z);
    MEASURE("__gmpn_mul", mpn_mul(r, a, 2, b, 2));
    MEASURE("__gmpn_mul_n", mpn_mul_n(r, a, b, 2));
    MEASURE("__gmpn_sqr", mpn_sqr(r, a, 2));
    MEASURE("__gmpz_mul", mpz_mul(z, x, y));
    MEASURE("__gmpz_tdiv_q", mpz_tdiv_q(z, x, y));
    MEASURE("__gmpz_gcd", mpz_gcd(z, x, y));
    return 0;
}
