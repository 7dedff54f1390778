//! The records that a read covers: the part that the caller may see, and the part that the request
//! asks for. Pure predicates.

use crate::principal::bounds::Bounds;
use crate::record::metadata_filter::MetadataFilter;
use crate::record::{Record, RecordKind, RecordState};
use crate::{ActorId, MemoryId, NamespaceFilter, SessionId, StrategyId, Timestamp};

/// One part of a memory that the caller may see. An absent member means any. If all are absent, the
/// part is the whole memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AccessClause {
    /// Only records of this actor.
    pub actor: Option<ActorId>,
    /// Only records of this session.
    pub session: Option<SessionId>,
    /// Only records in this part of the tree.
    pub namespace: Option<NamespaceFilter>,
    /// Only records of this strategy.
    pub strategy: Option<StrategyId>,
    /// Only records that meet these conditions.
    pub bounds: Bounds,
}

impl AccessClause {
    /// True if the part is the whole memory.
    pub fn is_whole(&self) -> bool {
        self.actor.is_none()
            && self.session.is_none()
            && self.namespace.is_none()
            && self.strategy.is_none()
            && self.bounds.is_none()
    }

    /// True if the record is in the part.
    pub fn admits_record(&self, record: &Record) -> bool {
        let from = &record.provenance;
        let namespace = record.namespace.normal();
        self.admits(&namespace, record.strategy.as_ref(), from.actor.as_ref(), from.session.as_ref())
            && self.bounds.admits_record(record)
    }

    /// True if a record of this group may be in the part, without a check of its bounds.
    /// `namespace` is in normal form.
    pub fn admits(
        &self,
        namespace: &str,
        strategy: Option<&StrategyId>,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
    ) -> bool {
        self.namespace.as_ref().is_none_or(|filter| filter.admits_normal(namespace))
            && self.strategy.as_ref().is_none_or(|wanted| Some(wanted) == strategy)
            && self.actor.as_ref().is_none_or(|wanted| Some(wanted) == actor)
            && self.session.as_ref().is_none_or(|wanted| Some(wanted) == session)
    }
}

/// The strategy whose records a request asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StrategyChoice {
    /// Records of this strategy.
    Of(StrategyId),
    /// Records without a strategy.
    None,
}

/// The records that a read covers.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordScope {
    /// The memory whose records to return.
    pub memory: MemoryId,
    /// The part that the caller may see: the union of the clauses; no clause means nothing.
    pub view: Vec<AccessClause>,
    /// Requested parts of the tree, as a union; none means all.
    pub namespaces: Vec<NamespaceFilter>,
    /// The requested strategy.
    pub strategy: Option<StrategyChoice>,
    /// Conditions on metadata, all of which must hold.
    pub metadata: Vec<MetadataFilter>,
    /// Requested kinds; none means all.
    pub kinds: Vec<RecordKind>,
    /// Requested states; a plain read requests [`RecordState::Active`].
    pub states: Vec<RecordState>,
    /// The time whose state of knowledge and validity is read, in place of now.
    pub as_of: Option<Timestamp>,
    /// The time of the request: records that have expired by then are excluded.
    pub now: Timestamp,
}

impl RecordScope {
    /// Returns a scope of the active records of a whole memory.
    pub fn whole(memory: MemoryId, now: Timestamp) -> Self {
        Self {
            memory,
            view: vec![AccessClause::default()],
            namespaces: Vec::new(),
            strategy: None,
            metadata: Vec::new(),
            kinds: Vec::new(),
            states: vec![RecordState::Active],
            as_of: None,
            now,
        }
    }

    /// True if the caller may see the whole memory.
    pub fn sees_all(&self) -> bool {
        self.view.iter().any(AccessClause::is_whole)
    }

    /// True if some part is narrower than its groups. [`RecordScope::may_see_record`] then decides.
    pub fn is_bound(&self) -> bool {
        !self.sees_all() && self.view.iter().any(|clause| !clause.bounds.is_none())
    }

    /// True if the caller may see the record.
    pub fn may_see_record(&self, record: &Record) -> bool {
        self.view.iter().any(|clause| clause.admits_record(record))
    }

    /// True if the caller may see at least a part of the group. This checks access only.
    pub fn may_see(
        &self,
        namespace: &str,
        strategy: Option<&StrategyId>,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
    ) -> bool {
        self.view.iter().any(|clause| clause.admits(namespace, strategy, actor, session))
    }

    /// True if the request covers the group: namespace and strategy.
    pub fn asks_for(&self, namespace: &str, strategy: Option<&StrategyId>) -> bool {
        let in_namespace = self.namespaces.is_empty()
            || self.namespaces.iter().any(|filter| filter.admits_normal(namespace));
        let of_strategy = match &self.strategy {
            None => true,
            Some(StrategyChoice::Of(wanted)) => Some(wanted) == strategy,
            Some(StrategyChoice::None) => strategy.is_none(),
        };
        in_namespace && of_strategy
    }
}
