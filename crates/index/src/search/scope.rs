//! The exact set of passages in the scope of a request. Each condition narrows a bit set: `parts`
//! for namespaces and grants, `facets` for states, kinds and times, `metadata_index` for metadata.

use std::borrow::Cow;

use loci_model::record::metadata::{
    MetadataValue, SYSTEM_CREATED_AT, SYSTEM_PREFIX, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT,
};
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::{AccessClause, RecordScope, StrategyChoice};
use loci_model::record::{RecordOrigin, RecordState};
use loci_model::{NamespaceFilter, NamespaceMatch, Timestamp};

use crate::columns::NONE;
use crate::columns::groups::{Lengths, Selection};
use crate::filters::facets::{FacetReader, Time};
use crate::filters::parts::{FilterPartKind, PartKey, numbered};
use crate::memory_index::MemoryIndex;
use crate::primitives::bits::Bits;
use crate::primitives::interner::Interner;
use crate::primitives::mask::Mask;

/// The groups that a scope admits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GroupSet {
    /// All groups.
    All,
    /// These groups.
    These(Groups),
}

/// A set of groups with their passages, including removed ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Groups {
    pub(crate) groups: Bits,
    /// Their passages, or those that the caller may see.
    pub(crate) passages: Mask,
    /// The sums of their active turns, if known without a scan.
    pub(crate) lengths: Option<Lengths>,
    /// True if the caller may not see all of their passages. Numbers are then counted over
    /// `passages`.
    pub(crate) is_bound: bool,
}

impl std::ops::Deref for Groups {
    type Target = Bits;

    fn deref(&self) -> &Bits {
        &self.groups
    }
}

impl GroupSet {
    /// True for an admitted group.
    #[inline]
    pub(crate) fn admits(&self, group: u32) -> bool {
        match self {
            Self::All => true,
            Self::These(groups) => groups.has(group),
        }
    }
}

/// The parts that must all contain a group; `None` if one of the parts does not exist.
pub(crate) type Parts = Option<Vec<PartKey>>;

impl MemoryIndex {
    /// Returns the groups that the caller may see.
    pub(crate) fn seen_groups(&self, scope: &RecordScope) -> GroupSet {
        if scope.sees_all() {
            return GroupSet::All;
        }
        if scope.is_bound() {
            return self.bound_groups(scope);
        }
        self.in_any(scope.view.iter().map(|clause| self.parts_of(clause)), &GroupSet::All)
    }

    /// Returns the requested groups among the visible ones.
    pub(crate) fn asked_groups(&self, scope: &RecordScope, seen: &GroupSet) -> GroupSet {
        if scope.namespaces.is_empty() && scope.strategy.is_none() {
            return seen.clone();
        }
        let strategy = match &scope.strategy {
            None => Some(None),
            Some(StrategyChoice::None) => Some(Some(numbered(FilterPartKind::Strategy, NONE))),
            Some(StrategyChoice::Of(wanted)) => {
                word(&self.words.strategies, FilterPartKind::Strategy, Some(wanted.as_str()))
            }
        };
        let of_strategy: Parts = strategy.map(|place| place.into_iter().collect());
        if scope.namespaces.is_empty() {
            return self.in_any([of_strategy].into_iter(), seen);
        }
        let with_strategy = |filter| {
            let mut places = of_strategy.clone()?;
            places.extend(self.namespaces_of(filter)?);
            Some(places)
        };
        self.in_any(scope.namespaces.iter().map(with_strategy), seen)
    }

    /// Returns the groups of one namespace and one strategy, or of none, among the given ones.
    pub(crate) fn groups_of(&self, groups: &GroupSet, namespace: &str, strategy: Option<&str>) -> GroupSet {
        let strategy = match strategy {
            None => Some(numbered(FilterPartKind::Strategy, NONE)),
            Some(wanted) => word(&self.words.strategies, FilterPartKind::Strategy, Some(wanted)).flatten(),
        };
        let namespace = word(&self.words.namespaces, FilterPartKind::Namespace, Some(namespace)).flatten();
        let places = strategy.zip(namespace).map(|(strategy, namespace)| vec![strategy, namespace]);
        self.in_any([places].into_iter(), groups)
    }

    /// Returns the passages of these groups that meet the rest of the scope.
    pub(crate) fn passages_in<'a>(&'a self, scope: &RecordScope, groups: &GroupSet) -> Cow<'a, Bits> {
        let is_active = scope.as_of.is_none() && scope.states == [RecordState::Active];
        let has_expired = self.expiring.first().is_some_and(|(expires, _)| *expires <= scope.now);
        let is_plain = is_active && scope.kinds.is_empty() && scope.metadata.is_empty() && !has_expired;
        if is_plain && *groups == GroupSet::All {
            return Cow::Borrowed(&self.active);
        }
        let standing = if is_active { &self.active } else { &self.live };
        let mut mask = Mask::of(standing, self.columns.len());
        if let GroupSet::These(groups) = groups {
            mask.keep(groups.passages.words());
        }
        if !is_plain {
            self.narrow(&mut mask, scope, is_active, has_expired);
        }
        Cow::Owned(mask.into_bits())
    }

    /// Applies fast and selective conditions first, so that the remaining ones examine little. With
    /// `is_active` the mask contains active passages only.
    fn narrow(&self, mask: &mut Mask, scope: &RecordScope, is_active: bool, has_expired: bool) {
        let facets = FacetReader { facets: &self.facets, columns: &self.columns, records: &self.records };
        if scope.as_of.is_none() && !is_active {
            facets.keep_states(mask, &scope.states);
        }
        if !scope.kinds.is_empty() {
            facets.keep_kinds(mask, &scope.kinds);
        }
        let (system, free): (Vec<_>, Vec<_>) =
            scope.metadata.iter().partition(|filter| filter.key.starts_with(SYSTEM_PREFIX));
        let (quick, others): (Vec<_>, Vec<_>) =
            free.into_iter().partition(|filter| is_quick(filter.operator));
        quick.into_iter().chain(others).for_each(|filter| self.metadata.narrow(mask, filter));
        system.into_iter().for_each(|filter| narrow_system(mask, filter, facets));
        if let Some(then) = scope.as_of {
            facets.keep_held(mask, then, &self.active);
        }
        if has_expired {
            facets.keep_after(mask, Time::Expires, scope.now);
        }
    }

    /// Returns the groups in any of some parts, among others.
    pub(crate) fn in_any(&self, wanted: impl Iterator<Item = Parts>, among: &GroupSet) -> GroupSet {
        let limit = self.columns.len();
        let mut any: Option<Selection> = None;
        for places in wanted.flatten() {
            if places.is_empty() {
                return among.clone();
            }
            let more = self.groups.in_all(&places, limit);
            match &mut any {
                None => any = Some(more),
                Some(any) => {
                    any.groups.add(more.groups.words());
                    any.passages.add(more.passages.words());
                    any.lengths = None;
                }
            }
        }
        let mut any = any.unwrap_or_else(|| Selection {
            groups: Mask::none(self.groups.all().len()),
            passages: Mask::none(limit),
            lengths: Some(Lengths::default()),
        });
        let mut is_bound = false;
        if let GroupSet::These(among) = among {
            is_bound = among.is_bound;
            any.groups.keep(among.groups.words());
            any.passages.keep(among.passages.words());
            any.lengths = None;
        }
        let groups = any.groups.into_bits();
        if !is_bound && groups.count() == self.groups.all().len() {
            return GroupSet::All;
        }
        GroupSet::These(Groups { groups, passages: any.passages, lengths: any.lengths, is_bound })
    }

    pub(crate) fn parts_of(&self, clause: &AccessClause) -> Parts {
        let words = &self.words;
        let text = |id: Option<&str>, words, kind| word(words, kind, id);
        let mut places = Vec::new();
        places.extend(text(
            clause.strategy.as_ref().map(AsRef::as_ref),
            &words.strategies,
            FilterPartKind::Strategy,
        )?);
        places.extend(text(clause.actor.as_ref().map(AsRef::as_ref), &words.actors, FilterPartKind::Actor)?);
        places.extend(text(
            clause.session.as_ref().map(AsRef::as_ref),
            &words.sessions,
            FilterPartKind::Session,
        )?);
        if let Some(filter) = &clause.namespace {
            places.extend(self.namespaces_of(filter)?);
        }
        Some(places)
    }

    /// Returns the part that a namespace filter names: `Some(None)` is the whole memory.
    fn namespaces_of(&self, filter: &NamespaceFilter) -> Option<Option<PartKey>> {
        match filter.mode() {
            NamespaceMatch::Exact => {
                word(&self.words.namespaces, FilterPartKind::Namespace, Some(filter.normal()))
            }
            NamespaceMatch::Subtree if filter.normal() == "/" => Some(None),
            NamespaceMatch::Subtree => self.groups.parts.beneath(filter.normal()).map(Some),
        }
    }
}

/// Returns the part of a text. `Some(None)`: everything matches. `None`: nothing can match.
fn word(words: &Interner, kind: FilterPartKind, text: Option<&str>) -> Option<Option<PartKey>> {
    match text {
        None => Some(None),
        Some(text) => words.find(text).map(|number| Some(numbered(kind, number))),
    }
}

/// True for conditions that are evaluated with the passages of a list.
fn is_quick(operator: FilterOperator) -> bool {
    use FilterOperator as Op;
    match operator {
        Op::EqualsTo | Op::Exists | Op::NotExists | Op::Contains => true,
        Op::Before
        | Op::After
        | Op::GreaterThan
        | Op::GreaterThanOrEquals
        | Op::LessThan
        | Op::LessThanOrEquals => false,
    }
}

fn narrow_system(mask: &mut Mask, filter: &MetadataFilter, facets: FacetReader<'_>) {
    let time = match filter.key.as_str() {
        SYSTEM_CREATED_AT => Time::Created,
        SYSTEM_UPDATED_AT => Time::Updated,
        SYSTEM_RECORD_TYPE => {
            for origin in RecordOrigin::ALL {
                if !filter.admits(Some(&MetadataValue::String(origin.wire().to_owned()))) {
                    facets.drop_origin(mask, *origin);
                }
            }
            return;
        }
        _ => {
            if !filter.admits(None) {
                mask.clear();
            }
            return;
        }
    };
    match (filter.operator, &filter.right) {
        (FilterOperator::Before, Some(MetadataValue::DateTime(then))) => {
            facets.keep_before(mask, time, *then)
        }
        (FilterOperator::After, Some(MetadataValue::DateTime(then))) => facets.keep_after(mask, time, *then),
        // The remaining conditions on a time only test its presence.
        _ => {
            if !filter.admits(Some(&MetadataValue::DateTime(Timestamp::EPOCH))) {
                mask.clear();
            }
        }
    }
}
