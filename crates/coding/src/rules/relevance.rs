//! The relevance of rules, counted over the tasks of a repository. A task counts for a rule if it
//! reports the rule as used and changed files in its scope. A change of files in the scope alone
//! counts for a scoped rule in force. A repeated statement in a review counts, too. A rule without
//! any of these in the latest tasks becomes stale, and expires later.
//!
//! One row for each repository covers all its rules: the end of a task reads only that row, and no
//! unchanged rule.

use std::collections::BTreeSet;

use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::tasks::rule::{Relevant, RuleRelevance, RuleSupport};
use loci_model::time::DAY_MS;
use loci_model::{ActorId, MemoryId, RecordId, Result, Timestamp, limits};

use super::state_transition::{RuleContext, UNUSED, advance, is_wanted, stand};
use crate::hydration::RequestPaths;

/// The number of days without relevance after which a stale rule expires, even with few tasks.
const STALE_DAYS_MAX: i64 = 365;

/// Returns the row of a repository.
fn of(tx: &dyn ReadTx, memory: &MemoryId, actor: &ActorId) -> Result<Option<RuleRelevance>> {
    tx.ledger().noun(memory, actor.as_str())
}

/// Updates the row after a rule came into force, went out of force, or became relevant again.
pub(super) fn follow(tx: &mut dyn Tx, ruler: &RuleContext<'_>, rule: &Record, mattered: bool) -> Result<()> {
    let (memory, at) = (&ruler.changing.memory.id, ruler.changing.at);
    let known = of(tx, memory, ruler.actor)?;
    let is_counted = matches!(rule.state, RecordState::Active | RecordState::Stale);
    if known.is_none() && !is_counted {
        return Ok(());
    }
    let (memory, actor) = (memory.clone(), ruler.actor.clone());
    let mut row = known.unwrap_or(RuleRelevance { memory, actor, tasks: 0, rules: [].into(), at });
    let before = row.rules.get(&rule.id).cloned();
    if !is_counted {
        row.rules.remove(&rule.id);
    } else if (before.is_none() || mattered) && row.rules.len() < limits::RULES_COUNTED_MAX {
        let now = Relevant { task: row.tasks, at, scope: rule.scope.clone() };
        row.rules.insert(rule.id.clone(), now);
    }
    if row.rules.get(&rule.id) == before.as_ref() {
        return Ok(());
    }
    tx.ledger_mut().put_noun(&row)
}

/// The data of a task that counts for rules.
pub(super) struct TaskRuleData<'a> {
    /// The files that it changed.
    pub(super) files: &'a [String],
    /// The records that it used.
    pub(super) used: &'a BTreeSet<RecordId>,
    /// True if it ended just now.
    pub(super) ended: bool,
}

/// Counts a task's report or end: relevant rules stay in force or return, others become stale or
/// expire.
pub(super) fn count(tx: &mut dyn Tx, ruler: &RuleContext<'_>, done: &TaskRuleData<'_>) -> Result<()> {
    let Some(mut row) = of(tx, &ruler.changing.memory.id, ruler.actor)? else { return Ok(()) };
    let before = row.clone();
    row.tasks = row.tasks.saturating_add(u64::from(done.ended));
    let paths = RequestPaths::new(done.files);
    let ids: Vec<RecordId> = row.rules.keys().cloned().collect();
    for id in ids {
        let Some(was) = row.rules.get(&id).cloned() else { continue };
        let is_met = match &was.scope {
            Some(scope) => !paths.is_empty() && paths.meet(scope),
            None => true,
        };
        let is_used = done.used.contains(&id) && is_met;
        let is_touched = is_met && was.scope.is_some();
        let is_late = row.tasks.saturating_sub(was.task) >= u64::from(ruler.settings.stale_after_tasks);
        if !is_used && !is_touched && !(done.ended && (is_late || is_old(&was, ruler.changing.at))) {
            continue;
        }
        let Some(rule) = tx.records().get(&ruler.changing.memory.id, &id)? else {
            row.rules.remove(&id);
            continue;
        };
        // A change of files in the scope is not sufficient to bring a stale rule back.
        let mattered = is_used || (is_touched && rule.state == RecordState::Active);
        let now = if mattered {
            let (task, at) = (row.tasks, ruler.changing.at);
            row.rules.insert(id.clone(), Relevant { task, at, scope: rule.scope.clone() });
            revive(tx, ruler, &rule)?
        } else {
            age(tx, ruler, &rule, (&was, row.tasks))?
        };
        if !matches!(now, RecordState::Active | RecordState::Stale) {
            row.rules.remove(&id);
        }
    }
    if row == before { Ok(()) } else { tx.ledger_mut().put_noun(&row) }
}

fn is_old(was: &Relevant, now: Timestamp) -> bool {
    now.millis().saturating_sub(was.at.millis()) >= STALE_DAYS_MAX * DAY_MS
}

/// Brings a stale rule back into force.
fn revive(tx: &mut dyn Tx, ruler: &RuleContext<'_>, rule: &Record) -> Result<RecordState> {
    if rule.state != RecordState::Stale {
        return Ok(rule.state);
    }
    let support: Option<RuleSupport> = tx.ledger().noun(&rule.memory, rule.id.as_str())?;
    let is_wanted = match &support {
        Some(support) => is_wanted(support, &stand(tx, ruler, support, rule.state)?),
        None => true,
    };
    let (to, reason) = match is_wanted {
        false => (RecordState::Candidate, "relevant again, and not supported by enough"),
        true => (RecordState::Active, "relevant again: a task used it"),
    };
    advance(tx, ruler, rule, to, reason).map(|rule| rule.state)
}

/// Ages a rule without relevance for a long time. A pinned rule stays.
fn age(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    rule: &Record,
    (was, tasks): (&Relevant, u64),
) -> Result<RecordState> {
    let support: Option<RuleSupport> = tx.ledger().noun(&rule.memory, rule.id.as_str())?;
    if support.is_some_and(|support| support.pinned.is_some()) {
        return Ok(rule.state);
    }
    let idle = tasks.saturating_sub(was.task);
    let told = format!("{UNUSED} in the last {idle} tasks");
    let mut state = rule.state;
    let mut rule = rule.clone();
    if state == RecordState::Active && idle >= u64::from(ruler.settings.stale_after_tasks) {
        rule = advance(tx, ruler, &rule, RecordState::Stale, &told)?;
        state = rule.state;
    }
    let is_over = idle >= u64::from(ruler.settings.expire_after_tasks);
    if state == RecordState::Stale && (is_over || is_old(was, ruler.changing.at)) {
        let told = if is_over { told } else { format!("{UNUSED} for {STALE_DAYS_MAX} days") };
        state = advance(tx, ruler, &rule, RecordState::Expired, &told)?.state;
    }
    Ok(state)
}
