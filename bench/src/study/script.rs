//! The bundled script: possible mistakes in a fictional repository, and tasks in it.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::chance::choice;

const ITEMS: &str = include_str!("../../data/study/items.jsonl");
const TASKS: &str = include_str!("../../data/study/tasks.jsonl");
/// The area of items that apply to every task.
const EVERYWHERE: &str = "*";

/// The way in which an item becomes known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// The agent finds it during its work, and reports it as a learning: tier 1.
    Gotcha,
    /// A reviewer states it: tier 2.
    Convention,
    /// The user states it in a later task: tier 3.
    Preference,
}

/// An item that an agent can get wrong.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) kind: Kind,
    area: String,
    /// The topic of a learning, or the dimension of a preference.
    pub(super) topic: String,
    /// The sentence that makes it known.
    pub(super) text: String,
    /// The part of the sentence that identifies it in a block.
    pub(super) mark: String,
}

/// A task.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Task {
    pub(super) area: String,
    pub(super) path: String,
    pub(super) description: String,
}

/// Items and tasks.
#[derive(Debug)]
pub(super) struct Script {
    items: Vec<Item>,
    tasks: Vec<Task>,
}

impl Script {
    pub(super) fn bundled() -> Result<Self> {
        let items: Result<_, _> = ITEMS.lines().map(serde_json::from_str).collect();
        let tasks: Result<_, _> = TASKS.lines().map(serde_json::from_str).collect();
        Ok(Self { items: items.context("the items")?, tasks: tasks.context("the tasks")? })
    }

    /// Returns the task with a number in a run.
    pub(super) fn task(&self, seed: u64, number: u32) -> Result<&Task> {
        let place = choice(seed, number, "task", self.tasks.len());
        self.tasks.get(place).context("there are no tasks")
    }

    /// Returns the items that can be wrong in a task.
    pub(super) fn items_of(&self, task: &Task) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.area == EVERYWHERE || item.area == task.area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_sound() {
        let script = Script::bundled().unwrap();
        for item in &script.items {
            assert!(item.text.contains(&item.mark), "{}", item.id);
        }
        for task in &script.tasks {
            let kinds = [Kind::Gotcha, Kind::Convention, Kind::Preference];
            for kind in kinds {
                assert!(script.items_of(task).any(|item| item.kind == kind), "{kind:?} {}", task.description);
            }
            // No task's description reveals an item.
            assert!(script.items.iter().all(|item| !task.description.contains(&item.mark)));
        }
    }
}
