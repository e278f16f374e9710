/* What looks like GMP and is not. With LIBRARY: a library with the names of GMP, limbs of BITS bits,
   and MPIR's variable if MPIR is defined. Without: a program that calls it, and expects that its own
   library served the call. */

#ifdef LIBRARY
const int __gmp_bits_per_limb = BITS;
const char *const __gmp_version = "6.0.0";
#ifdef MPIR
const char *const __mpir_version = "3.0.0";
#endif
void *__gmpz_realloc(void *x, long n) { return (void)n, x; }
unsigned long __gmpn_mul(unsigned long *r, const unsigned long *a, long an,
                         const unsigned long *b, long bn)
{
    (void)a, (void)b;
    r[an + bn - 1] = 42;
    return 42;
}
#else
#include <stdio.h>
unsigned long __gmpn_mul(unsigned long *, const unsigned long *, long, const unsigned long *, long);
static unsigned long a[5000], r[10000];
int main(void)
{
    a[4999] = 1;
    if (__gmpn_mul(r, a, 5000, a, 5000) != 42 || __gmpn_mul(r, a, 5000, a, 5000) != 42)
        return 1;
    puts("sound");
    return 0;
}
#endif
