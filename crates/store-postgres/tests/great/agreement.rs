//! Compares statistics and ranking.

use std::collections::BTreeMap;

use loci_model::ports::search::{Candidate, CandidateSet, LexicalView, NeighbourRequest, Search};
use loci_model::ports::store::{RecordChange, SupersedeChange};
use loci_model::record::scope::{AccessClause, RecordScope, StrategyChoice};
use loci_model::record::{RecordKind, RecordState};
use loci_model::{ActorId, Namespace, NamespaceFilter, NamespaceMatch, StrategyId};
use loci_testkit_ports::{HashEmbedder, block_on, samples};
use loci_text::bm25::{PAIR, SESSION, TURN, View, WINDOW, idf, term_score};

use super::paired_stores::Twin;
use super::story;

const TURNS: u32 = 1_200;
const FILES: u32 = 40;

/// Returns conversation and files, some superseded, some deleted, some without vectors.
fn told() -> Twin {
    let twin = Twin::new(20_000);
    twin.put((0..TURNS).map(|number| story::turn(&twin.memory, number)).collect(), |record| {
        !story::number_of(&record.id).is_multiple_of(9)
    });
    twin.put((TURNS..TURNS + FILES).map(|number| story::file(&twin.memory, number)).collect(), |_| false);
    let memory = twin.memory.clone();
    twin.write(move |tx| {
        for number in (0..TURNS).step_by(37) {
            let id = samples::record_id(number)?;
            let (at, reason) = (samples::time(5_000), "a test".to_owned());
            if number % 2 == 0 {
                let by = samples::record_id(number + 1)?;
                let change = SupersedeChange { by, reason, at, valid_to: at };
                tx.records_mut().supersede(&memory, &id, &change)?;
            } else {
                let change = RecordChange { state: RecordState::Archived, reason, at };
                tx.records_mut().set_state(&memory, &id, &change)?;
            }
        }
        Ok(())
    });
    twin
}

fn scopes(whole: &RecordScope) -> BTreeMap<&'static str, RecordScope> {
    let under = |path: &str, mode| NamespaceFilter::new(&Namespace::parse(path).unwrap(), mode);
    let clause = AccessClause { actor: Some(ActorId::parse("actor-1").unwrap()), ..AccessClause::default() };
    let strategy = StrategyId::parse("files").unwrap();
    BTreeMap::from([
        ("whole", whole.clone()),
        ("talk", RecordScope { namespaces: vec![under("/talk/", NamespaceMatch::Subtree)], ..whole.clone() }),
        (
            "one namespace",
            RecordScope { namespaces: vec![under("/talk/actor-2/", NamespaceMatch::Exact)], ..whole.clone() },
        ),
        (
            "files of a strategy",
            RecordScope { strategy: Some(StrategyChoice::Of(strategy)), ..whole.clone() },
        ),
        ("of no strategy", RecordScope { strategy: Some(StrategyChoice::None), ..whole.clone() }),
        ("what an actor may see", RecordScope { view: vec![clause], ..whole.clone() }),
        ("nothing", RecordScope { view: Vec::new(), ..whole.clone() }),
        ("preferences", RecordScope { kinds: vec![RecordKind::Preference], ..whole.clone() }),
        (
            "superseded too",
            RecordScope { states: vec![RecordState::Active, RecordState::Superseded], ..whole.clone() },
        ),
        ("then", RecordScope { as_of: Some(samples::time(900)), ..whole.clone() }),
    ])
}

fn near(left: f32, right: f32) -> bool {
    (left - right).abs() <= 1e-3 * left.abs().max(1.0)
}

/// The weight of each view, relative to 1.4 for the passage's cosine and 6.6 for that of its
/// context: close to the real ranking.
const VIEWS: [(View, f32); 4] = [(TURN, 0.4), (PAIR, 0.4), (WINDOW, 0.5), (SESSION, 0.3)];

fn score(set: &CandidateSet, one: &Candidate) -> f32 {
    let statistics = &set.statistics;
    let of_view = |((view, weight), at): (&(View, f32), LexicalView)| {
        let average = statistics.views[at as usize].average_length;
        let term = |(count, df): (&u32, &u32)| {
            let idf = idf(statistics.turns, *df);
            term_score(*view, idf, *count as f32, one.views.length(at) as f32, average)
        };
        weight * one.views.tf(at).iter().zip(&statistics.df).map(term).sum::<f32>()
    };
    let words: f32 = VIEWS.iter().zip(LexicalView::ALL).map(of_view).sum();
    words + 1.4 * one.dense.unwrap_or(0.0) + 6.6 * one.dense_window.unwrap_or(0.0)
}

/// Returns the best ten.
fn ten(set: &CandidateSet) -> Vec<(u32, u32)> {
    let place = |one: &Candidate| (story::number_of(&one.record), one.part);
    let mut ranked: Vec<_> = set.candidates.iter().map(|one| (score(set, one), place(one))).collect();
    ranked.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.cmp(b)));
    ranked.into_iter().take(10).map(|(_, place)| place).collect()
}

#[test]
fn both_rank_alike() {
    let twin = told();
    let whole = twin.whole();
    for (name, scope) in scopes(&whole) {
        let (mut shared, mut all) = (0, 0);
        for number in (5..TURNS).step_by(97) {
            let text = story::question(&twin.memory, number);
            let request = twin.request(scope.clone(), &text);
            let (small, great) = twin.ask(&request);
            assert_eq!(small.passages_in_scope, great.passages_in_scope, "{name}: in scope");
            assert_eq!(
                small.passages_without_vector, great.passages_without_vector,
                "{name}: without vector"
            );
            assert_eq!(small.sequence, great.sequence, "{name}: sequence");
            let (a, b) = (&small.statistics, &great.statistics);
            assert_eq!((a.turns, a.of_scope, a.paths), (b.turns, b.of_scope, b.paths), "{name}: counts");
            assert_eq!((&a.df, &a.path_df), (&b.df, &b.path_df), "{name}: frequencies of {text}");
            for (a, b) in a.views.iter().zip(&b.views) {
                assert!(near(a.average_length, b.average_length), "{name}: {a:?} {b:?}");
            }
            assert!(near(a.path_average_length, b.path_average_length), "{name}: paths");
            let (expect, got) = (ten(&small), ten(&great));
            assert_eq!(expect.len(), got.len(), "{name}: as many");
            all += expect.len();
            shared += expect.iter().filter(|one| got.contains(one)).count();
        }
        assert!(shared * 100 >= all * 99, "{name}: {shared} of {all} of the best ten are the same");
    }
}

#[test]
fn names_neighbours_and_likeness_agree() {
    let twin = told();
    for (name, scope) in scopes(&twin.whole()) {
        let names = |search: &dyn Search| block_on(search.known_names(&scope)).unwrap();
        assert_eq!(names(twin.small.search()), names(twin.great.search()), "{name}");
    }
    for number in (3..TURNS).step_by(61) {
        let record = story::turn(&twin.memory, number);
        let (with_cosine, text) = (number % 2 == 0, record.text.replacen('.', " again.", 1));
        let request = NeighbourRequest {
            scope: twin.whole(),
            namespace: record.namespace.clone(),
            strategy: record.strategy.clone(),
            vector: Some((HashEmbedder::default().vector(&text), "hash-64".to_owned())),
            text,
            jaccard_min: 0.4,
            cosine_min: with_cosine.then_some(0.6),
            limit: 5,
        };
        let near = |search: &dyn Search| block_on(search.neighbours(request.clone())).unwrap();
        assert_eq!(near(twin.small.search()), near(twin.great.search()), "{number}");
        let (one, other) = (samples::record_id(number).unwrap(), samples::record_id(number + 1).unwrap());
        let alike =
            |search: &dyn Search| block_on(search.alike(&twin.memory, (&one, 0), (&other, 0))).unwrap();
        assert_eq!(alike(twin.small.search()), alike(twin.great.search()), "{number}");
    }
}
