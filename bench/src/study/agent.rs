//! The scripted agent. It gets a shown item wrong with one probability, and an item that is not
//! shown with another. A gotcha costs a round of work. Conventions and preferences together cost
//! one round of review.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use super::chance::draw;
use super::script::{Item, Kind, Script, Task};
use super::study_memory::StudyMemory;

/// Probabilities: assumptions of the simulation, none of them measured.
#[derive(Debug, Clone, clap::Args, serde::Serialize)]
pub(crate) struct Habits {
    /// Probability of a mistake in an item that is not shown.
    #[arg(long, default_value_t = 0.7)]
    pub(super) wrong_unaware: f64,
    /// Probability of a mistake in an item that is shown.
    #[arg(long, default_value_t = 0.1)]
    pub(super) wrong_aware: f64,
    /// Probability that the agent reports a gotcha that cost it a round.
    #[arg(long, default_value_t = 0.8)]
    pub(super) reports: f64,
    /// Probability that the reviewer notices a wrong convention or preference.
    #[arg(long, default_value_t = 0.9)]
    pub(super) notices: f64,
}

impl Habits {
    pub(super) fn check(&self) -> Result<()> {
        for (name, share) in [
            ("--wrong-unaware", self.wrong_unaware),
            ("--wrong-aware", self.wrong_aware),
            ("--reports", self.reports),
            ("--notices", self.notices),
        ] {
            ensure!((0.0..=1.0).contains(&share), "{name} must be a number from 0 to 1, not {share}");
        }
        Ok(())
    }
}

/// Tokens: assumptions of the simulation, except those of the block, which are Loci's own estimate.
#[derive(Debug, Clone, clap::Args, serde::Serialize)]
pub(crate) struct Costs {
    /// Tokens of a round without the block.
    #[arg(long, default_value_t = 20_000)]
    pub(super) round_tokens: u64,
}

/// The figures of one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TaskFigures {
    pub(super) mistakes: u32,
    /// Mistakes in an item that was already wrong, and noticed, in an earlier task.
    pub(super) repeated: u32,
    pub(super) rounds: u32,
    pub(super) tokens: u64,
    pub(super) block_tokens: u32,
    /// Items that were noticed in an earlier task. The next field counts those that the block
    /// shows.
    pub(super) known: u32,
    pub(super) shown: u32,
}

/// An agent in one run. It has no memory of its own: `noticed` is only for the figures.
pub(super) struct Agent {
    seed: u64,
    habits: Habits,
    costs: Costs,
    noticed: BTreeSet<String>,
    /// Wishes that the user adds to the next task.
    wishes: Vec<String>,
}

impl Agent {
    pub(super) fn new(seed: u64, habits: Habits, costs: Costs) -> Self {
        Self { seed, habits, costs, noticed: BTreeSet::new(), wishes: Vec::new() }
    }

    /// Works on a task from its beginning to its end.
    pub(super) async fn work(
        &mut self,
        shop: &StudyMemory,
        script: &Script,
        number: u32,
        task: &Task,
    ) -> Result<TaskFigures> {
        let wishes = std::mem::take(&mut self.wishes);
        let description =
            wishes.iter().fold(format!("{}.", task.description), |all, wish| format!("{all} {wish}"));
        let shown = shop.begin(number, &description, &task.path).await?;
        let mut worked = TaskFigures { rounds: 1, block_tokens: shown.tokens, ..TaskFigures::default() };
        let (mut comments, mut learnings) = (Vec::new(), Vec::new());
        for item in script.items_of(task) {
            let in_block = shown.block.contains(&item.mark);
            let is_known = self.noticed.contains(&item.id);
            worked.known += u32::from(is_known);
            worked.shown += u32::from(is_known && in_block);
            // Every arm reads the user's wishes in the task itself.
            let is_aware = in_block || wishes.contains(&item.text);
            if !self.is_wrong(number, item, is_aware) {
                continue;
            }
            worked.mistakes += 1;
            worked.repeated += u32::from(is_known);
            match item.kind {
                Kind::Gotcha => {
                    worked.rounds += 1;
                    self.noticed.insert(item.id.clone());
                    if self.happens(number, item, "reports", self.habits.reports) {
                        learnings.push(format!("**[{}]:** {}", item.topic, item.text));
                    }
                }
                Kind::Convention | Kind::Preference => {
                    if self.happens(number, item, "notices", self.habits.notices) {
                        self.noticed.insert(item.id.clone());
                        match item.kind {
                            Kind::Preference => self.wishes.push(item.text.clone()),
                            Kind::Convention | Kind::Gotcha => comments.push(item.text.clone()),
                        }
                    }
                }
            }
        }
        if !comments.is_empty() || !self.wishes.is_empty() {
            worked.rounds += 1;
        }
        shop.end(number, &task.path, &learnings.join("\n\n")).await?;
        if !comments.is_empty() {
            shop.review(number, &task.path, &comments).await?;
            shop.settle().await?;
        }
        let prompt = self.costs.round_tokens + u64::from(shown.tokens);
        worked.tokens = prompt * u64::from(worked.rounds);
        Ok(worked)
    }

    fn is_wrong(&self, number: u32, item: &Item, is_aware: bool) -> bool {
        let share = if is_aware { self.habits.wrong_aware } else { self.habits.wrong_unaware };
        self.happens(number, item, "wrong", share)
    }

    fn happens(&self, number: u32, item: &Item, what: &str, share: f64) -> bool {
        draw(self.seed, number, &format!("{what} {}", item.id)) < share
    }
}
