//! Saves knowledge and preferences from the texts of an investigation. Knowledge blocks and plain
//! facts in an answer are saved under the agent. Contacts become proposals for the user.
//! Preferences that the user states are saved for the user. An invalid item does not affect the
//! others.

use std::collections::{BTreeMap, BTreeSet};

use loci_api::operations::investigation::{CapturedRecord, CapturedRefusal};
use loci_engine::calls::idempotency::ClientToken;
use loci_model::principal::Principal;
use loci_model::record::derivation::RecordDerivation;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ErrorKind, JobId, MemoryId, Result, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Operations;
use crate::capture::{blocks, plain_facts, proposals, prose};
use crate::records::knowledge::digest_of;
use crate::records::save::SaveAs;
use crate::{SreAction, SreKept, SreSave};

/// The result of capturing an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Captured {
    /// Saved knowledge.
    pub saved: Vec<CapturedRecord>,
    /// Saved preferences of the user.
    #[serde(default)]
    pub preferences: Vec<CapturedRecord>,
    /// Items that were not saved.
    pub rejected: Vec<CapturedRefusal>,
    /// Items that a person must confirm.
    pub pending: Vec<CapturedRecord>,
}

/// An agent's answer and its context.
pub(super) struct AnswerContext<'a> {
    pub(super) memory: &'a MemoryId,
    /// The incident, as spelled in the metadata of events.
    pub(super) incident: &'a str,
    pub(super) agent: &'a str,
    pub(super) session: &'a str,
    pub(super) user: &'a str,
    pub(super) private_to: Option<String>,
    pub(super) text: &'a str,
    /// The services of the investigation.
    pub(super) services: Vec<String>,
    /// The tool calls reported with the answer.
    pub(super) calls: &'a BTreeSet<String>,
    /// The job that reads the answer. Its id makes the idempotency tokens, so that a retry saves
    /// nothing twice.
    pub(super) job: Option<&'a JobId>,
}

impl AnswerContext<'_> {
    /// Returns the idempotency token of a part of the answer.
    fn token(&self, part: &str, number: usize) -> Result<Option<ClientToken>> {
        // A job reads one answer, so each attempt saves the same content under a token. For a model
        // it is the content of its first reply.
        let token =
            |job: &JobId| ClientToken::new(format!("agent response {job} {part} {number}"), &Value::Null);
        self.job.map(token).transpose()
    }
}

/// Record ids of knowledge, by the digest of the item.
pub(super) type RecordsByWord = BTreeMap<String, String>;

/// The origin of items of knowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KnowledgeOrigin<'a> {
    /// The agent's own knowledge blocks.
    Blocks,
    /// Sentences of the prose, read by rules.
    Sentences,
    /// The prose, read by a model with this provenance.
    Prose(&'a RecordDerivation),
}

impl KnowledgeOrigin<'_> {
    /// Returns the source of the items.
    fn source(self) -> SreSource {
        match self {
            Self::Blocks => SreSource::Agent,
            Self::Sentences | Self::Prose(_) => SreSource::Extracted,
        }
    }

    fn making(self) -> Option<RecordDerivation> {
        match self {
            Self::Blocks | Self::Sentences => None,
            Self::Prose(making) => Some(making.clone()),
        }
    }

    fn refusal(self, at: usize, reason: String) -> CapturedRefusal {
        match self {
            Self::Blocks => CapturedRefusal { index: Some(at as u64), reason },
            Self::Sentences => CapturedRefusal { index: None, reason: format!("a sentence: {reason}") },
            Self::Prose(_) => CapturedRefusal { index: None, reason: format!("read by a model: {reason}") },
        }
    }
}

impl Captured {
    pub(super) fn append(&mut self, other: Self) {
        self.saved.extend(other.saved);
        self.preferences.extend(other.preferences);
        self.rejected.extend(other.rejected);
        self.pending.extend(other.pending);
    }

    pub(super) fn refuse(&mut self, index: Option<usize>, reason: String) {
        self.rejected.push(CapturedRefusal { index: index.map(|index| index as u64), reason });
    }

    /// Adds the results for preferences.
    fn note_preferences(&mut self, kept: Vec<SreKept>) {
        for kept in kept {
            let Some(record) = kept.record else {
                let reason = kept.reason.unwrap_or_default();
                self.refuse(None, format!("a preference is not saved: {reason}"));
                continue;
            };
            let waits = kept.action == SreAction::PendingConfirmation;
            let of = if waits { &mut self.pending } else { &mut self.preferences };
            let action = kept.action.as_str().to_owned();
            of.push(CapturedRecord { record_id: record.to_string(), action });
        }
    }

    /// Adds the results for records. `first` is the index of the first one among all items.
    fn note(&mut self, kept: Vec<SreKept>, (read_in, first): (KnowledgeOrigin<'_>, usize)) {
        for (at, kept) in kept.into_iter().enumerate() {
            let Some(record) = kept.record else {
                self.rejected.push(read_in.refusal(first + at, kept.reason.unwrap_or_default()));
                continue;
            };
            let one =
                CapturedRecord { record_id: record.to_string(), action: kept.action.as_str().to_owned() };
            match kept.action {
                SreAction::PendingConfirmation => self.pending.push(one),
                SreAction::Duplicate
                | SreAction::Added
                | SreAction::Superseded
                | SreAction::Conflict
                | SreAction::Rejected => self.saved.push(one),
            }
        }
    }
}

impl Operations {
    /// Saves the contents of an answer that need no model, as far as the memory captures them. Also
    /// returns the records of the knowledge blocks.
    ///
    /// # Errors
    /// Errors of the store. Items that break a rule are reported in the result.
    pub(super) async fn capture(
        &self,
        caller: &Principal,
        answer: &AnswerContext<'_>,
    ) -> Result<(Captured, RecordsByWord)> {
        let (mut captured, mut records) = (Captured::default(), RecordsByWord::new());
        let mut found = blocks(answer.text);
        std::mem::take(&mut found.unread).into_iter().for_each(|why| captured.refuse(None, why));
        match self.why_uncaptured(answer) {
            Some(why) => {
                (0..found.items.len()).for_each(|at| captured.refuse(Some(at), why.clone()));
            }
            None => {
                self.mark_unverified(caller, answer, &mut found.items).await?;
                let items = (KnowledgeOrigin::Blocks, found.items.as_slice());
                records = self.capture_items(caller, answer, items, &mut captured).await?;
            }
        }
        let wishes = Wishes {
            memory: answer.memory,
            user: answer.user,
            items: proposals(answer.text),
            in_person: false,
        };
        self.capture_preferences(caller, wishes, |at| answer.token("contacts", at), &mut captured).await?;
        Ok((captured, records))
    }

    /// Saves the facts that the prose of an answer states explicitly, except those in its knowledge
    /// blocks.
    pub(super) async fn capture_sentences(
        &self,
        caller: &Principal,
        answer: &AnswerContext<'_>,
        captured: &mut Captured,
    ) -> Result<()> {
        if !self.captures_knowledge(answer) {
            return Ok(());
        }
        let said = blocks(answer.text).items;
        let mut facts = plain_facts(&prose(answer.text), &answer.services);
        facts.retain(|fact| !said.iter().any(|item| says_as_much(item, fact)));
        let items = (KnowledgeOrigin::Sentences, facts.as_slice());
        self.capture_items(caller, answer, items, captured).await.map(drop)
    }

    /// True if knowledge is read from this answer.
    pub(super) fn captures_knowledge(&self, answer: &AnswerContext<'_>) -> bool {
        self.why_uncaptured(answer).is_none()
    }

    /// Returns the setting that prevents saving knowledge of this answer, with the remedy. `None`
    /// if knowledge is saved.
    fn why_uncaptured(&self, answer: &AnswerContext<'_>) -> Option<String> {
        let settings = self.settings.of(answer.memory);
        if !settings.auto_capture_infrastructure {
            let rule = "auto_capture_infrastructure is off: set it to true, or save the item by itself";
            return Some(rule.to_owned());
        }
        (!settings.captures(answer.agent)).then(|| {
            format!(
                "{} is not in capture_agents: add it under [memory.sre], or save the item by itself",
                settings.known_as(answer.agent)
            )
        })
    }

    /// Saves items of knowledge under the agent. Returns their records.
    pub(super) async fn capture_items(
        &self,
        caller: &Principal,
        answer: &AnswerContext<'_>,
        (read_in, items): (KnowledgeOrigin<'_>, &[Value]),
        captured: &mut Captured,
    ) -> Result<RecordsByWord> {
        let mut records = RecordsByWord::new();
        for (number, some) in items.chunks(limits::SRE_BATCH_ITEMS_MAX).enumerate() {
            let first = number * limits::SRE_BATCH_ITEMS_MAX;
            let source = read_in.source();
            let save = SreSave {
                memory: answer.memory.clone(),
                kind: SreType::Infrastructure,
                actor: answer.agent.to_owned(),
                session: Some(answer.session.to_owned()),
                data: Value::Array(some.to_vec()),
                source,
            };
            let token = answer.token(source.as_str(), number)?;
            let (private_to, making) = (answer.private_to.clone(), read_in.making());
            let how = SaveAs { private_to, token, making, ..SaveAs::default() };
            match self.sre_save_as(caller, save, how).await {
                Ok(saved) => {
                    let now = self.engine.now();
                    let said = some.iter().map(|item| digest_of(item, now));
                    let ids = saved.records.iter().map(|kept| kept.record.as_ref().map(ToString::to_string));
                    records.extend(said.zip(ids).filter_map(|(said, id)| said.zip(id)));
                    captured.note(saved.records, (read_in, first));
                }
                // A batch of one invalid item returns an error, and so does a missing grant for
                // this agent. Both are reported, and the items of other agents are still saved.
                Err(error) if matches!(error.kind, ErrorKind::Invalid | ErrorKind::Denied) => {
                    let place = error.field.map(|field| format!("{field}: ")).unwrap_or_default();
                    captured.rejected.push(read_in.refusal(first, format!("{place}{}", error.message)));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(records)
    }

    /// Saves preferences of a user, if the memory captures them. Preferences that the caller may
    /// not save for the user are reported and dropped.
    pub(super) async fn capture_preferences(
        &self,
        caller: &Principal,
        wishes: Wishes<'_>,
        token: impl Fn(usize) -> Result<Option<ClientToken>>,
        captured: &mut Captured,
    ) -> Result<()> {
        if !self.settings.of(wishes.memory).auto_capture_preferences {
            return Ok(());
        }
        for (number, data) in wishes.items.into_iter().enumerate() {
            let save = SreSave {
                memory: wishes.memory.clone(),
                kind: SreType::Preferences,
                actor: wishes.user.to_owned(),
                session: None,
                data,
                source: SreSource::Agent,
            };
            let how = SaveAs { in_person: wishes.in_person, token: token(number)?, ..SaveAs::default() };
            match self.sre_save_as(caller, save, how).await {
                Ok(saved) => captured.note_preferences(saved.records),
                Err(error) if matches!(error.kind, ErrorKind::Denied | ErrorKind::Invalid) => {
                    captured.refuse(None, format!("a preference is not saved: {}", error.message));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Preferences of a user that a text states.
pub(super) struct Wishes<'a> {
    pub(super) memory: &'a MemoryId,
    pub(super) user: &'a str,
    /// The preferences, in the form in which they are saved.
    pub(super) items: Vec<Value>,
    /// True if the user states them over the user's own connection.
    pub(super) in_person: bool,
}

/// True if an item of a knowledge block covers a member of a fact, with the same service and type.
fn says_as_much(item: &Value, fact: &Value) -> bool {
    let is_same = |name: &str| item.get(name) == fact.get(name);
    let members =
        |of: &Value| of.get("knowledge_data").and_then(Value::as_object).cloned().unwrap_or_default();
    let said = members(item);
    is_same("service_name")
        && is_same("knowledge_type")
        && (members(fact).keys().any(|key| said.contains_key(key) && is_same("metric"))
            || item.get("metric").is_some_and(|metric| members(fact).keys().any(|key| *metric == json!(key))))
}
