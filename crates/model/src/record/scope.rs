//! Which records a read is about: what the caller may see, and what the request asks for. Pure predicates.

use crate::principal::bounds::Bounds;
use crate::record::metadata_filter::MetadataFilter;
use crate::record::{Record, RecordKind, RecordState};
use crate::{ActorId, MemoryId, NamespaceFilter, SessionId, StrategyId, Timestamp};

/// One part of a memory that the caller may see. An absent member means any; all absent: the whole memory.
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
    /// Only records that meet these.
    pub bounds: Bounds,
}

impl AccessClause {
    /// True when nothing is kept back.
    pub fn is_whole(&self) -> bool {
        self.actor.is_none()
            && self.session.is_none()
            && self.namespace.is_none()
            && self.strategy.is_none()
            && self.bounds.is_none()
    }

    /// True when the record is in the part.
    pub fn admits_record(&self, record: &Record) -> bool {
        let from = &record.provenance;
        let namespace = record.namespace.normal();
        self.admits(&namespace, record.strategy.as_ref(), from.actor.as_ref(), from.session.as_ref())
            && self.bounds.admits_record(record)
    }

    /// True when a record of this group may be in the part: its bounds are not looked at. `namespace` is in normal form.
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

/// Which strategy's records a request asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StrategyChoice {
    /// Those of this strategy.
    Of(StrategyId),
    /// Those of none.
    None,
}

/// The records a read is about.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordScope {
    /// The memory.
    pub memory: MemoryId,
    /// What the caller may see: the union of the clauses; none means nothing.
    pub view: Vec<AccessClause>,
    /// Parts of the tree asked for, as a union; none means all.
    pub namespaces: Vec<NamespaceFilter>,
    /// The strategy asked for.
    pub strategy: Option<StrategyChoice>,
    /// Conditions on metadata, all of which must hold.
    pub metadata: Vec<MetadataFilter>,
    /// Kinds asked for; none means all.
    pub kinds: Vec<RecordKind>,
    /// States asked for; a plain read asks for [`RecordState::Active`].
    pub states: Vec<RecordState>,
    /// What was true and known then, instead of now.
    pub as_of: Option<Timestamp>,
    /// The time of the request: what has expired by then is out.
    pub now: Timestamp,
}

impl RecordScope {
    /// Active records of a whole memory.
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

    /// True when the caller may see the whole memory.
    pub fn sees_all(&self) -> bool {
        self.view.iter().any(AccessClause::is_whole)
    }

    /// True when some part is narrower than its groups: [`RecordScope::may_see_record`] then has the last word.
    pub fn is_bound(&self) -> bool {
        !self.sees_all() && self.view.iter().any(|clause| !clause.bounds.is_none())
    }

    /// True when the caller may see the record.
    pub fn may_see_record(&self, record: &Record) -> bool {
        self.view.iter().any(|clause| clause.admits_record(record))
    }

    /// True when the caller may see the group, or some of it: the part of the test that is access alone.
    pub fn may_see(
        &self,
        namespace: &str,
        strategy: Option<&StrategyId>,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
    ) -> bool {
        self.view.iter().any(|clause| clause.admits(namespace, strategy, actor, session))
    }

    /// True when the request asks for the group: namespace and strategy.
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
