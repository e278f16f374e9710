//! An expression compiled to steps for a stack of numbers. Neither running nor dropping it recurses, so its length has
//! no limit; brackets nest at most [`MAX_DEPTH`] deep.
//!
//! Files are read and missing seeds drawn while compiling: running a program again gives the same number.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use bezout::{Engine, Int};
use pest::Parser;
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use pest_derive::Parser;
use rand::TryRng;
use rand::rngs::SysRng;

use super::functions::{self, COMPARISONS, FUNCTIONS, Function};
use super::syntax;
use crate::failure::Failure;
use crate::number;
use crate::ranks;

/// Most brackets inside each other. Each takes about 2 KiB of stack while compiling, and the smallest main stack of any
/// system is a megabyte.
pub const MAX_DEPTH: usize = 100;

/// Most signs and powers inside each other, through all brackets. Each takes about 0.7 KiB of stack.
pub const MAX_CHAIN: usize = 300;

#[derive(Parser)]
#[grammar = "calc/calc.pest"]
struct Grammar;

/// A compiled expression.
#[derive(Debug)]
pub struct Program<'t> {
    text: &'t str,
    steps: Vec<Step>,
    variables: Vec<&'t str>,
    /// Signs and powers around the expression being compiled.
    chain: usize,
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// The number.
    pub value: Int,
    /// Where it was computed: CUDA if any step ran there.
    pub engine: Engine,
}

#[derive(Debug)]
struct Step {
    action: Action,
    /// The bytes of the text it stands for.
    span: Range<usize>,
}

#[derive(Debug)]
enum Action {
    Push(Int),
    Load(usize),
    Store(usize),
    Drop,
    Call(&'static Function, usize),
}

impl<'t> Program<'t> {
    /// Compiles `text`; an error shows its place.
    pub fn compile(text: &'t str) -> Result<Program<'t>, Failure> {
        let text = text.trim_end();
        let mut program = Program {
            text,
            steps: Vec::new(),
            variables: Vec::new(),
            chain: 0,
        };
        // A lone number or file needs no grammar: numbers of megabytes are common, and file names with blanks happen.
        let lone = text.trim_start();
        let start = text.len() - lone.len();
        if let Ok(value) = Int::from_str(lone) {
            program.emit(Action::Push(value), start..start + lone.len());
            return Ok(program);
        }
        if let Some(path) = lone
            .strip_prefix('@')
            .map(Path::new)
            .filter(|path| path.exists())
        {
            program.emit(
                Action::Push(number::from_file(path)?),
                start..start + lone.len(),
            );
            return Ok(program);
        }
        syntax::check_brackets(text)?;
        let mut parsed =
            Grammar::parse(Rule::program, text).map_err(|error| syntax::explain(text, &error))?;
        let statements = parsed.next().map(Pair::into_inner).into_iter().flatten();
        for statement in statements.filter(|pair| pair.as_rule() == Rule::statement) {
            if let Some(last) = program.steps.last() {
                let span = last.span.clone();
                program.emit(Action::Drop, span);
            }
            for pair in statement.into_inner() {
                program.statement(pair)?;
            }
        }
        Ok(program)
    }

    /// Computes the number on the engine and with the tuning in force.
    pub fn run(&self) -> Result<Outcome, Failure> {
        let mut engine = Engine::Cpu;
        let mut stack: Vec<Int> = Vec::new();
        let mut variables = vec![None; self.variables.len()];
        for step in &self.steps {
            match &step.action {
                Action::Push(value) => stack.push(value.clone()),
                Action::Load(variable) => stack.extend(variables[*variable].clone()),
                Action::Store(variable) => variables[*variable] = stack.last().cloned(),
                Action::Drop => drop(stack.pop()),
                Action::Call(function, count) => {
                    let arguments = stack.split_off(stack.len() - count);
                    let value = function
                        .call(&arguments)
                        .map_err(|error| Failure::from(error).at(self.text, step.span.clone()))?;
                    stack.push(value);
                    if let Some(used @ Engine::Cuda(_)) = Engine::last_used() {
                        engine = used;
                    }
                }
            }
        }
        match stack.pop() {
            Some(value) => {
                value.try_fetch()?;
                Ok(Outcome { value, engine })
            }
            None => Err(Failure::bad_input("the expression is empty")),
        }
    }

    fn emit(&mut self, action: Action, span: Range<usize>) {
        self.steps.push(Step { action, span });
    }

    fn statement(&mut self, pair: Pair<'t, Rule>) -> Result<(), Failure> {
        if pair.as_rule() == Rule::expression {
            return self.expression(pair.into_inner());
        }
        let mut parts = pair.into_inner();
        let (Some(name), Some(expression)) = (parts.next(), parts.nth(1)) else {
            return Ok(());
        };
        if name.as_str() == "xor" {
            return Err(
                Failure::bad_input("'xor' is an operator: it cannot be assigned to")
                    .at(self.text, span(&name)),
            );
        }
        self.expression(expression.into_inner())?;
        let known = self
            .variables
            .iter()
            .position(|known| *known == name.as_str());
        let variable = known.unwrap_or_else(|| {
            self.variables.push(name.as_str());
            self.variables.len() - 1
        });
        self.emit(Action::Store(variable), span(&name));
        Ok(())
    }

    /// Emits an expression in postfix order, which is the order in which the Pratt parser calls back.
    fn expression(&mut self, parts: Pairs<'t, Rule>) -> Result<(), Failure> {
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
            Rule::group => pair
                .into_inner()
                .try_for_each(|inner| self.expression(inner.into_inner())),
            Rule::number => {
                let value = pair
                    .into_inner()
                    .next()
                    .map(literal)
                    .unwrap_or_else(|| Ok(Int::zero()));
                let value =
                    value.map_err(|error| Failure::from(error).at(self.text, place.clone()))?;
                self.emit(Action::Push(value), place);
                Ok(())
            }
            Rule::file => {
                let path = pair.into_inner().next().map_or("", |path| path.as_str());
                let value = number::from_file(Path::new(path))
                    .map_err(|failure| failure.at(self.text, place.clone()))?;
                self.emit(Action::Push(value), place);
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
                let count = parts.len();
                for argument in parts {
                    self.expression(argument.into_inner())?;
                }
                self.call(name, count, place.start..place.start + name.len())
            }
            _ => self.variable(pair.as_str(), place),
        }
    }

    fn call(&mut self, name: &str, count: usize, place: Range<usize>) -> Result<(), Failure> {
        let Some(function) = functions::find(name) else {
            let failure = Failure::bad_input(format!("unknown function '{name}'"));
            let names = FUNCTIONS.iter().map(|function| function.name);
            let hint = match functions::nearest(name, names) {
                Some(near) => format!("did you mean '{near}'?"),
                None => "'bezout calc --help' lists the functions".to_string(),
            };
            return Err(failure.hint(hint).at(self.text, place));
        };
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
            self.emit(Action::Push(Int::from(seed)), place.clone());
            count = 2;
        }
        self.emit(Action::Call(function, count), place);
        Ok(())
    }

    fn variable(&mut self, name: &str, place: Range<usize>) -> Result<(), Failure> {
        if let Some(variable) = self.variables.iter().position(|known| *known == name) {
            self.emit(Action::Load(variable), place);
            return Ok(());
        }
        let failure = Failure::bad_input(format!("'{name}' has no value"));
        let failure = if let Some(function) = functions::find(name) {
            failure.hint(format!("'{name}' is a function: write {}", function.usage))
        } else if let Some(near) = functions::nearest(name, self.variables.iter().copied()) {
            failure.hint(format!("did you mean '{near}'?"))
        } else {
            failure.hint(format!("give it one first: {name} = 2^64; {name} + 1"))
        };
        Err(failure.at(self.text, place))
    }
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
                | Op::infix(Rule::divide, Left)
                | Op::infix(Rule::remainder, Left))
            .op(Op::prefix(Rule::negative) | Op::prefix(Rule::positive) | Op::prefix(Rule::complement))
            .op(Op::infix(Rule::power, Right))
            .op(Op::postfix(Rule::factorial))
    };
}

/// The function an operator calls; `None` for the unary plus, which does nothing.
fn operator_function(rule: Rule) -> Option<&'static Function> {
    let name = match rule {
        Rule::equal => return Some(&COMPARISONS[0]),
        Rule::not_equal => return Some(&COMPARISONS[1]),
        Rule::less => return Some(&COMPARISONS[2]),
        Rule::less_equal => return Some(&COMPARISONS[3]),
        Rule::greater => return Some(&COMPARISONS[4]),
        Rule::greater_equal => return Some(&COMPARISONS[5]),
        Rule::add => "add",
        Rule::subtract => "sub",
        Rule::multiply => "mul",
        Rule::divide => "div",
        Rule::remainder => "mod",
        Rule::power => "pow",
        Rule::shift_left => "shl",
        Rule::shift_right => "shr",
        Rule::bit_and => "and",
        Rule::bit_or => "or",
        Rule::bit_xor => "xor",
        Rule::negative => "neg",
        Rule::complement => "not",
        Rule::factorial => "factorial",
        _ => return None,
    };
    functions::find(name)
}

/// The value of a literal.
fn literal(pair: Pair<'_, Rule>) -> bezout::Result<Int> {
    let digits = |text: &str, radix| match text.contains('_') {
        true => Int::from_str_radix(&text.replace('_', ""), radix),
        false => Int::from_str_radix(text, radix),
    };
    match pair.as_rule() {
        Rule::hexadecimal => digits(&pair.as_str()[2..], 16),
        Rule::octal => digits(&pair.as_str()[2..], 8),
        Rule::binary => digits(&pair.as_str()[2..], 2),
        Rule::scientific => {
            let mut parts = pair.into_inner().map(|part| digits(part.as_str(), 10));
            match (parts.next(), parts.next()) {
                (Some(mantissa), Some(exponent)) => functions::scientific(&mantissa?, &exponent?),
                (mantissa, _) => mantissa.unwrap_or_else(|| Ok(Int::zero())),
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
