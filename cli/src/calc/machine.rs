//! Runs the steps of a program.

use std::ops::Range;
use std::sync::Arc;

use bezout::{Engine, Error, Int};

use super::functions::Function;
use super::names;
use super::program::{Action, Program, Routine, Series, Step};
use super::value::Value;
use crate::failure::Failure;
use crate::interrupt;

/// Most functions of the user's inside one another. Each takes about a kibibyte of the stack, and
/// the smallest main stack of any system is a megabyte.
const MOST_CALLS: usize = 400;

/// A program that runs.
pub struct Machine<'p> {
    program: &'p Program<'p>,
    pub stack: Vec<Value>,
    /// Where it ran: CUDA if any step ran there.
    pub engine: Engine,
    /// The program's variables.
    pub globals: Vec<Option<Value>>,
    /// Functions of the user's that are running.
    calls: usize,
}

/// A loop that runs.
struct Loop {
    series: Series,
    next: Int,
    last: Int,
    gathered: Gathered,
}

/// A function of the user's that was called, with its variables, at a place of the line.
struct Called<'a> {
    routine: &'a Arc<Routine>,
    variables: Vec<Option<Value>>,
    place: &'a Range<usize>,
}

/// Values on their way to a sum or a product: of neighbours first, as a tree. A long product takes
/// far less time so.
#[derive(Default)]
struct Gathered {
    /// How often a value was made of two, falling, and the value.
    parts: Vec<(u32, Value)>,
}

impl Gathered {
    fn add(&mut self, value: Value, combine: &Function) -> bezout::Result<()> {
        let mut new = (0, value);
        while let Some((_, part)) = self.parts.pop_if(|(height, _)| *height == new.0) {
            new = (new.0 + 1, one(combine.call(&[part, new.1])?)?);
        }
        self.parts.push(new);
        Ok(())
    }

    /// All of them together; none where there were none.
    fn all(mut self, combine: &Function) -> bezout::Result<Option<Value>> {
        let Some((_, mut all)) = self.parts.pop() else {
            return Ok(None);
        };
        while let Some((_, part)) = self.parts.pop() {
            all = one(combine.call(&[part, all])?)?;
        }
        Ok(Some(all))
    }
}

/// The one value of a function that gives one.
fn one(values: Vec<Value>) -> bezout::Result<Value> {
    let value = values.into_iter().next();
    value.ok_or_else(|| Error::Domain("a function gave no value".into()))
}

impl Series {
    /// The function that makes one value of two; none where the last one counts.
    fn combine(self) -> Option<&'static Function> {
        match self {
            Series::Sum => names::find("add"),
            Series::Product => names::find("mul"),
            Series::For => None,
        }
    }

    /// What an empty range gives.
    fn empty(self) -> Value {
        match self {
            Series::Product => Int::ONE.into(),
            Series::Sum | Series::For => Int::ZERO.into(),
        }
    }
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program<'p>) -> Machine<'p> {
        Machine {
            program,
            stack: Vec::new(),
            engine: Engine::Cpu,
            globals: vec![None; program.variables.len()],
            calls: 0,
        }
    }

    /// Runs the program.
    pub fn run(&mut self) -> Result<(), Failure> {
        let program = self.program;
        self.steps(&program.steps, None)
    }

    /// Runs a function of the user's on its arguments, which are the last values of the stack.
    fn call(&mut self, routine: &Arc<Routine>, place: &Range<usize>) -> Result<(), Failure> {
        if self.calls == MOST_CALLS {
            let words = format!("'{}' calls itself too often", routine.name);
            return Err(Failure::bad_input(words)
                .hint(format!("at most {MOST_CALLS} calls are inside one another"))
                .at(self.program.text, place.clone()));
        }
        self.calls += 1;
        let arguments = self.stack.len() - routine.parameters;
        let mut variables: Vec<_> = self.stack.drain(arguments..).map(Some).collect();
        variables.resize(routine.variables, None);
        let result = self.steps(
            &routine.steps,
            Some(Called {
                routine,
                variables,
                place,
            }),
        );
        self.calls -= 1;
        result
    }

    /// Runs the steps of the program, or those of a function with its variables, called at a place.
    fn steps(&mut self, steps: &[Step], mut called: Option<Called>) -> Result<(), Failure> {
        let text = self.program.text;
        let (mut loops, mut at): (Vec<Loop>, usize) = (Vec::new(), 0);
        while let Some(step) = steps.get(at) {
            at += 1;
            // The steps of a function stand for other text than the line that calls it.
            let place = called.as_ref().map_or(&step.span, |called| called.place);
            let place = place.clone();
            let failed = |error: Error| Failure::from(error).at(text, place.clone());
            macro_rules! variables {
                () => {
                    match &mut called {
                        Some(called) => &mut called.variables,
                        None => &mut self.globals,
                    }
                };
            }
            match &step.action {
                Action::Push(value) => self.stack.push(value.clone()),
                Action::Load(variable) => {
                    let value = variables!()[*variable].clone();
                    self.stack
                        .push(value.ok_or_else(|| without_value(text, &place))?);
                }
                Action::Store(variable) => variables!()[*variable] = self.stack.last().cloned(),
                Action::Drop => drop(self.stack.pop()),
                Action::Call(function, count) => {
                    let arguments = self.stack.split_off(self.stack.len() - count);
                    let values = function
                        .call(&arguments)
                        .map_err(|error| failed_call(function, error, text, &place))?;
                    self.stack.extend(values);
                    if let Some(used @ Engine::Cuda(_)) = Engine::last_used() {
                        self.engine = used;
                    }
                }
                Action::Global(name) => {
                    let of_line = self.program.places.get(name.as_str());
                    let of_line = of_line.and_then(|variable| self.globals[*variable].clone());
                    let value = of_line.or_else(|| self.program.session.get(name).cloned());
                    self.stack.push(value.ok_or_else(|| {
                        Failure::bad_input(format!("'{name}' has no value")).at(text, place.clone())
                    })?);
                }
                Action::Routine(routine) => {
                    go_on().map_err(failed)?;
                    self.call(routine, &place)?;
                }
                Action::Myself => {
                    go_on().map_err(failed)?;
                    if let Some(routine) = called.as_ref().map(|called| called.routine.clone()) {
                        self.call(&routine, &place)?;
                    }
                }
                Action::Begin(series) => {
                    let ends = self.stack.split_off(self.stack.len() - 2);
                    let whole = ends.iter().map(|end| end.whole().cloned());
                    let Some(mut ends) = whole.collect::<Option<Vec<Int>>>() else {
                        let words = "the ends of a range are whole numbers";
                        return Err(Failure::bad_input(words).at(text, place));
                    };
                    let last = ends.pop().unwrap_or_default();
                    loops.push(Loop {
                        series: *series,
                        next: ends.pop().unwrap_or_default(),
                        last,
                        gathered: Gathered::default(),
                    });
                }
                Action::Next { variable, exit } => {
                    go_on().map_err(failed)?;
                    if let Some(open) = loops.last_mut().filter(|open| open.next <= open.last) {
                        let above = open.next.try_add_small(1).map_err(failed)?;
                        let next = std::mem::replace(&mut open.next, above);
                        variables!()[*variable] = Some(next.into());
                    } else if let Some(done) = loops.pop() {
                        let all = match done.series.combine() {
                            Some(combine) => done.gathered.all(combine).map_err(failed)?,
                            None => done.gathered.parts.into_iter().next().map(|(_, last)| last),
                        };
                        self.stack.push(all.unwrap_or_else(|| done.series.empty()));
                        at = *exit;
                    }
                }
                Action::Gather { next } => {
                    if let Some((open, value)) = loops.last_mut().zip(self.stack.pop()) {
                        match open.series.combine() {
                            Some(combine) => open.gathered.add(value, combine).map_err(failed)?,
                            None => open.gathered.parts = vec![(0, value)],
                        }
                    }
                    at = *next;
                }
                Action::Unless(other) => {
                    let is_zero = |value: Value| value.numerator().try_is_zero();
                    let condition = self.stack.pop();
                    if condition.map_or(Ok(false), is_zero).map_err(failed)? {
                        at = *other;
                    }
                }
                Action::Jump(to) => at = *to,
            }
        }
        Ok(())
    }
}

/// An error where the work is to stop.
fn go_on() -> bezout::Result<()> {
    if interrupt::verdict().is_break() {
        return Err(Error::Cancelled);
    }
    Ok(())
}

/// A variable whose assignment was not reached.
fn without_value(text: &str, place: &Range<usize>) -> Failure {
    let name = text.get(place.clone()).unwrap_or("the variable");
    Failure::bad_input(format!("'{name}' has no value")).at(text, place.clone())
}

/// A function's error, with its place and for some errors a way out.
fn failed_call(function: &Function, error: Error, text: &str, span: &Range<usize>) -> Failure {
    let is_power = function.name == "pow" && matches!(error, Error::TooLarge { .. });
    let failure = Failure::from(error).at(text, span.clone());
    if is_power {
        failure.hint("powmod(x, n, m) gives a power's remainder without the power")
    } else {
        failure
    }
}
