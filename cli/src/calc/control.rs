//! Compiles what has an order of its own: loops, choices, and functions of the user's.

use std::collections::HashMap;
use std::sync::Arc;

use pest::iterators::Pair;

use super::compile::{Rule, span};
use super::functions::Layout;
use super::names;
use super::program::{Action, Program, Routine, Series};
use crate::failure::Failure;

/// How loops and choices are written.
pub const USAGES: &[(&str, &str)] = &[
    ("sum", "sum(i = 1, 10, i^2)"),
    ("prod", "prod(i = 1, 10, 2*i + 1)"),
    ("for", "for(i = 1, 10, x = 2*x + i)"),
    ("if", "if(x > 0, x, -x)"),
];

impl<'t> Program<'t> {
    /// Statements with ';' between them, of which the last one's value stays on the stack.
    pub(super) fn body(&mut self, pair: Pair<'t, Rule>) -> Result<(), Failure> {
        for (number, statement) in pair.into_inner().enumerate() {
            if number > 0 {
                self.emit(Action::Drop, span(&statement));
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    /// A loop over a range, whose variable is its own.
    pub(super) fn series(&mut self, pair: Pair<'t, Rule>) -> Result<(), Failure> {
        let place = span(&pair);
        let mut parts = pair.into_inner();
        let (Some(kind), Some(name), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
            return Ok(());
        };
        let series = match kind.as_str() {
            "sum" => Series::Sum,
            "prod" => Series::Product,
            _ => Series::For,
        };
        for end in parts.by_ref().take(2) {
            self.expression(end.into_inner())?;
        }
        self.emit(Action::Begin(series), place.clone());
        let next = self.steps.len();
        let variable = self.variables.len();
        self.variables.push("");
        let outer = self.places.insert(name.as_str(), variable);
        self.emit(Action::Next { variable, exit: 0 }, place.clone());
        let body = parts.next().map_or(Ok(()), |body| self.body(body));
        match outer {
            Some(outer) => self.places.insert(name.as_str(), outer),
            None => self.places.remove(name.as_str()),
        };
        body?;
        self.emit(Action::Gather { next }, place);
        let exit = self.steps.len();
        self.steps[next].action = Action::Next { variable, exit };
        Ok(())
    }

    /// One of two bodies, by whether a condition is 0.
    pub(super) fn choice(&mut self, pair: Pair<'t, Rule>) -> Result<(), Failure> {
        let place = span(&pair);
        let mut parts = pair.into_inner().skip(1);
        let (Some(condition), Some(first), Some(second)) =
            (parts.next(), parts.next(), parts.next())
        else {
            return Ok(());
        };
        self.expression(condition.into_inner())?;
        let unless = self.steps.len();
        self.emit(Action::Unless(0), place.clone());
        self.body(first)?;
        let jump = self.steps.len();
        self.emit(Action::Jump(0), place);
        self.steps[unless].action = Action::Unless(self.steps.len());
        self.body(second)?;
        self.steps[jump].action = Action::Jump(self.steps.len());
        Ok(())
    }

    /// A function of the user's, which this line and later ones know.
    pub(super) fn definition(&mut self, pair: Pair<'t, Rule>) -> Result<(), Failure> {
        let mut parts: Vec<_> = pair.into_inner().collect();
        let (Some(body), Some(_)) = (parts.pop(), parts.pop()) else {
            return Ok(());
        };
        let mut words = parts.iter();
        let Some(name) = words.next() else {
            return Ok(());
        };
        let is_taken = names::find(name.as_str()).is_some()
            || USAGES.iter().any(|(taken, _)| *taken == name.as_str());
        if is_taken {
            let words = format!("there is a function '{}' already", name.as_str());
            return Err(Failure::bad_input(words)
                .hint("choose another name")
                .at(self.text, span(name)));
        }
        let mut routine = Program {
            text: self.text,
            session: self.session,
            steps: Vec::new(),
            variables: Vec::new(),
            places: HashMap::new(),
            routines: self.routines.clone(),
            own: Some((name.as_str(), parts.len() - 1)),
            layout: Layout::Digits,
            lone_call: None,
            chain: 0,
        };
        for parameter in words {
            let known = routine.variables.len();
            if routine.variable_of(parameter)? < known {
                let words = format!("the parameter '{}' is there twice", parameter.as_str());
                return Err(Failure::bad_input(words).at(self.text, span(parameter)));
            }
        }
        let parameters = routine.variables.len();
        routine.expression(body.into_inner())?;
        let routine = Routine {
            name: name.as_str().to_string(),
            parameters,
            variables: routine.variables.len(),
            steps: routine.steps,
        };
        self.routines.insert(name.as_str(), Arc::new(routine));
        Ok(())
    }

    /// A call of a function of the user's, if this is one. Its arguments are on the stack.
    pub(super) fn own_call(
        &mut self,
        name: &str,
        count: usize,
        place: &std::ops::Range<usize>,
    ) -> Result<bool, Failure> {
        let known = self
            .routines
            .get(name)
            .or_else(|| self.session.routine(name));
        let (action, parameters) = match (self.own, known) {
            (Some((own, parameters)), _) if own == name => (Action::Myself, parameters),
            (_, Some(routine)) => (Action::Routine(routine.clone()), routine.parameters),
            _ => return Ok(false),
        };
        if count != parameters {
            let words = format!("'{name}' takes {parameters} arguments, and not {count}");
            return Err(Failure::bad_input(words).at(self.text, place.clone()));
        }
        self.emit(action, place.clone());
        Ok(true)
    }
}
