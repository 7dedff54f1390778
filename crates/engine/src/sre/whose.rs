//! Whose the preferences are that lie somewhere (sre-memory.md §9.1): by the memory's own places and, where the memory is not at hand, by Loci's seal. What a
//! caller may do there is `access`, nowhere else. Pure.

use loci_model::memory::Memory;
use loci_model::record::{Record, RecordKind};
use loci_model::sre::SreType;
use loci_model::{ActorId, StrategyId};

use super::keeping::{is_sealed, word};
use super::saving::{SCOPE, SCOPE_PRIVATE};
use super::wire::{Beside, is_of_profile};
use super::{place, segment};

/// The variable of templates that holds the user.
const USER: &str = "{actorId}";

/// Whose something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfUser {
    /// The id.
    pub(crate) user: String,
    /// So many segments of the namespace lead to the user's own part of the tree, the user's own segment the last of them.
    depth: usize,
}

/// Where a memory of the profile keeps the preferences of its users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UsersPlaces {
    strategy: StrategyId,
    template: String,
    /// Templates of the memory's other strategies.
    others: Vec<String>,
}

impl UsersPlaces {
    /// None for memories of another kind.
    pub(crate) fn of(memory: &Memory) -> Option<Self> {
        if !is_of_profile(memory) {
            return None;
        }
        let own = place::strategy(memory, SreType::Preferences).ok()?;
        let others = memory.strategies.iter().filter(|one| one.id != own.id);
        Some(Self {
            strategy: own.id.clone(),
            template: own.template.as_str().to_owned(),
            others: others.map(|one| one.template.as_str().to_owned()).collect(),
        })
    }

    /// The user whose preferences, and nothing else that the memory's strategies make, lie at a node and beneath it.
    pub(crate) fn user_of_all(&self, namespace: &str) -> Option<OfUser> {
        let is_at = |other: &String| Beside::of(other, namespace).is_some_and(|beside| beside.beneath == 0);
        let is_shared = self.others.iter().any(is_at);
        if is_shared { None } else { self.user_at(namespace) }
    }

    /// The user whose preference a record is: one that the strategy made, or one that lies there, whatever it says of its strategy.
    pub(crate) fn user_of_record(&self, record: &Record) -> Option<OfUser> {
        let namespace = record.namespace.normal();
        if record.strategy.as_ref() == Some(&self.strategy) {
            return self.user_at(&namespace).or_else(|| Some(by_provenance(record)));
        }
        self.user_of_all(&namespace)
    }

    fn user_at(&self, namespace: &str) -> Option<OfUser> {
        let beside = Beside::of(&self.template, namespace)?;
        let mut pairs = beside.pairs.iter().enumerate();
        let (at, (wanted, found)) = pairs.find(|(_, (wanted, _))| wanted.contains(USER))?;
        let (before, behind) = wanted.split_once(USER)?;
        let found = found.strip_prefix(before)?.strip_suffix(behind)?;
        (!found.is_empty()).then(|| OfUser { user: segment::decode(found), depth: at + 1 })
    }
}

/// The user whose preference a record is, by Loci's seal alone.
pub(crate) fn user_of_preference(record: &Record) -> Option<OfUser> {
    (record.kind == RecordKind::Preference && is_sealed(record)).then(|| by_provenance(record))
}

/// True for what is for one user and administrators, by Loci's seal: a preference, or what somebody keeps to themselves.
pub(crate) fn is_kept_to_a_user(record: &Record) -> bool {
    is_sealed(record) && (record.kind == RecordKind::Preference || word(record, SCOPE) == Some(SCOPE_PRIVATE))
}

/// Of nobody where it does not say whose it is.
fn by_provenance(record: &Record) -> OfUser {
    let user = record.provenance.actor.as_ref().map(id_of).unwrap_or_default();
    let namespace = record.namespace.normal();
    let named = segments(&namespace).enumerate().filter(|(_, segment)| segment::decode(segment) == user);
    let at = named.last().map(|(at, _)| at);
    // No grant on a part of the tree is that user's where the tree does not name the user.
    OfUser { user, depth: at.map_or(usize::MAX, |at| at + 1) }
}

/// The id that an actor of events stands for.
pub(crate) fn id_of(actor: &ActorId) -> String {
    segment::decode(actor.as_str())
}

/// True where a node on the way to something of a user's, or beneath it, lies in the user's own part of the tree.
pub(crate) fn is_on_user(namespace: &str, of: &OfUser) -> bool {
    segments(namespace).count() >= of.depth
}

fn segments(namespace: &str) -> impl Iterator<Item = &str> {
    namespace.split('/').filter(|segment| !segment.is_empty())
}
