//! The measured filters, each as a scope for the index and as a predicate on a row for brute force.

use loci_model::record::metadata::{MetadataValue, SYSTEM_CREATED_AT};
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::{AccessClause, RecordScope, StrategyChoice};
use loci_model::record::{RecordKind, RecordState};
use loci_model::{ActorId, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, StrategyId, Timestamp};

use crate::world::{FIRST_DAY_MS, SHARES, SIZES, Traits};

/// A filter.
pub(crate) struct Filter {
    /// A description, with the approximate share of admitted passages.
    pub(crate) name: String,
    /// The filter as a scope of a request.
    pub(crate) scope: RecordScope,
    admits: Box<dyn Fn(&Traits) -> bool>,
    takes_inactive: bool,
}

impl Filter {
    fn new(
        name: impl Into<String>,
        change: impl FnOnce(&mut RecordScope),
        admits: impl Fn(&Traits) -> bool + 'static,
    ) -> Self {
        let mut scope =
            RecordScope::whole(MemoryId::parse("growth-0123456789").expect("a memory id"), Timestamp::LATEST);
        change(&mut scope);
        let takes_inactive = scope.states != [RecordState::Active];
        Self { name: name.into(), scope, admits: Box::new(admits), takes_inactive }
    }

    /// True if the scope admits a row.
    pub(crate) fn admits(&self, traits: &Traits) -> bool {
        (self.takes_inactive || traits.state == RecordState::Active) && (self.admits)(traits)
    }
}

fn metadata(key: &str, operator: FilterOperator, right: Option<MetadataValue>) -> MetadataFilter {
    MetadataFilter { key: key.into(), operator, right }
}

fn within(node: &str, mode: NamespaceMatch) -> NamespaceFilter {
    NamespaceFilter::new(&Namespace::parse(node).expect("a namespace"), mode)
}

fn tier(name: &str) -> MetadataFilter {
    metadata("tier", FilterOperator::EqualsTo, Some(MetadataValue::String(name.into())))
}

fn smaller(than: u64) -> MetadataFilter {
    metadata("size", FilterOperator::LessThan, Some(MetadataValue::Number(than as f64)))
}

/// Returns all filters; the first one admits everything.
pub(crate) fn all() -> Vec<Filter> {
    let mut filters = vec![Filter::new("none", |_| (), |_| true)];
    for (at, (name, many)) in SHARES.iter().enumerate() {
        let percent = *many as f64 / 100.0;
        let node = format!("/{name}");
        filters.push(Filter::new(
            format!("namespace beneath, {percent} %"),
            |scope| scope.namespaces = vec![within(&node, NamespaceMatch::Subtree)],
            move |traits| traits.place == Some(at),
        ));
        filters.push(Filter::new(
            format!("text equal, {percent} %"),
            |scope| scope.metadata.push(tier(name)),
            move |traits| traits.tier == Some(at),
        ));
        let bound = SIZES * many / 10_000;
        filters.push(Filter::new(
            format!("number below, {percent} %"),
            |scope| scope.metadata.push(smaller(bound)),
            move |traits| traits.size < bound,
        ));
        let age = (bound * 86_400_000).cast_signed();
        filters.push(Filter::new(
            format!("created before, {percent} %"),
            |scope| {
                let right = MetadataValue::DateTime(Timestamp::clamped(FIRST_DAY_MS + age));
                scope.metadata.push(metadata(SYSTEM_CREATED_AT, FilterOperator::Before, Some(right)));
            },
            move |traits| traits.age < age,
        ));
    }
    filters.extend(single());
    filters.extend(on_columns());
    filters.extend(joint());
    filters
}

/// Filters that admit very little: a record, a user.
fn single() -> Vec<Filter> {
    vec![
        Filter::new(
            "number equal, 1 record",
            |scope| {
                let right = Some(MetadataValue::Number(4_242.0));
                scope.metadata.push(metadata("turn", FilterOperator::EqualsTo, right));
            },
            |traits| traits.is_turn && traits.number == 4_242,
        ),
        Filter::new(
            "namespace exact, a user's half",
            |scope| scope.namespaces = vec![within("/half/u7", NamespaceMatch::Exact)],
            |traits| traits.place == Some(0) && traits.user == 7,
        ),
        Filter::new(
            "grant of an actor, 100 records",
            |scope| {
                let actor = ActorId::parse("u7").expect("an actor id");
                scope.view = vec![AccessClause { actor: Some(actor), ..AccessClause::default() }];
            },
            |traits| traits.user == 7,
        ),
    ]
}

/// Filters on attributes of every record: strategy, kind, state, times.
fn on_columns() -> Vec<Filter> {
    let middle = (SIZES / 2 * 86_400_000).cast_signed();
    vec![
        Filter::new(
            "strategy, 50 %",
            |scope| {
                scope.strategy = Some(StrategyChoice::Of(StrategyId::parse("facts").expect("a strategy id")))
            },
            |traits| !traits.is_turn,
        ),
        Filter::new(
            "kind, 10 %",
            |scope| scope.kinds = vec![RecordKind::Preference],
            |traits| traits.kind == RecordKind::Preference,
        ),
        Filter::new(
            "state, 1 %",
            |scope| scope.states = vec![RecordState::Superseded],
            |traits| traits.state == RecordState::Superseded,
        ),
        Filter::new(
            "as of the middle, 50 %",
            |scope| scope.as_of = Some(Timestamp::clamped(FIRST_DAY_MS + middle)),
            move |traits| traits.age <= middle,
        ),
        Filter::new(
            "key absent, 39 %",
            |scope| scope.metadata.push(metadata("tier", FilterOperator::NotExists, None)),
            |traits| traits.tier.is_none(),
        ),
        Filter::new(
            "list contains, 10 %",
            |scope| {
                let right = Some(MetadataValue::String("label-3".into()));
                scope.metadata.push(metadata("labels", FilterOperator::Contains, right));
            },
            |traits| traits.labels.is_some_and(|labels| labels.contains(&3)),
        ),
    ]
}

/// Combined filters.
fn joint() -> Vec<Filter> {
    vec![
        Filter::new(
            "text and number, 25 %",
            |scope| scope.metadata = vec![tier("half"), smaller(SIZES / 2)],
            |traits| traits.tier == Some(0) && traits.size < SIZES / 2,
        ),
        Filter::new(
            "namespace and text, 1 %",
            |scope| {
                scope.namespaces = vec![within("/tenth", NamespaceMatch::Subtree)];
                scope.metadata = vec![tier("tenth")];
            },
            |traits| traits.place == Some(1) && traits.tier == Some(1),
        ),
        Filter::new(
            "grant of a namespace, 10 %, and number, 5 %",
            |scope| {
                let namespace = Some(within("/tenth", NamespaceMatch::Subtree));
                scope.view = vec![AccessClause { namespace, ..AccessClause::default() }];
                scope.metadata = vec![smaller(SIZES / 2)];
            },
            |traits| traits.place == Some(1) && traits.size < SIZES / 2,
        ),
    ]
}
