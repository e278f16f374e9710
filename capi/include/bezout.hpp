// bezout.h for C++17: integers that free themselves, with operators, and errors as exceptions.
//
// Header only. `bezout::integer` owns a bezout_int; get() gives it to any function of bezout.h.
#ifndef BEZOUT_HPP
#define BEZOUT_HPP

#include <bezout.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <istream>
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
    integer &operator++() { return *this += 1; }
    integer &operator--() { return *this -= 1; }
    integer operator++(int)
    {
        integer before(*this);
        ++*this;
        return before;
    }
    integer operator--(int)
    {
        integer before(*this);
        --*this;
        return before;
    }
    integer operator+() const { return *this; }
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

    // A hash of the value: equal integers have equal ones.
    std::size_t hash() const
    {
        const std::uint64_t *limbs = nullptr;
        std::size_t count = 0;
        check(bezout_int_limbs(&limbs, &count, get()));
        const std::string_view bytes(reinterpret_cast<const char *>(limbs),
                                     count * sizeof(std::uint64_t));
        const std::size_t magnitude = std::hash<std::string_view>()(bytes);
        return sign() < 0 ? ~magnitude : magnitude;
    }

    // Writes the number as the stream's flags ask: dec, hex, oct, showbase, showpos, uppercase,
    // and the width. A negative number has a minus in every base.
    friend std::ostream &operator<<(std::ostream &stream, const integer &a)
    {
        const auto flags = stream.flags();
        const auto base = flags & std::ios_base::basefield;
        const bool is_hex = base == std::ios_base::hex, is_oct = base == std::ios_base::oct;
        std::string digits = a.str(is_hex ? 16 : is_oct ? 8 : 10);
        const bool is_negative = digits[0] == '-';
        std::string prefix = is_negative ? "-" : flags & std::ios_base::showpos ? "+" : "";
        if (is_negative)
            digits.erase(0, 1);
        if (flags & std::ios_base::showbase && digits != "0") {
            prefix += is_hex ? "0x" : "";
            digits.insert(0, is_oct ? "0" : "");
        }
        std::string text = prefix + digits;
        if (flags & std::ios_base::uppercase)
            for (char &letter : text)
                if (letter >= 'a' && letter <= 'z')
                    letter = static_cast<char>(letter - 'a' + 'A');
        const auto width = static_cast<std::size_t>(stream.width() > 0 ? stream.width() : 0);
        if ((flags & std::ios_base::adjustfield) == std::ios_base::internal && text.size() < width)
            text.insert(prefix.size(), width - text.size(), stream.fill());
        return stream << text;
    }

    // Reads a number in the base of the stream's flags; without dec, hex and oct by its prefix, as
    // for the built-in types. Where there are no digits the stream fails and the number stays.
    friend std::istream &operator>>(std::istream &stream, integer &a)
    {
        const std::istream::sentry is_ready(stream);
        if (!is_ready)
            return stream;
        const auto base = stream.flags() & std::ios_base::basefield;
        unsigned radix = base == std::ios_base::hex ? 16 : base == std::ios_base::oct ? 8 : 10;
        const bool is_free = base == 0;
        // A stream at its end fails where it is asked again.
        const auto next = [&stream] { return stream.good() ? stream.peek() : EOF; };
        std::string text;
        if (next() == '-' || next() == '+')
            if (stream.get() == '-')
                text = "-";
        bool has_digits = false;
        if (next() == '0' && (is_free || radix == 16)) {
            stream.get();
            has_digits = true;
            if (next() == 'x' || next() == 'X') {
                stream.get();
                has_digits = false;
                radix = 16;
            } else if (is_free) {
                radix = 8;
            }
        }
        text += has_digits ? "0" : "";
        for (int letter = next(); is_digit(letter, radix); letter = next()) {
            text += static_cast<char>(stream.get());
            has_digits = true;
        }
        if (has_digits)
            a = integer(text, radix);
        else
            stream.setstate(std::ios_base::failbit);
        return stream;
    }

    friend void swap(integer &a, integer &b) noexcept { a.handle_.swap(b.handle_); }

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
    static bool is_digit(int letter, unsigned radix)
    {
        if (letter >= '0' && letter <= '9')
            return static_cast<unsigned>(letter - '0') < radix;
        const int lower = letter | 0x20;
        return radix == 16 && lower >= 'a' && lower <= 'f';
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

// `using namespace bezout::literals;` makes integers of any length from literals: 12'345_int,
// 0xff_int.
inline namespace literals {
inline integer operator""_int(const char *text)
{
    std::string digits;
    for (; *text != '\0'; text++)
        if (*text != '\'')
            digits += *text;
    // As in C++, a leading zero means octal digits.
    const bool is_octal = digits.size() > 1 && digits.find_first_not_of("01234567") == digits.npos &&
                          digits[0] == '0';
    return integer(digits, is_octal ? 8 : 0);
}
} // namespace literals

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

template <> struct std::hash<bezout::integer> {
    std::size_t operator()(const bezout::integer &a) const { return a.hash(); }
};

#endif
