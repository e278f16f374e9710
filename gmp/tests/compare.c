/* Compares every function that libbezout_gmp.so takes over with the original.

   compare ORIGINAL MOST_LIMBS ROUNDS SEED

   The library is preloaded, so that calls by name come to it. ORIGINAL is a copy of libgmp under
   another name: loaded with RTLD_DEEPBIND it is a second GMP that calls itself alone. Operands are
   random, all ones, powers of two, 0, 1, long runs of bits, equal, or multiples of each other, with
   either sign, and results overlap operands wherever GMP allows it. The program's GMP has an
   allocator that checks the sizes it is told and what is written around its blocks. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <gmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exported by libgmp, but not in gmp.h. */
void __gmpn_divexact(mp_ptr, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t);
void __gmpn_powm(mp_ptr, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t, mp_ptr);

static void *original;
static uint64_t state;
static long most, checks;

static void *real(const char *name)
{
    void *address = dlsym(original, name);
    if (!address) {
        fprintf(stderr, "the original has no %s\n", name);
        exit(2);
    }
    return address;
}

#define REAL(f) ((__typeof__(&f))real(#f))

static uint64_t word(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

static long below(long n) { return (long)(word() % (uint64_t)n); }

static void fail(const char *what, long round)
{
    fprintf(stderr, "%s differs from the original in round %ld\n", what, round);
    exit(1);
}

/* ---- An allocator that checks what it is told. ---- */

#define GUARD 0x5ca1ab1e0ddba11ull

static void *guarded(size_t size)
{
    uint64_t *block = malloc(size + 24);
    if (!block)
        abort();
    block[0] = size;
    block[1] = GUARD;
    memcpy((char *)(block + 2) + size, &(uint64_t){GUARD}, 8);
    return block + 2;
}

static void check_block(void *at, size_t size)
{
    uint64_t *block = (uint64_t *)at - 2;
    uint64_t above;
    memcpy(&above, (char *)at + block[0], 8);
    if (block[0] != size || block[1] != GUARD || above != GUARD) {
        fprintf(stderr, "a block of %zu bytes was freed as %zu, or overrun\n", (size_t)block[0],
                size);
        exit(1);
    }
}

static void guarded_free(void *at, size_t size)
{
    check_block(at, size);
    free((uint64_t *)at - 2);
}

static void *guarded_realloc(void *at, size_t old, size_t size)
{
    void *fresh = guarded(size);
    memcpy(fresh, at, old < size ? old : size);
    guarded_free(at, old);
    return fresh;
}

/* ---- Operands. ---- */

/* Lengths from 1 to the most, short ones more often. */
static long length(void)
{
    long n = most;
    int halvings = below(10);
    while (halvings-- > 0)
        n = (n + 1) / 2;
    return 1 + below(n);
}

/* n limbs whose highest is not 0. */
static void fill(mp_ptr p, long n)
{
    long i, kind = below(8);
    for (i = 0; i < n; i++) {
        switch (kind) {
        case 0: p[i] = ~(mp_limb_t)0; break;
        case 1: p[i] = 0; break;
        case 2: p[i] = below(8) ? (below(2) ? ~(mp_limb_t)0 : 0) : word(); break;
        default: p[i] = word();
        }
    }
    if (kind == 1)
        p[n - 1] = (mp_limb_t)1 << below(64);
    if (kind == 3)
        p[n - 1] = 1;
    if (!p[n - 1])
        p[n - 1] = 1 + below(1000);
}

static void random_mpz(mpz_t x, long n)
{
    mp_ptr p;
    if (!below(40)) {
        mpz_set_si(x, below(5) - 2);
        return;
    }
    p = mpz_limbs_write(x, n);
    fill(p, n);
    mpz_limbs_finish(x, below(3) ? n : -n);
}

/* Whether two numbers have the same sign and limbs, and are in GMP's form. */
static int same(mpz_srcptr a, mpz_srcptr b)
{
    long n = labs((long)a->_mp_size);
    if (a->_mp_size != b->_mp_size || a->_mp_alloc < n)
        return 0;
    return n == 0 || (a->_mp_d[n - 1] != 0 && !memcmp(a->_mp_d, b->_mp_d, n * 8));
}

/* Numbers of the other GMP, whose allocator is malloc. */
static void twin(mpz_t copy, mpz_srcptr of)
{
    long n = labs((long)of->_mp_size);
    copy->_mp_alloc = n + 1;
    copy->_mp_size = of->_mp_size;
    copy->_mp_d = malloc((n + 1) * 8);
    memcpy(copy->_mp_d, of->_mp_d, n * 8);
}

static void drop(mpz_t copy) { free(copy->_mp_d); }

/* ---- Functions on integers. ---- */

typedef void (*two)(mpz_ptr, mpz_srcptr, mpz_srcptr);
typedef void (*both)(mpz_ptr, mpz_ptr, mpz_srcptr, mpz_srcptr);

static void relate(mpz_t a, mpz_t b)
{
    switch (below(8)) {
    case 0: mpz_set(a, b); break;
    case 1: mpz_neg(a, b); break;
    case 2: mpz_mul_2exp(a, b, below(200)); break;
    case 3: mpz_mul_si(a, b, below(7) - 3); break;
    case 4: {
        mpz_t c;
        mpz_init(c);
        random_mpz(c, length());
        mpz_mul(a, a, c);
        mpz_mul(b, b, c);
        mpz_clear(c);
        break;
    }
    }
}

/* r = f(a, b). Overlaps: 0 none, 1 r and a, 2 r and b, 3 all, 4 a and b, 5 r and a by a copy of the
   structure (mpz_mul compares the limbs' addresses, so that this works where there is room). */
static void check_two(const char *name, two ours, int needs_divisor, int is_exact, long round)
{
    two theirs = (two)real(name);
    mpz_t r, a, b, r2, a2, b2, view, view2;
    long overlap = below(ours == mpz_mul ? 6 : 5);
    mpz_inits(r, a, b, NULL);
    random_mpz(a, length());
    random_mpz(b, length());
    random_mpz(r, length());
    relate(a, b);
    if (needs_divisor && mpz_sgn(b) == 0)
        mpz_set_si(b, below(2) ? 7 : -1);
    if (is_exact)
        mpz_mul(a, a, b);
    if (overlap >= 3)
        mpz_set(a, b);
    twin(r2, r), twin(a2, a), twin(b2, b);
    if (overlap == 5) {
        long room = labs((long)a->_mp_size) + labs((long)b->_mp_size) + 1;
        _mpz_realloc(a, room);
        a2->_mp_d = realloc(a2->_mp_d, room * 8), a2->_mp_alloc = room;
    }
    *view = *a, *view2 = *a2;
    switch (overlap) {
    case 0: ours(r, a, b), theirs(r2, a2, b2); break;
    case 1: ours(a, a, b), theirs(a2, a2, b2); break;
    case 2: ours(b, a, b), theirs(b2, a2, b2); break;
    case 3: ours(a, a, a), theirs(a2, a2, a2); break;
    case 4: ours(r, a, a), theirs(r2, a2, a2); break;
    case 5: ours(a, view, b), theirs(a2, view2, b2); break;
    }
    if (!same(r, r2) || !same(a, a2) || !same(b, b2))
        fail(name, round);
    mpz_clears(r, a, b, NULL);
    drop(r2), drop(a2), drop(b2);
    checks++;
}

/* q, r = f(n, d); the results may be either operand. */
static void check_both(const char *name, both ours, long round)
{
    both theirs = (both)real(name);
    mpz_t x[4], y[4];
    int places[6][2] = {{2, 3}, {0, 1}, {1, 0}, {0, 2}, {2, 0}, {2, 1}};
    int *place = places[below(6)], i;
    for (i = 0; i < 4; i++) {
        mpz_init(x[i]);
        random_mpz(x[i], length());
    }
    relate(x[0], x[1]);
    if (mpz_sgn(x[1]) == 0)
        mpz_set_si(x[1], -3);
    for (i = 0; i < 4; i++)
        twin(y[i], x[i]);
    ours(x[place[0]], x[place[1]], x[0], x[1]);
    theirs(y[place[0]], y[place[1]], y[0], y[1]);
    for (i = 0; i < 4; i++) {
        if (!same(x[i], y[i]))
            fail(name, round);
        mpz_clear(x[i]);
        drop(y[i]);
    }
    checks++;
}

static void check_gcdext(long round)
{
    mpz_t x[5], y[5];
    int i, skip = below(4), over = below(4);
    mpz_ptr p[3], q[3];
    for (i = 0; i < 5; i++) {
        mpz_init(x[i]);
        random_mpz(x[i], length());
    }
    relate(x[3], x[4]);
    if (!below(10))
        relate(x[4], x[3]);
    for (i = 0; i < 5; i++)
        twin(y[i], x[i]);
    for (i = 0; i < 3; i++)
        p[i] = x[i], q[i] = y[i];
    if (over < 3)
        p[over] = x[3 + round % 2], q[over] = y[3 + round % 2];
    if (skip == 1)
        p[2] = q[2] = NULL;
    mpz_gcdext(p[0], p[1], p[2], x[3], x[4]);
    REAL(__gmpz_gcdext)(q[0], q[1], q[2], y[3], y[4]);
    for (i = 0; i < 5; i++) {
        if (!same(x[i], y[i]))
            fail("__gmpz_gcdext", round);
        mpz_clear(x[i]);
        drop(y[i]);
    }
    checks++;
}

static void check_modular(long round)
{
    mpz_t r, a, e, m, r2, a2, e2, m2;
    int ours, theirs;
    long n = length();
    mpz_inits(r, a, e, m, NULL);
    random_mpz(a, length());
    random_mpz(m, length());
    random_mpz(r, 3);
    relate(a, m);
    if (mpz_sgn(m) == 0)
        mpz_set_ui(m, 1 + below(2));
    twin(r2, r), twin(a2, a), twin(m2, m);
    ours = mpz_invert(round % 3 ? r : a, a, m);
    theirs = REAL(__gmpz_invert)(round % 3 ? r2 : a2, a2, m2);
    if (ours != theirs || !same(r, r2) || !same(a, a2) || !same(m, m2))
        fail("__gmpz_invert", round);
    drop(r2), drop(a2), drop(m2);
    if (n > 200)
        n = 200;
    random_mpz(m, n);
    if (mpz_sgn(m) == 0)
        mpz_set_ui(m, 6);
    random_mpz(a, 1 + below(2 * n));
    random_mpz(e, 1 + below(n < 60 ? 3 : 1));
    mpz_abs(e, e);
    twin(r2, r), twin(a2, a), twin(e2, e), twin(m2, m);
    switch (round % 4) {
    case 0: mpz_powm(r, a, e, m), REAL(__gmpz_powm)(r2, a2, e2, m2); break;
    case 1: mpz_powm(a, a, e, m), REAL(__gmpz_powm)(a2, a2, e2, m2); break;
    case 2: mpz_powm(e, a, e, m), REAL(__gmpz_powm)(e2, a2, e2, m2); break;
    case 3: mpz_powm(m, a, e, m), REAL(__gmpz_powm)(m2, a2, e2, m2); break;
    }
    if (!same(r, r2) || !same(a, a2) || !same(e, e2) || !same(m, m2))
        fail("__gmpz_powm", round);
    drop(r2), drop(a2), drop(e2), drop(m2);
    mpz_clears(r, a, e, m, NULL);
    checks += 2;
}

static void check_roots(long round)
{
    mpz_t r, s, a, r2, s2, a2;
    int ours, theirs;
    unsigned long n = 2 + (below(3) ? below(4) : below(300));
    mpz_inits(r, s, a, NULL);
    random_mpz(a, length());
    mpz_abs(a, a);
    if (!below(3))
        mpz_mul(a, a, a);
    if (!below(8))
        mpz_sub_ui(a, a, mpz_sgn(a) > 0);
    twin(r2, r), twin(s2, s), twin(a2, a);
    mpz_sqrt(round % 2 ? r : a, a);
    REAL(__gmpz_sqrt)(round % 2 ? r2 : a2, a2);
    if (!same(r, r2) || !same(a, a2))
        fail("__gmpz_sqrt", round);
    mpz_sqrtrem(round % 3 ? r : a, round % 3 == 1 ? s : round % 3 ? a : r, a);
    REAL(__gmpz_sqrtrem)(round % 3 ? r2 : a2, round % 3 == 1 ? s2 : round % 3 ? a2 : r2, a2);
    if (!same(r, r2) || !same(a, a2) || !same(s, s2))
        fail("__gmpz_sqrtrem", round);
    if (n % 2 && below(2))
        mpz_neg(a, a), REAL(__gmpz_neg)(a2, a2);
    ours = mpz_root(round % 5 ? (round % 2 ? r : a) : NULL, a, n);
    theirs = REAL(__gmpz_root)(round % 5 ? (round % 2 ? r2 : a2) : NULL, a2, n);
    if (!ours != !theirs || !same(r, r2) || !same(a, a2))
        fail("__gmpz_root", round);
    drop(r2), drop(s2), drop(a2);
    mpz_clears(r, s, a, NULL);
    checks += 3;
}

static void check_text(long round)
{
    static const int bases[] = {10, 10, 10, 3, 7, 36, 16, 2, 62, 37, -10, -36, -16, 0, 1, -1, 32};
    int base = bases[below(17)], reading = base < 0 ? -base : base, ours, theirs;
    void (*release)(void *, size_t);
    mpz_t a, b, a2, b2;
    char *text, *text2, *spaced, *to;
    size_t i;
    mpz_inits(a, b, NULL);
    random_mpz(a, length());
    twin(a2, a), twin(b2, b);
    text = mpz_get_str(NULL, base, a);
    text2 = REAL(__gmpz_get_str)(NULL, base, a2);
    if (strcmp(text, text2))
        fail("__gmpz_get_str", round);
    to = malloc(strlen(text) + 3);
    memset(to, 'x', strlen(text) + 3);
    if (mpz_get_str(to, base, a) != to || strcmp(to, text) || to[strlen(text) + 1] != 'x')
        fail("__gmpz_get_str into memory", round);
    if (reading < 2)
        reading = 10;
    if (reading == 10 && below(2))
        reading = 0;
    /* Spaces, a prefix, leading zeros, an intruder. */
    spaced = malloc(2 * strlen(text) + 10);
    to = spaced + (below(4) ? 0 : sprintf(spaced, " \n"));
    for (i = 0; text[i]; i++) {
        *to++ = text[i];
        if (!below(50) && round % 3 == 0)
            *to++ = ' ';
    }
    if (!below(10))
        *to++ = "?-_~ \t"[below(6)];
    *to = 0;
    ours = mpz_set_str(b, spaced, reading);
    theirs = REAL(__gmpz_set_str)(b2, spaced, reading);
    if (ours != theirs || !same(b, b2))
        fail("__gmpz_set_str", round);
    mp_get_memory_functions(NULL, NULL, &release);
    release(text, strlen(text) + 1);
    free(text2);
    free(spaced);
    drop(a2), drop(b2);
    mpz_clears(a, b, NULL);
    checks += 3;
}

static void check_sequences(long round)
{
    unsigned long n = below(64 * most), k;
    mpz_t a, a2;
    mpz_init(a);
    twin(a2, a);
    n = below(2) ? n / 8 : n % 300;
    k = n && below(20) ? below(n) : below(10);
    mpz_fac_ui(a, n / 4), REAL(__gmpz_fac_ui)(a2, n / 4);
    if (!same(a, a2))
        fail("__gmpz_fac_ui", round);
    mpz_bin_uiui(a, n, k), REAL(__gmpz_bin_uiui)(a2, n, k);
    if (!same(a, a2))
        fail("__gmpz_bin_uiui", round);
    mpz_fib_ui(a, n), REAL(__gmpz_fib_ui)(a2, n);
    if (!same(a, a2))
        fail("__gmpz_fib_ui", round);
    mpz_primorial_ui(a, n), REAL(__gmpz_primorial_ui)(a2, n);
    if (!same(a, a2))
        fail("__gmpz_primorial_ui", round);
    mpz_clear(a);
    drop(a2);
    checks += 4;
}

/* ---- Functions on limbs. ---- */

#define EDGE 0xfeedfacecafebeefull

/* Memory for n limbs, with an edge above them. */
static mp_ptr limbs(long n)
{
    mp_ptr p = malloc((n + 1) * 8);
    long i;
    for (i = 0; i < n; i++)
        p[i] = 0x1111111111111111ull;
    p[n] = EDGE;
    return p;
}

static mp_ptr copied(mp_srcptr from, long n, long room)
{
    mp_ptr p = limbs(room);
    memcpy(p, from, n * 8);
    return p;
}

static void expect(const char *name, mp_ptr ours, mp_ptr theirs, long n, long room, long round)
{
    if (memcmp(ours, theirs, n * 8) || ours[room] != EDGE)
        fail(name, round);
}

static void check_limbs(long round)
{
    long an = length(), bn = length(), n, i;
    mp_ptr a, b, r, r2, q, q2, t;
    mp_limb_t top, top2;
    if (an < bn)
        n = an, an = bn, bn = n;
    a = limbs(an), b = limbs(bn);
    fill(a, an), fill(b, bn);
    if (!below(8))
        memcpy(b, a, bn * 8), b[bn - 1] |= 1;
    r = limbs(an + bn), r2 = limbs(an + bn);
    top = mpn_mul(r, a, an, b, bn);
    top2 = REAL(__gmpn_mul)(r2, a, an, b, bn);
    if (top != top2)
        fail("__gmpn_mul's limb", round);
    expect("__gmpn_mul", r, r2, an + bn, an + bn, round);
    mpn_mul_n(r, a, b, bn), REAL(__gmpn_mul_n)(r2, a, b, bn);
    expect("__gmpn_mul_n", r, r2, 2 * bn, an + bn, round);
    mpn_mul_n(r, b, b, bn), REAL(__gmpn_mul_n)(r2, b, b, bn);
    expect("__gmpn_mul_n of one operand", r, r2, 2 * bn, an + bn, round);
    mpn_sqr(r, b, bn), REAL(__gmpn_sqr)(r2, b, bn);
    expect("__gmpn_sqr", r, r2, 2 * bn, an + bn, round);
    /* Products take operands with zeros at the top. */
    top = a[an - 1], top2 = b[bn - 1];
    a[an - 1] = 0, b[bn - 1] = below(2) ? top2 : 0;
    if (mpn_mul(r, a, an, b, bn) != REAL(__gmpn_mul)(r2, a, an, b, bn))
        fail("__gmpn_mul's limb with zeros", round);
    expect("__gmpn_mul with zeros", r, r2, an + bn, an + bn, round);
    mpn_sqr(r, b, bn), REAL(__gmpn_sqr)(r2, b, bn);
    expect("__gmpn_sqr with zeros", r, r2, 2 * bn, an + bn, round);
    a[an - 1] = top, b[bn - 1] = top2;
    free(r), free(r2);

    n = an - bn + 1;
    q = limbs(n), q2 = limbs(n), r = limbs(bn), r2 = limbs(bn);
    mpn_tdiv_qr(q, r, 0, a, an, b, bn), REAL(__gmpn_tdiv_qr)(q2, r2, 0, a, an, b, bn);
    expect("__gmpn_tdiv_qr's quotient", q, q2, n, n, round);
    expect("__gmpn_tdiv_qr's remainder", r, r2, bn, bn, round);
    free(r), free(r2);
    /* The remainder over the dividend. */
    r = copied(a, an, an), r2 = copied(a, an, an);
    mpn_tdiv_qr(q, r, 0, r, an, b, bn), REAL(__gmpn_tdiv_qr)(q2, r2, 0, r2, an, b, bn);
    expect("__gmpn_tdiv_qr's quotient", q, q2, n, n, round);
    expect("__gmpn_tdiv_qr in place", r, r2, bn, an, round);
    free(r), free(r2), free(q), free(q2);

    r = limbs(an + bn), q = limbs(an + 1), q2 = limbs(an + 1);
    REAL(__gmpn_mul)(r, a, an, b, bn);
    __gmpn_divexact(q, r, an + bn, b, bn), REAL(__gmpn_divexact)(q2, r, an + bn, b, bn);
    expect("__gmpn_divexact", q, q2, an + 1, an + 1, round);
    free(r), free(q), free(q2);

    /* Greatest common divisors. The operands are destroyed. */
    t = copied(b, bn, bn);
    t[0] |= 1;
    {
        mp_ptr x = copied(a, an, an + 1), y = copied(t, bn, bn + 1);
        mp_ptr x2 = copied(a, an, an + 1), y2 = copied(t, bn, bn + 1);
        mp_size_t gn, gn2, sn, sn2;
        r = limbs(bn + 1), r2 = limbs(bn + 1), q = limbs(bn + 1), q2 = limbs(bn + 1);
        gn = mpn_gcd(r, x, an, y, bn), gn2 = REAL(__gmpn_gcd)(r2, x2, an, y2, bn);
        if (gn != gn2)
            fail("__gmpn_gcd's size", round);
        expect("__gmpn_gcd", r, r2, gn, bn + 1, round);
        memcpy(x, a, an * 8), memcpy(x2, a, an * 8);
        memcpy(y, b, bn * 8), memcpy(y2, b, bn * 8);
        gn = mpn_gcdext(r, q, &sn, x, an, y, bn);
        gn2 = REAL(__gmpn_gcdext)(r2, q2, &sn2, x2, an, y2, bn);
        if (gn != gn2 || sn != sn2)
            fail("__gmpn_gcdext's sizes", round);
        expect("__gmpn_gcdext", r, r2, gn, bn + 1, round);
        expect("__gmpn_gcdext's cofactor", q, q2, labs(sn), bn + 1, round);
        free(x), free(y), free(x2), free(y2), free(r), free(r2), free(q), free(q2);
    }

    n = (an + 1) / 2;
    r = limbs(an), r2 = limbs(an), q = limbs(n), q2 = limbs(n);
    {
        mp_size_t rn = mpn_sqrtrem(q, r, a, an), rn2 = REAL(__gmpn_sqrtrem)(q2, r2, a, an);
        if (rn != rn2)
            fail("__gmpn_sqrtrem's size", round);
        expect("__gmpn_sqrtrem", q, q2, n, n, round);
        expect("__gmpn_sqrtrem's remainder", r, r2, rn, an, round);
        if (!mpn_sqrtrem(q, NULL, a, an) != !rn)
            fail("__gmpn_sqrtrem without remainder", round);
        expect("__gmpn_sqrtrem without remainder", q, q2, n, n, round);
        memcpy(r, a, an * 8);
        if (mpn_sqrtrem(q, r, r, an) != rn)
            fail("__gmpn_sqrtrem in place", round);
        expect("__gmpn_sqrtrem in place", r, r2, rn, an, round);
    }
    free(r), free(r2), free(q), free(q2);

    n = bn < 150 ? bn : 150;
    if (t[n - 1] == 0)
        t[n - 1] = 9;
    if (n > 1 || t[0] > 1) {
        mp_limb_t e[2] = {word() | 2, word() >> below(64)};
        long en = e[1] ? 2 : 1;
        mp_ptr scratch = malloc((8 * n + 100) * 8);
        r = limbs(n), r2 = limbs(n);
        __gmpn_powm(r, a, an < 2 * n ? an : 2 * n, e, en, t, n, scratch);
        REAL(__gmpn_powm)(r2, a, an < 2 * n ? an : 2 * n, e, en, t, n, scratch);
        expect("__gmpn_powm", r, r2, n, n, round);
        free(r), free(r2), free(scratch);
    }
    free(t);

    for (i = 0; i < 3; i++) {
        static const int bases[] = {10, 3, 36, 16, 200, 62, 7};
        int base = bases[below(7)];
        mp_ptr x = copied(a, an, an + 1), x2 = copied(a, an, an + 1);
        unsigned char *s = malloc(64 * an + 8), *s2 = malloc(64 * an + 8);
        size_t len, len2;
        mp_size_t rn, rn2;
        memset(s, 0xaa, 64 * an + 8);
        len = mpn_get_str(s, base, x, an), len2 = REAL(__gmpn_get_str)(s2, base, x2, an);
        if (len != len2 || memcmp(s, s2, len))
            fail("__gmpn_get_str", round);
        r = limbs(an + 2), r2 = limbs(an + 2);
        rn = mpn_set_str(r, s2, len, base), rn2 = REAL(__gmpn_set_str)(r2, s2, len, base);
        if (rn != rn2)
            fail("__gmpn_set_str's size", round);
        expect("__gmpn_set_str", r, r2, rn, an + 2, round);
        free(x), free(x2), free(s), free(s2), free(r), free(r2);
    }
    free(a), free(b);
    checks += 18;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        two ours;
        int needs_divisor, is_exact;
    } twos[] = {
        {"__gmpz_mul", mpz_mul, 0, 0},       {"__gmpz_gcd", mpz_gcd, 0, 0},
        {"__gmpz_lcm", mpz_lcm, 0, 0},       {"__gmpz_tdiv_q", mpz_tdiv_q, 1, 0},
        {"__gmpz_tdiv_r", mpz_tdiv_r, 1, 0}, {"__gmpz_fdiv_q", mpz_fdiv_q, 1, 0},
        {"__gmpz_fdiv_r", mpz_fdiv_r, 1, 0}, {"__gmpz_cdiv_q", mpz_cdiv_q, 1, 0},
        {"__gmpz_cdiv_r", mpz_cdiv_r, 1, 0}, {"__gmpz_mod", mpz_mod, 1, 0},
        {"__gmpz_divexact", mpz_divexact, 1, 1},
    };
    long round, rounds, i;
    if (argc != 5) {
        fprintf(stderr, "usage: compare ORIGINAL MOST_LIMBS ROUNDS SEED\n");
        return 2;
    }
    original = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!original) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    most = atol(argv[2]), rounds = atol(argv[3]);
    state = 0x9e3779b97f4a7c15ull * (2 * strtoull(argv[4], NULL, 10) + 1);
    mp_set_memory_functions(guarded, guarded_realloc, guarded_free);
    for (round = 0; round < rounds; round++) {
        for (i = 0; i < (long)(sizeof twos / sizeof *twos); i++)
            check_two(twos[i].name, twos[i].ours, twos[i].needs_divisor, twos[i].is_exact, round);
        check_both("__gmpz_tdiv_qr", mpz_tdiv_qr, round);
        check_both("__gmpz_fdiv_qr", mpz_fdiv_qr, round);
        check_both("__gmpz_cdiv_qr", mpz_cdiv_qr, round);
        check_gcdext(round);
        check_modular(round);
        check_roots(round);
        check_text(round);
        check_sequences(round);
        check_limbs(round);
    }
    printf("%ld checks\n", checks);
    return 0;
}
