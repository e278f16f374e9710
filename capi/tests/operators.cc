// Every operator and conversion of bezout.hpp against the machine's own integers.
#include <bezout.hpp>

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <unordered_set>

using bezout::integer;

static void must(bool holds, int line)
{
    if (!holds) {
        std::cout << "line " << line << '\n';
        std::exit(1);
    }
}
#define MUST(holds) must(holds, __LINE__)

int main()
{
    const long long values[] = {-1000003, -17, -1, 0, 1, 2, 63, 64, 4294967296};
    for (long long a : values) {
        for (long long b : values) {
            const integer x = a, y = b;
            MUST(x + y == a + b && x - y == a - b && x * y == integer(a) * b);
            MUST((x & y) == (a & b) && (x | y) == (a | b) && (x ^ y) == (a ^ b));
            MUST((x == y) == (a == b) && (x != y) == (a != b) && (x < y) == (a < b));
            MUST((x <= y) == (a <= b) && (x > y) == (a > b) && (x >= y) == (a >= b));
            if (b != 0)
                MUST(x / y == a / b && x % y == a % b);
        }
        const integer x = a;
        MUST(-x == -a && ~x == ~a && (x << 3) == a * 8 && (x >> 2) == (a >> 2));
        MUST(static_cast<std::int64_t>(x) == a && static_cast<double>(x) == double(a));
        MUST(bool(x) == (a != 0) && x.sign() == (a > 0) - (a < 0));
        MUST(x.str() == std::to_string(a) && integer(x.str(16), 16) == x);
        std::ostringstream stream;
        stream << x;
        MUST(stream.str() == std::to_string(a));
    }
    const auto most = std::numeric_limits<std::uint64_t>::max();
    MUST(static_cast<std::uint64_t>(integer(most)) == most && integer(most).bit_length() == 64);
    MUST(integer(static_cast<unsigned char>(200)) == 200u && integer(-5l) == -5ll);

    integer a = 5, b = a;
    b += 1;
    MUST(a == 5 && b == 6);
    a = b;
    a = static_cast<const integer &>(a);
    MUST(a == 6);
    integer c = std::move(a);
    a = c;
    MUST(a == 6 && c == 6);
    integer taken(bezout_int_from_i64(9));
    MUST(taken == 9);
    try {
        static_cast<void>(static_cast<std::uint64_t>(integer(-1)));
        MUST(false);
    } catch (const bezout::error &error) {
        MUST(error.status() == BEZOUT_ERROR_DOMAIN);
    }
    try {
        integer wrong("12x");
        MUST(false);
    } catch (const bezout::error &error) {
        MUST(error.status() == BEZOUT_ERROR_PARSE && bezout_last_error_position() == 2);
    }

    integer n = 9;
    MUST(++n == 10 && n++ == 10 && n == 11 && --n == 10 && n-- == 10 && n == 9 && +n == 9);
    swap(n, a);
    MUST(n == 6 && a == 9);
    using namespace bezout::literals;
    MUST(0xffff'ffff'ffff'ffff'f_int == integer("0xfffffffffffffffff") && 017_int == 15);
    MUST(123'456'789'012'345'678'901'234'567'890_int == integer("123456789012345678901234567890"));
    MUST(0_int == 0 && 0b101_int == 5);

    std::unordered_set<integer> some;
    for (long long value : values)
        for (int times = 0; times < 2; times++)
            some.insert(integer(value) * integer("0x10000000000000000000000000000001"));
    MUST(some.size() == sizeof values / sizeof *values && some.count(0) == 1);
    MUST(std::hash<integer>()(integer(5)) == std::hash<integer>()(integer(10) / 2));

    // As the built-in type writes and reads, where a number is not negative.
    for (unsigned long long value : {0ull, 1ull, 8ull, 255ull, 1234567890123ull}) {
        for (auto base : {std::ios_base::dec, std::ios_base::hex, std::ios_base::oct}) {
            for (auto adjust : {std::ios_base::left, std::ios_base::right, std::ios_base::internal}) {
                for (auto more : {std::ios_base::fmtflags{}, std::ios_base::showbase,
                                  std::ios_base::uppercase | std::ios_base::showbase}) {
                    std::ostringstream one, other;
                    one.flags(base | adjust | more);
                    other.flags(base | adjust | more);
                    one << std::setw(20) << std::setfill('*') << integer(value) << '|';
                    other << std::setw(20) << std::setfill('*') << value << '|';
                    MUST(one.str() == other.str());
                }
            }
        }
    }
    std::ostringstream signs;
    signs << std::showpos << integer(5) << std::hex << std::showbase << integer(-255);
    MUST(signs.str() == "+5-0xff");
    for (const char *text : {"12 ", "-12x", "+7", "0x1F!", "-0x1f", "017", "089", "0", " \t5", "x",
                             "-", "", "0xg", "ff", "0x"}) {
        for (auto base : {std::ios_base::fmtflags{}, std::ios_base::dec, std::ios_base::hex,
                          std::ios_base::oct}) {
            std::istringstream one(text), other(text);
            one.setf(base, std::ios_base::basefield);
            other.setf(base, std::ios_base::basefield);
            integer got = 77;
            long long expected = 77;
            one >> got;
            other >> expected;
            MUST(one.fail() == other.fail());
            if (!other.fail())
                MUST(got == expected && one.peek() == other.peek());
            else
                MUST(got == 77);
        }
    }
    std::istringstream several("340282366920938463463374607431768211456 -1");
    MUST(several >> n >> a && n == integer(1) << 128 && a == -1);
    std::cout << "all right\n";
    return 0;
}
