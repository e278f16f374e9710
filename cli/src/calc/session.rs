//! What lines of one input or terminal share: variables and the last answer.

use std::collections::BTreeMap;

use super::program::Outcome;
use super::value::Value;

/// Variables by name.
#[derive(Debug, Default)]
pub struct Session {
    variables: BTreeMap<String, Value>,
}

impl Session {
    /// The names of the last answer.
    pub const LAST: [&str; 2] = ["_", "ans"];

    /// One without variables.
    pub const fn new() -> Session {
        Session {
            variables: BTreeMap::new(),
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    /// The variables that have a value.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(String::as_str)
    }

    /// Keeps what a line has assigned, and its answer.
    pub fn keep(&mut self, outcome: Outcome) {
        self.variables.extend(outcome.assigned);
        for name in Session::LAST {
            self.variables
                .insert(name.to_string(), outcome.value.clone());
        }
    }
}
