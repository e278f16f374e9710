/* Exact arithmetic at GPU speed: huge integers that live on the GPU, or on the CPU where there is
 * none.
 *
 * The chapter docs/c.md has examples. The rules that hold for all functions:
 *
 * - A function that can fail returns a bezout_status. bezout_last_error has the message, for each
 *   thread its own. A call that fails leaves all values as they were.
 * - Results come first among the arguments, and may be the same handles as operands. Two results
 *   of one call must be two handles.
 * - NULL is an error where the function does not say that it is allowed.
 * - What a _new, _from or _clone function made is freed by the _free function of its type. A
 *   string is freed by bezout_string_free.
 * - Values behind const pointers may be used by several threads at once. What a call changes must
 *   not be used by another thread during the call.
 */

#ifndef BEZOUT_H
#define BEZOUT_H


#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BEZOUT_VERSION_MAJOR 0
#define BEZOUT_VERSION_MINOR 2
#define BEZOUT_VERSION_PATCH 0
#define BEZOUT_VERSION "0.2.0"

/* No number: a bit that is nowhere, the degree of the polynomial 0. */
#define BEZOUT_NONE UINT64_MAX

/* The device that runs the kernels on the CPU, for tests; its engine is "cuda:executor". */
#define BEZOUT_EXECUTOR UINT32_MAX


// What a call returns: BEZOUT_OK, or why it failed. The numbers are stable.
typedef enum {
  // Done.
  BEZOUT_OK = 0,
  // An argument is NULL.
  BEZOUT_ERROR_NULL = 1,
  // An argument that no value of this library can be: two results in one handle, an array
  // that is not aligned, an index out of range.
  BEZOUT_ERROR_ARGUMENT = 2,
  // The caller's buffer is too short. The length that is needed was stored.
  BEZOUT_ERROR_BUFFER = 3,
  // Text that is not a number. bezout_last_error_position says where.
  BEZOUT_ERROR_PARSE = 10,
  // A radix outside 2 to 36.
  BEZOUT_ERROR_RADIX = 11,
  // Bytes that are not the serialised form they claim to be.
  BEZOUT_ERROR_FORMAT = 12,
  // An argument outside the domain of the operation.
  BEZOUT_ERROR_DOMAIN = 13,
  // Division or remainder by zero.
  BEZOUT_ERROR_DIVISION_BY_ZERO = 14,
  // A modulus that has to be prime and is not.
  BEZOUT_ERROR_NOT_PRIME = 15,
  // Text that is not a polynomial. bezout_last_error_line and bezout_last_error_position say
  // where.
  BEZOUT_ERROR_POLYNOMIAL = 16,
  // A result that cannot fit in the memory of any machine, or of a device.
  BEZOUT_ERROR_TOO_LARGE = 20,
  // A result that needs more memory than this process may still use.
  BEZOUT_ERROR_MEMORY = 21,
  // No usable CUDA device. The message says what is missing.
  BEZOUT_ERROR_NO_DEVICE = 30,
  // The operation has no implementation on the engine that was forced.
  BEZOUT_ERROR_UNSUPPORTED = 31,
  // The device has too little memory.
  BEZOUT_ERROR_DEVICE_MEMORY = 32,
  // A kernel did not compile. The message is the compiler's log.
  BEZOUT_ERROR_COMPILE = 33,
  // A CUDA call or a kernel failed. Values on that device are lost, host copies are not.
  BEZOUT_ERROR_DEVICE = 34,
  // Ranks that do not go together, or what another rank failed with.
  BEZOUT_ERROR_CLUSTER = 35,
  // The progress callback asked for the work to stop. All values are as they were.
  BEZOUT_ERROR_CANCELLED = 40,
  // A result that its independent check refutes.
  BEZOUT_ERROR_VERIFICATION = 41,
  // An error that has no number of its own yet.
  BEZOUT_ERROR_OTHER = 90,
  // A bug in this library. Please report the message. Results were not stored.
  BEZOUT_ERROR_BUG = 99,
} bezout_status;

// What is known of a factor.
typedef enum {
  // Prime, proved: it is below 2^64.
  BEZOUT_FACTOR_PROVED = 0,
  // A Baillie-PSW probable prime. No composite number that is one is known.
  BEZOUT_FACTOR_PROBABLE = 1,
  // Composite: it was not split by what was allowed.
  BEZOUT_FACTOR_COMPOSITE = 2,
  // Prime or composite: the search was stopped before this was known.
  BEZOUT_FACTOR_UNKNOWN = 3,
} bezout_factor_kind;

// Many unsigned integers of one length, the rows of the batch. Made by bezout_batch_new, freed by
// bezout_batch_free.
typedef struct bezout_batch bezout_batch;

// A number prepared for many divisions by it: its reciprocal is kept. Made by bezout_divisor_new,
// freed by bezout_divisor_free.
typedef struct bezout_divisor bezout_divisor;

// The prime factors of many numbers. Freed by bezout_factor_lists_free.
typedef struct bezout_factor_lists bezout_factor_lists;

// How to factor. Made by bezout_factor_options_new, freed by bezout_factor_options_free.
typedef struct bezout_factor_options bezout_factor_options;

// The factors of a number in ascending order. Freed by bezout_factors_free.
typedef struct bezout_factors bezout_factors;

// An integer of any size. Made by bezout_int_new and the bezout_int_from functions, freed by
// bezout_int_free.
typedef struct bezout_int bezout_int;

// Odd moduli, one for each row of a batch, prepared for many products. Made by bezout_moduli_new,
// freed by bezout_moduli_free.
typedef struct bezout_moduli bezout_moduli;

// A polynomial over Z_p, p any prime below 2^63. Made by bezout_poly_new, freed by
// bezout_poly_free.
typedef struct bezout_poly bezout_poly;

// A number prepared for many products: its transform is kept. Made by bezout_prepared_new, freed
// by bezout_prepared_free.
typedef struct bezout_prepared bezout_prepared;

// A generator of random numbers, xoshiro256++, not for secrets. Made by bezout_random_new, freed
// by bezout_random_free.
typedef struct bezout_random bezout_random;

// A factorisation in progress. Made by bezout_search_new, freed by bezout_search_free.
typedef struct bezout_search bezout_search;

// The factors that moduli share, or the places of equal moduli. Freed by bezout_shared_free.
typedef struct bezout_shared bezout_shared;

// Many numbers, the products of neighbours, and so on up to the product of all. Made by
// bezout_tree_new, freed by bezout_tree_free.
typedef struct bezout_tree bezout_tree;

// Hears how far long work is. `stage` says what is being done and is valid during the call;
// `fraction` is from 0 to 1, or negative where it is not known. A result other than 0 cancels the
// work: the call in progress returns BEZOUT_ERROR_CANCELLED and all values are as they were.
//
// The callback may be called from another thread than the one that made the call, never from two
// at once. It must return: no exception and no longjmp may leave it.
typedef int (*bezout_progress)(const char *stage, double fraction, void *user);

// Work that runs under an engine. It must return: no exception and no longjmp may leave it.
typedef void (*bezout_work)(void *user);

// A number below 2^128: low + 2^64 * high.
typedef struct {
  // The low 64 bits.
  uint64_t low;
  // The high 64 bits.
  uint64_t high;
} bezout_u128;

// Says by 0 that a search is to go on, and by anything else that it is to stop. It may be called
// from another thread, never from two at once, and must return: no exception and no longjmp may
// leave it.
typedef int (*bezout_stop)(void *user);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The message of the last call that failed on this thread, empty if none has. It stays valid until
// another call fails on this thread. A call that succeeds does not change it.
const char *bezout_last_error(void);

// The code of the last call that failed on this thread, BEZOUT_OK if none has.
bezout_status bezout_last_error_status(void);

// Where the text of the last call that failed on this thread is wrong. For BEZOUT_ERROR_PARSE this
// is the number of bytes before the place, for BEZOUT_ERROR_POLYNOMIAL the character of the line,
// from 1 on. SIZE_MAX after any other error.
size_t bezout_last_error_position(void);

// The line, from 1 on, where the text of a polynomial is wrong. SIZE_MAX after any other error.
size_t bezout_last_error_line(void);

// The name of a code, such as "division by zero". Any number may be given. Never NULL, never to be
// freed.
const char *bezout_status_name(int status);

// Frees a string that this library made. NULL is allowed.
void bezout_string_free(char *text);

// The version of the library, such as "0.2.0". Not to be freed. BEZOUT_VERSION is that of
// the header.
const char *bezout_version(void);

// Makes this callback hear of all work that this thread begins from now on, and lets it cancel
// that work. NULL for none. `user` is passed to it.
void bezout_progress_set(bezout_progress callback, void *user);

// Makes this the engine of every thread that has set none of its own. This is the one thing that
// is set for the whole process. Names are "auto", "cpu", "cuda" and "cuda:N". A device that is not
// there is an error, and the engine stays what it was.
bezout_status bezout_engine_set_default(const char *name);

// Makes this the engine of this thread from now on. NULL for that of the process again.
bezout_status bezout_engine_set(const char *name);

// Calls `work(user)` with this engine in force on this thread, and restores the thread's engine
// afterwards. Such calls nest.
bezout_status bezout_engine_with(const char *name, bezout_work work, void *user);

// The name of the engine in force on this thread. To be freed by bezout_string_free.
bezout_status bezout_engine_current(char **out);

// The name of the engine that the last operation on this thread ran on, never "auto"; empty if
// there was none. To be freed by bezout_string_free.
bezout_status bezout_engine_last_used(char **out);

// Stores how many CUDA devices can be seen: 0 where there is no driver.
bezout_status bezout_device_count(uint32_t *out);

// The name of a device. To be freed by bezout_string_free.
bezout_status bezout_device_name(char **out, uint32_t device);

// The bytes of memory that a device has, and those of them that this process uses now.
bezout_status bezout_device_memory(uint64_t *bytes, uint64_t *used, uint32_t device);

// Waits until a device has done everything that it was given.
bezout_status bezout_device_synchronize(uint32_t device);

// A new integer with the value 0, to be freed by bezout_int_free.
bezout_int *bezout_int_new(void);

// A new integer, to be freed by bezout_int_free.
bezout_int *bezout_int_from_i64(int64_t value);

// A new integer, to be freed by bezout_int_free.
bezout_int *bezout_int_from_u64(uint64_t value);

// A new integer with the value of a text, to be freed by bezout_int_free; see bezout_int_set_str.
// NULL where the text is not a number: bezout_last_error says why.
bezout_int *bezout_int_from_str(const char *text, uint32_t radix);

// A new integer with the value of another, to be freed by bezout_int_free. Large values share
// their memory. NULL for NULL.
bezout_int *bezout_int_clone(const bezout_int *a);

// Frees an integer. NULL is allowed.
void bezout_int_free(bezout_int *a);

// Exchanges two integers.
bezout_status bezout_int_swap(bezout_int *a, bezout_int *b);

// out = a + b.
bezout_status bezout_int_add(bezout_int *out, const bezout_int *a, const bezout_int *b);

// out = a - b.
bezout_status bezout_int_sub(bezout_int *out, const bezout_int *a, const bezout_int *b);

// out = a * b.
bezout_status bezout_int_mul(bezout_int *out, const bezout_int *a, const bezout_int *b);

// out = a + b.
bezout_status bezout_int_add_i64(bezout_int *out, const bezout_int *a, int64_t b);

// out = a * b.
bezout_status bezout_int_mul_i64(bezout_int *out, const bezout_int *a, int64_t b);

// out = a^2, cheaper than a product of two numbers.
bezout_status bezout_int_square(bezout_int *out, const bezout_int *a);

// out = a^exponent. 0^0 is 1.
bezout_status bezout_int_pow(bezout_int *out, const bezout_int *a, uint64_t exponent);

// out = -a.
bezout_status bezout_int_neg(bezout_int *out, const bezout_int *a);

// out = |a|.
bezout_status bezout_int_abs(bezout_int *out, const bezout_int *a);

// out = |a - b|.
bezout_status bezout_int_abs_diff(bezout_int *out, const bezout_int *a, const bezout_int *b);

// out = a * b modulo 2^bits, not negative.
bezout_status bezout_int_mul_low(bezout_int *out,
                                 const bezout_int *a,
                                 const bezout_int *b,
                                 uint64_t bits);

// out = a * b / 2^bits, rounded down.
bezout_status bezout_int_mul_high(bezout_int *out,
                                  const bezout_int *a,
                                  const bezout_int *b,
                                  uint64_t bits);

// out = 2^bits - 1.
bezout_status bezout_int_ones(bezout_int *out, uint64_t bits);

// The number whose limbs are `count` copies of `limb`.
bezout_status bezout_int_fill(bezout_int *out, uint64_t limb, size_t count);

// Stores -1, 0 or 1: a below, equal to or above b.
bezout_status bezout_int_cmp(int32_t *out, const bezout_int *a, const bezout_int *b);

// Stores -1, 0 or 1: a below, equal to or above b.
bezout_status bezout_int_cmp_i64(int32_t *out, const bezout_int *a, int64_t b);

// Stores whether a = b.
bezout_status bezout_int_equal(bool *out, const bezout_int *a, const bezout_int *b);

// Stores -1, 0 or 1: the sign of a.
bezout_status bezout_int_sign(int32_t *out, const bezout_int *a);

// Stores whether a = 0.
bezout_status bezout_int_is_zero(bool *out, const bezout_int *a);

// Stores whether a < 0.
bezout_status bezout_int_is_negative(bool *out, const bezout_int *a);

// Stores whether a > 0.
bezout_status bezout_int_is_positive(bool *out, const bezout_int *a);

// Stores whether 2 divides a.
bezout_status bezout_int_is_even(bool *out, const bezout_int *a);

// Stores whether 2 does not divide a.
bezout_status bezout_int_is_odd(bool *out, const bezout_int *a);

// out = a AND b. Negative numbers have infinitely many one bits, here and in all functions of
// bits.
bezout_status bezout_int_and(bezout_int *out, const bezout_int *a, const bezout_int *b);

// out = a OR b.
bezout_status bezout_int_or(bezout_int *out, const bezout_int *a, const bezout_int *b);

// out = a XOR b.
bezout_status bezout_int_xor(bezout_int *out, const bezout_int *a, const bezout_int *b);

// out = -a - 1, all bits of a inverted.
bezout_status bezout_int_not(bezout_int *out, const bezout_int *a);

// out = a * 2^count.
bezout_status bezout_int_shl(bezout_int *out, const bezout_int *a, uint64_t count);

// out = a / 2^count, rounded down.
bezout_status bezout_int_shr(bezout_int *out, const bezout_int *a, uint64_t count);

// Stores bit `index` of a.
bezout_status bezout_int_bit(bool *out, const bezout_int *a, uint64_t index);

// Stores the bits of |a|: the least n with |a| < 2^n.
bezout_status bezout_int_bit_length(uint64_t *out, const bezout_int *a);

// Stores the number of 64-bit limbs of |a|. 0 has none.
bezout_status bezout_int_limb_count(size_t *out, const bezout_int *a);

// Stores the number of one bits, BEZOUT_NONE for a negative number.
bezout_status bezout_int_count_ones(uint64_t *out, const bezout_int *a);

// Stores the number of bits that differ, BEZOUT_NONE for opposite signs.
bezout_status bezout_int_hamming_distance(uint64_t *out, const bezout_int *a, const bezout_int *b);

// Stores the first one bit at or above `from`, BEZOUT_NONE if there is none.
bezout_status bezout_int_first_set_bit(uint64_t *out, const bezout_int *a, uint64_t from);

// Stores the first zero bit at or above `from`, BEZOUT_NONE if there is none.
bezout_status bezout_int_first_clear_bit(uint64_t *out, const bezout_int *a, uint64_t from);

// Stores the number of zero bits below the lowest one bit, BEZOUT_NONE for 0.
bezout_status bezout_int_trailing_zeros(uint64_t *out, const bezout_int *a);

// Stores the number of one bits below the lowest zero bit, BEZOUT_NONE for -1.
bezout_status bezout_int_trailing_ones(uint64_t *out, const bezout_int *a);

// Stores whether a = 2^k for some k >= 0.
bezout_status bezout_int_is_power_of_two(bool *out, const bezout_int *a);

// The least power of two that is not below a: 1 for every a below 1.
bezout_status bezout_int_next_power_of_two(bezout_int *out, const bezout_int *a);

// Makes bit `index` of a one, in place.
bezout_status bezout_int_set_bit(bezout_int *a, uint64_t index);

// Makes bit `index` of a zero, in place.
bezout_status bezout_int_clear_bit(bezout_int *a, uint64_t index);

// Changes bit `index` of a, in place.
bezout_status bezout_int_flip_bit(bezout_int *a, uint64_t index);

// Puts a copy on a CUDA device, where operations under engine "auto" will then run. A value of a
// few limbs owns no device copy.
bezout_status bezout_int_to_device(const bezout_int *a, uint32_t device);

// Brings a copy of the value to the host, where there is none yet.
bezout_status bezout_int_fetch(const bezout_int *a);

// Gives the device copy up, fetching the value first if the host has none.
bezout_status bezout_int_drop_device(const bezout_int *a);

// Stores whether a device has a copy.
bezout_status bezout_int_is_on_device(bool *out, const bezout_int *a);

// Stores whether the host has a copy.
bezout_status bezout_int_is_on_host(bool *out, const bezout_int *a);

// out = a / b rounded towards zero.
bezout_status bezout_int_div(bezout_int *out, const bezout_int *a, const bezout_int *b);

// The remainder of bezout_int_div, which has the sign of a.
bezout_status bezout_int_rem(bezout_int *out, const bezout_int *a, const bezout_int *b);

// Quotient rounded towards zero, and the remainder, which has the sign of a.
bezout_status bezout_int_div_rem(bezout_int *quotient,
                                 bezout_int *remainder,
                                 const bezout_int *a,
                                 const bezout_int *b);

// out = a / b rounded down.
bezout_status bezout_int_div_floor(bezout_int *out, const bezout_int *a, const bezout_int *b);

// The remainder of bezout_int_div_floor, which has the sign of b.
bezout_status bezout_int_rem_floor(bezout_int *out, const bezout_int *a, const bezout_int *b);

// Quotient rounded down, and the remainder, which has the sign of b.
bezout_status bezout_int_div_rem_floor(bezout_int *quotient,
                                       bezout_int *remainder,
                                       const bezout_int *a,
                                       const bezout_int *b);

// out = a / b rounded up.
bezout_status bezout_int_div_ceil(bezout_int *out, const bezout_int *a, const bezout_int *b);

// The remainder of bezout_int_div_ceil, which is 0 or has the sign opposite to b.
bezout_status bezout_int_rem_ceil(bezout_int *out, const bezout_int *a, const bezout_int *b);

// Quotient rounded up, and the remainder, which is 0 or has the sign opposite to b.
bezout_status bezout_int_div_rem_ceil(bezout_int *quotient,
                                      bezout_int *remainder,
                                      const bezout_int *a,
                                      const bezout_int *b);

// The quotient that leaves a remainder from 0 to |b| - 1.
bezout_status bezout_int_div_euclid(bezout_int *out, const bezout_int *a, const bezout_int *b);

// The remainder from 0 to |b| - 1.
bezout_status bezout_int_rem_euclid(bezout_int *out, const bezout_int *a, const bezout_int *b);

// The quotient that leaves a remainder from 0 to |b| - 1, and that remainder.
bezout_status bezout_int_div_rem_euclid(bezout_int *quotient,
                                        bezout_int *remainder,
                                        const bezout_int *a,
                                        const bezout_int *b);

// out = a / b where b divides a. Where b does not, the result is an error, or for large values
// on a device a meaningless number.
bezout_status bezout_int_div_exact(bezout_int *out, const bezout_int *a, const bezout_int *b);

// Stores whether b divides a. 0 divides 0 alone.
bezout_status bezout_int_is_multiple_of(bool *out, const bezout_int *a, const bezout_int *b);

// Stores whether `modulus` divides a - b. Modulo 0 only equal numbers are congruent.
bezout_status bezout_int_is_congruent(bool *out,
                                      const bezout_int *a,
                                      const bezout_int *b,
                                      const bezout_int *modulus);

// Stores rest and count with a = rest * factor^count and count as large as possible; 0 and 0 for
// a = 0. An error if `factor` is 0, 1 or -1.
bezout_status bezout_int_remove(bezout_int *rest,
                                uint64_t *count,
                                const bezout_int *a,
                                const bezout_int *factor);

// Stores a. BEZOUT_ERROR_DOMAIN where it does not fit.
bezout_status bezout_int_get_i64(int64_t *out, const bezout_int *a);

// Stores a. BEZOUT_ERROR_DOMAIN where it does not fit.
bezout_status bezout_int_get_u64(uint64_t *out, const bezout_int *a);

// Stores the nearest double, ties to even; infinite beyond its range.
bezout_status bezout_int_get_f64(double *out, const bezout_int *a);

// Stores the nearest float, ties to even; infinite beyond its range.
bezout_status bezout_int_get_f32(float *out, const bezout_int *a);

// A new string with the digits of a in `radix`, 2 to 36, in lower case, after a minus if a is
// negative. To be freed by bezout_string_free.
bezout_status bezout_int_to_string(char **out, const bezout_int *a, uint32_t radix);

// The text of bezout_int_to_string in the caller's buffer, with NUL at its end. `needed` is set to
// the bytes that it takes with that NUL. A NULL buffer asks for that number alone, which costs as
// much as the text.
bezout_status bezout_int_get_str(char *buffer,
                                 size_t capacity,
                                 size_t *needed,
                                 const bezout_int *a,
                                 uint32_t radix);

// Copies the 64-bit limbs of |a| into the caller's buffer, least significant first. `needed` is
// set to their number. A NULL buffer asks for that number alone.
bezout_status bezout_int_get_limbs(uint64_t *buffer,
                                   size_t capacity,
                                   size_t *needed,
                                   const bezout_int *a);

// The limbs of |a| where they lie, least significant first, none above the highest that is not 0.
// They stay valid until a is changed or freed, and must not be written to.
bezout_status bezout_int_limbs(const uint64_t **limbs, size_t *count, const bezout_int *a);

// Copies the bytes of |a| into the caller's buffer, least significant first, as few as there can
// be; 0 has none. `needed` is set to their number. A NULL buffer asks for that number alone.
bezout_status bezout_int_get_le_bytes(uint8_t *buffer,
                                      size_t capacity,
                                      size_t *needed,
                                      const bezout_int *a);

// bezout_int_get_le_bytes with the most significant byte first.
bezout_status bezout_int_get_be_bytes(uint8_t *buffer,
                                      size_t capacity,
                                      size_t *needed,
                                      const bezout_int *a);

// Copies the two's complement of a into the caller's buffer, least significant byte first, as few
// bytes as there can be but at least one. `needed` is set to their number. A NULL buffer asks for
// that number alone.
bezout_status bezout_int_get_signed_le_bytes(uint8_t *buffer,
                                             size_t capacity,
                                             size_t *needed,
                                             const bezout_int *a);

// bezout_int_get_signed_le_bytes with the most significant byte first.
bezout_status bezout_int_get_signed_be_bytes(uint8_t *buffer,
                                             size_t capacity,
                                             size_t *needed,
                                             const bezout_int *a);

// Copies a in GMP's raw format, as mpz_inp_raw reads it, into the caller's buffer. `needed` is set
// to its bytes. A NULL buffer asks for that number alone. An error for a magnitude of 2^31 bytes
// or more.
bezout_status bezout_int_get_gmp_raw(uint8_t *buffer,
                                     size_t capacity,
                                     size_t *needed,
                                     const bezout_int *a);

// out = n!.
bezout_status bezout_int_factorial(bezout_int *out, uint64_t n);

// out = n!! = n * (n - 2) * (n - 4) ...
bezout_status bezout_int_double_factorial(bezout_int *out, uint64_t n);

// out = n * (n - step) * (n - 2 * step) ... as long as the factors are positive.
bezout_status bezout_int_multi_factorial(bezout_int *out, uint64_t n, uint64_t step);

// The product of all primes up to n.
bezout_status bezout_int_primorial(bezout_int *out, uint64_t n);

// The binomial coefficient n over k, 0 for k > n.
bezout_status bezout_int_binomial(bezout_int *out, uint64_t n, uint64_t k);

// The Fibonacci number F(n), with F(0) = 0 and F(1) = 1.
bezout_status bezout_int_fibonacci(bezout_int *out, uint64_t n);

// The Lucas number L(n), with L(0) = 2 and L(1) = 1.
bezout_status bezout_int_lucas(bezout_int *out, uint64_t n);

// out = a. Large values share their memory.
bezout_status bezout_int_set(bezout_int *out, const bezout_int *a);

// out = value.
bezout_status bezout_int_set_i64(bezout_int *out, int64_t value);

// out = value.
bezout_status bezout_int_set_u64(bezout_int *out, uint64_t value);

// The integer part of a finite number. BEZOUT_ERROR_DOMAIN for infinities and for not-a-number.
bezout_status bezout_int_set_f64(bezout_int *out, double value);

// The number that a text is: digits in `radix`, 2 to 36, in either case, with an optional sign
// first and with single underscores between digits. With radix 0 the text is decimal, or
// hexadecimal, octal or binary after 0x, 0o or 0b. The text ends with NUL.
bezout_status bezout_int_set_str(bezout_int *out, const char *text, uint32_t radix);

// bezout_int_set_str for a text of `length` bytes, which need not end with NUL.
bezout_status bezout_int_set_text(bezout_int *out, const char *text, size_t length, uint32_t radix);

// The number with the magnitude of these 64-bit limbs, least significant first, below 0 if
// `negative`. High limbs may be 0.
bezout_status bezout_int_set_limbs(bezout_int *out,
                                   const uint64_t *limbs,
                                   size_t count,
                                   bool negative);

// The number with these bytes, least significant first.
bezout_status bezout_int_set_le_bytes(bezout_int *out, const uint8_t *bytes, size_t count);

// The number with these bytes, most significant first.
bezout_status bezout_int_set_be_bytes(bezout_int *out, const uint8_t *bytes, size_t count);

// The number with this two's complement, least significant byte first. No bytes are 0.
bezout_status bezout_int_set_signed_le_bytes(bezout_int *out, const uint8_t *bytes, size_t count);

// The number with this two's complement, most significant byte first. No bytes are 0.
bezout_status bezout_int_set_signed_be_bytes(bezout_int *out, const uint8_t *bytes, size_t count);

// The number at the start of bytes in GMP's raw format, as mpz_out_raw writes it. `used` is the
// number of bytes that it takes.
bezout_status bezout_int_set_gmp_raw(bezout_int *out,
                                     size_t *used,
                                     const uint8_t *bytes,
                                     size_t count);

// The greatest common divisor, never negative. gcd(0, 0) = 0.
bezout_status bezout_int_gcd(bezout_int *out, const bezout_int *a, const bezout_int *b);

// The greatest common divisor, and s and t with s * a + t * b = gcd, as small as GMP's.
bezout_status bezout_int_gcdext(bezout_int *gcd,
                                bezout_int *s,
                                bezout_int *t,
                                const bezout_int *a,
                                const bezout_int *b);

// Proves that gcd is the greatest common divisor of a and b: it divides both and s * a + t * b =
// gcd. BEZOUT_ERROR_VERIFICATION, with a message that says what fails, where it is not.
bezout_status bezout_int_verify_gcd(const bezout_int *a,
                                    const bezout_int *b,
                                    const bezout_int *gcd,
                                    const bezout_int *s,
                                    const bezout_int *t);

// The least common multiple, never negative. 0 if either is 0.
bezout_status bezout_int_lcm(bezout_int *out, const bezout_int *a, const bezout_int *b);

// out = a^exponent modulo |modulus|, from 0 to |modulus| - 1. A negative exponent takes the
// inverse.
bezout_status bezout_int_pow_mod(bezout_int *out,
                                 const bezout_int *a,
                                 const bezout_int *exponent,
                                 const bezout_int *modulus);

// The x from 0 to |modulus| - 1 with a * x = 1 modulo |modulus|. BEZOUT_ERROR_DOMAIN, with a
// message that names the common divisor, where there is none.
bezout_status bezout_int_mod_inverse(bezout_int *out,
                                     const bezout_int *a,
                                     const bezout_int *modulus);

// Stores Jacobi's symbol (a/n): -1, 0 or 1. An error unless n is odd and positive.
bezout_status bezout_int_jacobi(int32_t *out, const bezout_int *a, const bezout_int *n);

// Stores Kronecker's symbol (a/n), which extends Jacobi's to every n.
bezout_status bezout_int_kronecker(int32_t *out, const bezout_int *a, const bezout_int *n);

// The square root rounded down. An error for a negative number.
bezout_status bezout_int_sqrt(bezout_int *out, const bezout_int *a);

// The square root rounded down, and a - root^2. An error for a negative number.
bezout_status bezout_int_sqrt_rem(bezout_int *root, bezout_int *remainder, const bezout_int *a);

// The n-th root rounded towards zero. An error for n = 0 and for an even root of a negative
// number.
bezout_status bezout_int_root(bezout_int *out, const bezout_int *a, uint64_t n);

// The n-th root rounded towards zero, and a - root^n. An error for n = 0 and for an even root of
// a negative number.
bezout_status bezout_int_root_rem(bezout_int *root,
                                  bezout_int *remainder,
                                  const bezout_int *a,
                                  uint64_t n);

// Stores whether a is the square of an integer.
bezout_status bezout_int_is_square(bool *out, const bezout_int *a);

// Stores whether a is prime, by the Baillie-PSW test: exact below 2^64, and no composite number
// that passes is known beyond.
bezout_status bezout_int_is_prime(bool *out, const bezout_int *a);

// The least probable prime above a.
bezout_status bezout_int_next_prime(bezout_int *out, const bezout_int *a);

// The greatest probable prime below a. An error if a is at most 2.
bezout_status bezout_int_prev_prime(bezout_int *out, const bezout_int *a);

// bezout_int_gcd by one algorithm: "auto", "weber", "accelerated", "lattice", "half" or "host".
bezout_status bezout_int_gcd_by(bezout_int *out,
                                const bezout_int *a,
                                const bezout_int *b,
                                const char *algorithm);

// The fraction numerator / denominator that is a modulo `modulus`, in lowest terms, with
// |numerator| <= most_numerator and 0 < denominator <= most_denominator. `found` says whether
// there is one; without one nothing else is stored. An error unless 2 * most_numerator *
// most_denominator < modulus, which makes the fraction unique.
bezout_status bezout_int_rational_reconstruction(bool *found,
                                                 bezout_int *numerator,
                                                 bezout_int *denominator,
                                                 const bezout_int *a,
                                                 const bezout_int *modulus,
                                                 const bezout_int *most_numerator,
                                                 const bezout_int *most_denominator);

// The base and the exponent with a = base^exponent and the exponent > 1 as large as possible.
// `found` says whether there are such; without them nothing else is stored. 0 and 1 give the
// exponent 2, and -1 gives 3.
bezout_status bezout_int_perfect_power(bool *found,
                                       bezout_int *base,
                                       uint64_t *exponent,
                                       const bezout_int *a);

// A new generator, to be freed by bezout_random_free. The same seed gives the same numbers.
bezout_random *bezout_random_new(uint64_t seed);

// Frees a generator. NULL is allowed.
void bezout_random_free(bezout_random *random);

// A uniformly random number of exactly `bits` bits: its top bit is set. 0 bits give 0.
bezout_status bezout_int_random_bits(bezout_int *out, uint64_t bits, bezout_random *random);

// A uniformly random number from 0 to bound - 1. An error if `bound` is not positive.
bezout_status bezout_int_random_below(bezout_int *out,
                                      const bezout_int *bound,
                                      bezout_random *random);

// Stores a number prepared for many products, to be freed by bezout_prepared_free.
bezout_status bezout_prepared_new(bezout_prepared **out, const bezout_int *a);

// Frees a prepared number. NULL is allowed.
void bezout_prepared_free(bezout_prepared *prepared);

// Stores a divisor prepared for many divisions, to be freed by bezout_divisor_free. An error if it
// is 0.
bezout_status bezout_divisor_new(bezout_divisor **out, const bezout_int *a);

// Frees a divisor. NULL is allowed.
void bezout_divisor_free(bezout_divisor *divisor);

// Stores the product tree of `count` numbers, to be freed by bezout_tree_free.
bezout_status bezout_tree_new(bezout_tree **out, const bezout_int *const *numbers, size_t count);

// Frees a tree. NULL is allowed.
void bezout_tree_free(bezout_tree *tree);

// x modulo each of the numbers of the tree, from 0 to |number| - 1, in `count` handles of the
// caller's, which are as many as the tree has numbers. An error if one of them is 0.
bezout_status bezout_tree_remainders(bezout_int *const *out,
                                     size_t count,
                                     const bezout_tree *tree,
                                     const bezout_int *x);

// x modulo each of `count` moduli, from 0 to |modulus| - 1, in as many handles of the caller's. An
// error if a modulus is 0.
bezout_status bezout_int_remainders(bezout_int *const *out,
                                    const bezout_int *x,
                                    const bezout_int *const *moduli,
                                    size_t count);

// The product of `count` numbers; 1 if there are none.
bezout_status bezout_int_product(bezout_int *out, const bezout_int *const *numbers, size_t count);

// The sum of the products of `count` pairs; 0 if there are none. Cheaper than the products by
// themselves where they are long and of about the same length.
bezout_status bezout_int_sum_of_products(bezout_int *out,
                                         const bezout_int *const *a,
                                         const bezout_int *const *b,
                                         size_t count);

// out = the prepared number times b.
bezout_status bezout_prepared_mul(bezout_int *out,
                                  const bezout_prepared *prepared,
                                  const bezout_int *b);

// The prepared number itself.
bezout_status bezout_prepared_value(bezout_int *out, const bezout_prepared *prepared);

// Quotient of a by the divisor, rounded towards zero, and the remainder, which has the sign of
// a.
bezout_status bezout_divisor_div_rem(bezout_int *quotient,
                                     bezout_int *remainder,
                                     const bezout_divisor *divisor,
                                     const bezout_int *a);

// The remainder of a by the divisor, with the sign of a.
bezout_status bezout_divisor_rem(bezout_int *out,
                                 const bezout_divisor *divisor,
                                 const bezout_int *a);

// The remainder of a from 0 to |divisor| - 1.
bezout_status bezout_divisor_rem_euclid(bezout_int *out,
                                        const bezout_divisor *divisor,
                                        const bezout_int *a);

// Stores whether the divisor divides a.
bezout_status bezout_divisor_divides(bool *out, const bezout_divisor *divisor, const bezout_int *a);

// The divisor itself.
bezout_status bezout_divisor_value(bezout_int *out, const bezout_divisor *divisor);

// The product of all the numbers of the tree; 1 if there are none.
bezout_status bezout_tree_product(bezout_int *out, const bezout_tree *tree);

// Stores the prime factors of a number from 1 on, to be freed by bezout_factors_free. `options`
// may be NULL for the usual ones. A large number without small factors may take for ever: a
// progress callback can cancel the work, and a bezout_search keeps what was found until then.
bezout_status bezout_factor(bezout_factors **out,
                            const bezout_int *a,
                            const bezout_factor_options *options);

// Frees factors. NULL is allowed.
void bezout_factors_free(bezout_factors *factors);

// Stores how many different factors there are; 1 has none.
bezout_status bezout_factors_count(size_t *out, const bezout_factors *factors);

// Stores whether every factor is prime, as far as anyone can tell.
bezout_status bezout_factors_is_complete(bool *out, const bezout_factors *factors);

// Factor `index`, from 0 on, and its exponent: how often it divides the number.
bezout_status bezout_factors_get(bezout_int *value,
                                 uint64_t *exponent,
                                 const bezout_factors *factors,
                                 size_t index);

// Stores what is known of factor `index`.
bezout_status bezout_factors_kind(bezout_factor_kind *out,
                                  const bezout_factors *factors,
                                  size_t index);

// New options, the usual ones, to be freed by bezout_factor_options_free.
bezout_factor_options *bezout_factor_options_new(void);

// Frees options. NULL is allowed.
void bezout_factor_options_free(bezout_factor_options *options);

// The methods to use after trial division, with commas between them: fermat, rho, p-1, p+1, ecm,
// siqs, rho-v1, rho-v2.
bezout_status bezout_factor_options_methods(bezout_factor_options *options, const char *names);

// B1 and B2 of every curve, of p - 1 and of p + 1; 0 for the usual ones.
bezout_status bezout_factor_options_bounds(bezout_factor_options *options,
                                           uint64_t b1,
                                           uint64_t b2);

// Curves after which to give up; BEZOUT_NONE for no such number.
bezout_status bezout_factor_options_curves(bezout_factor_options *options, uint64_t curves);

// Other seeds are other curves.
bezout_status bezout_factor_options_seed(bezout_factor_options *options, uint64_t seed);

// No step that is expected to take more seconds is begun; 0 for no such bound.
bezout_status bezout_factor_options_longest_step(bezout_factor_options *options, double seconds);

// Stores the prime factors of `count` numbers below 2^128, none of them 0, to be freed by
// bezout_factor_lists_free. Made for millions of numbers.
bezout_status bezout_factor_many(bezout_factor_lists **out,
                                 const bezout_u128 *numbers,
                                 size_t count);

// Copies the primes of number `index` into the caller's buffer, in ascending order, each as often
// as it divides the number; those above 2^64 are probable primes. `needed` is set to their number.
// A NULL buffer asks for that number alone.
bezout_status bezout_factor_lists_get(bezout_u128 *buffer,
                                      size_t capacity,
                                      size_t *needed,
                                      const bezout_factor_lists *lists,
                                      size_t index);

// Frees lists of factors. NULL is allowed.
void bezout_factor_lists_free(bezout_factor_lists *lists);

// Stores a search for the factors of a number from 1 on, to be freed by bezout_search_free.
// `options` may be NULL for the usual ones.
bezout_status bezout_search_new(bezout_search **out,
                                const bezout_int *a,
                                const bezout_factor_options *options);

// Frees a search. NULL is allowed.
void bezout_search_free(bezout_search *search);

// Goes on with a search until nothing is left to do, and `done` is true, or until `stop(user)` is
// not 0, and `done` is false. `stop` may be NULL.
bezout_status bezout_search_run(bool *done, bezout_search *search, bezout_stop stop, void *user);

// Stores what a search knows now: primes, and numbers that are not split yet. To be freed by
// bezout_factors_free.
bezout_status bezout_search_result(bezout_factors **out, const bezout_search *search);

// A new string that bezout_search_load makes the search of again, in JSON. To be freed by
// bezout_string_free.
bezout_status bezout_search_save(char **out, const bezout_search *search);

// Stores the search that bezout_search_save wrote, to be freed by bezout_search_free.
bezout_status bezout_search_load(bezout_search **out, const char *json);

// Stores the factors that different ones of `count` moduli have in common, each with the places of
// the moduli it divides; any two of them are coprime. Equal moduli count as one: bezout_duplicates
// lists them. To be freed by bezout_shared_free. An error if a modulus is not positive.
bezout_status bezout_shared_factors(bezout_shared **out,
                                    const bezout_int *const *moduli,
                                    size_t count);

// Stores the places of moduli that are there more than once, equal ones together; the factor of
// each group is the modulus. To be freed by bezout_shared_free. An error if a modulus is not
// positive.
bezout_status bezout_duplicates(bezout_shared **out, const bezout_int *const *moduli, size_t count);

// Frees what bezout_shared_factors or bezout_duplicates stored. NULL is allowed.
void bezout_shared_free(bezout_shared *shared);

// Stores how many factors, or groups of equal moduli, there are.
bezout_status bezout_shared_count(size_t *out, const bezout_shared *shared);

// Factor `index`, from 0 on: a prime, unless the same primes are always shared together.
bezout_status bezout_shared_factor(bezout_int *out, const bezout_shared *shared, size_t index);

// The places, from 0 on and in order, of all moduli that factor `index` divides. They stay valid
// until `shared` is freed, and must not be written to.
bezout_status bezout_shared_moduli(const size_t **places,
                                   size_t *count,
                                   const bezout_shared *shared,
                                   size_t index);

// A new polynomial, 0 over Z_2, to be freed by bezout_poly_free. A function that stores a
// polynomial in it stores the modulus too.
bezout_poly *bezout_poly_new(void);

// Frees a polynomial. NULL is allowed.
void bezout_poly_free(bezout_poly *a);

// out = a. Both share their memory.
bezout_status bezout_poly_set(bezout_poly *out, const bezout_poly *a);

// The polynomial over Z_p with these coefficients, constant term first; all must be below p.
// BEZOUT_ERROR_NOT_PRIME, with a message that names a factor, where p is not prime.
bezout_status bezout_poly_set_coefficients(bezout_poly *out,
                                           uint64_t p,
                                           const uint64_t *coefficients,
                                           size_t count);

// The polynomial over Z_p in a text such as "3*x^2 + x - 5", or one coefficient a line, constant
// term first, if `lines`. The text ends with NUL.
bezout_status bezout_poly_set_str(bezout_poly *out, uint64_t p, const char *text, bool lines);

// The polynomial over Z_p with `count` random coefficients, the leading one other than 0.
bezout_status bezout_poly_set_random(bezout_poly *out,
                                     uint64_t p,
                                     size_t count,
                                     bezout_random *random);

// The polynomial of least degree over Z_p with these values at these points. An error where a
// point is repeated.
bezout_status bezout_poly_interpolate(bezout_poly *out,
                                      uint64_t p,
                                      const uint64_t *points,
                                      const uint64_t *values,
                                      size_t count);

// Stores the value at each of `count` points, which are taken modulo p.
bezout_status bezout_poly_evaluate(uint64_t *out,
                                   const bezout_poly *a,
                                   const uint64_t *points,
                                   size_t count);

// Stores the prime p.
bezout_status bezout_poly_modulus(uint64_t *out, const bezout_poly *a);

// Stores the degree, BEZOUT_NONE for 0. Brings the coefficients to the host, where there are none
// yet.
bezout_status bezout_poly_degree(uint64_t *out, const bezout_poly *a);

// Stores whether a and b are the same polynomial over the same field.
bezout_status bezout_poly_equal(bool *out, const bezout_poly *a, const bezout_poly *b);

// Stores the coefficient of x^i, 0 above the degree.
bezout_status bezout_poly_coefficient(uint64_t *out, const bezout_poly *a, size_t i);

// The coefficients where they lie, constant term first, without leading zeros. They stay valid
// until a is changed or freed, and must not be written to.
bezout_status bezout_poly_coefficients(const uint64_t **coefficients,
                                       size_t *count,
                                       const bezout_poly *a);

// Copies the coefficients into the caller's buffer, constant term first. `needed` is set to their
// number. A NULL buffer asks for that number alone.
bezout_status bezout_poly_get_coefficients(uint64_t *buffer,
                                           size_t capacity,
                                           size_t *needed,
                                           const bezout_poly *a);

// A new string such as "3*x^2 + x + 5", or one coefficient a line, constant term first, if
// `lines`. To be freed by bezout_string_free.
bezout_status bezout_poly_to_string(char **out, const bezout_poly *a, bool lines);

// The products of `count` pairs, in as many handles of the caller's. All polynomials must have one
// modulus.
bezout_status bezout_poly_mul_many(bezout_poly *const *out,
                                   const bezout_poly *const *a,
                                   const bezout_poly *const *b,
                                   size_t count);

// The monic greatest common divisors of `count` pairs, in as many handles of the caller's. All
// polynomials must have one modulus.
bezout_status bezout_poly_gcd_many(bezout_poly *const *out,
                                   const bezout_poly *const *a,
                                   const bezout_poly *const *b,
                                   size_t count);

// out = a + b. Both must have one modulus, here and in all functions of two polynomials.
bezout_status bezout_poly_add(bezout_poly *out, const bezout_poly *a, const bezout_poly *b);

// out = a - b.
bezout_status bezout_poly_sub(bezout_poly *out, const bezout_poly *a, const bezout_poly *b);

// out = -a.
bezout_status bezout_poly_neg(bezout_poly *out, const bezout_poly *a);

// out = c * a, c taken modulo p.
bezout_status bezout_poly_scale(bezout_poly *out, const bezout_poly *a, uint64_t c);

// The derivative.
bezout_status bezout_poly_derivative(bezout_poly *out, const bezout_poly *a);

// a divided by its leading coefficient; 0 for 0.
bezout_status bezout_poly_monic(bezout_poly *out, const bezout_poly *a);

// out = a * b.
bezout_status bezout_poly_mul(bezout_poly *out, const bezout_poly *a, const bezout_poly *b);

// out = a^2.
bezout_status bezout_poly_square(bezout_poly *out, const bezout_poly *a);

// Quotient and remainder, which is of lower degree than b.
bezout_status bezout_poly_div_rem(bezout_poly *quotient,
                                  bezout_poly *remainder,
                                  const bezout_poly *a,
                                  const bezout_poly *b);

// The quotient of a and b.
bezout_status bezout_poly_div(bezout_poly *out, const bezout_poly *a, const bezout_poly *b);

// a modulo b.
bezout_status bezout_poly_rem(bezout_poly *out, const bezout_poly *a, const bezout_poly *b);

// The greatest common divisor, monic; 0 where both are 0.
bezout_status bezout_poly_gcd(bezout_poly *out, const bezout_poly *a, const bezout_poly *b);

// The monic greatest common divisor, and s and t with s * a + t * b = gcd.
bezout_status bezout_poly_gcdext(bezout_poly *gcd,
                                 bezout_poly *s,
                                 bezout_poly *t,
                                 const bezout_poly *a,
                                 const bezout_poly *b);

// Stores the resultant: 0 exactly where both have a common factor or one is 0.
bezout_status bezout_poly_resultant(uint64_t *out, const bezout_poly *a, const bezout_poly *b);

// out = a(b).
bezout_status bezout_poly_compose(bezout_poly *out, const bezout_poly *a, const bezout_poly *b);

// out = a^exponent modulo another polynomial. An error for a negative exponent.
bezout_status bezout_poly_pow_mod(bezout_poly *out,
                                  const bezout_poly *a,
                                  const bezout_int *exponent,
                                  const bezout_poly *modulus);

// Puts a copy on a CUDA device, where operations under engine "auto" will then run.
bezout_status bezout_poly_to_device(const bezout_poly *a, uint32_t device);

// Brings the coefficients to the host, where there are none yet.
bezout_status bezout_poly_fetch(const bezout_poly *a);

// Gives the device copy up, fetching the coefficients first if the host has none.
bezout_status bezout_poly_drop_device(const bezout_poly *a);

// Stores whether a device has a copy.
bezout_status bezout_poly_is_on_device(bool *out, const bezout_poly *a);

// Stores whether the host has a copy.
bezout_status bezout_poly_is_on_host(bool *out, const bezout_poly *a);

// A new batch, no rows of one limb, to be freed by bezout_batch_free. A function that stores a
// batch in it stores its shape too.
bezout_batch *bezout_batch_new(void);

// Frees a batch. NULL is allowed.
void bezout_batch_free(bezout_batch *a);

// out = a. Both share their memory.
bezout_status bezout_batch_set(bezout_batch *out, const bezout_batch *a);

// `rows` rows of `width` limbs each, one after the other, the least significant limb of each
// first.
bezout_status bezout_batch_set_limbs(bezout_batch *out,
                                     const uint64_t *limbs,
                                     size_t rows,
                                     size_t width);

// One row for each of `count` numbers, `width` limbs each; every number must be non-negative and
// fit.
bezout_status bezout_batch_set_ints(bezout_batch *out,
                                    const bezout_int *const *numbers,
                                    size_t count,
                                    size_t width);

// One row for every `size` bytes of `count`, the least significant first, in as few limbs as hold
// them.
bezout_status bezout_batch_set_le_bytes(bezout_batch *out,
                                        const uint8_t *bytes,
                                        size_t count,
                                        size_t size);

// bezout_batch_set_le_bytes with the most significant byte first.
bezout_status bezout_batch_set_be_bytes(bezout_batch *out,
                                        const uint8_t *bytes,
                                        size_t count,
                                        size_t size);

// `rows` rows of `width` limbs, every limb `pattern`.
bezout_status bezout_batch_fill(bezout_batch *out, uint64_t pattern, size_t rows, size_t width);

// A copy of `count` rows from row `first` on.
bezout_status bezout_batch_slice(bezout_batch *out,
                                 const bezout_batch *a,
                                 size_t first,
                                 size_t count);

// Stores the number of rows and the limbs in a row.
bezout_status bezout_batch_shape(size_t *rows, size_t *width, const bezout_batch *a);

// Row `row` as a number.
bezout_status bezout_batch_get(bezout_int *out, const bezout_batch *a, size_t row);

// All limbs where they lie, row after row. They stay valid until a is changed or freed, and must
// not be written to.
bezout_status bezout_batch_limbs(const uint64_t **limbs, size_t *count, const bezout_batch *a);

// Copies all limbs into the caller's buffer, row after row. `needed` is set to their number. A
// NULL buffer asks for that number alone.
bezout_status bezout_batch_get_limbs(uint64_t *buffer,
                                     size_t capacity,
                                     size_t *needed,
                                     const bezout_batch *a);

// Copies the rows into the caller's buffer, 8 * width bytes each, the least significant first.
// `needed` is set to the number of bytes. A NULL buffer asks for that number alone.
bezout_status bezout_batch_get_le_bytes(uint8_t *buffer,
                                        size_t capacity,
                                        size_t *needed,
                                        const bezout_batch *a);

// bezout_batch_get_le_bytes with the most significant byte of each row first.
bezout_status bezout_batch_get_be_bytes(uint8_t *buffer,
                                        size_t capacity,
                                        size_t *needed,
                                        const bezout_batch *a);

// Puts a copy on a CUDA device, where operations under engine "auto" will then run.
bezout_status bezout_batch_to_device(const bezout_batch *a, uint32_t device);

// Brings a copy of all rows to the host, where there is none yet.
bezout_status bezout_batch_fetch(const bezout_batch *a);

// Stores whether a device has a copy.
bezout_status bezout_batch_is_on_device(bool *out, const bezout_batch *a);

// Row by row sum, modulo 2^(64 * width). Both must have as many rows and limbs, here and in all
// functions of two batches.
bezout_status bezout_batch_add(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// Row by row difference, modulo 2^(64 * width).
bezout_status bezout_batch_sub(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// Row by row AND.
bezout_status bezout_batch_and(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// Row by row OR.
bezout_status bezout_batch_or(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// Row by row XOR.
bezout_status bezout_batch_xor(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// Every bit inverted.
bezout_status bezout_batch_not(bezout_batch *out, const bezout_batch *a);

// Row by row negation, modulo 2^(64 * width).
bezout_status bezout_batch_neg(bezout_batch *out, const bezout_batch *a);

// Each row plus `word`, modulo 2^(64 * width).
bezout_status bezout_batch_add_i64(bezout_batch *out, const bezout_batch *a, int64_t word);

// Each row times 2^count, modulo 2^(64 * width).
bezout_status bezout_batch_shl(bezout_batch *out, const bezout_batch *a, uint64_t count);

// Each row divided by 2^count, rounded down.
bezout_status bezout_batch_shr(bezout_batch *out, const bezout_batch *a, uint64_t count);

// Each row with bit `index` set.
bezout_status bezout_batch_set_bit(bezout_batch *out, const bezout_batch *a, uint64_t index);

// Each row with bit `index` cleared.
bezout_status bezout_batch_clear_bit(bezout_batch *out, const bezout_batch *a, uint64_t index);

// Each row with bit `index` flipped.
bezout_status bezout_batch_flip_bit(bezout_batch *out, const bezout_batch *a, uint64_t index);

// Row by row product, modulo 2^(64 * width).
bezout_status bezout_batch_mul(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// Row by row product, in rows of twice the width.
bezout_status bezout_batch_mul_wide(bezout_batch *out,
                                    const bezout_batch *a,
                                    const bezout_batch *b);

// Row by row square, modulo 2^(64 * width).
bezout_status bezout_batch_square(bezout_batch *out, const bezout_batch *a);

// Row by row square, in rows of twice the width.
bezout_status bezout_batch_square_wide(bezout_batch *out, const bezout_batch *a);

// Row by row quotient and remainder. An error where a divisor is zero.
bezout_status bezout_batch_div_rem(bezout_batch *quotient,
                                   bezout_batch *remainder,
                                   const bezout_batch *a,
                                   const bezout_batch *b);

// Row by row quotient, rounded down. An error where a divisor is zero.
bezout_status bezout_batch_div(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// Row by row remainder. An error where a divisor is zero.
bezout_status bezout_batch_rem(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// The square root of each row, rounded down.
bezout_status bezout_batch_sqrt(bezout_batch *out, const bezout_batch *a);

// Row by row greatest common divisor; that of a number and zero is the number.
bezout_status bezout_batch_gcd(bezout_batch *out, const bezout_batch *a, const bezout_batch *b);

// Each row to the power of a row of `exponent`, modulo a row of `modulus`. An error where a
// modulus is zero.
bezout_status bezout_batch_pow_mod(bezout_batch *out,
                                   const bezout_batch *a,
                                   const bezout_batch *exponent,
                                   const bezout_batch *modulus);

// Stores new moduli, to be freed by bezout_moduli_free. An error where one is even.
bezout_status bezout_moduli_new(bezout_moduli **out, const bezout_batch *moduli);

// Frees moduli. NULL is allowed.
void bezout_moduli_free(bezout_moduli *moduli);

// One in Montgomery's form: R mod n in each row, R = 2^(64 * width).
bezout_status bezout_moduli_one(bezout_batch *out, const bezout_moduli *moduli);

// a * R mod n in each row, for any a.
bezout_status bezout_moduli_to_form(bezout_batch *out,
                                    const bezout_moduli *moduli,
                                    const bezout_batch *a);

// a / R mod n in each row: the number of which a is the form.
bezout_status bezout_moduli_from_form(bezout_batch *out,
                                      const bezout_moduli *moduli,
                                      const bezout_batch *a);

// a * b / R mod n in each row, for b < n: the form of the product of the numbers of which a and
// b are the forms.
bezout_status bezout_moduli_mul(bezout_batch *out,
                                const bezout_moduli *moduli,
                                const bezout_batch *a,
                                const bezout_batch *b);

// a * a / R mod n in each row, for a < n.
bezout_status bezout_moduli_square(bezout_batch *out,
                                   const bezout_moduli *moduli,
                                   const bezout_batch *a);

// a + b mod n in each row, for a, b < n.
bezout_status bezout_moduli_add(bezout_batch *out,
                                const bezout_moduli *moduli,
                                const bezout_batch *a,
                                const bezout_batch *b);

// a - b mod n in each row, for a, b < n.
bezout_status bezout_moduli_sub(bezout_batch *out,
                                const bezout_moduli *moduli,
                                const bezout_batch *a,
                                const bezout_batch *b);

// Stores bit `index` of each row. `capacity` is the room in `out`.
bezout_status bezout_batch_bit(bool *out, size_t capacity, const bezout_batch *a, uint64_t index);

// Stores the number of one bits of each row. `capacity` is the room in `out`.
bezout_status bezout_batch_count_ones(uint64_t *out, size_t capacity, const bezout_batch *a);

// Stores the number of bits in which each pair of rows differs. `capacity` is the room in `out`.
bezout_status bezout_batch_hamming_distance(uint64_t *out,
                                            size_t capacity,
                                            const bezout_batch *a,
                                            const bezout_batch *b);

// Stores -1, 0 or 1 for each pair of rows: the row of a below, equal to or above that of b.
// `capacity` is the room in `out`.
bezout_status bezout_batch_compare(int32_t *out,
                                   size_t capacity,
                                   const bezout_batch *a,
                                   const bezout_batch *b);

// Stores the lowest one bit of each row at or above `from`, BEZOUT_NONE where there is none.
// `capacity` is the room in `out`.
bezout_status bezout_batch_first_set_bit(uint64_t *out,
                                         size_t capacity,
                                         const bezout_batch *a,
                                         uint64_t from);

// Stores the lowest zero bit of each row at or above `from`, BEZOUT_NONE where there is none.
// `capacity` is the room in `out`.
bezout_status bezout_batch_first_clear_bit(uint64_t *out,
                                           size_t capacity,
                                           const bezout_batch *a,
                                           uint64_t from);

// Stores the least prime factor of each row that is below `bound`, which is at most 2^24;
// BEZOUT_NONE where there is none. Zero has the factor 2. `capacity` is the room in `out`.
bezout_status bezout_batch_smallest_factor(uint64_t *out,
                                           size_t capacity,
                                           const bezout_batch *a,
                                           uint64_t bound);

// Stores whether each row is prime, by the Baillie-PSW test, which is exact below 2^64.
// `capacity` is the room in `out`.
bezout_status bezout_batch_is_prime(bool *out, size_t capacity, const bezout_batch *a);

// The inverse of each row modulo a row of `modulus`, from 0 to the modulus less 1. `exists` says
// of each row whether there is one; the row is zero where there is none. An error where a modulus
// is zero. `capacity` is the room in `exists`.
bezout_status bezout_batch_mod_inverse(bezout_batch *out,
                                       bool *exists,
                                       size_t capacity,
                                       const bezout_batch *a,
                                       const bezout_batch *modulus);

// Sorts `count` keys in place, from the largest down if `descending`.
bezout_status bezout_sort_u32(uint32_t *keys, size_t count, bool descending);

// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
// keys stay in the order in which they came.
bezout_status bezout_sort_permutation_u32(uint64_t *out,
                                          const uint32_t *keys,
                                          size_t count,
                                          bool descending);

// Sorts `count` keys in place, from the largest down if `descending`.
bezout_status bezout_sort_u64(uint64_t *keys, size_t count, bool descending);

// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
// keys stay in the order in which they came.
bezout_status bezout_sort_permutation_u64(uint64_t *out,
                                          const uint64_t *keys,
                                          size_t count,
                                          bool descending);

// Sorts `count` keys in place, from the largest down if `descending`.
bezout_status bezout_sort_i32(int32_t *keys, size_t count, bool descending);

// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
// keys stay in the order in which they came.
bezout_status bezout_sort_permutation_i32(uint64_t *out,
                                          const int32_t *keys,
                                          size_t count,
                                          bool descending);

// Sorts `count` keys in place, from the largest down if `descending`.
bezout_status bezout_sort_i64(int64_t *keys, size_t count, bool descending);

// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
// keys stay in the order in which they came.
bezout_status bezout_sort_permutation_i64(uint64_t *out,
                                          const int64_t *keys,
                                          size_t count,
                                          bool descending);

// Sorts `count` keys in place, from the largest down if `descending`. Numbers are in the order
// of IEEE 754: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN.
bezout_status bezout_sort_f32(float *keys, size_t count, bool descending);

// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
// keys stay in the order in which they came.
bezout_status bezout_sort_permutation_f32(uint64_t *out,
                                          const float *keys,
                                          size_t count,
                                          bool descending);

// Sorts `count` keys in place, from the largest down if `descending`. Numbers are in the order
// of IEEE 754: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN.
bezout_status bezout_sort_f64(double *keys, size_t count, bool descending);

// Stores the permutation that sorts the keys: where each key of the sorted order lies now. Equal
// keys stay in the order in which they came.
bezout_status bezout_sort_permutation_f64(uint64_t *out,
                                          const double *keys,
                                          size_t count,
                                          bool descending);

// Sorts `count` keys in place, and takes the value of each key with it. Equal keys stay in the
// order in which they came.
bezout_status bezout_sort_pairs_u32(uint32_t *keys,
                                    uint64_t *values,
                                    size_t count,
                                    bool descending);

// Sorts `count` keys in place, and takes the value of each key with it. Equal keys stay in the
// order in which they came.
bezout_status bezout_sort_pairs_u64(uint64_t *keys,
                                    uint64_t *values,
                                    size_t count,
                                    bool descending);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BEZOUT_H */
