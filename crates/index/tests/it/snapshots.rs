//! Snapshots: a loaded index gives the same results as the saved one, also after further changes; a
//! damaged one is rejected.

use loci_index::{MemoryIndex, SnapshotSaver};
use loci_model::ports::search::CandidateSet;
use proptest::prelude::*;

use crate::agreement::{Change, history, play};
use crate::raw_records::{Dice, RawRecord, draw_request, record_id, request, whole};

fn saved(index: &MemoryIndex) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.save(&mut bytes).unwrap();
    bytes
}

fn loaded(bytes: &[u8]) -> MemoryIndex {
    MemoryIndex::load(&mut { bytes }).unwrap()
}

fn apply(index: &mut MemoryIndex, changes: &[Change]) {
    for change in changes {
        match &change.raw {
            Some(raw) => index.apply(raw.input()),
            None => index.remove(&record_id(change.number), change.sequence),
        }
    }
}

/// Checks that two indexes agree; their internal numbers may differ.
fn same(a: &MemoryIndex, b: &MemoryIndex) {
    let (a, b) = (a.info(), b.info());
    assert_eq!((a.passages, a.vectors, a.sequence, a.digest), (b.passages, b.vectors, b.sequence, b.digest));
}

fn same_answers(a: &CandidateSet, b: &CandidateSet) {
    assert_eq!(a.statistics, b.statistics);
    let of = |set: &CandidateSet| {
        let one = |candidate: &loci_model::ports::search::Candidate| {
            (
                candidate.record.clone(),
                candidate.part,
                candidate.views.clone(),
                candidate.dense,
                candidate.position,
            )
        };
        set.candidates.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(of(a), of(b));
}

fn check(seed: u64, records: u64, changes: u64) {
    let mut dice = Dice(seed);
    let changes = history(&mut dice, records, changes);
    let (before, after) = changes.split_at(dice.below(changes.len() as u64 + 1) as usize);
    let mut kept = play(before, |_| ());
    kept.set_sequence(before.len() as u64);
    let mut back = loaded(&saved(&kept));
    same(&kept, &back);
    for _ in 0..3 {
        let request = draw_request(&mut dice);
        same_answers(&kept.candidates(&request), &back.candidates(&request));
    }
    // The same words in the same order: the snapshot depends only on the contents.
    assert_eq!(saved(&back).len(), saved(&kept).len());
    apply(&mut kept, after);
    apply(&mut back, after);
    same(&kept, &back);
    same(&kept, &loaded(&saved(&back)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn a_round_trip_leaves_no_trace(seed in any::<u64>(), records in 1u64..20, changes in 0u64..80) {
        check(seed, records, changes);
    }

    /// Blocks written before, between and after changes give, with the later changes, the same
    /// index.
    #[test]
    fn changes_between_blocks_do_no_harm(seed in any::<u64>(), records in 1u64..40, changes in 1u64..80) {
        let mut dice = Dice(seed);
        let changes = history(&mut dice, records, changes);
        let (before, after) = changes.split_at(changes.len() / 2);
        let mut index = play(before, |_| ());
        index.set_sequence(before.len() as u64);
        let (mut saver, mut bytes) = (SnapshotSaver::stepping(3), Vec::new());
        let mut left = after.iter();
        while saver.next(&index, &mut bytes) {
            for change in left.by_ref().take(dice.below(5) as usize) {
                apply(&mut index, std::slice::from_ref(change));
                index.set_sequence(change.sequence);
            }
        }
        apply(&mut index, left.as_slice());
        index.set_sequence(changes.len() as u64);
        assert_eq!(saver.sequence(), before.len() as u64);
        let mut back = loaded(&bytes);
        assert_eq!(back.sequence(), before.len() as u64);
        apply(&mut back, after);
        back.set_sequence(changes.len() as u64);
        same(&index, &back);
    }

    #[test]
    fn damage_is_refused(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let index = play(&history(&mut dice, 12, 30), |_| ());
        let whole = saved(&index);
        for _ in 0..40 {
            let mut bytes = whole.clone();
            let at = dice.below(bytes.len() as u64) as usize;
            match dice.below(4) {
                0 => bytes[at] ^= 1 << dice.below(8),
                1 => bytes.truncate(at),
                2 => bytes.insert(at, dice.below(256) as u8),
                _ => drop(bytes.remove(at)),
            }
            if bytes != whole {
                prop_assert!(MemoryIndex::load(&mut bytes.as_slice()).is_err());
            }
        }
    }
}

#[test]
fn many_blocks_and_a_rebuild() {
    let mut dice = Dice(5);
    let changes = history(&mut dice, 9_000, 14_000);
    let mut index = play(&changes, |_| ());
    index.set_sequence(14_000);
    let back = loaded(&saved(&index));
    same(&index, &back);
    let mut rebuilt = MemoryIndex::new();
    let mut last: std::collections::BTreeMap<u32, &Change> = Default::default();
    for change in &changes {
        last.insert(change.number, change);
    }
    last.values().filter_map(|change| change.raw.as_ref()).for_each(|raw| rebuilt.apply(raw.input()));
    rebuilt.set_sequence(14_000);
    same(&back, &rebuilt);
}

#[test]
fn words_of_records_that_are_gone_are_not_saved() {
    let mut index = MemoryIndex::new();
    let secret = RawRecord::turn(1, "Mallory: the password is xyzzyplugh").with(|head| {
        head.namespace = "/vaultns/".into();
        head.path = Some("src/hiddenfile.rs".into());
        head.session = Some(loci_model::SessionId::parse("secretsession").unwrap());
    });
    index.apply(RawRecord::turn(0, "tea and boats").input());
    index.apply(secret.input());
    let held = |index: &MemoryIndex, word: &str| {
        saved(index).windows(word.len()).any(|window| window == word.as_bytes())
    };
    let words = ["xyzzyplugh", "vaultns", "hiddenfile", "secretsession", "Mallory"];
    assert!(words.iter().all(|word| held(&index, word)));
    index.remove(&record_id(1), 9);
    index.set_sequence(9);
    for word in words {
        assert!(!held(&index, word), "{word}");
    }
    assert!(held(&index, "boat"));
    let set = loaded(&saved(&index)).candidates(&request(whole(0), "boats"));
    assert_eq!(set.candidates.len(), 1);
}

#[test]
fn an_empty_index_and_an_empty_file() {
    same(&MemoryIndex::new(), &loaded(&saved(&MemoryIndex::new())));
    for bytes in [&b""[..], b"locisnap", &[0; 100]] {
        assert!(MemoryIndex::load(&mut { bytes }).is_err());
    }
}
