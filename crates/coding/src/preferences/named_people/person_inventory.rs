//! The places where nouns name people: one list for each noun, shared by erasure, export and
//! import. A place is either exact, with a person or a list of people, or free text. Pure.
//!
//! Names of branches, paths, texts of documents and prompts, and code are left unchanged: they are
//! words of the repository.

use std::collections::BTreeMap;

use loci_engine::admin::erasure::is_number;
use loci_engine::hooks::ForgottenRemoval;
use loci_engine::records::text_digest::{DIGEST, digest};
use loci_model::Result;
use loci_model::delivery::Delivery;
use loci_model::event::{Event, PayloadItem};
use loci_model::facts::fact::{Fact, FactEvent};
use loci_model::facts::repository::Repository;
use loci_model::facts::support::SupportReport;
use loci_model::idempotency::TokenAnswer;
use loci_model::ledger::{LedgerEntry, LedgerNoun};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::preference::PreferenceUser;
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{SessionItem, TaskSession};

use super::person_fields::{PeopleVisitor, Places};
use crate::prompts::versions::input_hash;
use crate::reviews::KnownRole;
use crate::shelves::PEOPLE;
use crate::tasks::sessions::archive_rules::{chars_of, digest_of};

/// Suffixes of the names of trailers that hold people, in lower case.
const PEOPLE_TRAILERS: [&str; 4] = ["-by", "author", "committer", "cc"];

/// A noun that may name people.
pub(crate) trait NamesPeople {
    /// Visits each place. `number` is the forge's number of the noun's user, if another noun has
    /// it.
    ///
    /// # Errors
    /// A bug, if a document of the noun is damaged.
    fn visit_people(
        &mut self,
        number: Option<&str>,
        visitor: &mut dyn PeopleVisitor,
    ) -> Result<ForgottenRemoval>;
}

impl NamesPeople for Task {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places::new(visitor);
        let user = self.user.clone().unwrap_or_default();
        if let Some(new) = places.new_person(&user, self.user_id.as_deref()) {
            self.user = Some(new);
            self.user_id = None;
            self.requester_proof = None;
        }
        places.texts([&mut self.description]);
        places.texts(&mut self.error_message);
        places.texts([&mut self.model, &mut self.variant].into_iter().flatten());
        places.texts(self.feedback.harmful.values_mut());
        if let Some(alert) = &mut self.security_alert {
            places.person([&mut alert.by], None);
            places.texts([&mut alert.reason]);
        }
        if places.is_any {
            // A digest of the former words would let a reader confirm a guessed name. Therefore the
            // digest of the input is computed again, and a repetition of the task's request is no
            // longer recognized.
            self.request_digest.clear();
            if self.input_hash.is_some() {
                self.input_hash = Some(input_hash(self)?);
            }
        }
        places.end()
    }
}

impl NamesPeople for TaskCommit {
    fn visit_people(
        &mut self,
        number: Option<&str>,
        visitor: &mut dyn PeopleVisitor,
    ) -> Result<ForgottenRemoval> {
        let mut places = Places::new(visitor);
        places.person(&mut self.user, number);
        places.person(&mut self.author, None);
        places.texts(&mut self.author);
        for (name, mut value) in std::mem::take(&mut self.trailers) {
            let lower = name.to_lowercase();
            if PEOPLE_TRAILERS.iter().any(|end| lower.ends_with(end)) {
                places.person([&mut value], None);
            }
            places.texts([&mut value]);
            let name = places.new_name(&name).unwrap_or(name);
            // Values of one name are joined like those of a commit.
            let joined = |known: &mut String| {
                known.push(',');
                known.push_str(&value);
            };
            self.trailers.entry(name).and_modify(joined).or_insert(value);
        }
        places.end()
    }
}

impl NamesPeople for SessionItem {
    fn visit_people(
        &mut self,
        number: Option<&str>,
        visitor: &mut dyn PeopleVisitor,
    ) -> Result<ForgottenRemoval> {
        let mut places = Places::new(visitor);
        places.person(&mut self.user, number);
        if let Some(new) = self.text.as_deref().and_then(|text| places.new_text(text)) {
            // Digest and length refer to the stored text: those of the former text would confirm
            // its names.
            (self.text_sha256, self.text_chars) = (digest_of(&new), chars_of(&new));
            self.text = Some(new);
        }
        if let Some(tool) = &mut self.tool {
            places.texts([&mut tool.name]);
            places.texts(&mut tool.status);
        }
        places.end()
    }
}

impl NamesPeople for TaskSession {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places::new(visitor);
        let told = &mut self.told;
        places.texts(&mut told.summary);
        places.texts(&mut told.approach);
        places.texts(&mut told.error_message);
        places.texts(&mut told.difficulties);
        if let Some(state) = &mut self.state {
            places.document(state)?;
        }
        places.end()
    }
}

impl NamesPeople for Repository {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places::new(visitor);
        let reviews = &mut self.settings.reviews;
        places.person(reviews.agent_logins.iter_mut().flatten(), None);
        places.person(reviews.allow_bots.iter_mut().flatten(), None);
        if let Some(weights) = reviews.authority.take() {
            let mut named = BTreeMap::new();
            for (name, weight) in weights {
                let new = places.new_person(&name, Some(name.as_str()).filter(|name| is_number(name)));
                named.insert(new.unwrap_or(name), weight);
            }
            reviews.authority = Some(named);
        }
        places.end()
    }
}

impl NamesPeople for LedgerEntry {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        if self.shelf == PreferenceUser::SHELF {
            // The person's own settings. They hold the person's other names until the end of the
            // walk.
            return Ok(ForgottenRemoval::Nobody);
        }
        if [PEOPLE, KnownRole::SHELF].contains(&self.shelf) {
            let name = self.key.rsplit(['/', ':']).next().unwrap_or(&self.key);
            if visitor.is_key(name) {
                return Ok(ForgottenRemoval::Whole);
            }
        }
        let mut places = Places { is_of_ledger: true, is_of_loci: true, ..Places::new(visitor) };
        places.document(&mut self.body)?;
        places.end()
    }
}

impl NamesPeople for Event {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places::new(visitor);
        for item in &mut self.payload {
            match item {
                PayloadItem::Conversational { text, .. } => places.texts([text]),
                PayloadItem::Blob(document) | PayloadItem::Json(document) => places.document(document)?,
            }
        }
        for (key, value) in &mut self.metadata {
            if let Some(new) = places.word(key, value) {
                *value = new;
            }
        }
        places.end()
    }
}

impl NamesPeople for Delivery {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places { is_of_loci: true, ..Places::new(visitor) };
        places.document(&mut self.body)?;
        places.texts(&mut self.last_error);
        places.end()
    }
}

impl NamesPeople for TokenAnswer {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places { is_of_loci: true, ..Places::new(visitor) };
        places.document(&mut self.answer)?;
        places.end()
    }
}

impl NamesPeople for Record {
    /// Documents are files of the repository and preferences belong to their person, so both are
    /// left. A deleted record waits for its erasure.
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let is_left = matches!(self.kind, RecordKind::Document | RecordKind::Preference);
        if is_left || self.state == RecordState::Erased {
            return Ok(ForgottenRemoval::Nobody);
        }
        let mut places = Places::new(visitor);
        places.metadata(&mut self.metadata);
        if let Some(new) = places.new_text(&self.text) {
            let of_text = |text: &str| MetadataValue::String(digest(text));
            let is_extracted = self.origin == RecordOrigin::Extracted;
            // The digest of an extracted text follows the text. Other digests stay.
            let kept = self.metadata.get_mut(DIGEST);
            if let Some(kept) = kept.filter(|kept| is_extracted && **kept == of_text(&self.text)) {
                *kept = of_text(&new);
            }
            self.text = new;
        }
        for text in [&mut self.title, &mut self.description, &mut self.index_text, &mut self.state_reason] {
            places.texts(text);
        }
        places.end()
    }
}

impl NamesPeople for StateChange {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places::new(visitor);
        places.person([&mut self.by], None);
        places.texts([&mut self.reason]);
        places.end()
    }
}

impl NamesPeople for Fact {
    /// Citations are code, so they are left.
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places::new(visitor);
        let detail = &mut self.detail;
        places.person(&mut detail.source.created_by, None);
        places.person([&mut detail.source.principal], None);
        places.person(&mut detail.source.agent, None);
        places.texts(&mut detail.source.agent);
        places.texts(&mut detail.source.session);
        places.texts(&mut detail.source.reference);
        places.person(detail.last_verified.iter_mut().map(|last| &mut last.by), None);
        places.person(detail.invalidated.iter_mut().map(|(by, _)| by), None);
        places.end()
    }
}

impl NamesPeople for FactEvent {
    fn visit_people(&mut self, _: Option<&str>, visitor: &mut dyn PeopleVisitor) -> Result<ForgottenRemoval> {
        let mut places = Places { is_of_loci: true, ..Places::new(visitor) };
        places.person([&mut self.principal], None);
        places.person(&mut self.agent, None);
        for text in [&mut self.agent, &mut self.session, &mut self.reference, &mut self.cause] {
            places.texts(text);
        }
        if let Some(details) = &mut self.details {
            places.document(details)?;
        }
        places.end()
    }
}

/// Visits the names and values of a checked statement. True if one was changed. Only a statement
/// that named a person makes them people.
pub(super) fn visit_support(report: &mut SupportReport, visitor: &mut dyn PeopleVisitor) -> bool {
    let mut places = Places::new(visitor);
    for text in report.found.iter_mut().chain(&mut report.missing) {
        match places.new_person(text, None) {
            Some(new) => *text = new,
            None => places.texts([text]),
        }
    }
    places.texts(report.other_values.iter_mut().map(|other| &mut other.stated));
    places.is_any
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;
    use loci_testkit_ports::task_samples;

    use super::super::pseudonym::{ErasedPerson, NamedPerson, PeopleCollector, PersonReplacement};
    use super::*;

    #[test]
    fn a_commit_names_its_people_in_each_of_its_places() {
        let memory = MemoryId::parse("code-0123456789").unwrap();
        let mut commit = task_samples::commit(&memory, 1).unwrap();
        commit.user = Some("Alice".to_owned());
        commit.author = Some("Alice Lee <a.lee@example.com>".to_owned());
        let trailers = [
            ("Co-authored-by", "Bob <b@x.org>,Alice Lee <A.Lee@example.com>"),
            ("Reviewed-by", "alice"),
            ("Task-Id", "alice"),
            ("Note", "for @alice"),
        ];
        commit.trailers =
            trailers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut collecting = PeopleCollector::default();
        assert_eq!(commit.visit_people(Some("7"), &mut collecting).unwrap(), ForgottenRemoval::Nobody);
        for name in [
            NamedPerson::Login("Alice".to_owned()),
            NamedPerson::Number("7".to_owned()),
            NamedPerson::Address("a.lee@example.com".to_owned()),
        ] {
            assert!(collecting.0.contains(&name), "{name:?}");
        }
        let alice = NamedPerson::Login("alice".to_owned());
        let erased = ErasedPerson::of_name(&alice, "erased-1").with_names(["a.lee@example.com".to_owned()]);
        assert_eq!(
            commit.visit_people(None, &mut PersonReplacement(&erased)).unwrap(),
            ForgottenRemoval::Names
        );
        assert_eq!((commit.user.as_deref(), commit.author.as_deref()), (Some("erased-1"), Some("erased-1")));
        let expect = [
            ("Co-authored-by", "Bob <b@x.org>,erased-1"),
            ("Note", "for @erased-1"),
            ("Reviewed-by", "erased-1"),
            ("Task-Id", "alice"),
        ];
        let found: Vec<(&str, &str)> =
            commit.trailers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expect);
        assert_eq!(
            commit.visit_people(None, &mut PersonReplacement(&erased)).unwrap(),
            ForgottenRemoval::Nobody
        );
    }
}
