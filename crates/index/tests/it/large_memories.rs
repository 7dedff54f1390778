//! Behaviour of large memories: scans of sketches, postings read from a small scope, compactions.

use loci_index::MemoryIndex;
use loci_model::ports::search::{CandidateRequest, LexicalView, ListLengths};
use loci_model::{NamespaceMatch, RecordId, SessionId};

use crate::raw_records::{Dice, MODEL, RawRecord, filter, request, whole};

const WIDE: usize = 384;

/// Returns vectors clustered around a few hundred points, like those of texts about a few hundred
/// topics.
fn clustered(dice: &mut Dice, centres: &[Vec<f32>]) -> Vec<f32> {
    let centre = dice.pick(centres);
    centre.iter().map(|value| value + 0.9 * dice.fraction()).collect()
}

fn dense_only(vector: Vec<f32>, length: usize) -> CandidateRequest {
    let mut request = request(whole(0), "");
    request.vector = Some((vector, MODEL.to_owned()));
    request.lists = Some(ListLengths { window: 0, turn: 0, dense: length });
    request
}

#[test]
fn a_scan_of_sketches_finds_what_exact_cosines_find() {
    let mut dice = Dice(11);
    let centres: Vec<Vec<f32>> = (0..300).map(|_| dice.vector(WIDE)).collect();
    let mut index = MemoryIndex::new();
    let mut vectors = Vec::new();
    for number in 0..24_000 {
        let vector = clustered(&mut dice, &centres);
        index.apply(RawRecord::fact(number, "").vector(&vector).input());
        vectors.push((RawRecord::fact(number, "").head.record, vector));
    }
    let (mut found, mut all) = (0, 0);
    for _ in 0..20 {
        let question = clustered(&mut dice, &centres);
        let cosine = |vector: &[f32]| {
            let dot: f32 = vector.iter().zip(&question).map(|(a, b)| a * b).sum();
            dot / vector.iter().map(|value| value * value).sum::<f32>().sqrt()
        };
        let mut exact: Vec<_> = vectors.iter().map(|(record, vector)| (cosine(vector), record)).collect();
        exact.sort_by(|a, b| b.0.total_cmp(&a.0));
        let got = index.candidates(&dense_only(question.clone(), 200));
        assert_eq!(got.candidates.len(), 200);
        let held = |record: &RecordId| got.candidates.iter().any(|candidate| candidate.record == *record);
        found += exact[..10].iter().filter(|(_, record)| held(record)).count();
        all += 10;
    }
    assert!(found * 1000 >= all * 985, "{found} of {all}");
}

#[test]
fn a_small_scope_in_a_great_memory_counts_alike() {
    let mut dice = Dice(3);
    let words = ["tea", "cat", "dog", "lamp", "boat"];
    let namespace = |number: u32| if number % 100 == 7 { "/few/" } else { "/many/" };
    let turns: Vec<RawRecord> = (0..4_000)
        .map(|number| {
            let text = [dice.pick(&words), dice.pick(&words), dice.pick(&words)].join(" ");
            RawRecord::turn(number, &text).with(|head| {
                head.namespace = namespace(number).into();
                if head.namespace == "/few/" {
                    // Groups with interleaved passages: they are read in order nonetheless.
                    head.session = Some(SessionId::parse(format!("s{}", number / 200 % 3)).unwrap());
                }
            })
        })
        .collect();
    let (mut great, mut small) = (MemoryIndex::new(), MemoryIndex::new());
    for turn in &turns {
        great.apply(turn.input());
        if turn.head.namespace == "/few/" {
            small.apply(turn.input());
        }
    }
    let mut scope = whole(0);
    scope.view[0].namespace = Some(filter("/few", NamespaceMatch::Exact));
    let restricted = great.candidates(&request(scope.clone(), "tea lamp"));
    let alone = small.candidates(&request(scope, "tea lamp"));
    assert_eq!(restricted.statistics, alone.statistics);
    assert_eq!(restricted.candidates.len(), 40);
    for (a, b) in restricted.candidates.iter().zip(&alone.candidates) {
        assert_eq!((&a.record, &a.views, a.position), (&b.record, &b.views, b.position));
    }
    // A long session returns positions too: turns arrived in the order of their numbers.
    let many: Vec<&RawRecord> = turns.iter().filter(|turn| turn.head.namespace == "/many/").collect();
    let set = great.candidates(&request(whole(0), "boat"));
    let in_many =
        set.candidates.iter().filter(|candidate| candidate.views.length(LexicalView::Session) > 1000);
    let places = in_many.map(|candidate| (&candidate.record, &many[candidate.position as usize].head.record));
    assert!(places.clone().count() > 100);
    places.for_each(|(got, expect)| assert_eq!(got, expect));
}

#[test]
fn a_record_that_changes_all_the_time_takes_no_more_room() {
    let mut index = MemoryIndex::new();
    let turns: Vec<RawRecord> =
        (0..50).map(|number| RawRecord::turn(number, "Anna: tea cat").vector(&[1.0, 0.5])).collect();
    let mut bytes = Vec::new();
    for round in 0..200u64 {
        for turn in &turns {
            index.apply(turn.clone().with(|head| head.sequence += round * 100).input());
        }
        bytes.push(index.info().bytes);
    }
    assert_eq!(index.info().passages, 50);
    let late = *bytes[150..].iter().max().unwrap();
    let early = *bytes[..50].iter().max().unwrap();
    assert!(late.saturating_sub(early) <= early / 100, "{late} {early}");
    let set = index.candidates(&request(whole(0), "tea"));
    assert_eq!((set.candidates.len(), set.statistics.df[0], set.statistics.turns), (50, 50, 50));
}
