// Operators, exceptions and threads with bezout.hpp.
#include <bezout.hpp>

#include <iostream>
#include <thread>
#include <vector>

using bezout::integer;

int main()
{
    const integer m = (integer(1) << 127) - 1;
    std::cout << "m = " << m << (m.is_prime() ? ", a prime" : "") << '\n';
    std::cout << "m^2 mod 10^9 = " << m * m % integer("1_000_000_000") << '\n';
    std::cout << "gcd = " << bezout::gcd(integer("0xff") * m, integer("0xf") * m) / m << '\n';

    try {
        std::cout << m / 0 << '\n';
    } catch (const bezout::error &error) {
        std::cout << "caught " << error.status() << ": " << error.what() << '\n';
    }

    for (const auto &factor : bezout::factorize((integer(1) << 101) - 1))
        std::cout << factor.value << '^' << factor.exponent << '\n';

    // A constant value may be read by many threads at once.
    std::vector<integer> powers(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < powers.size(); i++)
        threads.emplace_back([&, i] { powers[i] = m << i; });
    for (auto &thread : threads)
        thread.join();
    std::cout << "sum = " << powers[0] + powers[1] + powers[2] + powers[3] - m * 15 << '\n';
    return 0;
}
