//! The words below each command's flags in its help: what it does, its JSON fields, and examples.

#[cfg(feature = "bench")]
pub mod measuring;

pub const EXAMPLES: &str = "\
Numbers: 123, -0x1f, 2^4423-1, fib(1000), 100!, random:BITS[:SEED], @file, - (stdin)

Examples:
  bezout gcd random:1000000 random:1000000 --verify
  bezout calc '2^127 - 1'
  bezout factor 2^101-1 '20! + 1'
  bezout poly gcd 'x^6 - 1' 'x^4 - 1' --mod 101
  bezout devices

Exit status: 0 done, 1 failed, 2 bad input.";

pub const GCD_EXAMPLES: &str = "\
Examples:
  bezout gcd 2^1000-1 2^600-1
  bezout gcd random:1e6:1 random:1e6:2 --verify
  bezout gcd 2^1000-1 2^600-1 '100!' --cofactors
  bezout gcd random:2^20 random:2^20 --algorithm weber --stats
  bezout gcd random:1e4 random:1e4 --algorithm weber --count worst --modulus-bits 24
  bezout gcd @a.txt -0x1f --json
  echo 123456 | bezout gcd - '100!'";

pub const GCD_HELP: &str = "\
With --verify the answer comes with a certificate, made independently: g divides every number,
and the cofactors times the numbers add up to g, so every common divisor divides g.

More than two numbers are taken from the left: the gcd of the first two, of that and the third...
Cofactors of two numbers are as small as GMP's.

Algorithms:
  auto         the fastest for these sizes on this engine
  weber        residues modulo many primes, reduced by one at a time (Weber and Brew)
  accelerated  k-ary reduction (Jebelean, Weber); on the CPU alone
  lattice      residues modulo many primes, reduced by many at a time
  half         half-GCDs over this program's products
  host         the host library's; on the CPU alone
Cofactors come from half and host; with another, half finds them, and both must agree.
Under mpirun, lattice and weber spread over all ranks; the others run on the first.

Moduli of weber are the largest primes of L bits (--modulus-bits). For numbers of n bits there are
(--count):
  auto         about 2*n/L, which is what the steps use up, and 2^(L/2-3) to spare, or estimated
               where that is less; more on a GPU with threads to spare
  estimated    C*n/log10(n) with C = 1.6 - 0.015*L: enough for nearly all (Weber and Brew, Fig. 2)
  worst        2^(L/2) + n: enough for all (their Fig. 1)
  a number     so many
A run that cannot prove its answer begins again with twice as many. Neither flag goes with
--cofactors, nor with more ranks than one.

Statistics (where the algorithm has them; of all steps together):
  algorithm, iterations, moduli (that the numbers were held in), moduli used,
  bits of a modulus, average bits of b, blocks, retries (with more moduli), ranks

JSON fields:
  command, a_bits, b_bits (lengths of the first two numbers), bits (of all, a list),
  gcd (a string of digits), gcd_bits, cofactors (a list of strings of digits, or
  null without --cofactors), engine (cuda:N if any step ran there), algorithm (the
  one that was used), stats (algorithm, and where there are any iterations, moduli,
  moduli_used, modulus_bits, average_b_bits, blocks, retries, ranks; null without
  --stats), ranks (of this run), seconds (the gcd and its cofactors alone), verified (true, or null without --verify)";

pub const FACTOR_EXAMPLES: &str = "\
Examples:
  bezout factor 2^101-1 '20! + 1'
  bezout factor numbers.txt --exponents > factors.txt
  bezout factor 2^1061-1 --timeout 10m --json
  bezout factor 2^1061-1 --methods ecm --b1 1e6 --curves 1000 --seed 7
  bezout factor @n.txt --checkpoint n.state
  bezout factor @n.txt --checkpoint n.state --resume";

pub const FACTOR_HELP: &str = "\
A line for each number, as GNU factor prints it: the number, a colon, and its primes in ascending
order. Those below 2^64 are proved prime; larger ones pass the Baillie-PSW test, which no composite
number is known to pass. Every factor is found by a division, and the product of all factors is
compared with the number before anything is printed. A factor in brackets is not known to be prime:
it is composite and was not split by the methods allowed, or the time was up before it was split or
even tested. This is said on stderr, and the exit status is 1. Once work has stopped, numbers of more
than 100000 digits are printed in hexadecimal, which takes no time.

Standard input and files hold a number or an expression a line, or several of them with commas
between them, or several numbers with blanks between them; what follows a '#' does not count.
@FILE names a file, and so does FILE where it is no number. A text that is no number, or is below 1,
is an error with its line's number, and so is a file that cannot be read; the others go on, and the
exit status is 2. Numbers of up to 128 bits are factored many at a time, on a GPU where there
is one, and printed in order. The time of --timeout is that of each longer number, from the
computation of its expression on.

Methods, in the order in which they are used:
  fermat  Fermat's method, for two factors that are close to each other
  rho     Pollard's rho, for factors of up to ten digits
  p-1     for factors p with p-1 smooth, with larger bounds each time
  p+1     for factors p with p+1 smooth, with larger bounds each time
  ecm     elliptic curves, for factors of 15, 20, 25... digits
  siqs    the quadratic sieve, for numbers of up to 400 bits, once curves have had their chance
With --b1, all curves have this bound, and p-1 and p+1 are tried once.

A checkpoint is written every quarter of a minute, as a whole: whatever happens, the last one or the
one before it is there, and --resume prints what was printed and goes on from there. It takes the same
numbers and options. With a checkpoint no step is begun that would take longer than a minute: larger
numbers are left to curves, whose bounds stay where they are, unless --methods or --b1 says otherwise;
then a quadratic sieve or a round of curves that was killed begins anew. The first interrupt (Ctrl-C)
stops the search and prints and saves what is known, the second ends the program.

Under mpirun the first rank reads, prints and writes the checkpoint, and all ranks work: on numbers,
which are dealt to whoever is free, and where there are fewer than ranks, on the curves of each. The
answer does not depend on their number, and a checkpoint may be taken up by more or fewer of them.

JSON, an object a line:
  command, number (a string of digits), factors (a list, each with factor, exponent, status
  (proved, probable, composite or unknown), method (none for the number itself; trial, power, rho,
  p-1, p+1, ecm, siqs), b1, b2, sigma (null where the method has none), seconds (from the
  start until it was found)), complete (whether all factors are prime), engine, seconds,
  verified (true, or null without --verify: the primes have been tested again on the CPU)";

pub const POLY_EXAMPLES: &str = "\
Examples:
  bezout poly mul '3*x^2 + x + 5' 'x - 1' --mod 7
  bezout poly gcd 'x^6 - 1' 'x^4 - 1' --mod 2^61-1 --verify
  bezout poly xgcd random:1000:1 random:1000:2 --mod 101 --json
  bezout poly eval 'x^2 + 1' 0,1,2,3 --mod 5
  bezout poly powmod x 2^61-1 'x^3 + x + 1' --mod 2^61-1
  bezout poly div @a.txt @b.txt --mod 469762049 --format lines";

pub const POLY_HELP: &str = "\
Polynomials: expressions in x with +, -, *, ^ (or **) and parentheses, such as 3*x^2 - 2x + 5,
(x + 1)^2 * (x - 1) or x^(2^20) - x; random:LEN[:SEED] has LEN random coefficients; @file and
- (stdin) are read in --format. Coefficients are whole numbers of any size, decimal or 0x...,
and are reduced modulo P. Numbers (C, N) are expressions as in 'calc'; lists (POINTS, VALUES)
have commas, blanks or line ends between numbers, and may be @file or -.

Formats:
  expr   3*x^2 + x + 5; results a line each
  lines  a coefficient per line, constant term first; blank lines and what follows a '#'
         do not count. A blank line stands between two results

The modulus must be prime: for a composite one the error names a factor.

With --verify the result is checked on the CPU by another way: gcds by cofactors and divisions,
divisions by products, values by Horner's rule, interpolations by values, and so on.
Products are checked modulo a random polynomial besides.

JSON fields:
  command, operation, modulus, results (a list, each with name and, for polynomials,
  degree (null for 0) and expression, or coefficients with --format lines; for numbers,
  values), engine (cuda:N if the last step ran there), seconds (the operation alone),
  verified (true, or null without --verify)";

pub const SORT_EXAMPLES: &str = "\
Examples:
  bezout sort numbers.txt
  bezout sort numbers.txt -o numbers.txt
  bezout sort a.txt b.txt --reverse --out sorted.txt
  bezout sort keys.bin --binary --type u32 --engine cuda --out sorted.bin --json
  seq 1000 | bezout sort - --descending --permutation";

pub const SORT_HELP: &str = "\
Text holds one number per line: decimal of any length (-12, 2.5, 1e400), hexadecimal (-0x1f), inf
or nan. Blank lines and what follows a '#' do not count. Numbers are printed as they are written, in the order of their
exact values. Equal numbers stay in the order in which they came, descending too. Numbers of several
files are sorted together.

Types of text, the first that holds all numbers unless --type names one:
  i64, u64  integers of 64 bits, by radix sort
  integer   integers of any size
  decimal   decimals of any size with exponents of up to 10^36, and integers among them
With --type u32, u64, i32, i64 or integer a number that is not exactly of that type is refused. With
--type f32 or f64 numbers are sorted by the values they round to, and refused beyond the largest.

Decimals and floating-point numbers are in the order of IEEE 754's totalOrder: -NaN, -inf, ..., -0,
0, ..., inf, NaN; NaNs among themselves by their bits. Text tells NaNs apart by their sign alone.

A file that --out names is replaced once the result is complete, so that it may be an input too.

With --verify neighbours of the result are compared by integer arithmetic, and raw words with the
standard library's stable sort.

JSON fields:
  command, type (of the list above, or that of --type), count, descending, sorted (a list of numbers
  as they are written, or of places with --permutation, as strings; null with --out), out (the file,
  or null), engine, seconds
  (sorting alone, with transfers to and from a GPU), verified (true, or null without --verify)";

pub const BATCH_GCD_EXAMPLES: &str = "\
Examples:
  bezout batch-gcd moduli.txt
  bezout batch-gcd certificates.pem known_hosts keys.jwk.gz --names
  bezout batch-gcd scan.csv.zst --column modulus --min-bits 512 --json
  bezout batch-gcd new.pem --against seen --add
  cat *.pem | bezout batch-gcd - --verify";

pub const BATCH_GCD_HELP: &str = "\
A file is recognised by its content, also where gzip or zstd compressed it, unless --input-format
names its format. A text file holds any mix of numbers and keys:
  123457  0xc10d, 77         decimal or 0x..., any count on a line, between blanks or commas
  c10d  Modulus=C10D         hexadecimal, without 0x where a letter is among the digits; in a row
                             with commas, with 0x unless it has 16 digits or more
  -----BEGIN CERTIFICATE-----  PEM blocks: certificates, requests, public keys, and private keys
                             (PKCS #1, PKCS #8, OpenSSH), of which the modulus alone is kept
  ssh-rsa AAAA...            OpenSSH: public keys, their certificates, authorized_keys, known_hosts
Blank lines and all after a '#' do not count, nor what stands between the blocks of a file of keys,
unless it is a number. Other files hold one thing:
  DER                        the same structures as PEM, one or several
  JSON                       JSON Web Keys and sets of them
  DNS                        zone files, dig's output or lists of values, with DNSKEY or DKIM records
  CSV, JSON lines            with --column NAME; a value is a number, a PEM block, an OpenSSH key, a
                             JSON Web Key, DKIM's tags, or base64 of DER or of the modulus

Every factor that different keys share is printed on a line of its own with those keys, as
FACTOR: FILE:LINE FILE:LINE ...; equal keys as duplicates: FILE:LINE FILE:LINE ...
A number of a line with several is named FILE:LINE:COLUMN. With --names a key's own name follows in
parentheses. With --format fastgcd the files vulnerable_moduli and gcds are written instead: every
modulus N that shares a factor with another or equals it, and gcd(N, product of all the others).
With --check lines such as prime: FILE:LINE (or square:, short:, small exponent:) come after them.

Keys of other kinds (ECDSA, Ed25519, ...), revoked keys, records without a value and moduli below
--min-bits are counted and left out. What cannot be read (no number, a broken block, a record cut
in the middle, 0, 1, a negative or even modulus) is counted by reason, and the first of each file
are reported with their lines; the rest goes on, and the exit status is 1. A file that cannot be
read, such as one whose compression is damaged, is reported; nothing of it counts, and the exit
status is 2.

With --against STORE the keys are compared with stored ones too, which are named STORE:NUMBER
(PLACE); with --add they are stored then. With --checkpoint DIR the keys are compared in groups on
disk, for more of them than memory holds; the same command goes on where it was stopped. Every file
must then be readable: a file that is left out now and read later would change the groups.
After --timeout, or after an interrupt (Ctrl-C, SIGTERM), the exit status is 1.

With --verify the answer is checked by another algorithm (remainders modulo squares), on the CPU.
Under mpirun the first rank reads and prints, and each rank has the tree of its share of the keys.

JSON fields:
  command, keys (how many were read), shared (a list: factor (a string of digits), bits,
  prime, keys (a list: file, line, column where the line has several numbers, and name with
  --names)), duplicates (a list of lists of keys), left_out (how many keys are of other kinds),
  skipped (how many records of each reason), weak (with --check, a list: weakness, key), problems
  (a list of the first ten thousand: file, line (null for a whole file), reason), engine, seconds
  (the search alone), verified (true, or null without --verify)";

pub const DEVICES_JSON: &str = "\
JSON fields:
  command, cpu (engine, name, cores, features), cuda (a list, each with engine,
  name, compute_capability, multiprocessors, memory_bytes, memory_limit,
  l2_bytes, shared_bytes_per_block, driver_cuda, compiler; or engine and error),
  cuda_missing (what is missing where the list is empty, else null)";

pub const KERNELS_HELP: &str = "\
Kernels are compiled by NVRTC when an operation first needs them, some seconds in all, and kept in
the cache (BEZOUT_CACHE). 'prepare' does it ahead, on all threads; no GPU is needed for it. 'pack'
writes what it compiles to files, one for each architecture, such as bezout-sm_90.kernels. A pack is
found beside the program or the library, in kernels/ beside it, in ~/.local/share/bezout,
/usr/local/share/bezout and /usr/share/bezout, or where BEZOUT_KERNELS says (a pack, or a folder of
packs). A pack of another version of bezout is not used.

Examples:
  bezout kernels
  bezout kernels prepare
  bezout kernels pack --arch sm_80,sm_90 --out ~/.local/share/bezout

JSON fields:
  command, architectures, and for a list: kernels (name, architecture, defines, state: packed, cached
  or missing); for 'prepare' and 'pack': compiler, kernels, compiled, bytes, seconds, packs (a list:
  path, bytes)";

pub const RUN_HELP: &str = "\
Puts libbezout_gmp.so before the program's GMP (LD_PRELOAD) and becomes the program, whose exit code
is that of this command. The library is looked for beside bezout, in ../lib, or where BEZOUT_GMP_SO
says. Long products, divisions, gcds, roots, powers and conversions are then bezout's; results are
GMP's bit for bit. --engine and --threads go on to the library; its other settings are variables
(BEZOUT_GMP_TRACE=1 shows at exit what was served). A program with GMP linked into it statically runs
as without the library.

Examples:
  bezout run -- gp -q
  bezout run --engine cpu -- python3 script.py --its-own-flag
  BEZOUT_GMP_TRACE=1 bezout run -- ecm 1e6 < numbers.txt";

pub const COMPLETIONS_HELP: &str = "\
Examples:
  bezout completions bash > ~/.local/share/bash-completion/completions/bezout
  bezout completions zsh > \"${fpath[1]}/_bezout\"
  bezout completions fish > ~/.config/fish/completions/bezout.fish
  bezout completions powershell >> $PROFILE

JSON fields:
  command, shell, script";

pub const CALC_EXAMPLES: &str = "\
Examples:
  bezout calc '2^127 - 1'
  bezout calc 'a = 2^89 - 1; a**2 mod 1000'
  bezout calc 'popcount(random:1e6:42 xor ones(1e6))'
  bezout calc 'gcd(fib(1000), fib(600)) == fib(200)'
  bezout calc '@big.txt >> 100' --verify
  bezout calc - < expressions.txt
  bezout calc";

pub const CALC_LANGUAGE: &str = "\
Operators, from the tightest to the loosest:
  ! !!                  factorial, double factorial: 5!! is 5*3*1
  ^ **                  power, from the right: 2^3^2 is 2^9
  - + ~                 sign, bitwise not: -2^2 is -4
  * / // % mod          / is exact: 7/2 is a fraction; // rounds down, and % is what it
                        leaves; mod is never negative: -7 mod 3 is 2, 1/3 mod 7 is 5
  + -
  << >>                 shifts; >> rounds down
  &
  xor
  |
  == != < <= > >=       1 or 0; they do not chain

Operands:
  1_000  1e6  0xff  0b101  0o17   whole numbers
  random:BITS[:SEED]    exactly BITS bits; BITS and SEED are a number, a power or in
                        brackets: random:2^20:7; with a seed always the same number
  @file  @\"a file\"      the number in a file, such as -0x1f; end a bare name with a blank
  name                  after name = ...; statements are separated by ';'
  _ or ans              the answer of the line before

Loops, choices, and functions of your own:
  sum(i = 1, 10, i^2)   also prod(...); an empty range gives 0, and 1
  for(i = 1, 10, x = 2*x + i)     statements for each i; the value is the last one's
  if(x > 0, x, -x)      the second where the first is not 0, or else the third
  f(x, y) = x^2 + y     then f(3, 4); it may call itself, and (a = x; b = 2*a; a*b) has
                        statements in brackets

Bits are those of two's complement, endlessly sign-extended.
A function that prints stands alone or after the last ';'.

Standard input has an expression on each line, and each is answered on a line of its own. Variables
last to the end of the input. Empty lines and lines that start with '#' do not count, and the answer
of a line that ends with ';' is not printed, unless it is the last. A line that fails is an error
with its number and changes no variable; the other lines are answered all the same, and the exit
status is that of the first failure. On a terminal, 'bezout calc' prompts for lines. There and on the
command line, 'help' prints ten lines about all this, and '?NAME' or 'help NAME' the line of one
function.
";

pub const CALC_JSON: &str = "\
JSON fields:
  command, expression, value (a string: what is printed without --json), values (only of
  xgcd and factor: each number or prime, a list of strings), bits (length of the
  magnitude; of several numbers the first), sign (-1, 0, 1), engine (cuda:N if any step ran
  there), seconds (evaluation alone), verified (true, or null without --verify)
  Of help and ?NAME: command, help
  Several lines of standard input: command, answers (a list: line, and the fields above but
  for command; or line, expression, error)";
