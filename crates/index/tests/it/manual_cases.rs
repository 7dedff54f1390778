//! Small cases computed by hand: they detect errors that the reference implementation shares.

use loci_index::MemoryIndex;
use loci_model::NamespaceMatch;
use loci_model::ports::search::{
    Candidate, CandidateRequest, CandidateSet, LexicalView, ListLengths, NeighbourRequest,
};
use loci_model::principal::bounds::Bounds;
use loci_model::record::RecordState;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::scope::AccessClause;
use loci_model::{Namespace, SessionId, StrategyId};

use crate::raw_records::{MODEL, RawRecord, at, filter, record_id, request, whole};

fn index_of(raws: &[RawRecord]) -> MemoryIndex {
    let mut index = MemoryIndex::new();
    raws.iter().for_each(|raw| index.apply(raw.input()));
    index
}

fn of(set: &CandidateSet, number: u32) -> &Candidate {
    set.candidates.iter().find(|candidate| candidate.record == record_id(number)).unwrap()
}

fn numbers(set: &CandidateSet, up_to: u32) -> Vec<u32> {
    let held = |number: &u32| set.candidates.iter().any(|candidate| candidate.record == record_id(*number));
    (0..up_to).filter(held).collect()
}

#[test]
fn the_four_views_of_a_turn() {
    let texts = ["tea tea", "cat", "cat tea", "dog", "tea", "lamp"];
    let index =
        index_of(&(0..).zip(texts).map(|(number, text)| RawRecord::turn(number, text)).collect::<Vec<_>>());
    let set = index.candidates(&request(whole(0), "tea"));
    let views = |number| of(&set, number).views.all().map(|view| (view.tf[0], view.length));
    assert_eq!(views(0), [(2, 2), (2, 2), (2, 3), (4, 8)]);
    assert_eq!(views(3), [(0, 1), (1, 3), (2, 5), (4, 8)]);
    assert_eq!(views(5), [(0, 1), (1, 2), (1, 3), (4, 8)]);
    let averages = set.statistics.views.map(|view| view.average_length);
    // Pairs 2 3 3 3 2 2; windows 3 5 6 5 5 3.
    assert_eq!(averages, [8.0 / 6.0, 15.0 / 6.0, 27.0 / 6.0, 8.0]);
    assert_eq!((set.statistics.turns, &set.statistics.df[..], set.statistics.of_scope), (6, &[3][..], false));
}

#[test]
fn sessions_bound_windows_and_only_active_turns_are_in_them() {
    let session = |number, text, session: &str| {
        RawRecord::turn(number, text).with(|head| head.session = Some(SessionId::parse(session).unwrap()))
    };
    let old = RawRecord::turn(1, "tea").with(|head| head.state = RecordState::Superseded);
    let index = index_of(&[
        RawRecord::turn(0, "cat"),
        old,
        RawRecord::turn(2, "dog tea"),
        session(3, "tea", "other"),
    ]);
    let set = index.candidates(&request(whole(0), "tea"));
    assert_eq!(numbers(&set, 4), [0, 2, 3]);
    assert_eq!(
        of(&set, 0).views.all().map(|view| (view.tf[0], view.length)),
        [(0, 1), (0, 1), (1, 3), (1, 3)]
    );
    assert_eq!((of(&set, 0).position, of(&set, 2).position), (0, 1));
    assert_ne!(of(&set, 0).session, of(&set, 3).session);
    assert_eq!(set.statistics.df, [2]);
}

#[test]
fn neighbours_that_bounds_hide_count_in_windows_however_many_others_have_the_term() {
    let colored = |number, text, color: &str| {
        let value = MetadataValue::String(color.to_owned());
        RawRecord::turn(number, text).with(|head| drop(head.metadata.insert("color".into(), value)))
    };
    let mut scope = whole(0);
    let allowed = [("color".to_owned(), ["red".to_owned()].into())].into();
    let bounds = Bounds { metadata: allowed, since: None };
    scope.view = vec![AccessClause { bounds, ..AccessClause::default() }];
    scope.view[0].session = Some(SessionId::parse("s").unwrap());
    // The caller sees the term only once, in a distant record: without it the term would have no
    // weight.
    let mut raws = vec![colored(0, "tea tea", "blue"), colored(1, "cat", "red")];
    raws.extend((2..5).map(|number| colored(number, "dog", "blue")));
    raws.push(colored(5, "tea", "red"));
    let mut index = index_of(&raws);
    let look = |index: &MemoryIndex| {
        let set = index.candidates(&request(scope.clone(), "tea"));
        assert_eq!(numbers(&set, 6), [1, 5]);
        of(&set, 1).views.all().map(|view| (view.tf[0], view.length))
    };
    let views = [(0, 1), (2, 3), (2, 4), (3, 7)];
    assert_eq!(look(&index), views);
    // From this number on, terms are read from the passages of the caller's groups instead of the
    // lists.
    for number in 6..200 {
        let other = RawRecord::turn(number, "tea");
        index.apply(other.with(|head| head.session = Some(SessionId::parse("other").unwrap())).input());
    }
    assert_eq!(look(&index), views);
}

#[test]
fn a_second_carrier_makes_a_name_and_its_leaving_unmakes_it() {
    let mut index = index_of(&[RawRecord::turn(0, "Anna: tea"), RawRecord::fact(1, "Anna: cat tea")]);
    let look = |index: &MemoryIndex| {
        let set = index.candidates(&request(whole(0), "tea anna"));
        let speakers = [0, 1].map(|number| of(&set, number).speaker.clone());
        let tf = [0, 1].map(|number| of(&set, number).views.tf(LexicalView::Turn).to_vec());
        (index.known_names(&whole(0)), speakers, tf)
    };
    let unknown = (vec![], [None, None], [vec![1, 1], vec![1, 1]]);
    let anna = Some("Anna".to_owned());
    let known = (vec!["Anna".to_owned()], [anna.clone(), anna], [vec![1, 0], vec![1, 0]]);
    assert_eq!(look(&index), unknown);
    index.apply(RawRecord::turn(2, "Anna: dog").input());
    assert_eq!(look(&index), known);
    index.remove(&record_id(2), 50);
    assert_eq!(look(&index), unknown);
    index.apply(RawRecord::turn(2, "Anna: dog").input());
    assert_eq!(look(&index), unknown, "an older state of a removed record stays out");
    index.apply(RawRecord::turn(2, "Anna: dog").with(|head| head.sequence = 51).input());
    assert_eq!(look(&index), known);
    index.apply(RawRecord::turn(2, "dog").with(|head| head.sequence = 52).input());
    assert_eq!(look(&index), unknown);
}

#[test]
fn a_restricted_view_knows_the_names_it_can_see() {
    let spoken = |number, namespace: &str, text| {
        RawRecord::turn(number, text).with(|head| head.namespace = namespace.into())
    };
    let index = index_of(&[
        spoken(0, "/a/", "Anna: tea"),
        spoken(1, "/b/", "Anna: tea"),
        spoken(2, "/b/", "Bob: tea"),
        spoken(3, "/b/", "Bob: tea"),
    ]);
    let check = |namespace: &str, expect: &[&str], df| {
        let clause = AccessClause {
            namespace: Some(filter(namespace, NamespaceMatch::Subtree)),
            ..Default::default()
        };
        let mut scope = whole(0);
        scope.view = vec![clause];
        assert_eq!(index.known_names(&scope), expect);
        let set = index.candidates(&request(scope, "tea"));
        assert_eq!(set.statistics.df, [df], "{namespace}");
        assert_eq!(set.statistics.turns, df);
    };
    check("/a", &["Anna"], 1);
    check("/b", &["Anna", "Bob"], 3);
    check("/", &["Anna", "Bob"], 4);
    check("/c", &[], 0);
}

#[test]
fn the_vector_in_context() {
    let index = index_of(&[
        RawRecord::turn(0, "a1").vector(&[0.0, 1.0, 0.0, 0.0]),
        RawRecord::turn(1, "b1").vector(&[0.0, 0.0, 1.0, 0.0]),
        RawRecord::turn(2, "c1").vector(&[1.0, 0.0, 0.0, 0.0]),
        RawRecord::turn(3, "d1").vector(&[0.0, 0.0, 0.0, 1.0]),
    ]);
    let check = |question: [f32; 4], number, expect: f32| {
        let mut request = request(whole(0), "");
        request.vector = Some((question.to_vec(), MODEL.to_owned()));
        let got = of(&index.candidates(&request), number).dense_window.unwrap();
        assert!((got - expect).abs() < 1e-3, "{got} {expect}");
    };
    let length = (1.0f32 + 0.04 + 0.16 + 0.09).sqrt();
    check([1.0, 0.0, 0.0, 0.0], 2, 1.0 / length);
    check([0.0, 1.0, 0.0, 0.0], 2, 0.2 / length);
    check([0.0, 0.0, 1.0, 0.0], 2, 0.4 / length);
    check([0.0, 0.0, 0.0, 1.0], 2, 0.3 / length);
    check([0.0, 1.0, 0.0, 0.0], 0, 1.0 / (1.0f32 + 0.09).sqrt());
}

#[test]
fn how_like_each_other_two_passages_are() {
    let mut sections = RawRecord::fact(3, "tea").vector(&[0.0, 2.0]);
    sections.passages.push((4, "cat".to_owned(), Some((vec![3.0, 3.0], MODEL))));
    let mut other_model = RawRecord::fact(4, "tea");
    other_model.passages[0].2 = Some((vec![1.0, 0.0], "model-other"));
    let index = index_of(&[
        RawRecord::fact(1, "tea").vector(&[1.0, 0.0]),
        RawRecord::fact(2, "tea").vector(&[-0.5, 0.0]),
        sections,
        other_model,
        RawRecord::fact(5, "tea"),
    ]);
    let check = |first: (u32, u32), second: (u32, u32), expect: Option<f32>| {
        let (left, right) = (record_id(first.0), record_id(second.0));
        for got in [
            index.alike((&left, first.1), (&right, second.1)),
            index.alike((&right, second.1), (&left, first.1)),
        ] {
            assert!(got.is_some() == expect.is_some(), "{first:?} {second:?}: {got:?}");
            assert!((got.unwrap_or(0.0) - expect.unwrap_or(0.0)).abs() < 1e-3, "{got:?} {expect:?}");
        }
    };
    check((1, 0), (1, 0), Some(1.0));
    check((1, 0), (2, 0), Some(-1.0));
    check((1, 0), (3, 0), Some(0.0));
    check((1, 0), (3, 4), Some(0.5f32.sqrt()));
    check((1, 0), (3, 1), None);
    check((1, 0), (4, 0), None);
    check((1, 0), (5, 0), None);
    check((1, 0), (6, 0), None);
}

#[test]
fn what_was_held_then() {
    let index = index_of(&[
        RawRecord::fact(0, "tea old").with(|head| {
            head.state = RecordState::Superseded;
            (head.created_at, head.valid_from) = (at(10), at(0));
            (head.valid_to, head.known_to) = (Some(at(50)), Some(at(60)));
        }),
        RawRecord::fact(1, "tea new").with(|head| (head.created_at, head.valid_from) = (at(60), at(50))),
        RawRecord::fact(2, "tea never").with(|head| head.state = RecordState::Candidate),
        RawRecord::fact(4, "tea gone").with(|head| {
            (head.created_at, head.valid_from, head.expires_at) = (at(10), at(0), Some(at(99)));
        }),
    ]);
    let check = |as_of: Option<i64>, now, expect: &[u32]| {
        let mut scope = whole(now);
        scope.as_of = as_of.map(at);
        assert_eq!(numbers(&index.candidates(&request(scope, "tea")), 5), expect, "{as_of:?} {now}");
    };
    check(None, 98, &[1, 4]);
    check(None, 99, &[1]);
    check(Some(9), 98, &[]);
    check(Some(10), 98, &[0, 4]);
    check(Some(49), 98, &[0, 4]);
    check(Some(50), 98, &[4]);
    check(Some(60), 98, &[1, 4]);
    check(Some(60), 99, &[1]);
}

#[test]
fn equal_scores_go_by_time_then_id() {
    let same = |number| RawRecord::fact(number, "tea cat").vector(&[1.0, 0.5]);
    let early = |number| same(number).with(|head| head.position.time = at(0));
    let index = index_of(&[early(1), early(2), same(5), same(4)]);
    let mut by_id = [record_id(1), record_id(2)];
    by_id.sort();
    let check = |lists, expect: Vec<loci_model::RecordId>| {
        let mut request = request(whole(0), "tea");
        request.vector = Some((vec![1.0, 0.0], MODEL.to_owned()));
        request.lists = Some(lists);
        let mut expect = expect;
        expect.sort();
        let got: Vec<_> =
            index.candidates(&request).candidates.into_iter().map(|candidate| candidate.record).collect();
        assert_eq!(got, expect, "{lists:?}");
    };
    let list = |window, turn, dense| ListLengths { window, turn, dense };
    for (one, three) in
        [(list(1, 0, 0), list(3, 0, 0)), (list(0, 1, 0), list(0, 3, 0)), (list(0, 0, 1), list(0, 0, 3))]
    {
        check(one, vec![record_id(5)]);
        check(three, vec![record_id(5), record_id(4), by_id[0].clone()]);
    }
    // For records without a session, one list of the greater length serves as both.
    check(list(3, 1, 0), vec![record_id(5), record_id(4), by_id[0].clone()]);
    check(list(1, 3, 0), vec![record_id(5), record_id(4), by_id[0].clone()]);
}

#[test]
fn a_path_stands_before_every_passage_and_counts_once() {
    let mut file = RawRecord::fact(0, "tea").with(|head| head.path = Some("src/lamp.rs".into()));
    file.passages.push((1, "cat".into(), None));
    let index = index_of(&[file, RawRecord::fact(1, "lamp")]);
    let set = index.candidates(&request(whole(0), "lamp cat"));
    let statistics = &set.statistics;
    assert_eq!(
        (statistics.paths, &statistics.path_df[..], statistics.path_average_length),
        (1, &[1, 0][..], 3.0)
    );
    assert_eq!(statistics.df, [3, 1]);
    let second = set.candidates.iter().find(|candidate| candidate.part == 1).unwrap();
    assert_eq!(second.path.as_ref().map(|path| (path.length, path.tf.clone())), Some((3, vec![1, 0])));
    assert_eq!(second.views.all().map(|view| view.length), [4, 8, 8, 8]);
    assert_eq!((second.position, of(&set, 1).path.clone()), (1, None));
}

#[test]
fn neighbours_of_a_new_text() {
    let of_strategy = |raw: RawRecord, strategy: &str| {
        raw.with(|head| head.strategy = Some(StrategyId::parse(strategy).unwrap()))
    };
    let index = index_of(&[
        of_strategy(RawRecord::fact(0, "red boat lamp"), "one").vector(&[1.0, 0.0]),
        of_strategy(RawRecord::fact(1, "red boat lamp dog"), "one"),
        of_strategy(RawRecord::fact(2, "red cat"), "one"),
        of_strategy(RawRecord::fact(4, "red boat lamp"), "two"),
        of_strategy(RawRecord::fact(5, "red boat lamp"), "one")
            .with(|head| head.state = RecordState::Superseded),
        of_strategy(RawRecord::fact(6, "red boat lamp"), "one").with(|head| head.namespace = "/b/".into()),
        of_strategy(RawRecord::fact(7, "red boat lamp"), "one").with(|head| head.expires_at = Some(at(5))),
    ]);
    let check = |text: &str, jaccard_min, limit, expect: &[(u32, f32)]| {
        let request = NeighbourRequest {
            scope: whole(5),
            namespace: Namespace::parse("a").unwrap(),
            strategy: Some(StrategyId::parse("one").unwrap()),
            text: text.into(),
            vector: Some((vec![1.0, 0.0], MODEL.to_owned())),
            jaccard_min,
            cosine_min: None,
            limit,
        };
        let got = index.neighbours(&request);
        let by_meaning = NeighbourRequest { cosine_min: Some(0.5), ..request };
        let near = index.neighbours(&by_meaning);
        assert!(limit == 1 || near.iter().any(|found| found.record == record_id(0)), "{text}: {near:?}");
        let pairs: Vec<_> = got.iter().map(|found| (found.record.clone(), found.jaccard)).collect();
        let expect: Vec<_> = expect.iter().map(|(number, jaccard)| (record_id(*number), *jaccard)).collect();
        assert_eq!(pairs, expect, "{text}");
        assert!(got.iter().all(|found| found.cosine.is_some() == (found.record == record_id(0))));
    };
    check("The red boat, lamp", 0.5, 9, &[(0, 1.0), (1, 0.75)]);
    check("red boat lamp lamp", 0.0, 9, &[(0, 1.0), (1, 0.75), (2, 0.25)]);
    check("red boat lamp", 0.0, 1, &[(0, 1.0)]);
    check("red unheard", 0.3, 9, &[(2, 1.0 / 3.0)]);
    check("unheard", 0.1, 9, &[]);
    check("", 0.0, 9, &[(0, 0.0), (2, 0.0), (1, 0.0)]);
}

#[test]
fn each_passage_is_compared_in_the_space_of_its_own_vector() {
    const OLD: &str = "model-old";
    let index = index_of(&[
        RawRecord::fact(0, "red").vector(&[1.0, 0.0]),
        RawRecord::fact(1, "green").vector(&[0.0, 1.0]),
        RawRecord::fact(2, "blue").vector_of(&[0.0, 0.0, 1.0], OLD),
        RawRecord::fact(3, "white").vector_of(&[1.0, 0.0, 0.0], OLD),
        RawRecord::fact(4, "black").vector_of(&[0.9, 0.1, 0.0], OLD),
        RawRecord::fact(5, "grey"),
    ]);
    let new = || Some((vec![1.0, 0.0], MODEL.to_owned()));
    let old = || Some((vec![1.0, 0.0, 0.0], OLD.to_owned()));
    let check = |vector, earlier, dense, expect: &[(u32, f32)]| {
        let lists = Some(ListLengths { window: 0, turn: 0, dense });
        let set = index.candidates(&CandidateRequest { vector, earlier, lists, ..request(whole(0), "") });
        let found: Vec<_> =
            set.candidates.iter().map(|one| (one.record.clone(), one.dense.unwrap())).collect();
        assert_eq!(found.len(), expect.len(), "{found:?}");
        for (number, expected) in expect {
            let same = found.iter().find(|(record, _)| *record == record_id(*number));
            assert!(same.is_some_and(|(_, cosine)| (cosine - expected).abs() < 0.02), "{number}: {found:?}");
        }
        set.passages_without_vector
    };
    assert_eq!(check(new(), None, 2, &[(0, 1.0), (1, 0.0)]), 4, "as without a model before");
    // Two fifths and three fifths of the passages: one list entry and two.
    assert_eq!(
        check(new(), old(), 2, &[(0, 1.0), (3, 1.0), (4, 0.994)]),
        4,
        "those are still to be embedded"
    );
    check(new(), old(), 9, &[(0, 1.0), (1, 0.0), (2, 0.0), (3, 1.0), (4, 0.994)]);
    check(None, old(), 1, &[(3, 1.0)]);
    check(new(), new(), 9, &[(0, 1.0), (1, 0.0)]);
    check(new(), Some((vec![1.0], "model-unknown".to_owned())), 1, &[(0, 1.0)]);
}

#[test]
fn an_empty_index_answers() {
    let index = MemoryIndex::new();
    let mut request = request(whole(0), "tea");
    request.vector = Some((vec![1.0], MODEL.to_owned()));
    let set = index.candidates(&request);
    assert!(set.candidates.is_empty());
    assert_eq!((set.term_ids, set.statistics.df, set.passages_in_scope), (vec![None], vec![0], 0));
    assert_eq!((index.known_names(&whole(0)).len(), index.info().passages), (0, 0));
}

#[test]
fn the_sequence_is_the_owners() {
    let mut index = index_of(&[RawRecord::turn(0, "tea")]);
    assert_eq!(index.sequence(), 0);
    index.remove(&record_id(0), 7);
    index.set_sequence(7);
    assert_eq!(
        (index.sequence(), index.info().sequence, index.candidates(&request(whole(0), "tea")).sequence),
        (7, 7, 7)
    );
}
