/* A program without GMP loads two of them by path with RTLD_LOCAL, as extension modules of Python do.

   local FIRST SECOND: both compute 3^n, and must agree. Their calls of their own functions come to
   the preloaded library, which must find a GMP to hand the short ones on to. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int alloc, size;
    unsigned long *limbs;
} number;

static number power(const char *path, unsigned long n)
{
    number x;
    void *gmp = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!gmp) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    ((void (*)(number *))dlsym(gmp, "__gmpz_init"))(&x);
    ((void (*)(number *, unsigned long, unsigned long))dlsym(gmp, "__gmpz_ui_pow_ui"))(&x, 3, n);
    return x;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    for (unsigned long n = 10; n < 2000000; n *= 7) {
        number a = power(argv[1], n), b = power(argv[2], n);
        if (a.size != b.size || memcmp(a.limbs, b.limbs, 8 * (size_t)a.size))
            return 1;
    }
    puts("sound");
    return 0;
}
