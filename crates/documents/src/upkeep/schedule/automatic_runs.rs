//! Automatic runs: when nothing was written for a while, at scheduled times, when a tree is large.
//! Each sweep calls it, and one server does each sweep; a tree has one run at a time. Missed times
//! count once.

use std::sync::atomic::Ordering;

use loci_engine::consolidation::plan::Operation;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::Principal;
use loci_model::trees::consolidation_run::TreeUpkeep;
use loci_model::{MemoryId, Namespace, Reason, Result, Timestamp};
use sha2::{Digest, Sha256};

use super::cron::Cron;
use crate::Documents;
use crate::trees::tree::{Tree, TreeAsk, known_trees};
use crate::upkeep::run_request::{ConsolidationAsk, PlannerChoice, RunScope};
use crate::upkeep::runs::run_ledger;
use crate::upkeep::settings::{AutoApply, UpkeepSettings};

/// The number of shelf entries per read.
const PAGE: usize = 200;
/// The maximum of pages of changes that are counted.
const PAGES_MAX: usize = 20;
/// The maximum of trees per sweep.
const TREES_MAX: usize = 1_000;
/// The interval of reports about a tree that is too large, in milliseconds.
const DAY_MS: i64 = 86_400_000;

/// The trigger of an automatic run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trigger {
    /// Enough changes, and none for a while.
    Idle,
    /// A scheduled time.
    Clock,
    /// The size of the tree.
    Size,
}

/// The state that determines if a tree is due.
#[derive(Debug, Clone)]
struct TreeDueState {
    upkeep: TreeUpkeep,
    /// The number of changes since the last run, as far as they are counted.
    changes: usize,
    /// The time of the last change.
    changed_at: Option<Timestamp>,
    documents: usize,
}

impl Documents {
    /// Starts the due runs. Returns their number.
    ///
    /// # Errors
    /// The errors of the store; a failed run is no error.
    pub async fn follow_upkeep(&self) -> Result<usize> {
        let settings = &self.parts.settings.upkeep;
        let cron = settings.cron.as_deref().map(Cron::parse).transpose()?;
        if settings.idle_after_ms.is_none() && cron.is_none() && settings.documents_max.is_none() {
            return Ok(0);
        }
        let mut begun = 0;
        let turn = self.parts.upkeep_turns.fetch_add(1, Ordering::Relaxed);
        for tree in of_turn(self.known_trees().await?, turn, TREES_MAX) {
            self.caught_up(&tree).await?;
            let standing = self.standing_of(&tree).await?;
            let now = self.engine.now();
            let Some(trigger) = due(&standing, settings, (cron.as_ref(), &tree), now) else {
                if settings.cron.is_some() && standing.upkeep.cron != settings.cron {
                    self.note_turn(&tree, now).await?;
                }
                continue;
            };
            self.note_turn(&tree, now).await?;
            match self
                .consolidation_start(&Principal::engine(), &asked(tree.clone(), trigger, settings))
                .await
            {
                Ok(run) => {
                    begun += 1;
                    tracing::info!(memory = %tree.memory, run = run.id, ?trigger, "a tree is put in order");
                }
                Err(error) if error.reason == Some(Reason::RunActive) => {}
                Err(error) => tracing::warn!(memory = %tree.memory, ?error, "a tree was not put in order"),
            }
        }
        Ok(begun)
    }

    /// Returns the trees that were ever opened, of all memories.
    async fn known_trees(&self) -> Result<Vec<TreeAsk>> {
        let mut trees = Vec::new();
        let memories: Vec<MemoryId> = self.engine.store().read(all_memories).await?;
        for memory in memories {
            let of = memory.clone();
            for normal in self.engine.store().read(move |tx| known_trees(tx, &of)).await? {
                trees.push(TreeAsk { memory: memory.clone(), namespace: Namespace::parse(normal)? });
            }
        }
        Ok(trees)
    }

    async fn standing_of(&self, ask: &TreeAsk) -> Result<TreeDueState> {
        let documents = match self.parts.settings.upkeep.documents_max {
            Some(_) => self.tree_view(ask).await?.live.len(),
            None => 0,
        };
        let tree = Tree::of(ask);
        self.engine
            .store()
            .read(move |tx| {
                let upkeep = run_ledger::upkeep(tx, &tree.memory, &tree.normal)?;
                let (mut changes, mut changed_at, mut reached) = (0, None, upkeep.looked);
                for _ in 0..PAGES_MAX {
                    let page = tree.changes_since(tx, reached, PAGE)?;
                    changes += page.len();
                    if let Some(last) = page.last() {
                        (reached, changed_at) = (last.sequence, Some(last.at));
                    }
                    if page.len() < PAGE {
                        break;
                    }
                }
                Ok(TreeDueState { upkeep, changes, changed_at, documents })
            })
            .await
    }

    async fn note_turn(&self, ask: &TreeAsk, now: Timestamp) -> Result<()> {
        let (tree, cron) = (Tree::of(ask), self.parts.settings.upkeep.cron.clone());
        self.engine
            .store()
            .write(move |tx| {
                let mut upkeep = run_ledger::upkeep(tx, &tree.memory, &tree.normal)?;
                upkeep.scheduled_at = Some(now);
                upkeep.cron.clone_from(&cron);
                tx.ledger_mut().put_noun(&upkeep)
            })
            .await
    }
}

/// Returns some of the trees: each turn continues after the ones of the previous turn.
fn of_turn(mut trees: Vec<TreeAsk>, turn: usize, most: usize) -> Vec<TreeAsk> {
    trees.sort_by_cached_key(|tree| (tree.memory.clone(), tree.namespace.normal()));
    if trees.len() > most {
        let first = turn.wrapping_mul(most) % trees.len();
        trees.rotate_left(first);
        trees.truncate(most);
    }
    trees
}

/// Returns the trigger of a due tree.
fn due(
    standing: &TreeDueState,
    settings: &UpkeepSettings,
    (cron, tree): (Option<&Cron>, &TreeAsk),
    now: Timestamp,
) -> Option<Trigger> {
    let upkeep = &standing.upkeep;
    // A tree without a scheduled time yet starts with the next one.
    if let (Some(cron), Some(after)) = (cron, upkeep.scheduled_at.filter(|_| upkeep.cron == settings.cron)) {
        let late = now.plus_millis(-jitter(tree, settings.jitter_ms));
        if cron.last_within(after, late).is_some() {
            return Some(Trigger::Clock);
        }
    }
    if let Some(idle) = settings.idle_after_ms {
        let is_still = standing.changed_at.is_none_or(|at| at.plus_millis(idle) <= now);
        // A failed run is not restarted at once.
        let is_rested = upkeep.scheduled_at.is_none_or(|at| at.plus_millis(idle) <= now);
        if standing.changes >= settings.changes_min && is_still && is_rested {
            return Some(Trigger::Idle);
        }
    }
    let is_large = settings.documents_max.is_some_and(|most| standing.documents > most);
    let is_told = upkeep.scheduled_at.is_some_and(|at| at.plus_millis(DAY_MS) > now);
    (is_large && !is_told).then_some(Trigger::Size)
}

/// Returns the offset of a tree, which is equal every day.
fn jitter(tree: &TreeAsk, most_ms: i64) -> i64 {
    let digest = Sha256::digest(format!("{}\n{}", tree.memory, tree.namespace.normal()));
    let number = digest.iter().take(7).fold(0_i64, |number, byte| (number << 8) | i64::from(*byte));
    if most_ms > 0 { number % (most_ms + 1) } else { 0 }
}

fn asked(tree: TreeAsk, trigger: Trigger, settings: &UpkeepSettings) -> ConsolidationAsk {
    let base = ConsolidationAsk { scope: RunScope::SinceLast, ..ConsolidationAsk::of(tree) };
    match (settings.auto_apply, trigger) {
        // A person decides about a large tree.
        (_, Trigger::Size) => ConsolidationAsk { scope: RunScope::All, ..base },
        (AutoApply::None, Trigger::Idle | Trigger::Clock) => base,
        (AutoApply::Safe, Trigger::Idle | Trigger::Clock) => ConsolidationAsk {
            operations: Some(vec![Operation::Deduplicate]),
            planner: PlannerChoice::Deterministic,
            dry_run: false,
            ..base
        },
        (AutoApply::All, Trigger::Idle | Trigger::Clock) => ConsolidationAsk { dry_run: false, ..base },
    }
}

fn all_memories(tx: &dyn ReadTx) -> Result<Vec<MemoryId>> {
    let mut all = Vec::new();
    let mut after: Option<(Timestamp, MemoryId)> = None;
    loop {
        let page = tx.memories().list(after.as_ref(), PAGE)?;
        after = page.last().map(|last| (last.created_at, last.id.clone()));
        let is_last = page.len() < PAGE;
        all.extend(page.into_iter().map(|memory| memory.id));
        if is_last {
            return Ok(all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_turn_it_is() {
        let minute = |number: i64| Timestamp::EPOCH.plus_millis(1_000 * DAY_MS + number * 60_000);
        let memory = MemoryId::compose("notes", "0123456789").unwrap();
        let tree = TreeAsk { memory: memory.clone(), namespace: Namespace::parse("/").unwrap() };
        let parsed = |word: &'static str| (word, Cron::parse(word).unwrap());
        let (at_three, at_four) = (parsed("0 3 * * *"), parsed("0 4 * * *"));
        let check = |changes,
                     since: i64,
                     scheduled: Option<i64>,
                     documents,
                     cron: Option<&(&str, Cron)>,
                     now,
                     expect| {
            let mut upkeep = TreeUpkeep::new(&memory, "/").unwrap();
            upkeep.scheduled_at = scheduled.map(minute);
            upkeep.cron = scheduled.map(|_| "0 3 * * *".to_owned());
            let changed_at = Some(minute(since));
            let standing = TreeDueState { upkeep, changes, changed_at, documents };
            let settings = UpkeepSettings {
                documents_max: Some(100),
                jitter_ms: 0,
                cron: cron.map(|(word, _)| (*word).to_owned()),
                ..UpkeepSettings::default()
            };
            assert_eq!(due(&standing, &settings, (cron.map(|(_, cron)| cron), &tree), minute(now)), expect);
        };
        check(20, 0, None, 0, None, 10, Some(Trigger::Idle));
        check(19, 0, None, 0, None, 10, None);
        check(20, 0, None, 0, None, 9, None);
        // Once, regardless of the number of missed times.
        check(0, 0, Some(0), 0, Some(&at_three), 5 * 1_440, Some(Trigger::Clock));
        check(0, 0, Some(181), 0, Some(&at_three), 1_000, None);
        check(0, 0, Some(179), 0, Some(&at_three), 180, Some(Trigger::Clock));
        // Times before a tree was first scheduled do not count as missed.
        check(0, 0, None, 0, Some(&at_three), 1_000, None);
        check(0, 0, Some(0), 0, Some(&at_four), 1_000, None);
        check(20, 0, None, 0, Some(&at_four), 1_000, Some(Trigger::Idle));
        check(0, 0, None, 101, None, 1, Some(Trigger::Size));
        check(0, 0, Some(0), 101, None, 1_439, None);
        check(0, 0, Some(0), 101, None, 1_440, Some(Trigger::Size));
        check(0, 0, None, 100, None, 1, None);
    }

    #[test]
    fn every_tree_has_its_turn() {
        let memory = MemoryId::compose("notes", "0123456789").unwrap();
        let tree = |number: usize| {
            let namespace = Namespace::parse(format!("/{number}")).unwrap();
            TreeAsk { memory: memory.clone(), namespace }
        };
        let check = |trees: usize, turn: usize, expect: &[&str]| {
            let found = of_turn((0..trees).rev().map(tree).collect(), turn, 2);
            let found: Vec<String> = found.iter().map(|tree| tree.namespace.normal()).collect();
            assert_eq!(found, expect);
        };
        check(2, 7, &["/0/", "/1/"]);
        check(5, 0, &["/0/", "/1/"]);
        check(5, 1, &["/2/", "/3/"]);
        check(5, 2, &["/4/", "/0/"]);
        check(5, 3, &["/1/", "/2/"]);
        check(0, 1, &[]);
    }

    #[test]
    fn each_tree_has_a_time_of_its_own() {
        let memory = MemoryId::compose("notes", "0123456789").unwrap();
        let of = |name: &str, most| {
            let namespace = Namespace::parse(name).unwrap();
            jitter(&TreeAsk { memory: memory.clone(), namespace }, most)
        };
        assert_eq!(of("/a", 60_000), of("/a/", 60_000));
        assert_ne!(of("/a", 60_000), of("/b", 60_000));
        assert!((0..=60_000).contains(&of("/a", 60_000)));
        assert_eq!(of("/a", 0), 0);
    }
}
