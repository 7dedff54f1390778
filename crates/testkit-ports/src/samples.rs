//! Samples with all members filled in, so that tests change only the relevant ones.

use std::collections::BTreeMap;

use loci_model::event::{
    Branch, Event, EventLoad, EventNotes, ExtractionMode, MAIN_BRANCH, PayloadItem, Role,
};
use loci_model::job::exchange::{Exchange, ExchangeState, Step};
use loci_model::memory::Memory;
use loci_model::memory::prompt::PromptId;
use loci_model::memory::settings::MemorySettings;
use loci_model::record::findings::Findings;
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState, TrustTier};
use loci_model::{
    ActorId, BranchName, EventId, ExchangeId, JobId, MemoryId, Namespace, RecordId, Result, SessionId,
    StrategyId, Timestamp,
};

/// Returns a time `seconds` after the start of every test clock.
pub fn time(seconds: i64) -> Timestamp {
    crate::clock::START.plus_millis(seconds.saturating_mul(1000))
}

/// Returns a memory called `name` without strategies.
pub fn memory(name: &str) -> Result<Memory> {
    Ok(Memory {
        id: MemoryId::compose(name, "0000000000")?,
        name: name.to_owned(),
        description: None,
        encryption_key_arn: None,
        execution_role_arn: None,
        event_expiry_days: 30,
        strategies: Vec::new(),
        indexed_keys: Vec::new(),
        namespace_keys: Vec::new(),
        stream: None,
        tags: BTreeMap::new(),
        settings: MemorySettings::default(),
        created_at: time(0),
        updated_at: time(0),
        import: None,
    })
}

/// Returns the `number`th event of a session: one message, `number` seconds after the start, with a
/// retention of 30 days.
pub fn event(memory: &MemoryId, actor: &str, session: &str, number: i64) -> Result<Event> {
    let at = time(number);
    Ok(Event {
        memory: memory.clone(),
        actor: ActorId::parse(actor)?,
        session: SessionId::parse(session)?,
        id: EventId::compose(at.millis(), 0),
        time: at,
        arrived: at,
        arrival: 0,
        payload: vec![PayloadItem::Conversational { role: Role::User, text: format!("message {number}") }],
        branch: Branch { name: BranchName::parse(MAIN_BRANCH)?, root: None },
        metadata: BTreeMap::new(),
        extraction: ExtractionMode::Extract,
        namespace_variables: BTreeMap::new(),
        run: None,
        hidden: false,
        expires: at.plus_days(30),
        notes: EventNotes::default(),
        load: EventLoad { messages: 1, tokens: 3 },
    })
}

/// Returns the id of the `number`th record.
pub fn record_id(number: u32) -> Result<RecordId> {
    RecordId::compose(&format!("00000000-0000-7000-8000-{number:012x}"))
}

/// Returns the `number`th record: a fact in `/facts/`, made by `facts`, written `number` seconds
/// after the start.
pub fn record(memory: &MemoryId, number: u32, text: &str) -> Result<Record> {
    let at = time(i64::from(number));
    Ok(Record {
        memory: memory.clone(),
        id: record_id(number)?,
        version: 1,
        sequence: 0,
        kind: RecordKind::Fact,
        subtype: None,
        title: None,
        path: None,
        description: None,
        scope: None,
        citations: None,
        namespace: Namespace::parse("/facts/")?,
        strategy: Some(StrategyId::parse("facts")?),
        text: text.to_owned(),
        index_text: None,
        metadata: BTreeMap::new(),
        provenance: Provenance::default(),
        origin: RecordOrigin::Extracted,
        trust: 1.0,
        tier: TrustTier::default(),
        making: None,
        derived_from: Vec::new(),
        findings: Findings::default(),
        state: RecordState::Active,
        state_reason: None,
        superseded_by: None,
        supersedes: Vec::new(),
        valid_from: at,
        valid_to: None,
        timestamp: at,
        created_at: at,
        updated_at: at,
        expires_at: None,
        expiry_days: None,
    })
}

/// Returns a record that contains an event's message verbatim.
pub fn turn(event: &Event, number: u32) -> Result<Record> {
    let text = event.payload.iter().find_map(|item| match item {
        PayloadItem::Conversational { role, text } => Some((*role, text.as_str())),
        PayloadItem::Blob(_) | PayloadItem::Json(_) => None,
    });
    let (role, text) = text.unwrap_or((Role::Other, ""));
    let mut record = record(&event.memory, number, text)?;
    record.timestamp = event.time;
    record.provenance = Provenance {
        actor: Some(event.actor.clone()),
        session: Some(event.session.clone()),
        branch: None,
        sources: vec![Source { event: event.id.clone(), message: 0, part: 0 }],
        verbatim: true,
        role: Some(role),
        run: event.run.clone(),
        bound: event.notes.bound.clone(),
    };
    Ok(record)
}

/// Returns the `number`th exchange: an open extraction question of `job`, asked `number` seconds
/// after the start.
pub fn exchange(memory: &MemoryId, job: &str, number: u8) -> Result<Exchange> {
    Ok(Exchange {
        id: ExchangeId::compose(&format!("00000000-0000-7000-8000-0000000000{number:02x}"))?,
        memory: memory.clone(),
        job: JobId::parse(job)?,
        step: Step::Extract,
        digest: [number; 32],
        prompt: PromptId::parse("semantic.extract@1")?,
        model: None,
        system: "Say what is worth keeping.".to_owned(),
        input: format!("[{{\"turn\":{number}}}]"),
        grammar: "a JSON list".to_owned(),
        state: ExchangeState::Open,
        leased_by: None,
        lease_until: None,
        turn: 1,
        attempts: 0,
        reply: None,
        created_at: time(i64::from(number)),
    })
}
