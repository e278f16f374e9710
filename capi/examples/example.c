/* The examples of docs/c.md in one program: numbers, errors, progress, factors, shared primes. */
#include <bezout.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with the library's message where a call failed. */
static void must(bezout_status status)
{
    if (status != BEZOUT_OK) {
        fprintf(stderr, "%s: %s\n", bezout_status_name(status), bezout_last_error());
        exit(1);
    }
}

static void print(const char *name, const bezout_int *a)
{
    char *text;
    must(bezout_int_to_string(&text, a, 10));
    printf("%s = %s\n", name, text);
    bezout_string_free(text);
}

/* Cancels the work once it is half done. */
static int half_is_enough(const char *stage, double fraction, void *user)
{
    (void)stage;
    *(double *)user = fraction;
    return fraction > 0.5;
}

static void numbers(void)
{
    bezout_int *a = bezout_int_from_str("0xdead_beef", 0);
    bezout_int *m = bezout_int_from_u64(1);
    bezout_int *g = bezout_int_new(), *s = bezout_int_new(), *t = bezout_int_new();

    must(bezout_int_shl(m, m, 127)); /* Results may lie where operands do. */
    must(bezout_int_add_i64(m, m, -1));
    print("m", m);
    must(bezout_int_gcdext(g, s, t, m, a));
    must(bezout_int_verify_gcd(m, a, g, s, t));
    print("g", g);
    must(bezout_int_mod_inverse(t, a, m));
    print("1/a mod m", t);

    bezout_int_free(a);
    bezout_int_free(m);
    bezout_int_free(g);
    bezout_int_free(s);
    bezout_int_free(t);
}

static void errors(void)
{
    bezout_int *a = bezout_int_from_i64(7), *zero = bezout_int_new();
    bezout_status status = bezout_int_div(a, a, zero);
    printf("%d, %s\n", (int)status, bezout_last_error());
    status = bezout_int_set_str(a, "12x4", 10);
    printf("%d, at %zu\n", (int)status, bezout_last_error_position());
    print("a is still", a);
    bezout_int_free(a);
    bezout_int_free(zero);
}

static void progress(void)
{
    bezout_int *a = bezout_int_new();
    char *text = NULL;
    double fraction = 0;
    must(bezout_int_ones(a, 1 << 20));
    bezout_progress_set(half_is_enough, &fraction);
    printf("%s\n", bezout_status_name(bezout_int_to_string(&text, a, 10)));
    bezout_progress_set(NULL, NULL);
    printf("half was done: %d\n", fraction > 0.5);
    bezout_int_free(a);
}

static void factors(void)
{
    bezout_int *a = bezout_int_new(), *prime = bezout_int_new();
    bezout_factors *found;
    size_t count;
    uint64_t exponent;
    must(bezout_int_factorial(a, 12));
    must(bezout_factor(&found, a, NULL));
    must(bezout_factors_count(&count, found));
    for (size_t i = 0; i < count; i++) {
        uint64_t p;
        must(bezout_factors_get(prime, &exponent, found, i));
        must(bezout_int_get_u64(&p, prime));
        printf("%s%llu^%llu", i ? " * " : "12! = ", (unsigned long long)p,
               (unsigned long long)exponent);
    }
    printf("\n");
    bezout_factors_free(found);
    bezout_int_free(a);
    bezout_int_free(prime);
}

static void shared_primes(void)
{
    const uint64_t values[] = {101 * 103, 107 * 109, 113 * 103};
    bezout_int *moduli[3], *factor = bezout_int_new();
    bezout_shared *shared;
    const size_t *places;
    size_t count;
    for (size_t i = 0; i < 3; i++)
        moduli[i] = bezout_int_from_u64(values[i]);
    must(bezout_shared_factors(&shared, (const bezout_int *const *)moduli, 3));
    must(bezout_shared_factor(factor, shared, 0));
    must(bezout_shared_moduli(&places, &count, shared, 0));
    print("shared", factor);
    for (size_t i = 0; i < count; i++)
        printf("by modulus %zu\n", places[i]);
    bezout_shared_free(shared);
    bezout_int_free(factor);
    for (size_t i = 0; i < 3; i++)
        bezout_int_free(moduli[i]);
}

static void polynomials(void)
{
    bezout_poly *a = bezout_poly_new(), *b = bezout_poly_new();
    char *text;
    must(bezout_poly_set_str(a, 7, "3*x^2 + x + 5", false));
    must(bezout_poly_set_str(b, 7, "x - 1", false));
    must(bezout_poly_mul(a, a, b));
    must(bezout_poly_to_string(&text, a, false));
    printf("%s\n", text);
    bezout_string_free(text);
    bezout_poly_free(a);
    bezout_poly_free(b);
}

static void on_a_device(void)
{
    bezout_int *a = bezout_int_new();
    uint32_t devices;
    char *engine;
    must(bezout_device_count(&devices));
    must(bezout_int_ones(a, 1 << 20));
    if (devices > 0)
        must(bezout_int_to_device(a, 0)); /* What is computed from it stays there. */
    must(bezout_int_square(a, a));
    must(bezout_engine_last_used(&engine));
    fprintf(stderr, "squared on %s\n", engine);
    bezout_string_free(engine);
    bezout_int_free(a);
}

int main(void)
{
    if (strcmp(bezout_version(), BEZOUT_VERSION) != 0)
        fprintf(stderr, "header %s, library %s\n", BEZOUT_VERSION, bezout_version());
    numbers();
    errors();
    progress();
    factors();
    shared_primes();
    polynomials();
    on_a_device();
    return 0;
}
