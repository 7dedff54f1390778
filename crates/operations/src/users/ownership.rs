//! The owner of preferences in a namespace: derived from the memory's templates or, if the memory
//! is not available, from Loci's seal. Only `loci_engine::access` decides the rights of a caller.
//! Pure.

use loci_engine::access::segment;
use loci_engine::hooks::{NamespaceOwner, Ownership};
use loci_model::StrategyId;
use loci_model::memory::Memory;
use loci_model::record::{Record, RecordKind};
use loci_model::services::knowledge::SreType;

use crate::input::wire_events::{SegmentPairs, is_of_profile};
use crate::records::namespace_rules;
use crate::records::precedence::{is_sealed, word};
use crate::records::save::{SCOPE, SCOPE_PRIVATE};

/// The template variable that holds the user.
const USER: &str = "{actorId}";

/// The namespaces in which a memory of the profile stores preferences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UsersPlaces {
    strategy: StrategyId,
    template: String,
    /// The templates of the memory's other strategies.
    others: Vec<String>,
}

impl UsersPlaces {
    /// `None` for memories without this profile.
    pub(crate) fn of(memory: &Memory) -> Option<Self> {
        if !is_of_profile(memory) {
            return None;
        }
        let own = namespace_rules::strategy(memory, SreType::Preferences).ok()?;
        let others = memory.strategies.iter().filter(|one| one.id != own.id);
        Some(Self {
            strategy: own.id.clone(),
            template: own.template.as_str().to_owned(),
            others: others.map(|one| one.template.as_str().to_owned()).collect(),
        })
    }

    fn user_of_all(&self, namespace: &str) -> Option<NamespaceOwner> {
        let is_at =
            |other: &String| SegmentPairs::of(other, namespace).is_some_and(|beside| beside.beneath == 0);
        let is_shared = self.others.iter().any(is_at);
        if is_shared { None } else { self.user_at(namespace) }
    }

    /// Returns the user whose preference a record is: the strategy of preferences made it, or it is
    /// in a namespace of preferences.
    fn user_of_record(&self, record: &Record) -> Option<NamespaceOwner> {
        let namespace = record.namespace.normal();
        if record.strategy.as_ref() == Some(&self.strategy) {
            return self.user_at(&namespace).or_else(|| Some(by_provenance(record)));
        }
        self.user_of_all(&namespace)
    }

    fn user_at(&self, namespace: &str) -> Option<NamespaceOwner> {
        let beside = SegmentPairs::of(&self.template, namespace)?;
        let mut pairs = beside.pairs.iter().enumerate();
        let (at, (wanted, found)) = pairs.find(|(_, (wanted, _))| wanted.contains(USER))?;
        let (before, behind) = wanted.split_once(USER)?;
        let found = found.strip_prefix(before)?.strip_suffix(behind)?;
        (!found.is_empty()).then(|| NamespaceOwner { user: segment::decode(found), depth: at + 1 })
    }
}

impl Ownership for UsersPlaces {
    fn owner_of_all(&self, namespace: &str) -> Option<NamespaceOwner> {
        self.user_of_all(namespace)
    }

    fn owner_of_record(&self, record: &Record) -> Option<NamespaceOwner> {
        self.user_of_record(record)
    }
}

/// Returns the user whose preference a record is, by Loci's seal alone.
pub(crate) fn user_of_preference(record: &Record) -> Option<NamespaceOwner> {
    (record.kind == RecordKind::Preference && is_sealed(record)).then(|| by_provenance(record))
}

/// True for a record that only one user and administrators may see, by Loci's seal: a preference,
/// or a private record.
pub(crate) fn is_kept_to_a_user(record: &Record) -> bool {
    is_sealed(record) && (record.kind == RecordKind::Preference || word(record, SCOPE) == Some(SCOPE_PRIVATE))
}

/// Returns the owner by provenance. The user is empty if the record names none.
fn by_provenance(record: &Record) -> NamespaceOwner {
    let user = record.provenance.actor.as_ref().map(segment::user_of).unwrap_or_default();
    let namespace = record.namespace.normal();
    let named =
        segment::segments(&namespace).enumerate().filter(|(_, segment)| segment::decode(segment) == user);
    let at = named.last().map(|(at, _)| at);
    // If the namespace does not name the user, no grant on a part of the tree is limited to that
    // user.
    NamespaceOwner { user, depth: at.map_or(usize::MAX, |at| at + 1) }
}
