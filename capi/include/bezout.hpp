// bezout.h for C++17: integers that free themselves, with operators, and errors as exceptions.
//
// Header only. `bezout::integer` owns a bezout_int; get() gives it to any function of bezout.h.
#ifndef BEZOUT_HPP
#define BEZOUT_HPP

#include <bezout.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bezout {

// What a call of the library failed with.
class error : public std::runtime_error {
public:
    explicit error(bezout_status status)
        : std::runtime_error(bezout_last_error()), status_(status)
    {
    }

    bezout_status status() const noexcept { return status_; }

private:
    bezout_status status_;
};

// Throws where a call failed.
inline void check(bezout_status status)
{
    if (status != BEZOUT_OK)
        throw error(status);
}

// A signed integer of any size. Copies of large values share their memory. A moved-from integer can
// be destroyed and assigned to.
class integer {
public:
    integer() : integer(0) {}
    // Any integer type of at most 64 bits.
    template <class T, class = std::enable_if_t<std::is_integral_v<T> && sizeof(T) <= 8>>
    integer(T value) : handle_(made(from(value)))
    {
    }
    // Digits in `radix`; with 0, decimal or what the prefix says.
    explicit integer(std::string_view text, std::uint32_t radix = 0) : integer()
    {
        check(bezout_int_set_text(get(), text.data(), text.size(), radix));
    }
    // Takes a handle over and frees it.
    explicit integer(bezout_int *handle) : handle_(made(handle)) {}

    integer(const integer &other) : handle_(made(bezout_int_clone(other.get()))) {}
    integer(integer &&other) noexcept = default;
    integer &operator=(const integer &other)
    {
        integer copy(other);
        handle_.swap(copy.handle_);
        return *this;
    }
    integer &operator=(integer &&other) noexcept = default;

    bezout_int *get() noexcept { return handle_.get(); }
    const bezout_int *get() const noexcept { return handle_.get(); }

    std::string str(std::uint32_t radix = 10) const
    {
        char *text = nullptr;
        check(bezout_int_to_string(&text, get(), radix));
        std::unique_ptr<char, void (*)(char *)> owner(text, bezout_string_free);
        return std::string(text);
    }
    explicit operator std::int64_t() const { return value<std::int64_t>(bezout_int_get_i64); }
    explicit operator std::uint64_t() const { return value<std::uint64_t>(bezout_int_get_u64); }
    explicit operator double() const { return value<double>(bezout_int_get_f64); }
    explicit operator bool() const { return !value<bool>(bezout_int_is_zero); }

    std::int32_t sign() const { return value<std::int32_t>(bezout_int_sign); }
    std::uint64_t bit_length() const { return value<std::uint64_t>(bezout_int_bit_length); }
    bool is_prime() const { return value<bool>(bezout_int_is_prime); }

    integer &operator+=(const integer &b) { return change(bezout_int_add, b); }
    integer &operator-=(const integer &b) { return change(bezout_int_sub, b); }
    integer &operator*=(const integer &b) { return change(bezout_int_mul, b); }
    integer &operator/=(const integer &b) { return change(bezout_int_div, b); }
    integer &operator%=(const integer &b) { return change(bezout_int_rem, b); }
    integer &operator&=(const integer &b) { return change(bezout_int_and, b); }
    integer &operator|=(const integer &b) { return change(bezout_int_or, b); }
    integer &operator^=(const integer &b) { return change(bezout_int_xor, b); }
    integer &operator<<=(std::uint64_t count)
    {
        check(bezout_int_shl(get(), get(), count));
        return *this;
    }
    integer &operator>>=(std::uint64_t count)
    {
        check(bezout_int_shr(get(), get(), count));
        return *this;
    }
    integer operator-() const { return made_by(bezout_int_neg); }
    integer operator~() const { return made_by(bezout_int_not); }

    friend integer operator+(integer a, const integer &b) { return std::move(a += b); }
    friend integer operator-(integer a, const integer &b) { return std::move(a -= b); }
    friend integer operator*(integer a, const integer &b) { return std::move(a *= b); }
    friend integer operator/(integer a, const integer &b) { return std::move(a /= b); }
    friend integer operator%(integer a, const integer &b) { return std::move(a %= b); }
    friend integer operator&(integer a, const integer &b) { return std::move(a &= b); }
    friend integer operator|(integer a, const integer &b) { return std::move(a |= b); }
    friend integer operator^(integer a, const integer &b) { return std::move(a ^= b); }
    friend integer operator<<(integer a, std::uint64_t count) { return std::move(a <<= count); }
    friend integer operator>>(integer a, std::uint64_t count) { return std::move(a >>= count); }

    // -1, 0 or 1.
    int compare(const integer &b) const
    {
        std::int32_t order = 0;
        check(bezout_int_cmp(&order, get(), b.get()));
        return order;
    }
    friend bool operator==(const integer &a, const integer &b) { return a.compare(b) == 0; }
    friend bool operator!=(const integer &a, const integer &b) { return a.compare(b) != 0; }
    friend bool operator<(const integer &a, const integer &b) { return a.compare(b) < 0; }
    friend bool operator<=(const integer &a, const integer &b) { return a.compare(b) <= 0; }
    friend bool operator>(const integer &a, const integer &b) { return a.compare(b) > 0; }
    friend bool operator>=(const integer &a, const integer &b) { return a.compare(b) >= 0; }

    friend std::ostream &operator<<(std::ostream &stream, const integer &a)
    {
        return stream << a.str();
    }

private:
    struct free_handle {
        void operator()(bezout_int *handle) const noexcept { bezout_int_free(handle); }
    };
    std::unique_ptr<bezout_int, free_handle> handle_;

    template <class T> static bezout_int *from(T value)
    {
        if constexpr (std::is_signed_v<T>)
            return bezout_int_from_i64(value);
        else
            return bezout_int_from_u64(value);
    }
    static bezout_int *made(bezout_int *handle)
    {
        if (handle == nullptr)
            throw error(bezout_last_error_status());
        return handle;
    }
    integer &change(bezout_status (*operation)(bezout_int *, const bezout_int *,
                                               const bezout_int *),
                    const integer &b)
    {
        check(operation(get(), get(), b.get()));
        return *this;
    }
    integer made_by(bezout_status (*operation)(bezout_int *, const bezout_int *)) const
    {
        integer out;
        check(operation(out.get(), get()));
        return out;
    }
    template <class T> T value(bezout_status (*operation)(T *, const bezout_int *)) const
    {
        T out{};
        check(operation(&out, get()));
        return out;
    }
};

inline integer gcd(const integer &a, const integer &b)
{
    integer out;
    check(bezout_int_gcd(out.get(), a.get(), b.get()));
    return out;
}

// A prime factor and its exponent.
struct factor {
    integer value;
    std::uint64_t exponent;
    bezout_factor_kind kind;
};

inline std::vector<factor> factorize(const integer &a)
{
    bezout_factors *found = nullptr;
    check(bezout_factor(&found, a.get(), nullptr));
    std::unique_ptr<bezout_factors, void (*)(bezout_factors *)> owner(found, bezout_factors_free);
    std::size_t count = 0;
    check(bezout_factors_count(&count, found));
    std::vector<factor> all(count);
    for (std::size_t i = 0; i < count; i++) {
        check(bezout_factors_get(all[i].value.get(), &all[i].exponent, found, i));
        check(bezout_factors_kind(&all[i].kind, found, i));
    }
    return all;
}

} // namespace bezout

#endif
