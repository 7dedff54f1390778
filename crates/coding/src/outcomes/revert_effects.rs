//! Applies a reported revert to its subject: a merged change, or another revert. If neither is
//! known yet, it waits. Runs within the write of the report.

use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::tasks::outcome::{Outcome, Revert};
use loci_model::{ActorId, Result, TaskId};

use super::outcome_write::{OutcomeInput, Recording};
use super::unmatched_reports::{self, WaitingReport};
use super::{HeardRevert, newest, of_pull_request, revert_messages, revert_state, task_match};

/// The context of a revert.
pub(super) struct RevertContext<'a> {
    pub(super) recording: &'a Recording<'a>,
    pub(super) repository: &'a Repository,
    pub(super) actor: &'a ActorId,
}

impl RevertContext<'_> {
    /// Takes in a revert, and returns the outcomes whose grade changed. Its subject may be unknown
    /// yet, or a revert of it may have arrived earlier.
    pub(super) fn take_in(&self, tx: &mut dyn Tx, heard: &HeardRevert) -> Result<Vec<Outcome>> {
        let Some((tasks, mut regraded)) = self.applied(tx, heard)? else {
            let news = WaitingReport::Revert(heard.clone());
            unmatched_reports::keep(tx, (self.repository, self.actor), news, self.recording.at)?;
            return Ok(Vec::new());
        };
        for task in tasks {
            regraded.extend(self.catch_up(tx, &task)?);
        }
        Ok(regraded)
    }

    /// Applies the reverts that wait for a task, and returns the outcomes whose grade changed.
    pub(super) fn catch_up(&self, tx: &mut dyn Tx, task: &TaskId) -> Result<Vec<Outcome>> {
        let mut waiting = unmatched_reports::reverts(tx, self.repository, self.recording.at)?;
        let mut regraded = Vec::new();
        // An applied revert may be the subject of another one.
        while let Some(place) = self.next(tx, task, &waiting)? {
            let heard = waiting.remove(place);
            regraded.extend(self.applied(tx, &heard)?.into_iter().flat_map(|(_, regraded)| regraded));
            unmatched_reports::matched(tx, (self.repository, self.actor), heard)?;
        }
        Ok(regraded)
    }

    /// Retries all waiting reverts: further commits may have been reported since.
    pub(super) fn try_again(&self, tx: &mut dyn Tx) -> Result<Vec<Outcome>> {
        let mut regraded = Vec::new();
        for heard in unmatched_reports::swept(tx, self.repository, self.recording.at)? {
            for outcome in self.outcomes_of(tx, &heard.what)? {
                regraded.extend(self.catch_up(tx, &outcome.task)?);
            }
        }
        Ok(regraded)
    }

    fn next(&self, tx: &dyn ReadTx, task: &TaskId, waiting: &[HeardRevert]) -> Result<Option<usize>> {
        let Some(outcome) = tx.ledger().noun::<Outcome>(&self.repository.memory, task.as_str())? else {
            return Ok(None);
        };
        for (place, heard) in waiting.iter().enumerate() {
            let is_of_it = |one: &Outcome| one.task == *task;
            if is_known_by(&outcome, &heard.what) || self.outcomes_of(tx, &heard.what)?.iter().any(is_of_it) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Returns the tasks that a revert concerns, and the outcomes whose grade changed; `None` if
    /// its subject is unknown.
    fn applied(&self, tx: &mut dyn Tx, heard: &HeardRevert) -> Result<Option<(Vec<TaskId>, Vec<Outcome>)>> {
        let (mut tasks, mut regraded) = (Vec::new(), Vec::new());
        // A revert of a revert may restore the change.
        let known = newest(tx, &self.repository.memory, self.actor)?;
        for outcome in known.into_iter().filter(|one| is_known_by(one, &heard.what)) {
            tasks.push(outcome.task.clone());
            regraded.extend(self.add(tx, outcome, heard, true)?);
        }
        for outcome in self.outcomes_of(tx, &heard.what)? {
            tasks.push(outcome.task.clone());
            if !self.is_its_own(tx, &outcome, heard)? {
                regraded.extend(self.add(tx, outcome, heard, false)?);
            }
        }
        Ok((!tasks.is_empty()).then_some((tasks, regraded)))
    }

    /// Returns the outcomes of the tasks that a commit or a pull request leads back to.
    fn outcomes_of(&self, tx: &dyn ReadTx, what: &str) -> Result<Vec<Outcome>> {
        let memory = &self.repository.memory;
        if let Some(number) = revert_messages::number(what) {
            return of_pull_request(tx, memory, &self.repository.id, number);
        }
        let mut found = Vec::new();
        for task in self.tasks_of(tx, what)? {
            found.extend(tx.ledger().noun::<Outcome>(memory, task.as_str())?);
        }
        Ok(found)
    }

    fn tasks_of(&self, tx: &dyn ReadTx, sha: &str) -> Result<Vec<TaskId>> {
        let Some(sha) = ObjectId::parse(sha) else { return Ok(Vec::new()) };
        task_match::tasks_of_commit(tx, (&self.repository.memory, self.actor), &sha)
    }

    /// True if the revert is a commit of the task itself, which is part of its work. Commits that
    /// its pull request contains are recognized from its facts, once these are known.
    fn is_its_own(&self, tx: &dyn ReadTx, outcome: &Outcome, heard: &HeardRevert) -> Result<bool> {
        for name in &heard.names {
            if self.tasks_of(tx, name)?.contains(&outcome.task) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add(
        &self,
        tx: &mut dyn Tx,
        before: Outcome,
        heard: &HeardRevert,
        is_reland: bool,
    ) -> Result<Option<Outcome>> {
        let Some(task) = tx.tasks().get(&before.memory, &before.task)? else { return Ok(None) };
        let (mut facts, by_hand) = (before.facts.clone(), before.by_hand.clone());
        let HeardRevert { what, names, at, tip } = heard.clone();
        revert_state::join(&mut facts.taken_back, Revert { names, of: vec![what], is_reland, at, tip });
        revert_state::settle(&mut facts);
        let why = if is_reland { "its revert was reverted" } else { "reverted" };
        let (outcome, is_regraded) =
            self.recording.record(tx, &task, before, OutcomeInput { facts, by_hand, why })?;
        Ok(is_regraded.then_some(outcome))
    }
}

/// True if one of its reverts has this name.
fn is_known_by(outcome: &Outcome, name: &str) -> bool {
    outcome.facts.taken_back.iter().any(|revert| revert.names.iter().any(|known| known == name))
}
