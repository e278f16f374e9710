//! What lines of one input or terminal share: variables, functions and the last answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::functions::Layout;
use super::program::{Outcome, Routine};
use super::value::Value;

/// Variables and functions by name.
#[derive(Debug, Default)]
pub struct Session {
    variables: BTreeMap<String, Value>,
    routines: BTreeMap<String, Arc<Routine>>,
}

impl Session {
    /// The names of the last answer.
    pub const LAST: [&str; 2] = ["_", "ans"];

    /// One without variables.
    pub const fn new() -> Session {
        Session {
            variables: BTreeMap::new(),
            routines: BTreeMap::new(),
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    /// A function that an earlier line has defined.
    pub fn routine(&self, name: &str) -> Option<&Arc<Routine>> {
        self.routines.get(name)
    }

    /// The variables that have a value.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(String::as_str)
    }

    /// Keeps what a line has assigned, and its answer.
    pub fn keep(&mut self, outcome: Outcome) {
        self.variables.extend(outcome.assigned);
        self.routines.extend(outcome.defined);
        if outcome.layout == Layout::Nothing {
            return;
        }
        for name in Session::LAST {
            self.variables
                .insert(name.to_string(), outcome.value.clone());
        }
    }
}
