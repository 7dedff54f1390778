//! Generated conversation and files: people speak in sessions, each about a few topics. The word
//! frequencies are as unequal as in natural language.

use loci_model::event::{Event, PayloadItem, Role};
use loci_model::ports::store::PassageVector;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind};
use loci_model::{MemoryId, Namespace, RecordId, StrategyId};
use loci_testkit_ports::{HashEmbedder, samples};

/// The number of turns in a session.
const SESSION: u32 = 20;
const PEOPLE: [&str; 5] = ["Anna", "Bob", "Carla", "Dmitri", "Erin"];

/// Pseudo-random numbers from a seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    /// Returns a word of a vocabulary of `of` words; low numbers are more frequent.
    fn word(&mut self, of: u64) -> String {
        let limit = 1 + self.below(of);
        word(self.below(limit))
    }
}

/// Returns the word with a number.
fn word(mut number: u64) -> String {
    let mut text = String::from("z");
    for _ in 0..3 {
        text.push(char::from(b"aiou"[(number % 4) as usize]));
        number /= 4;
        text.push(char::from(b"bdfgklmnprtvz"[(number % 13) as usize]));
        number /= 13;
    }
    text
}

/// Returns the text of a turn in a session.
fn text(dice: &mut Dice, session: u32, speaker: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for _ in 0..8 + dice.below(10) {
        let topic = word(2_000 + u64::from(session) * 11 + dice.below(25));
        words.push(if dice.below(3) == 0 { topic } else { dice.word(1_500) });
    }
    format!("{speaker}: {}.", words.join(" "))
}

/// Returns a turn of conversation: session, speaker and words derive from its number.
pub(crate) fn turn(memory: &MemoryId, number: u32) -> Record {
    let (session, mut dice) = (number / SESSION, Dice::new(u64::from(number) + 1));
    let speaker = PEOPLE[(session as usize + dice.below(2) as usize) % PEOPLE.len()];
    let said = text(&mut dice, session, speaker);
    let role = if dice.below(4) == 0 { Role::Assistant } else { Role::User };
    let actor = format!("actor-{}", session % 4);
    let event = Event {
        payload: vec![PayloadItem::Conversational { role, text: said }],
        ..samples::event(memory, &actor, &format!("s-{session}"), i64::from(number)).unwrap()
    };
    let mut record = samples::turn(&event, number).unwrap();
    record.namespace = Namespace::parse(format!("/talk/{actor}/")).unwrap();
    record.metadata.insert("tenth".into(), MetadataValue::Number(f64::from(number % 10)));
    record.metadata.insert("hundredth".into(), MetadataValue::String(format!("h{}", number % 100)));
    let rare = if number % 1_000 == 7 { "yes" } else { "no" };
    record.metadata.insert("rare".into(), MetadataValue::StringList(vec![rare.into(), "all".into()]));
    if number % 50 == 3 {
        record.kind = RecordKind::Preference;
    }
    record
}

/// Returns a file with several sections.
pub(crate) fn file(memory: &MemoryId, number: u32) -> Record {
    let mut dice = Dice::new(u64::from(number) + 77);
    let mut body = String::new();
    for section in 0..3 {
        let words: Vec<String> = (0..70).map(|_| dice.word(3_000)).collect();
        body.push_str(&format!("# {}\n\n{}\n\n", word(4_000 + section), words.join(" ")));
    }
    let mut record = samples::record(memory, number, &body).unwrap();
    record.kind = RecordKind::Document;
    record.namespace = Namespace::parse("/files/").unwrap();
    record.strategy = number.is_multiple_of(2).then(|| StrategyId::parse("files").unwrap());
    record.path = Some(format!("src/{}/{}.md", word(u64::from(number % 7)), word(5_000 + u64::from(number))));
    record
}

/// Returns the vector of a record's only passage.
pub(crate) fn vector(record: &Record) -> PassageVector {
    PassageVector {
        record: record.id.clone(),
        version: record.version,
        part: 0,
        model: "hash-64".into(),
        vector: HashEmbedder::default().vector(&record.text),
    }
}

/// Returns a question about a turn: some of its words.
pub(crate) fn question(memory: &MemoryId, number: u32) -> String {
    let said = turn(memory, number).text;
    let words: Vec<&str> = said.trim_end_matches('.').split(' ').skip(1).step_by(3).take(4).collect();
    words.join(" ")
}

/// Returns the number of a record.
pub(crate) fn number_of(id: &RecordId) -> u32 {
    u32::from_str_radix(&id.as_str()[id.as_str().len() - 8..], 16).unwrap()
}
