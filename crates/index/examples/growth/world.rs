//! The record of each row: half of them are verbatim turns in sessions of 20, the others single
//! facts. All attributes derive from the row number, so that brute force knows them too.

use loci_index::{IndexPassage, IndexRecord, StoredVector};
use loci_model::event::Role;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::provenance::Position;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{ActorId, RecordId, SessionId, StrategyId, Timestamp};
use loci_text::TurnAnalysis;

use crate::seeded_random::mixed;

/// The model of all vectors.
pub(crate) const MODEL: &str = "growth-384";
/// The number of rows per user.
const USER_ROWS: u64 = 100;
const SESSION_TURNS: u64 = 20;
/// The number of values of `size`; the next constant is the number of days over which records were
/// written.
pub(crate) const SIZES: u64 = 10_000;
pub(crate) const FIRST_DAY_MS: i64 = 1_700_000_000_000;
/// Names of shares, with the number of records per 10,000 that have each. The rest has none.
pub(crate) const SHARES: [(&str, u64); 4] =
    [("half", 5_000), ("tenth", 1_000), ("hundredth", 100), ("thousandth", 10)];

/// The attributes of a row without its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traits {
    pub(crate) number: u64,
    pub(crate) is_turn: bool,
    /// The index in [`SHARES`] of its namespace.
    pub(crate) place: Option<usize>,
    /// The index in [`SHARES`] of its metadata `tier`.
    pub(crate) tier: Option<usize>,
    /// Its metadata `size`, below [`SIZES`].
    pub(crate) size: u64,
    /// Its labels, if any: two of five.
    pub(crate) labels: Option<[u64; 2]>,
    pub(crate) user: u64,
    pub(crate) kind: RecordKind,
    pub(crate) state: RecordState,
    /// The time since the first day, in milliseconds.
    pub(crate) age: i64,
}

impl Traits {
    /// Returns the attributes of a row.
    pub(crate) fn of(number: u64) -> Self {
        let dice = |salt: u64| mixed(number ^ salt << 48);
        let is_turn = (number / SESSION_TURNS).is_multiple_of(2);
        let placed = if is_turn { mixed(number / SESSION_TURNS) } else { dice(1) };
        let first = dice(4) % 5;
        let (preferred, replaced) =
            (!is_turn && dice(5).is_multiple_of(5), !is_turn && dice(6).is_multiple_of(50));
        Self {
            number,
            is_turn,
            place: share(placed % 10_000),
            tier: share(dice(2) % 10_000),
            size: dice(3) % SIZES,
            labels: dice(7).is_multiple_of(4).then_some([first, (first + 1 + dice(8) % 4) % 5]),
            user: number / USER_ROWS,
            kind: if preferred { RecordKind::Preference } else { RecordKind::Fact },
            state: if replaced { RecordState::Superseded } else { RecordState::Active },
            age: (dice(9) % (SIZES * 86_400_000)).cast_signed(),
        }
    }

    /// Returns its namespace.
    pub(crate) fn namespace(&self) -> String {
        let place = self.place.and_then(|at| SHARES.get(at)).map_or("rest", |(name, _)| name);
        format!("/{place}/u{}/", self.user)
    }
}

fn share(mut of_10_000: u64) -> Option<usize> {
    for (at, (_, many)) in SHARES.iter().enumerate() {
        if of_10_000 < *many {
            return Some(at);
        }
        of_10_000 -= many;
    }
    None
}

/// Returns the id of a row's record.
pub(crate) fn record_id(number: u64) -> RecordId {
    let spread = mixed(number) as u32;
    RecordId::parse(format!("mem-{spread:08x}-0000-4000-8000-{number:012x}")).expect("a record id")
}

/// Returns the row of a record.
pub(crate) fn number_of(record: &RecordId) -> u64 {
    let text = record.as_str();
    text.get(text.len() - 12..).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(u64::MAX)
}

fn metadata(traits: &Traits) -> Metadata {
    let mut metadata = Metadata::new();
    if let Some((name, _)) = traits.tier.and_then(|at| SHARES.get(at)) {
        metadata.insert("tier".into(), MetadataValue::String((*name).into()));
    }
    metadata.insert("size".into(), MetadataValue::Number(traits.size as f64));
    if traits.is_turn {
        metadata.insert("turn".into(), MetadataValue::Number(traits.number as f64));
    }
    if let Some(labels) = traits.labels {
        let labels = labels.iter().map(|label| format!("label-{label}")).collect();
        metadata.insert("labels".into(), MetadataValue::StringList(labels));
    }
    metadata
}

/// Returns the record of a row.
pub(crate) fn record(number: u64, analysis: TurnAnalysis, vector: &[f32]) -> IndexRecord {
    let traits = Traits::of(number);
    let time = Timestamp::clamped(FIRST_DAY_MS + traits.age);
    let position = Position {
        run: None,
        time: Timestamp::clamped(FIRST_DAY_MS + (number * 1_000).cast_signed()),
        event: format!("{:019}#{:08x}", 1_700_000_000_000 + number * 1_000, number as u32),
        message: 0,
        part: (0, 0),
    };
    let user = ActorId::parse(format!("u{}", traits.user)).expect("an actor id");
    let session = SessionId::parse(format!("s{}", number / SESSION_TURNS)).expect("a session id");
    let strategy = StrategyId::parse(if traits.is_turn { "turns" } else { "facts" }).expect("a strategy id");
    IndexRecord {
        record: record_id(number),
        version: 1,
        sequence: number + 1,
        content: 0,
        kind: traits.kind,
        state: traits.state,
        namespace: traits.namespace(),
        strategy: Some(strategy),
        actor: Some(user),
        session: traits.is_turn.then_some(session),
        branch: None,
        verbatim: traits.is_turn,
        role: traits.is_turn.then_some(if number.is_multiple_of(2) { Role::User } else { Role::Assistant }),
        position,
        has_time: true,
        created_at: time,
        updated_at: time,
        origin: RecordOrigin::Extracted,
        valid_from: time,
        valid_to: None,
        known_to: (traits.state != RecordState::Active).then(|| time.plus_millis(1_000)),
        expires_at: None,
        metadata: metadata(&traits),
        path: None,
        passages: vec![IndexPassage {
            part: 0,
            analysis,
            vector: Some(StoredVector::quantise(vector, MODEL)),
        }],
    }
}
