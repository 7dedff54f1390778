//! What an agent's answer teaches, saved (sre-memory.md §6.2): its blocks of knowledge under the agent, and the contacts that it names as
//! proposals of the user's. One item that breaks a rule spoils no other.

use std::collections::BTreeSet;

use loci_model::principal::Principal;
use loci_model::sre::{SreSource, SreType};
use loci_model::{ErrorKind, MemoryId, Result, limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Engine;
use crate::sre::capture::{blocks, proposals};
use crate::sre::saving::SaveAs;
use crate::sre::{SreAction, SreKept, SreSave};

/// A record that came of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedRecord {
    /// The record.
    pub record_id: String,
    /// What became of it.
    pub action: String,
}

/// Something of an answer that was not saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedRefusal {
    /// Its place among the items of all blocks, from 0; `None`: it is no item.
    pub index: Option<usize>,
    /// Why.
    pub reason: String,
}

/// What came of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Captured {
    /// Knowledge, as it was saved.
    pub saved: Vec<CapturedRecord>,
    /// What was not.
    pub rejected: Vec<CapturedRefusal>,
    /// What a person must confirm.
    pub pending: Vec<CapturedRecord>,
}

/// Whose answer it is, and where.
pub(super) struct Answer<'a> {
    pub(super) memory: &'a MemoryId,
    /// The incident, as metadata of events name it.
    pub(super) incident: &'a str,
    pub(super) agent: &'a str,
    pub(super) session: &'a str,
    pub(super) user: &'a str,
    pub(super) private_to: Option<String>,
    pub(super) text: &'a str,
    /// Calls of tools that were reported with it.
    pub(super) calls: &'a BTreeSet<String>,
}

impl Captured {
    pub(super) fn append(&mut self, other: Self) {
        self.saved.extend(other.saved);
        self.rejected.extend(other.rejected);
        self.pending.extend(other.pending);
    }

    fn refuse(&mut self, index: Option<usize>, reason: String) {
        self.rejected.push(CapturedRefusal { index, reason });
    }

    /// Notes what became of records; `first` is the place of the first among all items.
    fn note(&mut self, kept: Vec<SreKept>, first: usize) {
        for (at, kept) in kept.into_iter().enumerate() {
            let Some(record) = kept.record else {
                self.refuse(Some(first + at), kept.reason.unwrap_or_default());
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

impl Engine {
    /// Saves what an answer teaches, as far as the memory captures it.
    ///
    /// # Errors
    /// What the store says; what of the answer breaks a rule is told in the result.
    pub(super) async fn capture(&self, caller: &Principal, answer: &Answer<'_>) -> Result<Captured> {
        let mut captured = Captured::default();
        let settings = self.settings.sre.of(answer.memory);
        if settings.auto_capture_infrastructure && settings.captures(answer.agent) {
            self.capture_knowledge(caller, answer, &mut captured).await?;
        }
        if settings.auto_capture_preferences {
            self.capture_proposals(caller, answer, &mut captured).await?;
        }
        Ok(captured)
    }

    async fn capture_knowledge(
        &self,
        caller: &Principal,
        answer: &Answer<'_>,
        captured: &mut Captured,
    ) -> Result<()> {
        let mut found = blocks(answer.text);
        self.mark_unverified(caller, answer, &mut found.items).await?;
        found.unread.into_iter().for_each(|why| captured.refuse(None, why));
        for (number, items) in found.items.chunks(limits::SRE_BATCH_ITEMS_MAX).enumerate() {
            let first = number * limits::SRE_BATCH_ITEMS_MAX;
            let save = SreSave {
                memory: answer.memory.clone(),
                kind: SreType::Infrastructure,
                actor: answer.agent.to_owned(),
                session: Some(answer.session.to_owned()),
                data: Value::Array(items.to_vec()),
                source: SreSource::Agent,
            };
            let how = SaveAs { private_to: answer.private_to.clone(), ..SaveAs::default() };
            match self.sre_save_as(caller, save, how).await {
                Ok(saved) => captured.note(saved.records, first),
                // One item alone that breaks a rule is an error there; and what the caller may not write for that agent is told, and loses no
                // other agent's.
                Err(error) if matches!(error.kind, ErrorKind::Invalid | ErrorKind::Denied) => {
                    let place = error.field.map(|field| format!("{field}: ")).unwrap_or_default();
                    captured.refuse(Some(first), format!("{place}{}", error.message));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Contacts are the user's: what the caller may not propose for them is told, and lost.
    async fn capture_proposals(
        &self,
        caller: &Principal,
        answer: &Answer<'_>,
        captured: &mut Captured,
    ) -> Result<()> {
        for data in proposals(answer.text) {
            let save = SreSave {
                memory: answer.memory.clone(),
                kind: SreType::Preferences,
                actor: answer.user.to_owned(),
                session: None,
                data,
                source: SreSource::Agent,
            };
            match self.sre_save(caller, save).await {
                Ok(saved) => captured.note(saved.records, 0),
                Err(error) if matches!(error.kind, ErrorKind::Denied | ErrorKind::Invalid) => {
                    captured.refuse(None, format!("a contact is not proposed: {}", error.message));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
