//! Text to a [`Program`]. Brackets nest at most [`MAX_DEPTH`] deep.
//!
//! Files are read, missing seeds drawn and variables of earlier lines looked up while compiling:
//! running a program again gives the same numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use bezout::Int;
use pest::Parser;
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use pest_derive::Parser;
use rand::TryRng;
use rand::rngs::SysRng;

use super::control::USAGES;
use super::functions::{self, Function, Layout};
use super::names;
use super::program::{Action, Program, Step};
use super::session::Session;
use super::syntax;
use crate::failure::Failure;
use crate::number;
use crate::ranks;

/// Most brackets inside each other. Each takes about 2 KiB of stack while compiling, and the
/// smallest main stack of any system is a megabyte.
pub const MAX_DEPTH: usize = 100;

/// Most signs and powers inside each other, through all brackets. Each takes about 0.7 KiB of
/// stack.
pub const MAX_CHAIN: usize = 300;

#[derive(Parser)]
#[grammar = "calc/calc.pest"]
struct Grammar;

/// Names that are operators: they cannot be variables.
const OPERATORS: [&str; 2] = ["xor", "mod"];

impl<'t> Program<'t> {
    /// Compiles `text`, whose value is one number; an error shows its place.
    pub fn compile(text: &'t str) -> Result<Program<'t>, Failure> {
        static NOTHING: Session = Session::new();
        Program::of(text, &NOTHING, false)
    }

    /// Compiles a line of a session: it may use the session's variables and print other things than
    /// one number.
    pub fn line(text: &'t str, session: &'t Session) -> Result<Program<'t>, Failure> {
        Program::of(text, session, true)
    }

    fn of(text: &'t str, session: &'t Session, may_print: bool) -> Result<Program<'t>, Failure> {
        let text = text.trim_end();
        let mut program = Program {
            text,
            session,
            steps: Vec::new(),
            variables: Vec::new(),
            places: HashMap::new(),
            routines: HashMap::new(),
            own: None,
            layout: Layout::Digits,
            lone_call: None,
            chain: 0,
        };
        // A lone number or file needs no grammar: numbers of megabytes are common, and file names
        // with blanks happen.
        let lone = text.trim_start();
        let start = text.len() - lone.len();
        if let Ok(value) = Int::from_str(lone) {
            program.emit(Action::Push(value.into()), start..start + lone.len());
            return Ok(program);
        }
        if let Some(path) = lone
            .strip_prefix('@')
            .map(Path::new)
            .filter(|path| path.exists())
        {
            program.emit(
                Action::Push(number::from_file(path)?.into()),
                start..start + lone.len(),
            );
            return Ok(program);
        }
        syntax::check_brackets(text)?;
        let mut parsed =
            Grammar::parse(Rule::program, text).map_err(|error| syntax::explain(text, &error))?;
        let statements = parsed.next().map(Pair::into_inner).into_iter().flatten();
        let mut statements = statements
            .filter(|pair| pair.as_rule() == Rule::statement)
            .peekable();
        let mut has_value = false;
        while let Some(statement) = statements.next() {
            if has_value {
                program.emit(Action::Drop, span(&statement));
            }
            if may_print && statements.peek().is_none() {
                program.lone_call = lone_call(statement.clone());
            }
            let Some(pair) = statement.into_inner().next() else {
                continue;
            };
            has_value = pair.as_rule() != Rule::definition;
            if has_value {
                program.statement(pair)?;
            } else if may_print {
                program.definition(pair)?;
            } else {
                let words = "a function is defined in 'bezout calc' alone";
                return Err(Failure::bad_input(words).at(text, span(&pair)));
            }
        }
        if !has_value {
            program.layout = Layout::Nothing;
        }
        Ok(program)
    }

    pub(super) fn emit(&mut self, action: Action, span: Range<usize>) {
        self.steps.push(Step { action, span });
    }

    pub(super) fn statement(&mut self, pair: Pair<'t, Rule>) -> Result<(), Failure> {
        if pair.as_rule() == Rule::expression {
            return self.expression(pair.into_inner());
        }
        let mut parts = pair.into_inner();
        let (Some(name), Some(expression)) = (parts.next(), parts.nth(1)) else {
            return Ok(());
        };
        self.expression(expression.into_inner())?;
        let variable = self.variable_of(&name)?;
        self.emit(Action::Store(variable), span(&name));
        Ok(())
    }

    /// The place of a variable that gets a value.
    pub(super) fn variable_of(&mut self, name: &Pair<'t, Rule>) -> Result<usize, Failure> {
        if OPERATORS.contains(&name.as_str()) {
            let reason = format!(
                "'{}' is an operator: it cannot be assigned to",
                name.as_str()
            );
            return Err(Failure::bad_input(reason).at(self.text, span(name)));
        }
        Ok(*self.places.entry(name.as_str()).or_insert_with(|| {
            self.variables.push(name.as_str());
            self.variables.len() - 1
        }))
    }

    /// Emits an expression in postfix order, in which the Pratt parser calls back.
    pub(super) fn expression(&mut self, parts: Pairs<'t, Rule>) -> Result<(), Failure> {
        let around = self.chain;
        self.chain = syntax::check_chains(self.text, around, parts.clone())?;
        let program = RefCell::new(&mut *self);
        let result = PRATT.with(|pratt| {
            pratt
                .map_primary(|pair| program.borrow_mut().primary(pair))
                .map_prefix(|operator, operand| {
                    operand.map(|()| program.borrow_mut().operator(&operator, 1))
                })
                .map_postfix(|operand, operator| {
                    operand.map(|()| program.borrow_mut().operator(&operator, 1))
                })
                .map_infix(|left, operator, right| {
                    left.and(right)
                        .map(|()| program.borrow_mut().operator(&operator, 2))
                })
                .parse(parts)
        });
        self.chain = around;
        result
    }

    fn operator(&mut self, pair: &Pair<'t, Rule>, operands: usize) {
        if let Some(function) = operator_function(pair.as_rule()) {
            self.emit(Action::Call(function, operands), span(pair));
        }
    }

    fn primary(&mut self, pair: Pair<'t, Rule>) -> Result<(), Failure> {
        let place = span(&pair);
        match pair.as_rule() {
            Rule::group => pair.into_inner().try_for_each(|inner| self.body(inner)),
            Rule::series => self.series(pair),
            Rule::choice => self.choice(pair),
            Rule::number => {
                let value = pair
                    .into_inner()
                    .next()
                    .map(literal)
                    .unwrap_or_else(|| Ok(Int::ZERO));
                let value =
                    value.map_err(|error| Failure::from(error).at(self.text, place.clone()))?;
                self.emit(Action::Push(value.into()), place);
                Ok(())
            }
            Rule::file => {
                let path = pair.into_inner().next().map_or("", |path| path.as_str());
                let value = number::from_file(Path::new(path))
                    .map_err(|failure| failure.at(self.text, place.clone()))?;
                self.emit(Action::Push(value.into()), place);
                Ok(())
            }
            Rule::random => {
                let sizes = pair.into_inner();
                let count = sizes.len();
                for size in sizes {
                    self.expression(size.into_inner())?;
                }
                self.call("random", count, place)
            }
            Rule::call => {
                let mut parts = pair.into_inner();
                let name = parts.next().map_or("", |name| name.as_str());
                let place = place.start..place.start + name.len();
                if let Some((_, usage)) = USAGES.iter().find(|(known, _)| *known == name) {
                    let words = format!("'{name}' is written {usage}");
                    return Err(Failure::bad_input(words).at(self.text, place));
                }
                let count = parts.len();
                for argument in parts {
                    self.expression(argument.into_inner())?;
                }
                self.call(name, count, place)
            }
            _ => self.variable(pair.as_str(), place),
        }
    }

    fn call(&mut self, name: &str, count: usize, place: Range<usize>) -> Result<(), Failure> {
        let Some(function) = names::find(name) else {
            if self.own_call(name, count, &place)? {
                return Ok(());
            }
            let failure = Failure::bad_input(format!("unknown function '{name}'"));
            let hint = match (names::absent(name), names::meant(name)) {
                (Some(why), _) => why.to_string(),
                (None, Some(meant)) => format!("did you mean '{meant}'?"),
                (None, None) => "'bezout calc --help' lists the functions".to_string(),
            };
            return Err(failure.hint(hint).at(self.text, place));
        };
        if let Some(layout) = function.layout {
            if self.lone_call != Some(place.start) {
                return Err(not_a_number(function).at(self.text, place));
            }
            self.layout = layout;
        }
        if !function.arguments.contains(&count) {
            let wrong = match count {
                0 => "needs an argument".to_string(),
                1 => "cannot take 1 argument".to_string(),
                _ => format!("cannot take {count} arguments"),
            };
            return Err(Failure::bad_input(format!("{name} {wrong}"))
                .hint(format!("write {}: {}", function.usage, function.about))
                .at(self.text, place));
        }
        let mut count = count;
        if name == "random" && count == 1 {
            let seed = ranks::shared(|| {
                SysRng.try_next_u64().map_err(|error| {
                    Failure::failed(format!("the system gave no random seed: {error}"))
                        .hint("give one: random:BITS:SEED")
                })
            })?;
            self.emit(Action::Push(Int::from(seed).into()), place.clone());
            count = 2;
        }
        self.emit(Action::Call(function, count), place);
        Ok(())
    }

    fn variable(&mut self, name: &str, place: Range<usize>) -> Result<(), Failure> {
        if let Some(variable) = self.places.get(name) {
            self.emit(Action::Load(*variable), place);
            return Ok(());
        }
        if self.own.is_some() {
            // The value that it has when the function is called.
            self.emit(Action::Global(name.to_string()), place);
            return Ok(());
        }
        if let Some(value) = self.session.get(name) {
            self.emit(Action::Push(value.clone()), place);
            return Ok(());
        }
        let failure = Failure::bad_input(format!("'{name}' has no value"));
        let known = self.variables.iter().copied().chain(self.session.names());
        let known = known.filter(|name| !name.is_empty());
        let failure = if name == "help" {
            failure.hint("'bezout calc --help' lists the functions")
        } else if Session::LAST.contains(&name) {
            failure.hint(format!("'{name}' is the answer of the line before"))
        } else if let Some(function) = names::find(name) {
            failure.hint(format!("'{name}' is a function: write {}", function.usage))
        } else if let Some(near) = names::nearest(name, known) {
            failure.hint(format!("did you mean '{near}'?"))
        } else {
            failure.hint(format!("give it one first: {name} = 2^64; {name} + 1"))
        };
        Err(failure.at(self.text, place))
    }
}

/// Where the call starts that is all of a statement, if it is nothing else.
fn lone_call(statement: Pair<'_, Rule>) -> Option<usize> {
    let call = only(only(statement, Rule::expression)?, Rule::call)?;
    Some(span(&call).start)
}

/// The one part that `pair` has, if it follows `rule`.
fn only(pair: Pair<'_, Rule>, rule: Rule) -> Option<Pair<'_, Rule>> {
    let mut parts = pair.into_inner();
    let part = parts.next().filter(|part| part.as_rule() == rule)?;
    parts.next().is_none().then_some(part)
}

/// What is wrong with a function with a layout inside an expression.
fn not_a_number(function: &Function) -> Failure {
    let Function { name, usage, .. } = function;
    Failure::bad_input(format!("{name} prints: its result cannot be computed with")).hint(format!(
        "in 'bezout calc', {usage} stands alone or after the last ';'"
    ))
}

thread_local! {
    /// Precedence, from the loosest to the tightest.
    static PRATT: PrattParser<Rule> = {
        use Assoc::{Left, Right};
        PrattParser::new()
            .op(Op::infix(Rule::equal, Left)
                | Op::infix(Rule::not_equal, Left)
                | Op::infix(Rule::less, Left)
                | Op::infix(Rule::less_equal, Left)
                | Op::infix(Rule::greater, Left)
                | Op::infix(Rule::greater_equal, Left))
            .op(Op::infix(Rule::bit_or, Left))
            .op(Op::infix(Rule::bit_xor, Left))
            .op(Op::infix(Rule::bit_and, Left))
            .op(Op::infix(Rule::shift_left, Left) | Op::infix(Rule::shift_right, Left))
            .op(Op::infix(Rule::add, Left) | Op::infix(Rule::subtract, Left))
            .op(Op::infix(Rule::multiply, Left)
                | Op::infix(Rule::floor_divide, Left)
                | Op::infix(Rule::divide, Left)
                | Op::infix(Rule::remainder, Left)
                | Op::infix(Rule::modulo, Left))
            .op(Op::prefix(Rule::negative)
                | Op::prefix(Rule::positive)
                | Op::prefix(Rule::complement))
            .op(Op::infix(Rule::power, Right))
            .op(Op::postfix(Rule::factorial) | Op::postfix(Rule::double_factorial))
    };
}

/// The function an operator calls; `None` for the unary plus, which does nothing.
fn operator_function(rule: Rule) -> Option<&'static Function> {
    let [
        equal,
        not_equal,
        less,
        less_equal,
        greater,
        greater_equal,
        divide,
    ] = &functions::OPERATORS;
    let name = match rule {
        Rule::equal => return Some(equal),
        Rule::not_equal => return Some(not_equal),
        Rule::less => return Some(less),
        Rule::less_equal => return Some(less_equal),
        Rule::greater => return Some(greater),
        Rule::greater_equal => return Some(greater_equal),
        Rule::divide => return Some(divide),
        Rule::add => "add",
        Rule::subtract => "sub",
        Rule::multiply => "mul",
        Rule::floor_divide => "divfloor",
        Rule::remainder => "modfloor",
        Rule::modulo => "mod",
        Rule::power => "pow",
        Rule::shift_left => "shl",
        Rule::shift_right => "shr",
        Rule::bit_and => "and",
        Rule::bit_or => "or",
        Rule::bit_xor => "xor",
        Rule::negative => "neg",
        Rule::complement => "not",
        Rule::factorial => "factorial",
        Rule::double_factorial => "doublefactorial",
        _ => return None,
    };
    names::find(name)
}

/// The value of a literal.
fn literal(pair: Pair<'_, Rule>) -> bezout::Result<Int> {
    let digits = |text: &str, radix| {
        if text.contains('_') {
            Int::from_str_radix(&text.replace('_', ""), radix)
        } else {
            Int::from_str_radix(text, radix)
        }
    };
    match pair.as_rule() {
        Rule::hexadecimal => digits(&pair.as_str()[2..], 16),
        Rule::octal => digits(&pair.as_str()[2..], 8),
        Rule::binary => digits(&pair.as_str()[2..], 2),
        Rule::scientific => {
            let mut parts = pair.into_inner().map(|part| digits(part.as_str(), 10));
            match (parts.next(), parts.next()) {
                (Some(mantissa), Some(exponent)) => functions::scientific(&mantissa?, &exponent?),
                (mantissa, _) => mantissa.unwrap_or_else(|| Ok(Int::ZERO)),
            }
        }
        _ => digits(pair.as_str(), 10),
    }
}

/// The bytes of the text that `pair` covers.
pub fn span(pair: &Pair<'_, Rule>) -> Range<usize> {
    let span = pair.as_span();
    span.start()..span.end()
}
