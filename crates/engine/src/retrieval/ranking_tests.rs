//! Golden rankings of a small conversation, and the guarantees of the order.

use super::super::signals::test_case::bare_candidate;
use super::*;
use loci_model::event::Role;
use loci_model::ports::search::ListLengths;
use loci_model::record::RecordKind;
use loci_model::{RecordId, Timestamp};
use loci_store_conformance::plain_corpus::{PlainCorpus, PlainTurn};
use loci_text::question;

const LISTS: ListLengths = ListLengths { window: 200, turn: 200, dense: 200 };

/// Vectors of three dimensions: boats, gardens, music.
const TALK: [(u32, &str, &str, Role, [f32; 3]); 9] = [
    (1, "2023-05-08", "Vera: The red lighthouse opened its kitchen again.", Role::User, [0.8, 0.6, 0.0]),
    (1, "2023-05-08", "Oskar: Did you eat there?", Role::User, [0.6, 0.8, 0.0]),
    (
        1,
        "2023-05-08",
        "Vera: We had 3 bowls of soup with Ilse and Tom yesterday.",
        Role::User,
        [0.6, 0.0, 0.8],
    ),
    (2, "2023-06-20", "Oskar: I sold my boat to a man from Bergen.", Role::User, [1.0, 0.0, 0.0]),
    (2, "2023-06-20", "Vera: For how long did you own the boat?", Role::User, [0.96, 0.28, 0.0]),
    (2, "2023-06-20", "Oskar: Nine years, since the summer of 2014.", Role::User, [0.6, 0.0, 0.8]),
    (
        3,
        "2023-07-01",
        "Here is a plan for the garden: roses by the red wall.",
        Role::Assistant,
        [0.0, 1.0, 0.0],
    ),
    (3, "2023-07-01", "Vera: I planted tulips by the wall instead.", Role::User, [0.0, 0.8, 0.6]),
    (4, "2023-07-09", "Oskar: The harbour choir sings on Friday.", Role::User, [0.0, 0.0, 1.0]),
];

fn record(place: usize) -> RecordId {
    RecordId::compose(&format!("{place:036}")).unwrap()
}

fn corpus(with_vectors: bool) -> PlainCorpus {
    let turns = TALK.iter().enumerate().map(|(place, (session, day, text, role, vector))| PlainTurn {
        record: record(place),
        part: 0,
        kind: RecordKind::Fact,
        session: *session,
        text: (*text).to_owned(),
        path: None,
        role: Some(*role),
        time: Some(Timestamp::parse(day).unwrap().plus_millis(i64::try_from(place).unwrap() * 10_000)),
        vector: with_vectors.then(|| vector.to_vec()),
    });
    PlainCorpus::new(turns.collect())
}

/// Returns the indexes of the turns, best first.
fn places(ranked: &[Ranked<'_>]) -> Vec<usize> {
    let place = |ranked: &Ranked<'_>| ranked.candidate.record.as_str()[4..].parse().unwrap();
    ranked.iter().map(place).collect()
}

fn ask(
    corpus: &PlainCorpus,
    text: &str,
    vector: Option<&[f32]>,
    weights: &Weights,
) -> (Vec<usize>, Vec<f64>) {
    let question = question::parse(text, corpus.known_names(), None);
    let terms = distinct_terms(&question);
    let set = corpus.candidates(&terms, vector, LISTS);
    let ranked = rank(&question, &terms, &set, weights);
    (places(&ranked), ranked.iter().map(|ranked| ranked.score).collect())
}

#[test]
fn golden_values_of_one_turn() {
    let corpus = corpus(true);
    assert_eq!(corpus.known_names(), ["Oskar", "Vera"]);
    let question =
        question::parse("How long did Oskar own his boat before June 2023?", corpus.known_names(), None);
    let terms = distinct_terms(&question);
    assert_eq!(terms, ["long", "own", "boat", "june", "2023"]);
    let set = corpus.candidates(&terms, Some(&[1.0, 0.0, 0.0]), LISTS);
    assert_eq!((set.statistics.turns, &set.statistics.df[..]), (9, &[1, 1, 2, 0, 0][..]));
    let weights = Weights::shipped().unwrap();
    let ranked = rank(&question, &terms, &set, weights);
    let turn = ranked.iter().find(|ranked| ranked.candidate.record == record(5)).unwrap();

    // Terms of the session: sold boat man bergen / long own boat / nine year sinc summer 2014.
    let lengths = [4.0, 3.0, 5.0];
    let own = turn.candidate.views.all();
    assert_eq!(own.each_ref().map(|view| view.length), [5, 8, 12, 12]);
    assert_eq!(own[2].tf, [1, 1, 2, 0, 0]);
    let (rare, boat) = ((1.0f32 + 8.5 / 1.5).ln(), (1.0f32 + 7.5 / 2.5).ln());
    let average = |view: usize| set.statistics.views[view].average_length;
    let share = |idf: f32, tf: f32, k1: f32, b: f32, relative: f32| {
        idf * tf * (k1 + 1.0) / (tf + k1 * (1.0 - b + b * relative))
    };
    let window = {
        let relative = lengths.iter().sum::<f32>() / average(2);
        2.0 * share(rare, 1.0, 0.9, 0.4, relative) + share(boat, 2.0, 0.9, 0.4, relative)
    };
    // The context of the last turn of a session: itself, 0.4 of the previous turn, 0.2 of the turn
    // before that.
    let context = [0.6 + 0.4 * 0.96 + 0.2, 0.4 * 0.28, 0.8f32];
    let length = context.iter().map(|value| value * value).sum::<f32>().sqrt();
    let expect = [
        ("lex_turn", 0.0),
        ("lex_window", window / (4.0 * rare)),
        ("lex_session", 1.0),
        ("phrase", 0.0),
        ("dense", 0.6),
        ("dense_window", context[0] / length),
        ("speaker", 1.0),
        ("assistant", 0.0),
        ("assistant_you", 0.0),
        ("date", 1.0),
        ("when_time", 0.0),
        ("long_duration", 1.0),
        ("question", 0.0),
        ("entities", 0.0),
        ("number", 1.0),
        ("first_person", 0.0),
        ("path", 0.0),
    ];
    for (name, expect) in expect {
        let at = SIGNALS.iter().position(|signal| signal.name == name).unwrap();
        assert!((turn.values[at] - expect).abs() < 1e-5, "{name}: {} is not {expect}", turn.values[at]);
    }
    let by_hand: f64 = weights.signals.iter().zip(turn.values).map(|(w, v)| w * f64::from(v)).sum();
    assert!((turn.score - by_hand).abs() < 1e-9);
    assert_eq!(places(&ranked)[0], 5);
}

#[test]
fn golden_orders() {
    let weights = Weights::shipped().unwrap();
    let check = |question: &str, vector: [f32; 3], with: &[usize], without: &[usize]| {
        let (order, _) = ask(&corpus(true), question, Some(&vector), weights);
        assert_eq!(&order[..with.len()], with, "{question}: {order:?}");
        let (order, _) = ask(&corpus(false), question, None, weights);
        assert_eq!(&order[..without.len()], without, "without vectors: {question}: {order:?}");
    };
    check("When did Vera eat soup at the lighthouse?", [0.7, 0.1, 0.7], &[2, 0], &[2, 0]);
    check("Who bought Oskar\'s boat?", [1.0, 0.0, 0.0], &[3, 5], &[5, 3]);
    check("What grows by the wall?", [0.0, 1.0, 0.0], &[7, 6], &[7, 6]);
    check("Which roses did you recommend in your plan for the garden?", [0.0, 1.0, 0.0], &[6, 7], &[6, 7]);
    check("What happened in July 2023 at the harbour?", [0.0, 0.0, 1.0], &[8], &[8]);
}

#[test]
fn a_signal_of_weight_zero_leaves_the_ranking_unchanged() {
    let shipped = Weights::shipped().unwrap();
    let question = "When did Vera eat soup at the lighthouse?";
    let vector: Option<&[f32]> = Some(&[0.7, 0.1, 0.7]);
    // `path` is 0 for conversations at any weight; another signal must lose its effect with its
    // weight.
    let silent = |name: &str, weight: f64| {
        let at = SIGNALS.iter().position(|signal| signal.name == name).unwrap();
        let mut weights = shipped.clone();
        weights.signals[at] = weight;
        ask(&corpus(true), question, vector, &weights)
    };
    assert_eq!(silent("path", 0.0), ask(&corpus(true), question, vector, shipped));
    let without = silent("entities", 0.0);
    assert_ne!(without.1, ask(&corpus(true), question, vector, shipped).1);
    let mut values = [0.0; SIGNAL_COUNT];
    values[14] = 1.0;
    let mut zero = shipped.clone();
    zero.signals[14] = 0.0;
    assert_eq!(sum(&values, &zero), 0.0);
    assert_eq!(sum(&values, shipped), shipped.signals[14]);
}

#[test]
fn the_same_question_gives_the_same_list_whatever_the_order_of_candidates() {
    let (weights, corpus) = (Weights::shipped().unwrap(), corpus(true));
    let question = question::parse("What about the boat?", corpus.known_names(), None);
    let terms = distinct_terms(&question);
    let mut set = corpus.candidates(&terms, Some(&[0.6, 0.0, 0.8]), LISTS);
    let forward = places(&rank(&question, &terms, &set, weights));
    set.candidates.reverse();
    assert_eq!(places(&rank(&question, &terms, &set, weights)), forward);
}

#[test]
fn ties() {
    // Rows of score, time in milliseconds, dense; then the expected order.
    let check = |rows: &[(f64, i64, f32)], expect: &[usize]| {
        let candidates: Vec<Candidate> = rows
            .iter()
            .enumerate()
            .map(|(place, (_, time, dense))| Candidate {
                record: record(place),
                time: Timestamp::clamped(*time),
                dense: Some(*dense),
                ..bare_candidate(0)
            })
            .collect();
        let ranked = candidates.iter().zip(rows).map(|(candidate, row)| Ranked {
            candidate,
            score: row.0,
            values: [0.0; SIGNAL_COUNT],
        });
        let ranked = in_order(ranked.collect());
        assert_eq!(places(&ranked), expect, "{rows:?}");
        assert!(ranked.is_sorted_by(|one, next| one.score >= next.score), "{rows:?}: scores rise");
    };
    check(&[(1.0, 5, 0.0), (2.0, 1, 0.0)], &[1, 0]);
    check(&[(1.0, 1, 0.9), (1.0, 5, 0.0)], &[1, 0]);
    check(&[(1.0, 5, 0.1), (1.0, 5, 0.2)], &[1, 0]);
    check(&[(1.0, 5, 0.1), (1.0, 5, 0.1)], &[0, 1]);
    check(&[(1.000_000_5, 1, 0.0), (1.0, 5, 0.0)], &[1, 0]);
    check(&[(1.000_002, 1, 0.0), (1.0, 5, 0.0)], &[0, 1]);
    // Equal to the best of the run, not to the neighbour.
    check(&[(1.0, 1, 0.0), (0.999_999_4, 2, 0.0), (0.999_998_8, 3, 0.0)], &[1, 0, 2]);
    check(&[], &[]);
}

#[test]
fn a_record_stands_where_its_best_passage_stands() {
    let mut candidates = vec![bare_candidate(0), bare_candidate(1), bare_candidate(0)];
    candidates[2].part = 1;
    let ranked = [1.0, 2.0, 3.0].into_iter().zip(&candidates).map(|(score, candidate)| Ranked {
        candidate,
        score,
        values: [0.0; SIGNAL_COUNT],
    });
    let best: Vec<_> = best_passages(in_order(ranked.collect())).collect();
    assert_eq!(places(&best), [0, 1]);
    assert_eq!(best[0].candidate.part, 1);
}

#[test]
fn the_rarest_terms_stay_in_the_order_of_the_question() {
    let terms: Vec<String> = (0..70).map(|at| at.to_string()).collect();
    let rising: Vec<f32> = (0..70).map(|at| at as f32).collect();
    assert_eq!(rarest(terms.clone(), &rising), terms[6..]);
    assert_eq!(rarest(terms.clone(), &[1.0; 70]), terms[..64], "earlier ones first among equals");
    assert_eq!(rarest(terms[..3].to_vec(), &rising[..3]), terms[..3]);
}
