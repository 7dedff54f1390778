//! From a request's scope to the passages it is about, exactly. Groups are decided once each; states, kinds, times
//! and metadata on columns.

use std::borrow::Cow;
use std::cell::RefCell;

use loci_model::metadata::{
    MetadataValue, SYSTEM_CREATED_AT, SYSTEM_PREFIX, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT,
};
use loci_model::metadata_filter::MetadataFilter;
use loci_model::record::RecordState;
use loci_model::scope::{AccessClause, RecordScope, StrategyChoice};

use crate::bits::Bits;
use crate::columns::NONE;
use crate::groups::{Group, GroupKey};
use crate::interner::Interner;
use crate::memory_index::MemoryIndex;
use crate::records::RecordRow;

/// Groups that a scope takes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GroupSet {
    /// Every one.
    All,
    /// These.
    These(Bits),
}

impl GroupSet {
    /// True for a group that is taken.
    #[inline]
    pub(crate) fn admits(&self, group: u32) -> bool {
        match self {
            Self::All => true,
            Self::These(groups) => groups.has(group),
        }
    }
}

/// One clause of the view, with texts as numbers; `None` in a member: no group has that text.
struct Clause {
    namespaces: Option<Bits>,
    strategy: Option<u32>,
    actor: Option<u32>,
    session: Option<u32>,
}

impl MemoryIndex {
    /// Groups the caller may see.
    pub(crate) fn seen_groups(&self, scope: &RecordScope) -> GroupSet {
        if scope.sees_all() {
            return GroupSet::All;
        }
        let clauses: Vec<Clause> = scope.view.iter().filter_map(|clause| self.compiled(clause)).collect();
        self.groups_where(|_, key| clauses.iter().any(|clause| clause.admits(key)))
    }

    /// Groups the request asks for among those that are seen.
    pub(crate) fn asked_groups(&self, scope: &RecordScope, seen: &GroupSet) -> GroupSet {
        if scope.namespaces.is_empty() && scope.strategy.is_none() {
            return seen.clone();
        }
        let namespaces = (!scope.namespaces.is_empty()).then(|| {
            let wanted =
                |namespace: &str| scope.namespaces.iter().any(|filter| filter.admits_normal(namespace));
            matching(&self.words.namespaces, wanted)
        });
        // Outside: any strategy. Inside: the number of the one wanted, or of none.
        let strategy = match &scope.strategy {
            None => None,
            Some(StrategyChoice::None) => Some(Some(NONE)),
            Some(StrategyChoice::Of(wanted)) => Some(self.words.strategies.find(wanted.as_str())),
        };
        self.groups_where(|group, key| {
            seen.admits(group)
                && namespaces.as_ref().is_none_or(|namespaces| namespaces.has(key.namespace))
                && strategy.is_none_or(|wanted| wanted == Some(key.strategy))
        })
    }

    /// The passages of these groups that meet the rest of the scope.
    pub(crate) fn passages_in<'a>(&'a self, scope: &RecordScope, groups: &GroupSet) -> Cow<'a, Bits> {
        let is_plain = scope.states == [RecordState::Active]
            && scope.kinds.is_empty()
            && scope.metadata.is_empty()
            && scope.as_of.is_none();
        let mut passages = match (groups, is_plain) {
            (GroupSet::All, true) => Cow::Borrowed(&self.active),
            (GroupSet::All, false) => Cow::Owned(self.filtered(scope, self.live.iter())),
            (GroupSet::These(numbers), true) => {
                let members = self.members(numbers).filter(|passage| self.active.has(*passage));
                Cow::Owned(self.collected(members))
            }
            (GroupSet::These(numbers), false) => {
                let members = self.members(numbers).filter(|passage| self.live.has(*passage));
                Cow::Owned(self.filtered(scope, members))
            }
        };
        for (_, record) in self.expiring.iter().take_while(|(expires, _)| *expires <= scope.now) {
            for passage in &self.records.row(*record).passages {
                if passages.has(*passage) {
                    passages.to_mut().clear(*passage);
                }
            }
        }
        passages
    }

    /// All passages listed in some groups, those that are gone included.
    pub(crate) fn members<'a>(&'a self, groups: &'a Bits) -> impl Iterator<Item = u32> + 'a {
        groups
            .iter()
            .filter_map(|group| self.groups.get(group))
            .flat_map(|group| group.members.iter().copied())
    }

    pub(crate) fn groups_where(&self, wanted: impl Fn(u32, &GroupKey) -> bool) -> GroupSet {
        let all = self.groups.all();
        let mut groups = Bits::with_limit(all.len());
        for (at, Group { key, .. }) in all.iter().enumerate() {
            if wanted(at as u32, key) {
                groups.set(at as u32);
            }
        }
        if groups.count() == all.len() { GroupSet::All } else { GroupSet::These(groups) }
    }

    fn compiled(&self, clause: &AccessClause) -> Option<Clause> {
        let words = &self.words;
        let namespaces = clause.namespace.as_ref();
        Some(Clause {
            namespaces: namespaces
                .map(|filter| matching(&words.namespaces, |text| filter.admits_normal(text))),
            strategy: wanted(&words.strategies, clause.strategy.as_ref())?,
            actor: wanted(&words.actors, clause.actor.as_ref())?,
            session: wanted(&words.sessions, clause.session.as_ref())?,
        })
    }

    fn collected(&self, passages: impl Iterator<Item = u32>) -> Bits {
        let mut bits = Bits::with_limit(self.columns.len());
        passages.for_each(|passage| bits.set(passage));
        bits
    }

    fn filtered(&self, scope: &RecordScope, passages: impl Iterator<Item = u32>) -> Bits {
        let (system, free): (Vec<_>, Vec<_>) =
            scope.metadata.iter().partition(|filter| filter.key.starts_with(SYSTEM_PREFIX));
        let verdicts = RefCell::new(vec![None; self.metadata.len()]);
        let metadata = |row: &RecordRow| {
            let mut verdicts = verdicts.borrow_mut();
            let Some(verdict) = verdicts.get_mut(row.metadata as usize) else { return false };
            *verdict.get_or_insert_with(|| self.meets(row.metadata, &free))
        };
        self.collected(passages.filter(|passage| {
            let row = self.records.row(self.columns.row(*passage).record);
            let standing = match scope.as_of {
                Some(then) => row.held_at(then),
                None => scope.states.contains(&row.state),
            };
            standing
                && (scope.kinds.is_empty() || scope.kinds.contains(&row.kind))
                && (free.is_empty() || metadata(row))
                && system.iter().all(|filter| filter.admits(system_value(row, &filter.key).as_ref()))
        }))
    }

    fn meets(&self, set: u32, filters: &[&MetadataFilter]) -> bool {
        self.metadata
            .get(set)
            .is_some_and(|set| filters.iter().all(|filter| filter.admits(set.get(&filter.key))))
    }
}

impl Clause {
    fn admits(&self, key: &GroupKey) -> bool {
        self.namespaces.as_ref().is_none_or(|namespaces| namespaces.has(key.namespace))
            && self.strategy.is_none_or(|wanted| wanted == key.strategy)
            && self.actor.is_none_or(|wanted| wanted == key.actor)
            && self.session.is_none_or(|wanted| wanted == key.session)
    }
}

/// `Some(None)`: anything goes. `None`: nothing can match.
fn wanted(words: &Interner, text: Option<&impl AsRef<str>>) -> Option<Option<u32>> {
    match text {
        None => Some(None),
        Some(text) => words.find(text.as_ref()).map(Some),
    }
}

fn matching(words: &Interner, wanted: impl Fn(&str) -> bool) -> Bits {
    words.texts().enumerate().filter(|(_, text)| wanted(text)).map(|(at, _)| at as u32).collect()
}

fn system_value(row: &RecordRow, key: &str) -> Option<MetadataValue> {
    match key {
        SYSTEM_CREATED_AT => Some(MetadataValue::DateTime(row.created_at)),
        SYSTEM_UPDATED_AT => Some(MetadataValue::DateTime(row.updated_at)),
        SYSTEM_RECORD_TYPE => Some(MetadataValue::String(row.origin.wire().to_owned())),
        _ => None,
    }
}
