//! An expression compiled to steps for a stack of numbers. Neither running nor dropping it
//! recurses, so its length has no limit; only functions of the user's call one another.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use bezout::{Engine, Int};

use super::functions::{Function, Layout};
use super::machine::Machine;
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
    /// Names of variables; that of a loop's variable is empty, as it ends with the loop.
    pub(super) variables: Vec<&'t str>,
    /// The place of each name in `variables`.
    pub(super) places: HashMap<&'t str, usize>,
    /// Functions that this line defines.
    pub(super) routines: HashMap<&'t str, Arc<Routine>>,
    /// The function whose body this is, and how many parameters it has.
    pub(super) own: Option<(&'t str, usize)>,
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
    /// The functions that were defined.
    pub defined: Vec<(String, Arc<Routine>)>,
}

/// A function of the user's.
#[derive(Debug)]
pub struct Routine {
    pub(super) name: String,
    pub(super) parameters: usize,
    /// How many variables its body has, the parameters first.
    pub(super) variables: usize,
    pub(super) steps: Vec<Step>,
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
    /// A variable that a function of the user's finds where it is called.
    Global(String),
    /// A function of the user's, with so many arguments.
    Routine(Arc<Routine>),
    /// The function whose body this is.
    Myself,
    /// Takes the ends of a range from the stack.
    Begin(Series),
    /// Gives a loop's variable its next value, or puts the loop's result on the stack and goes on
    /// at `exit`.
    Next {
        variable: usize,
        exit: usize,
    },
    /// Takes what the body of a loop gave from the stack, and goes back.
    Gather {
        next: usize,
    },
    /// Takes a number from the stack, and goes on at this step where it is 0.
    Unless(usize),
    Jump(usize),
}

/// What becomes of the values of a loop's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Series {
    Sum,
    Product,
    /// The last one counts.
    For,
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
        let mut machine = Machine::new(self);
        machine.run()?;
        let Machine {
            stack,
            engine,
            globals,
            ..
        } = machine;
        for value in &stack {
            value.fetch()?;
        }
        let mut values = stack.into_iter();
        let value = match values.next() {
            Some(value) => value,
            None if self.layout == Layout::Nothing => Int::ZERO.into(),
            None => return Err(Failure::bad_input("the expression is empty")),
        };
        let names = self.variables.iter().map(|name| name.to_string());
        let routines = self.routines.iter();
        Ok(Outcome {
            value,
            others: values.collect(),
            layout: self.layout,
            engine,
            assigned: names
                .zip(globals)
                .filter(|(name, _)| !name.is_empty())
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
            defined: routines
                .map(|(name, routine)| (name.to_string(), routine.clone()))
                .collect(),
        })
    }
}
