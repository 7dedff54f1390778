//! Reflects on a repository: always by rules, and by a model if one is configured, whose answer is
//! counted by the same rules. Known reflections that no run finds again are counted again, too.

use std::collections::BTreeSet;

use loci_engine::safety;
use loci_engine::strategies::model_questions::question::Question;
use loci_model::ports::store::StoreExt;
use loci_model::record::derivation::{MakingMode, RecordDerivation};
use loci_model::{RecordId, Result, Timestamp, limits};
use serde_json::{Value, json};

use super::evidence_count::{VerifiedFinding, counted, of_known, of_told};
use super::evidence_read::{ReflectionPlace, RepositoryLook, known};
use super::generators::GENERATORS;
use super::model::{self, ModelReflection};
use super::reflection_write::{is_newer, keys};
use crate::Coding;
use crate::hydration::shown_text;

/// The maximum number of known reflections in a model's question.
const KNOWN_TOLD: usize = 50;
/// The maximum number of reviewers' requests of one task in a model's question.
const ASKED_TOLD: usize = 10;

impl RepositoryLook {
    /// Returns the counted findings of the rules, and the known reflections that they no longer
    /// find.
    pub(super) fn found(&self) -> Vec<VerifiedFinding> {
        let min = self.settings.min_episodes;
        let found = GENERATORS.iter().flat_map(|generate| generate(&self.ground));
        let mut all: Vec<VerifiedFinding> = found.map(|found| counted(found, &self.ground, min)).collect();
        let looked_for = keys(&all);
        let is_lost = |subtype: &String| !looked_for.contains(subtype);
        let lost = self.known.iter().filter(|known| known.subtype.as_ref().is_some_and(is_lost));
        for known in lost {
            let mut one = counted(of_known(known, &self.ground), &self.ground, min);
            let is_told = one.key.starts_with("told/");
            // A reflection of the rules that they no longer find has no evidence. One of a model
            // stays while its own episodes support it.
            one.is_enough &= is_told;
            if !one.is_enough {
                all.push(one);
            }
        }
        all
    }

    /// Returns the question for a model.
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
    /// Writes the findings of the rules.
    pub(crate) async fn reflect_by_rules(&self, look: &RepositoryLook) -> Result<Vec<RecordId>> {
        let making = RecordDerivation { mode: MakingMode::Deterministic, ..RecordDerivation::default() };
        self.reflections_write(look, look.found(), making).await
    }

    /// Infers preferences of the people whose tasks were reviewed, in case an earlier inference was
    /// missed.
    pub(crate) async fn conclude_of_people(&self, look: &RepositoryLook) -> Result<()> {
        for task in &look.reviewed {
            self.preferences_conclude(&look.memory.id, task).await?;
        }
        Ok(())
    }

    /// Writes the reflections of a model that the tasks support.
    pub(crate) async fn reflect_as_told(
        &self,
        look: &RepositoryLook,
        told: &[ModelReflection],
        making: RecordDerivation,
    ) -> Result<Vec<RecordId>> {
        let mut seen = BTreeSet::new();
        let counted: Vec<VerifiedFinding> = told
            .iter()
            .map(|one| of_told(&one.text, &one.episodes, &look.ground))
            .filter(|found| seen.insert(found.key.clone()))
            .map(|found| counted(found, &look.ground, look.settings.min_episodes))
            .collect();
        self.reflections_write(look, counted, making).await
    }

    /// Returns the reflections over a repository that a caller's model produced since a time.
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
