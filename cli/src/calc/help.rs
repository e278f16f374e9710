//! What `help`, `?` and `?NAME` print, at the prompt and as the expression of the command line.

use super::names;
use super::session::Session;
use crate::help::CALC_LANGUAGE;

/// The lines that most people need.
const SHORT: &str = "\
2^127 - 1         also * / // % mod ! & | xor << >> ==; 7/2 is a fraction
a = 2^64          gives a variable its value; a ';' at the end prints nothing
_ or ans          the last answer; ':full' prints all its digits
f(x) = x^2 + 1    a function of your own; sum(i = 1, 10, f(i)) adds its values
gcd(12, 18)       a function; Tab lists those that begin with what is typed
random:1e6        a random number of 10^6 bits; @FILE is the number in a file
?NAME             what one function does, such as ?powmod; so does 'help NAME'
help all          all operators and functions
Ctrl-C            stops a computation, or clears the line
quit, Ctrl-D      ends";

/// Commands of the prompt, below the list of everything.
const WORDS: &str = "\
help, ?         the most important of this; 'help NAME' tells about one function
:full           all digits of the last answer, where they were left out
_ or ans        the last answer
name = ...      gives a variable its value; a ';' at the end prints nothing
Ctrl-C          stops a computation, or clears the line
quit, Ctrl-D    ends
";

/// The help that a line asks for; `None` where the line is an expression.
pub fn asked(line: &str, session: &Session) -> Option<String> {
    let line = line.trim();
    if let Some(topic) = line.strip_prefix('?') {
        return Some(about(topic.trim()));
    }
    let (word, topic) = line.split_once(' ').unwrap_or((line, ""));
    let is_name = session.get("help").is_some() || topic.trim().starts_with('=');
    (word == "help" && !is_name).then(|| about(topic.trim()))
}

/// The help of one function, of everything, or the short one.
fn about(topic: &str) -> String {
    let topic = topic.split('(').next().unwrap_or(topic).trim();
    if topic.is_empty() || topic == "help" {
        return SHORT.to_string();
    }
    if topic == "all" {
        return format!(
            "{CALC_LANGUAGE}\n{}\nAt the prompt:\n{WORDS}",
            names::list()
        );
    }
    if let Some(why) = names::absent(topic) {
        return format!("there is no function '{topic}': {why}");
    }
    match (names::find(topic), names::meant(topic)) {
        (Some(function), _) => format!("{}: {}", function.usage, function.about),
        (None, Some(meant)) => format!("there is no function '{topic}'; did you mean '{meant}'?"),
        (None, None) => format!("there is no function '{topic}'; 'help all' lists all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(line: &str) -> String {
        asked(line, &Session::new()).unwrap_or_default()
    }

    #[test]
    fn the_short_help_is_short() {
        for line in ["help", "?", " help ", "? ", "help help"] {
            assert_eq!(help(line), SHORT, "{line}");
        }
        assert_eq!(SHORT.lines().count(), 10);
        assert!(SHORT.lines().all(|line| line.len() < 80));
        assert!(help("help all").contains("popcount(x)") && help("? all").contains(":full"));
    }

    #[test]
    fn one_function() {
        for line in ["help sqrt", "?sqrt", "? isqrt", "?isqrt(", "help isqrt(x)"] {
            assert!(help(line).starts_with("isqrt(x): "), "{line}");
        }
        assert!(help("?fibb").contains("did you mean 'fib'?"));
        assert!(help("?gibberish").contains("'help all'"));
    }

    #[test]
    fn other_lines_are_expressions() {
        for line in ["help = 2^64", "helper", "2 + help", "1 ? 2", ""] {
            assert_eq!(asked(line, &Session::new()), None, "{line}");
        }
    }
}
