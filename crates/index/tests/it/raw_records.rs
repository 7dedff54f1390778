//! Raw records, written by hand or drawn from a seed: the data of a store. Independent of the index
//! except for its input.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use loci_index::{IndexPassage, IndexRecord, StoredVector};
use loci_model::event::Role;
use loci_model::ports::search::{CandidateRequest, ListLengths};
use loci_model::principal::bounds::Bounds;
use loci_model::record::metadata::{
    Metadata, MetadataValue, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT,
};
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::provenance::Position;
use loci_model::record::scope::{AccessClause, RecordScope, StrategyChoice};
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{
    ActorId, BranchName, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, SessionId,
    StrategyId, Timestamp,
};

/// The model of most vectors.
pub(crate) const MODEL: &str = "model-8";
/// The number of values of a vector in drawn data.
pub(crate) const DIMENSIONS: usize = 8;

/// Values and their model.
pub(crate) type RawVector = (Vec<f32>, &'static str);

/// A record as the store has it: with texts instead of analyses.
#[derive(Debug, Clone)]
pub(crate) struct RawRecord {
    /// Everything except the passages.
    pub(crate) head: IndexRecord,
    /// The part, text, vector and its model.
    pub(crate) passages: Vec<(u32, String, Option<RawVector>)>,
}

impl RawRecord {
    /// Returns a turn of conversation without a specific speaker.
    pub(crate) fn turn(number: u32, text: &str) -> Self {
        let id = record_id(number);
        let time = at(i64::from(number) * 1000);
        let position = Position { run: None, time, event: id.as_str().to_owned(), message: 0, part: (0, 0) };
        let head = IndexRecord {
            record: id,
            version: 1,
            sequence: u64::from(number) + 1,
            content: 0,
            kind: RecordKind::Fact,
            state: RecordState::Active,
            namespace: "/a/".to_owned(),
            strategy: None,
            actor: None,
            session: Some(SessionId::parse("s").unwrap()),
            branch: None,
            verbatim: true,
            role: Some(Role::User),
            position,
            has_time: true,
            created_at: time,
            updated_at: time,
            origin: RecordOrigin::Extracted,
            valid_from: time,
            valid_to: None,
            known_to: None,
            expires_at: None,
            metadata: Metadata::new(),
            path: None,
            passages: Vec::new(),
        };
        Self { head, passages: vec![(0, text.to_owned(), None)] }
    }

    /// Returns a record that is its own session.
    pub(crate) fn fact(number: u32, text: &str) -> Self {
        let mut raw = Self::turn(number, text);
        raw.head.verbatim = false;
        raw.head.role = None;
        raw
    }

    /// Returns the record with a vector for its first passage.
    pub(crate) fn vector(mut self, values: &[f32]) -> Self {
        self.passages[0].2 = Some((values.to_vec(), MODEL));
        self
    }

    /// Returns the record with a vector of another model.
    pub(crate) fn vector_of(mut self, values: &[f32], model: &'static str) -> Self {
        self.passages[0].2 = Some((values.to_vec(), model));
        self
    }

    /// Returns the record with a change.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut IndexRecord)) -> Self {
        change(&mut self.head);
        self
    }

    /// Returns the input of the index.
    pub(crate) fn input(&self) -> IndexRecord {
        let passage = |(part, text, vector): &(u32, String, Option<RawVector>)| IndexPassage {
            part: *part,
            analysis: loci_text::analyse_turn(text),
            vector: vector.as_ref().map(|(values, model)| StoredVector::quantise(values, *model)),
        };
        let content = self.content();
        IndexRecord { passages: self.passages.iter().map(passage).collect(), content, ..self.head.clone() }
    }

    /// Returns a digest of everything except sequence and vectors.
    pub(crate) fn content(&self) -> u64 {
        let head = IndexRecord { sequence: 0, ..self.head.clone() };
        let texts: Vec<_> = self.passages.iter().map(|(part, text, _)| (part, text)).collect();
        let mut hasher = DefaultHasher::new();
        format!("{head:?} {texts:?}").hash(&mut hasher);
        hasher.finish()
    }

    /// Returns its vectors, by part.
    pub(crate) fn vectors(&self) -> Vec<(u32, StoredVector)> {
        let passages = self.input().passages.into_iter();
        passages.filter_map(|passage| Some((passage.part, passage.vector?))).collect()
    }
}

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::clamped(millis)
}

pub(crate) fn record_id(number: u32) -> RecordId {
    // Every seventh id is not a UUID, so that both forms of ids are tested.
    let text = if number % 7 == 3 {
        format!("mem-AAAAAAAA-{number:032}")
    } else {
        format!("mem-{:08x}-0000-4000-8000-{number:012x}", number.wrapping_mul(0x9e37_79b9))
    };
    RecordId::parse(text).unwrap()
}

pub(crate) fn whole(now: i64) -> RecordScope {
    RecordScope::whole(MemoryId::parse("m-abcdefghij").unwrap(), at(now))
}

pub(crate) fn filter(namespace: &str, mode: NamespaceMatch) -> NamespaceFilter {
    NamespaceFilter::new(&Namespace::parse(namespace).unwrap(), mode)
}

pub(crate) fn request(scope: RecordScope, question: &str) -> CandidateRequest {
    let mut terms = Vec::new();
    for term in loci_text::terms(question) {
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    CandidateRequest { scope, terms, vector: None, earlier: None, lists: None }
}

/// Pseudo-random numbers from a seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub(crate) fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }

    /// Returns a number between −1 and 1.
    pub(crate) fn fraction(&mut self) -> f32 {
        (self.next() % 2001) as f32 / 1000.0 - 1.0
    }

    pub(crate) fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|_| self.fraction()).collect()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at as u64 + 1) as usize);
        }
    }
}

const WORDS: [&str; 12] =
    ["boat", "cat", "dog", "the", "running", "fooBar", "red", "May", "2023", "lamp", "Paris", "tea?"];
const NAMES: [&str; 4] = ["Anna: ", "Bob: ", "Tea Cat: ", "assistant: "];
const NAMESPACES: [&str; 4] = ["/a/", "/a/b/", "/ab/", "/c/"];
const PATHS: [&str; 3] = ["src/boat.rs", "docs/red/cat.md", "lamp"];

fn text(dice: &mut Dice) -> String {
    let mut text = String::new();
    if dice.one_in(3) {
        text.push_str(dice.pick(&NAMES));
    }
    for _ in 0..dice.below(7) {
        // Words at the start of the list are drawn more often.
        let word = dice.below(12).min(dice.below(12));
        text.push_str(WORDS[word as usize]);
        text.push(' ');
    }
    text
}

/// Draws a record with number `number`, changed at `sequence`.
pub(crate) fn draw(dice: &mut Dice, number: u32, sequence: u64) -> RawRecord {
    let mut raw = RawRecord::turn(number, "");
    let head = &mut raw.head;
    head.sequence = sequence;
    head.version = dice.below(3) as u32;
    head.kind = dice.pick(&[RecordKind::Fact, RecordKind::Fact, RecordKind::Document]);
    if dice.one_in(4) {
        head.state = dice.pick(&[RecordState::Superseded, RecordState::Candidate, RecordState::Expired]);
        head.known_to = dice.one_in(2).then(|| at(dice.below(40) as i64));
    }
    head.namespace = dice.pick(&NAMESPACES).to_owned();
    head.strategy = dice.one_in(2).then(|| StrategyId::parse(format!("st{}", dice.below(2))).unwrap());
    head.actor = dice.one_in(2).then(|| ActorId::parse(format!("ac{}", dice.below(2))).unwrap());
    head.session = dice.one_in(2).then(|| SessionId::parse(format!("se{}", dice.below(2))).unwrap());
    head.branch = dice.one_in(6).then(|| BranchName::parse("side").unwrap());
    head.verbatim = !dice.one_in(4);
    head.role = dice.pick(&[None, Some(Role::User), Some(Role::Assistant)]);
    head.has_time = !dice.one_in(3);
    head.position = Position {
        run: dice.one_in(4).then(|| (format!("run{}", dice.below(2)), dice.below(3))),
        time: at(dice.below(30) as i64),
        event: format!("{:019}#{:08x}", dice.below(4), dice.below(3)),
        message: dice.below(2) as u32,
        part: (dice.below(2) as u32, 0),
    };
    head.created_at = at(dice.below(30) as i64);
    head.updated_at = at(dice.below(30) as i64);
    head.valid_from = at(dice.below(30) as i64);
    head.valid_to = dice.one_in(3).then(|| at(dice.below(60) as i64));
    head.expires_at = dice.one_in(4).then(|| at(dice.below(60) as i64));
    head.origin = dice.pick(&[RecordOrigin::Extracted, RecordOrigin::BatchCreated]);
    head.metadata = draw_values(dice, 30);
    head.path = dice.one_in(5).then(|| dice.pick(&PATHS).to_owned());
    let parts = if dice.one_in(4) { dice.below(4) as u32 } else { 1 };
    raw.passages = (0..parts)
        .map(|part| {
            let model = if dice.one_in(6) { "model-other" } else { MODEL };
            let vector = (!dice.one_in(3)).then(|| (dice.vector(DIMENSIONS), model));
            (part * 2, text(dice), vector)
        })
        .collect();
    raw
}

/// Draws metadata of every type, with times below `millis`. One key has values of several types.
pub(crate) fn draw_values(dice: &mut Dice, millis: u64) -> Metadata {
    let mut metadata = Metadata::new();
    if dice.one_in(2) {
        let color = draw_right(dice, millis, 5);
        metadata.insert("color".into(), color);
    }
    for (key, kind) in [("size", 2), ("tags", 1), ("when", 3), ("odd", 4)] {
        if dice.one_in(3) {
            let value = if kind == 4 { dice.below(4) } else { kind };
            metadata.insert(key.into(), draw_right(dice, millis, value));
        }
    }
    metadata
}

fn draw_right(dice: &mut Dice, millis: u64, kind: u64) -> MetadataValue {
    match kind {
        1 => {
            let count = dice.below(4);
            MetadataValue::StringList(
                (0..count).map(|_| dice.pick(&["red", "blue", "x"]).to_owned()).collect(),
            )
        }
        2 => MetadataValue::Number(
            dice.pick(&[-0.0, 0.0, -1.5, 0.25, f64::MAX]) + dice.below(millis) as f64 - 9.0,
        ),
        3 => MetadataValue::DateTime(at(dice.below(millis) as i64)),
        _ => MetadataValue::String(dice.pick(&["red", "blue", "EXTRACTED"]).to_owned()),
    }
}

/// Draws a request.
pub(crate) fn draw_request(dice: &mut Dice) -> CandidateRequest {
    let mut scope = whole(dice.below(60) as i64);
    if dice.one_in(2) {
        scope.view = (0..dice.below(3)).map(|_| draw_clause(dice)).collect();
    }
    if dice.one_in(3) {
        scope.namespaces = vec![draw_filter(dice)];
    }
    if dice.one_in(4) {
        let of = StrategyChoice::Of(StrategyId::parse(dice.pick(&["st0", "st9"])).unwrap());
        scope.strategy = Some(dice.pick(&[StrategyChoice::None, of]));
    }
    if dice.one_in(4) {
        scope.metadata.push(draw_metadata(dice, 30));
    }
    if dice.one_in(5) {
        scope.kinds = vec![RecordKind::Document];
    }
    if dice.one_in(5) {
        scope.states = vec![RecordState::Superseded, RecordState::Active];
    }
    if dice.one_in(4) {
        scope.as_of = Some(at(dice.below(40) as i64));
    }
    let question = (0..dice.below(5)).map(|_| dice.pick(&WORDS)).collect::<Vec<_>>().join(" ");
    let mut request = request(scope, &format!("{question} Anna unheard"));
    request.vector = (!dice.one_in(3)).then(|| (dice.vector(DIMENSIONS), MODEL.to_owned()));
    let mut length = || dice.below(6) as usize * 2;
    let lists = ListLengths { window: length(), turn: length(), dense: length() };
    request.lists = (!dice.one_in(3)).then_some(lists);
    request
}

pub(crate) fn draw_filter(dice: &mut Dice) -> NamespaceFilter {
    let mode = dice.pick(&[NamespaceMatch::Exact, NamespaceMatch::Subtree]);
    filter(dice.pick(&["/a", "/a/b", "/c", "/", "/none"]), mode)
}

pub(crate) fn draw_clause(dice: &mut Dice) -> AccessClause {
    AccessClause {
        actor: dice.one_in(3).then(|| ActorId::parse(dice.pick(&["ac0", "ac1", "ac9"])).unwrap()),
        session: dice.one_in(4).then(|| SessionId::parse(dice.pick(&["se0", "se1"])).unwrap()),
        namespace: dice.one_in(3).then(|| draw_filter(dice)),
        strategy: dice.one_in(5).then(|| StrategyId::parse("st1").unwrap()),
        bounds: if dice.one_in(3) { draw_bounds(dice) } else { Bounds::default() },
    }
}

fn draw_bounds(dice: &mut Dice) -> Bounds {
    let mut bounds = Bounds::default();
    if dice.one_in(2) {
        let colors: &[&[&str]] = &[&["red"], &["green"], &["red", "green"], &["none"]];
        let allowed = dice.pick(colors).iter().map(|text| (*text).to_owned()).collect();
        bounds.metadata.insert("color".into(), allowed);
    }
    bounds.since = dice.one_in(2).then(|| Timestamp::clamped(dice.below(30) as i64));
    bounds
}

/// Draws a condition on any key, including system keys, with any operator; three of four fit the
/// key.
pub(crate) fn draw_metadata(dice: &mut Dice, millis: u64) -> MetadataFilter {
    use FilterOperator as Op;
    let texts: &[Op] = &[Op::EqualsTo, Op::Exists, Op::NotExists];
    let lists: &[Op] = &[Op::EqualsTo, Op::Contains, Op::Exists, Op::NotExists];
    let numbers: &[Op] =
        &[Op::EqualsTo, Op::GreaterThan, Op::GreaterThanOrEquals, Op::LessThan, Op::LessThanOrEquals];
    let times: &[Op] = &[Op::Before, Op::After];
    let all: Vec<Op> = [texts, lists, numbers, times].concat();
    let (key, operators, kind) = dice.pick(&[
        ("color", texts, 0),
        ("size", numbers, 2),
        ("tags", lists, 1),
        ("when", times, 3),
        ("odd", &all, 5),
        ("unheard", &all, 5),
        (SYSTEM_CREATED_AT, times, 3),
        (SYSTEM_UPDATED_AT, times, 3),
        (SYSTEM_RECORD_TYPE, texts, 0),
        ("x-amz-agentcore-memory-unheard", &all, 5),
    ]);
    let fits = !dice.one_in(4);
    let operator = if fits { dice.pick(operators) } else { dice.pick(&all) };
    let kind = if fits && operator == Op::Contains {
        0
    } else if fits && kind < 4 {
        kind
    } else {
        dice.below(4)
    };
    let right = (!matches!(operator, Op::Exists | Op::NotExists)).then(|| draw_right(dice, millis, kind));
    MetadataFilter { key: key.into(), operator, right }
}
