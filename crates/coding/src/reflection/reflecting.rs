//! Reflecting upon a repository: by rules, always; and by a model where one is asked, whose answer is counted by the same rules. What is
//! known and is found no more is counted again, too.

use std::collections::BTreeSet;

use loci_engine::safety;
use loci_engine::strategies::model_questions::question::Question;
use loci_model::ports::store::StoreExt;
use loci_model::record::derivation::{Making, MakingMode};
use loci_model::{RecordId, Result, Timestamp, limits};
use serde_json::{Value, json};

use super::counting::{Counted, counted, of_known, of_told};
use super::generators::GENERATORS;
use super::looking::{ReflectionPlace, RepositoryLook, known};
use super::model::{self, Told};
use super::writing::{is_newer, keys};
use crate::Coding;
use crate::hydration::shown_text;

/// Reflections that a model is told were noted before.
const KNOWN_TOLD: usize = 50;
/// Requests of reviewers that a model is told of one task.
const ASKED_TOLD: usize = 10;

impl RepositoryLook {
    /// What rules find in it, counted; and what they found before and find no more.
    pub(super) fn found(&self) -> Vec<Counted> {
        let min = self.settings.min_episodes;
        let found = GENERATORS.iter().flat_map(|generate| generate(&self.ground));
        let mut all: Vec<Counted> = found.map(|found| counted(found, &self.ground, min)).collect();
        let looked_for = keys(&all);
        let is_lost = |subtype: &String| !looked_for.contains(subtype);
        let lost = self.known.iter().filter(|known| known.subtype.as_ref().is_some_and(is_lost));
        for known in lost {
            let mut one = counted(of_known(known, &self.ground), &self.ground, min);
            let is_told = one.key.starts_with("told/");
            // What rules find no more is borne out by nothing, whatever bore it out before; what a model found stays while its own do.
            one.is_enough &= is_told;
            if !one.is_enough {
                all.push(one);
            }
        }
        all
    }

    /// What a model is asked.
    pub(crate) fn question(&self) -> Option<Question> {
        let told = self.ground.works.iter().zip(&self.episodes).filter(|(work, _)| !work.is_minimal);
        let tasks: Vec<Value> = told
            .map(|(work, episode)| {
                let asked: Vec<String> =
                    work.asked.iter().take(ASKED_TOLD).map(|(_, said)| safety::for_model(said)).collect();
                let files: Vec<String> = work.files.iter().map(|file| safety::for_model(file)).collect();
                json!({
                    "episode": work.episode.as_str(),
                    "status": work.status.map(loci_model::tasks::task::TaskStatus::as_str),
                    "outcome": work.outcome.as_deref().map(safety::for_model),
                    "files": files,
                    "reviewers_asked": asked,
                    "told": safety::for_model(&shown_text(episode)),
                })
            })
            .collect();
        let known: Vec<Value> = self
            .known
            .iter()
            .take(KNOWN_TOLD)
            .map(|record| json!({ "reflection": safety::for_model(&record.text) }))
            .collect();
        model::question(&tasks, &known)
    }
}

impl Coding {
    /// Writes what rules find.
    pub(crate) async fn reflect_by_rules(&self, look: &RepositoryLook) -> Result<Vec<RecordId>> {
        let making = Making { mode: MakingMode::Deterministic, ..Making::default() };
        self.reflections_write(look, look.found(), making).await
    }

    /// Draws conclusions of the people whose tasks were reviewed, of whom some may have been missed.
    pub(crate) async fn conclude_of_people(&self, look: &RepositoryLook) -> Result<()> {
        for task in &look.reviewed {
            self.preferences_conclude(&look.memory.id, task).await?;
        }
        Ok(())
    }

    /// Writes what a model told, as far as the tasks bear it out.
    pub(crate) async fn reflect_as_told(
        &self,
        look: &RepositoryLook,
        told: &[Told],
        making: Making,
    ) -> Result<Vec<RecordId>> {
        let mut seen = BTreeSet::new();
        let counted: Vec<Counted> = told
            .iter()
            .map(|one| of_told(&one.text, &one.episodes, &look.ground))
            .filter(|found| seen.insert(found.key.clone()))
            .map(|found| counted(found, &look.ground, look.settings.min_episodes))
            .collect();
        self.reflections_write(look, counted, making).await
    }

    /// Reflections over a repository that a caller's model made since then.
    pub(crate) async fn reflections_pulled(
        &self,
        place: &ReflectionPlace,
        since: Timestamp,
    ) -> Result<Vec<RecordId>> {
        let (place, now) = (place.clone(), self.engine.now());
        let found = self.engine.store().read(move |tx| {
            let Some(repository) = tx.repositories().get(&place.memory, &place.repository)? else {
                return Ok(Vec::new());
            };
            known(tx, &place.memory, &crate::tasks::task_namespaces::actor_of(&repository)?, now)
        });
        let is_pulled = |record: &loci_model::record::Record| {
            record.making.as_ref().is_some_and(|making| making.mode == MakingMode::Pull)
        };
        let mut found = found.await?;
        found.retain(|record| is_pulled(record) && is_newer(record, since));
        found.truncate(limits::REFLECTIONS_PER_RUN_MAX);
        Ok(found.into_iter().map(|record| record.id).collect())
    }
}
