// Every operator and conversion of bezout.hpp against the machine's own integers.
#include <bezout.hpp>

#include <cstdlib>
#include <iostream>
#include <limits>
#include <sstream>

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
    std::cout << "all right\n";
    return 0;
}
