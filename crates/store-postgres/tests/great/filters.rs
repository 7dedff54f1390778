//! Filters never shorten a list, for any selectivity and any search method.

use loci_model::ports::search::{CandidateRequest, CandidateSet, ListLengths};
use loci_model::record::metadata::{MetadataValue, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT};
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::{AccessClause, RecordScope};
use loci_model::record::{RecordKind, RecordOrigin};
use loci_model::{ActorId, Namespace, NamespaceFilter, NamespaceMatch};
use loci_testkit_ports::samples;

use super::paired_stores::Twin;
use super::story;

const TURNS: u32 = 4_000;
/// The maximum number of checks for a graph. Each takes some hundredths of a second.
const ASKED_MAX: u32 = 3_000;

fn with_vector(set: &CandidateSet) -> usize {
    set.candidates.iter().filter(|found| found.dense.is_some()).count()
}

fn filter(key: &str, operator: FilterOperator, right: Option<MetadataValue>) -> Vec<MetadataFilter> {
    vec![MetadataFilter { key: key.into(), operator, right }]
}

fn scopes(whole: &RecordScope) -> Vec<(&'static str, RecordScope)> {
    let text = |text: &str| Some(MetadataValue::String(text.into()));
    let of = |metadata| RecordScope { metadata, ..whole.clone() };
    let talk = NamespaceFilter::new(&Namespace::parse("/talk/actor-3/").unwrap(), NamespaceMatch::Exact);
    let clause = AccessClause { actor: Some(ActorId::parse("actor-1").unwrap()), ..AccessClause::default() };
    vec![
        ("all", whole.clone()),
        ("10 %, a number", of(filter("tenth", FilterOperator::EqualsTo, Some(MetadataValue::Number(3.0))))),
        ("1 %, a text", of(filter("hundredth", FilterOperator::EqualsTo, text("h42")))),
        ("0.1 %, of a list", of(filter("rare", FilterOperator::Contains, text("yes")))),
        ("80 %, a range", of(filter("tenth", FilterOperator::LessThan, Some(MetadataValue::Number(8.0))))),
        ("none", of(filter("absent", FilterOperator::Exists, None))),
        ("25 %, a namespace", RecordScope { namespaces: vec![talk], ..whole.clone() }),
        ("25 %, a grant", RecordScope { view: vec![clause], ..whole.clone() }),
        ("2 %, a kind", RecordScope { kinds: vec![RecordKind::Preference], ..whole.clone() }),
    ]
}

#[test]
fn lists_are_full_past_any_filter() {
    let twin = Twin::new(100);
    twin.put((0..TURNS).map(|number| story::turn(&twin.memory, number)).collect(), |_| true);
    let asked = |scope: &RecordScope, number| {
        let text = story::question(&twin.memory, number);
        let lists = Some(ListLengths { window: 10, turn: 10, dense: 10 });
        CandidateRequest { lists, ..twin.request(scope.clone(), &text) }
    };
    let check = |how: &str| {
        for (name, scope) in scopes(&twin.whole()) {
            let (mut expected, mut same) = (0, 0);
            for number in (11..TURNS).step_by(431) {
                let (small, great) = twin.ask(&asked(&scope, number));
                assert_eq!(small.passages_in_scope, great.passages_in_scope, "{how}, {name}");
                let (expect, got) = (with_vector(&small), with_vector(&great));
                let least = expect.min(10);
                assert!(got >= least, "{how}, {name}: {got} of {expect}");
                expected += small.candidates.len();
                let there = |one: &_| great.candidates.iter().any(|other| other.record == *one);
                same += small.candidates.iter().filter(|found| there(&found.record)).count();
            }
            assert!(
                same * 100 >= expected * 95,
                "{how}, {name}: {same} of {expected} candidates are the same"
            );
        }
    };
    check("compared");
    let graphs = "SELECT count(*) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relname LIKE 'graph%' \
                  AND i.indisvalid";
    // The first question missed it, and its creation started.
    assert!((0..ASKED_MAX).any(|_| twin.sql(graphs) == "1"), "nobody made a graph");
    check("walked");
    let used = "SELECT sum(idx_scan) > 0 FROM pg_stat_user_indexes WHERE indexrelname LIKE 'graph%'";
    assert!((0..ASKED_MAX).any(|_| twin.sql(used) == "t"), "the graph was not walked");
}

/// Every operator with every type of value admits the same records.
#[test]
fn filters_mean_the_same() {
    use FilterOperator as Op;
    use MetadataValue as V;
    let twin = Twin::new(20_000);
    let records = (0..300).map(|number| {
        let mut record = story::turn(&twin.memory, number);
        let half = f64::from(number % 7) / 2.0 - 1.0;
        record.metadata.insert("half".into(), V::Number(half));
        if number % 3 == 0 {
            record.metadata.insert("third".into(), V::String(format!("all {}", number % 2)));
            record.metadata.insert("when".into(), V::DateTime(samples::time(i64::from(number))));
        }
        if number % 4 == 0 {
            record.origin = RecordOrigin::BatchCreated;
        }
        record
    });
    twin.put(records.collect(), |_| true);
    let texts = |texts: &[&str]| V::StringList(texts.iter().map(ToString::to_string).collect());
    let values = [
        V::Number(-0.5),
        V::Number(-0.0),
        V::Number(1.5),
        V::Number(f64::NAN),
        V::String("all 0".into()),
        V::String("yes".into()),
        V::String("all".into()),
        V::String(RecordOrigin::BatchCreated.wire().into()),
        texts(&["all", "yes"]),
        texts(&["all"]),
        texts(&["no", "all", "no"]),
        V::DateTime(samples::time(150)),
    ];
    let operators = [
        Op::EqualsTo,
        Op::Exists,
        Op::NotExists,
        Op::Before,
        Op::After,
        Op::Contains,
        Op::GreaterThan,
        Op::GreaterThanOrEquals,
        Op::LessThan,
        Op::LessThanOrEquals,
    ];
    let keys = ["half", "third", "when", "rare", SYSTEM_CREATED_AT, SYSTEM_UPDATED_AT, SYSTEM_RECORD_TYPE];
    let mut narrowed = 0;
    for (key, operator) in keys.into_iter().flat_map(|key| operators.map(|operator| (key, operator))) {
        for right in &values {
            let scope = RecordScope { metadata: filter(key, operator, Some(right.clone())), ..twin.whole() };
            let (small, great) = twin.ask(&twin.request(scope, "zabab"));
            assert_eq!(small.passages_in_scope, great.passages_in_scope, "{key} {operator:?} {right:?}");
            narrowed += u32::from((1..300).contains(&small.passages_in_scope));
        }
    }
    assert!(narrowed > 40, "{narrowed} filters let some through and not all");
}
