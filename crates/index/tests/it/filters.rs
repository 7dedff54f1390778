//! Filters of every kind on a memory that is large enough for every form of sets and orders,
//! compared with a simple test of each record: exactly the same passages, before and after changes
//! and compactions.

use std::collections::{BTreeMap, BTreeSet};

use loci_index::MemoryIndex;
use loci_model::RecordId;
use loci_model::ports::search::{CandidateRequest, ListLengths};
use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::record::{RecordKind, RecordState};

use crate::raw_records::{
    DIMENSIONS, Dice, MODEL, RawRecord, at, draw, draw_clause, draw_filter, draw_metadata, draw_values,
    record_id, request, whole,
};
use crate::reference_ranking::{in_scope, may_see};

const RECORDS: u64 = 9_000;
/// The exclusive maximum of times, so that a bound falls between most of them.
const MILLIS: u64 = 100_000;

/// Returns a record without words, with a vector for each passage: a long list by vector then
/// contains the whole scope.
fn drawn(dice: &mut Dice, number: u32, sequence: u64) -> RawRecord {
    let mut raw = draw(dice, number, sequence);
    let head = &mut raw.head;
    if !dice.one_in(3) {
        head.namespace = dice.pick(&["/a/b/", "/a/b/c/"]).to_owned();
    }
    let mut time = || at(dice.below(MILLIS) as i64);
    (head.created_at, head.updated_at, head.valid_from) = (time(), time(), time());
    head.valid_to = head.valid_to.map(|_| time());
    head.known_to = head.known_to.map(|_| time());
    head.expires_at = head.expires_at.map(|_| time());
    head.metadata = draw_values(dice, MILLIS);
    if dice.one_in(2) {
        head.metadata.remove("odd");
    }
    raw.passages = (0..1 + u32::from(dice.one_in(9)))
        .map(|part| (part, String::new(), Some((dice.vector(DIMENSIONS), MODEL))))
        .collect();
    raw
}

fn drawn_scope(dice: &mut Dice) -> RecordScope {
    let mut scope = whole(dice.below(MILLIS * 2) as i64 - 1);
    if dice.one_in(3) {
        scope.view = (0..dice.below(3)).map(|_| draw_clause(dice)).collect();
    }
    if dice.one_in(3) {
        scope.namespaces = (0..=dice.below(2)).map(|_| draw_filter(dice)).collect();
    }
    if dice.one_in(4) {
        let known = |name: &str| StrategyChoice::Of(loci_model::StrategyId::parse(name).unwrap());
        scope.strategy = Some(dice.pick(&[StrategyChoice::None, known("st0"), known("st1"), known("st9")]));
    }
    scope.metadata = (0..dice.below(4)).map(|_| draw_metadata(dice, MILLIS)).collect();
    if dice.one_in(4) {
        scope.kinds = dice.pick(&[vec![RecordKind::Document], vec![RecordKind::Fact, RecordKind::Rule]]);
    }
    if dice.one_in(3) {
        let all = RecordState::ALL.to_vec();
        scope.states = dice.pick(&[vec![RecordState::Superseded, RecordState::Active], all, vec![]]);
    }
    scope.as_of = dice.one_in(4).then(|| at(dice.below(MILLIS) as i64));
    scope
}

fn compare(index: &MemoryIndex, raws: &BTreeMap<RecordId, RawRecord>, scope: RecordScope) -> usize {
    let expected: BTreeSet<(&RecordId, u32)> = raws
        .iter()
        .filter(|(_, raw)| in_scope(&scope, raw))
        .flat_map(|(id, raw)| raw.passages.iter().map(move |(part, ..)| (id, *part)))
        .collect();
    let lists = Some(ListLengths { window: 0, turn: 0, dense: 1_000_000 });
    let vector = Some((vec![1.0; DIMENSIONS], MODEL.to_owned()));
    let asked = CandidateRequest { lists, vector, ..request(scope, "") };
    let set = index.candidates(&asked);
    let got: BTreeSet<(&RecordId, u32)> =
        set.candidates.iter().map(|candidate| (&candidate.record, candidate.part)).collect();
    assert_eq!(set.passages_in_scope, expected.len() as u64, "{:?}", asked.scope);
    let turns = |asked_for: bool| {
        let is_counted = |raw: &&RawRecord| {
            let head = &raw.head;
            let strategy = head.strategy.as_ref();
            head.state == RecordState::Active
                && may_see(&asked.scope, raw)
                && (!asked_for || asked.scope.asks_for(&head.namespace, strategy))
        };
        raws.values().filter(is_counted).map(|raw| raw.passages.len()).sum::<usize>()
    };
    let counted = if turns(true) < 100 { turns(false) } else { turns(true) };
    assert_eq!(set.statistics.turns as usize, counted, "{:?}", asked.scope);
    assert!(got == expected, "{:?}: {:?}", asked.scope, got.symmetric_difference(&expected).next());
    expected.len()
}

#[test]
fn filters_take_exactly_what_a_look_at_each_record_takes() {
    let mut dice = Dice(20_261_122);
    let (mut index, mut raws) = (MemoryIndex::new(), BTreeMap::new());
    let mut sequence = 0;
    let mut found = Vec::new();
    for round in 0..4 {
        let changes = if round == 0 { RECORDS } else { RECORDS / 3 };
        for step in 0..changes {
            sequence += 1;
            let number = if round == 0 { step } else { dice.below(RECORDS) } as u32;
            if round > 0 && dice.one_in(3) {
                index.remove(&record_id(number), sequence);
                raws.remove(&record_id(number));
            } else {
                let raw = drawn(&mut dice, number, sequence);
                index.apply(raw.input());
                raws.insert(record_id(number), raw);
            }
        }
        if round == 2 {
            index.compact();
        }
        found.extend((0..120).map(|_| compare(&index, &raws, drawn_scope(&mut dice))));
    }
    // Not all of them are empty.
    assert!(found.iter().filter(|found| **found > 0).count() * 3 > found.len(), "{found:?}");
    assert!(found.iter().any(|found| *found > 4_096));
}

#[test]
fn filters_hold_while_a_memory_comes_and_goes() {
    let mut dice = Dice(7);
    let (mut index, mut raws) = (MemoryIndex::new(), BTreeMap::new());
    for number in 0..RECORDS as u32 {
        let raw = drawn(&mut dice, number, u64::from(number) + 1);
        index.apply(raw.input());
        raws.insert(record_id(number), raw);
    }
    for number in (0..RECORDS as u32).filter(|number| !number.is_multiple_of(40)) {
        index.remove(&record_id(number), RECORDS + 1);
        raws.remove(&record_id(number));
    }
    for _ in 0..100 {
        compare(&index, &raws, drawn_scope(&mut dice));
    }
    for number in 0..6_000 {
        let raw = drawn(&mut dice, number, RECORDS + 2);
        index.apply(raw.input());
        raws.insert(record_id(number), raw);
    }
    for _ in 0..100 {
        compare(&index, &raws, drawn_scope(&mut dice));
    }
}
