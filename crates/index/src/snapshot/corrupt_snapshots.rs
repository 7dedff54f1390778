//! Snapshots with valid checksums and invalid contents: loading gives an error or a working index,
//! never a panic.

use loci_model::ports::search::{CandidateRequest, ListLengths};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::provenance::Position;
use loci_model::record::scope::RecordScope;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{MemoryId, RecordId, SessionId, Timestamp};
use proptest::prelude::*;

use super::frame::{self, SnapshotBlockKind, checksum};
use crate::{IndexPassage, IndexRecord, MemoryIndex, StoredVector};

const TEXTS: [&str; 6] = [
    "Anna: tea and boats",
    "Anna: a red lamp",
    "Bob Smith: fooBar runs",
    "cats in May 2023",
    "",
    "lamp lamp tea",
];

fn record(number: u32) -> IndexRecord {
    let id = match number % 5 {
        3 => format!("mem-{number:040}"),
        _ => format!("mem-{number:08x}-0000-4000-8000-{number:012x}"),
    };
    let time = Timestamp::clamped(i64::from(number) * 1000);
    let text = TEXTS[number as usize % TEXTS.len()];
    let vector = |part: u32| {
        let values: Vec<f32> = (0..70).map(|at| ((at * 31 + number * 7 + part) % 19) as f32 - 9.0).collect();
        (!number.is_multiple_of(3))
            .then(|| StoredVector::quantise(&values, if number % 4 == 1 { "a" } else { "b" }))
    };
    let passage = |part| IndexPassage { part, analysis: loci_text::analyse_turn(text), vector: vector(part) };
    IndexRecord {
        record: RecordId::parse(id).unwrap(),
        version: 1,
        sequence: u64::from(number) + 1,
        content: 0,
        kind: RecordKind::Fact,
        state: if number % 7 == 6 { RecordState::Superseded } else { RecordState::Active },
        namespace: format!("/a{}/", number % 3),
        strategy: None,
        actor: None,
        session: number.is_multiple_of(2).then(|| SessionId::parse("s").unwrap()),
        branch: None,
        verbatim: !number.is_multiple_of(4),
        role: None,
        position: Position {
            run: number.is_multiple_of(3).then(|| ("run".to_owned(), u64::from(number))),
            time,
            event: format!("{:019}#{number:08x}", 1_790_000_000),
            message: 0,
            part: (0, 0),
        },
        has_time: true,
        created_at: time,
        updated_at: time,
        origin: RecordOrigin::Extracted,
        valid_from: time,
        valid_to: None,
        known_to: None,
        expires_at: (number % 6 == 1).then(|| time.plus_days(3)),
        metadata: [("k".to_owned(), MetadataValue::StringList(vec![format!("v{}", number % 2)]))].into(),
        path: number.is_multiple_of(5).then(|| format!("src/file{}.rs", number % 2)),
        passages: (0..=number % 3).map(passage).collect(),
    }
}

fn index_of(numbers: std::ops::Range<u32>) -> MemoryIndex {
    let mut index = MemoryIndex::new();
    numbers.map(record).for_each(|record| index.apply(record));
    index
}

/// Returns the head, then the kind and payload of each block.
fn blocks(bytes: &[u8]) -> (Vec<u8>, Vec<(SnapshotBlockKind, Vec<u8>)>) {
    let mut from = bytes;
    frame::read_head(&mut from).unwrap();
    let head = bytes[..bytes.len() - from.len()].to_vec();
    let mut all = Vec::new();
    loop {
        let mut payload = Vec::new();
        let kind = frame::read_block(&mut from, all.len() as u64, &mut payload).unwrap();
        all.push((kind, payload));
        if kind == SnapshotBlockKind::End {
            return (head, all);
        }
    }
}

fn sealed(head: &[u8], blocks: &[(SnapshotBlockKind, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = head.to_vec();
    for (ordinal, (kind, payload)) in (0..).zip(blocks) {
        frame::seal(*kind, ordinal, payload, &mut bytes);
    }
    bytes
}

/// Queries and changes an index in every possible way.
fn exercise(mut index: MemoryIndex) {
    let memory = MemoryId::parse("m-abcdefghij").unwrap();
    let mut request = CandidateRequest {
        scope: RecordScope::whole(memory, Timestamp::clamped(1)),
        terms: vec!["tea".to_owned(), "lamp".to_owned(), "src".to_owned()],
        vector: Some((vec![0.5; 70], "a".to_owned())),
        earlier: None,
        lists: Some(ListLengths { window: 20, turn: 20, dense: 20 }),
    };
    index.candidates(&request);
    request.lists = None;
    index.candidates(&request);
    index.known_names(&request.scope);
    index.info();
    (0..30).map(record).for_each(|mut record| {
        record.sequence = u64::MAX;
        index.apply(record);
    });
    index.compact();
    (0..15).for_each(|number| index.remove(&record(number).record, u64::MAX));
    index.candidates(&request);
    index.save(&mut std::io::sink()).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn wild_contents_never_panic(
        changes in proptest::collection::vec(
            (any::<proptest::sample::Index>(), any::<u8>(), any::<bool>()), 1..4
        )
    ) {
        let mut bytes = Vec::new();
        index_of(0..24).save(&mut bytes).unwrap();
        let (head, mut all) = blocks(&bytes);
        prop_assert_eq!(&sealed(&head, &all), &bytes);
        for (at, value, flip) in changes {
            let payload = &mut all[0].1;
            let at = at.index(payload.len());
            payload[at] = if flip { payload[at] ^ (1 << (value % 8)) } else { value };
        }
        if let Ok(index) = MemoryIndex::load(&mut sealed(&head, &all).as_slice()) {
            exercise(index);
        }
    }
}

#[test]
fn an_untouched_one_works_too() {
    let index = index_of(0..40);
    let mut bytes = Vec::new();
    index.save(&mut bytes).unwrap();
    let back = MemoryIndex::load(&mut bytes.as_slice()).unwrap();
    assert_eq!(back.info().digest, index.info().digest);
    exercise(back);
}

#[test]
fn other_versions_are_refused() {
    let mut bytes = Vec::new();
    index_of(0..3).save(&mut bytes).unwrap();
    for at in [8, 12, 16] {
        let mut other = bytes.clone();
        other[at] += 1;
        let sum = checksum(&other[..28], 0);
        other[28..36].copy_from_slice(&sum.to_le_bytes());
        let error = MemoryIndex::load(&mut other.as_slice()).unwrap_err();
        assert!(error.message.contains("another version"), "{}", error.message);
    }
}
