//! An expression compiled to steps for a stack of numbers. Neither running nor dropping it
//! recurses, so its length has no limit.

use std::collections::HashMap;
use std::ops::Range;

use bezout::{Engine, Int};

use super::functions::{Function, Layout};
use super::session::Session;
use super::value::Value;
use crate::failure::Failure;

/// A compiled expression.
#[derive(Debug)]
pub struct Program<'t> {
    pub(super) text: &'t str,
    /// The variables of earlier lines.
    pub(super) session: &'t Session,
    pub(super) steps: Vec<Step>,
    pub(super) variables: Vec<&'t str>,
    /// The place of each name in `variables`.
    pub(super) places: HashMap<&'t str, usize>,
    pub(super) layout: Layout,
    /// Where the call starts that is all of the last statement: the one place for a function that
    /// prints.
    pub(super) lone_call: Option<usize>,
    /// Signs and powers around the expression being compiled.
    pub(super) chain: usize,
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// The number, or the first of several.
    pub value: Value,
    /// The other numbers, where the layout has several.
    pub others: Vec<Value>,
    /// How the numbers are printed.
    pub layout: Layout,
    /// Where they were computed: CUDA if any step ran there.
    pub engine: Engine,
    /// The variables that were assigned to, and their last values.
    pub assigned: Vec<(String, Value)>,
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) action: Action,
    /// The bytes of the text it stands for.
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Action {
    Push(Value),
    Load(usize),
    Store(usize),
    Drop,
    Call(&'static Function, usize),
}

impl Program<'_> {
    /// Computes the number of an operand, which has to be whole.
    pub fn whole(&self) -> Result<Int, Failure> {
        match self.run()?.value {
            Value::Whole(value) => Ok(value),
            Value::Fraction(_) => Err(Failure::bad_input("the value is not a whole number")
                .hint("// rounds a quotient down")
                .at(self.text, 0..self.text.len())),
        }
    }

    /// Computes the numbers on the engine and with the tuning in force.
    pub fn run(&self) -> Result<Outcome, Failure> {
        let mut engine = Engine::Cpu;
        let mut stack: Vec<Value> = Vec::new();
        let mut variables = vec![None; self.variables.len()];
        for step in &self.steps {
            match &step.action {
                Action::Push(value) => stack.push(value.clone()),
                Action::Load(variable) => stack.extend(variables[*variable].clone()),
                Action::Store(variable) => variables[*variable] = stack.last().cloned(),
                Action::Drop => drop(stack.pop()),
                Action::Call(function, count) => {
                    let arguments = stack.split_off(stack.len() - count);
                    let values = function
                        .call(&arguments)
                        .map_err(|error| failed_call(function, error, self.text, &step.span))?;
                    stack.extend(values);
                    if let Some(used @ Engine::Cuda(_)) = Engine::last_used() {
                        engine = used;
                    }
                }
            }
        }
        for value in &stack {
            value.fetch()?;
        }
        let mut values = stack.into_iter();
        let Some(value) = values.next() else {
            return Err(Failure::bad_input("the expression is empty"));
        };
        let names = self.variables.iter().map(|name| name.to_string());
        Ok(Outcome {
            value,
            others: values.collect(),
            layout: self.layout,
            engine,
            assigned: names
                .zip(variables)
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
        })
    }
}

/// A function's error, with its place and for some errors a way out.
fn failed_call(
    function: &Function,
    error: bezout::Error,
    text: &str,
    span: &Range<usize>,
) -> Failure {
    let is_power = function.name == "pow" && matches!(error, bezout::Error::TooLarge { .. });
    let failure = Failure::from(error).at(text, span.clone());
    if is_power {
        failure.hint("powmod(x, n, m) gives a power's remainder without the power")
    } else {
        failure
    }
}
