//! `sre_examine`: finds records of operations memory that no read will ever match: records outside
//! the namespaces of strategies, texts that no parser accepts, agents that no start queries, and
//! ids that collide. It reads all records page by page, reports no content, and changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::access;
use loci_engine::access::segment;
use loci_engine::memories::existing;
use loci_model::memory::Memory;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::services::knowledge::SreType;
use loci_model::{MemoryId, RecordId, Result, StrategyId, limits};
use loci_text::normalise_exact;
use serde_json::Value;

use super::settings::SreSettings;
use crate::Operations;
use crate::records::{namespace_rules, record_content};

const PAGE: usize = 200;

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SreProblemKind {
    /// The namespace of the record belongs to no strategy of the memory, or not to the record's
    /// strategy.
    Unreachable,
    /// The text cannot be parsed.
    Unreadable,
    /// Knowledge is stored under an alias of an agent, which no read for that agent includes.
    AgentAlias,
    /// An agent is neither in `agents` nor an alias: no start reads its knowledge.
    AgentUnknown,
    /// Ids share one namespace, or differ only by case or spelling.
    IdsCollide,
}

impl SreProblemKind {
    /// Returns the name used in responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Unreadable => "unreadable",
            Self::AgentAlias => "agent_alias",
            Self::AgentUnknown => "agent_unknown",
            Self::IdsCollide => "ids_collide",
        }
    }
}

/// A problem with a record or with ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreProblem {
    /// The kind of the problem.
    pub kind: SreProblemKind,
    /// The record that the problem is about, if any.
    pub record: Option<RecordId>,
    /// The location: a namespace, or ids.
    pub place: String,
    /// The consequence and the remedy. Contains no content of records.
    pub detail: String,
}

/// The result of the diagnostics.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SreExamined {
    /// The number of active and pending records examined.
    pub records: usize,
    /// The problems, sorted by kind, then in the order of detection; at most
    /// [`limits::SRE_PROBLEMS_MAX`].
    pub problems: Vec<SreProblem>,
    /// The number of further problems that are not listed.
    pub more: usize,
}

impl Operations {
    /// Examines all active and pending records.
    ///
    /// # Errors
    /// `Denied` if the caller does not administer the whole memory; `Conflict` if the memory has no
    /// strategy of the profile.
    pub async fn sre_examine(&self, caller: &Principal, memory: &MemoryId) -> Result<SreExamined> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let now = self.engine.now();
        let id = memory.clone();
        let memory = self.engine.store().read(move |tx| existing(tx, &id)).await?;
        if SreType::ALL.iter().all(|kind| namespace_rules::strategy(&memory, *kind).is_err()) {
            namespace_rules::strategy(&memory, SreType::Infrastructure)?;
        }
        let mut look = DiagnosticsState::of(&memory, self.settings.of(&memory.id));
        let states = vec![RecordState::Active, RecordState::Candidate];
        let scope = RecordScope { states, ..RecordScope::whole(memory.id.clone(), now) };
        let mut page = RecordPage { scope, after: None, limit: PAGE };
        loop {
            // Each page is a separate read, so that a large memory blocks no other transaction.
            let asked = page.clone();
            let some = self.engine.store().read(move |tx| tx.records().list(&asked)).await?;
            some.iter().for_each(|record| look.at(record));
            page.after = some.last().map(|record| (record.created_at, record.id.clone()));
            if some.len() < PAGE {
                return Ok(look.end());
            }
        }
    }
}

/// The spellings and uses of one id.
#[derive(Default)]
struct IdSpellings {
    /// The spellings in records.
    said: BTreeSet<String>,
    records: usize,
}

/// The state of the examination.
struct DiagnosticsState<'a> {
    memory: &'a Memory,
    settings: &'a SreSettings,
    kinds: Vec<(SreType, StrategyId)>,
    /// Ids by record type, by folded form and by segment.
    ids: BTreeMap<(SreType, String), BTreeMap<String, IdSpellings>>,
    examined: SreExamined,
}

impl<'a> DiagnosticsState<'a> {
    fn of(memory: &'a Memory, settings: &'a SreSettings) -> Self {
        let strategy =
            |kind: &SreType| Some((*kind, namespace_rules::strategy(memory, *kind).ok()?.id.clone()));
        let kinds = SreType::ALL.iter().filter_map(strategy).collect();
        Self { memory, settings, kinds, ids: BTreeMap::new(), examined: SreExamined::default() }
    }

    /// Entries of a document tree are read by path, and are not examined here.
    fn at(&mut self, record: &Record) {
        if record.kind == RecordKind::Document {
            return;
        }
        self.examined.records += 1;
        let of_type = self.kinds.iter().find(|(_, id)| record.strategy.as_ref() == Some(id));
        let kind = of_type.map(|(kind, _)| *kind);
        match actor_of(self.memory, record) {
            Err(why) => self.found(SreProblemKind::Unreachable, Some(record), why),
            Ok(actor) => {
                if let (Some(kind), Some(actor)) = (kind, actor) {
                    self.saw(kind, actor, record);
                }
            }
        }
        if let (Some(_), Err(why)) = (kind, record_content::content(&record.text)) {
            // A parse error gives the position in the text, and never quotes it.
            self.found(SreProblemKind::Unreadable, Some(record), why);
        }
    }

    fn saw(&mut self, kind: SreType, actor: String, record: &Record) {
        let folded = normalise_exact(&segment::decode(&actor)).to_lowercase();
        let seen = self.ids.entry((kind, folded)).or_default().entry(actor).or_default();
        seen.records += 1;
        let member = if kind == SreType::Infrastructure { "discovered_by" } else { "user_id" };
        let content: Value = serde_json::from_str(&record.text).unwrap_or_default();
        if let Some(id) = content.get(member).and_then(Value::as_str) {
            let id = if kind == SreType::Infrastructure { self.settings.known_as(id) } else { id };
            seen.said.insert(id.to_owned());
        }
    }

    fn found(&mut self, kind: SreProblemKind, record: Option<&Record>, detail: String) {
        let place = record.map(|record| record.namespace.to_string()).unwrap_or_default();
        self.add(SreProblem { kind, record: record.map(|record| record.id.clone()), place, detail });
    }

    fn add(&mut self, problem: SreProblem) {
        if self.examined.problems.len() < limits::SRE_PROBLEMS_MAX {
            self.examined.problems.push(problem);
        } else {
            self.examined.more += 1;
        }
    }

    fn end(mut self) -> SreExamined {
        for ((kind, _), segments) in std::mem::take(&mut self.ids) {
            for (actor, seen) in &segments {
                if kind == SreType::Infrastructure {
                    self.agent(actor, seen);
                }
                if seen.said.len() > 1 {
                    let said: Vec<&str> = seen.said.iter().map(String::as_str).collect();
                    let detail = format!("{} ids are kept in one place: {}", kind.as_str(), said.join(", "));
                    self.add(collision(actor.clone(), detail));
                }
            }
            if segments.len() > 1 {
                let names: Vec<String> = segments.keys().map(|one| segment::decode(one)).collect();
                let places: Vec<&str> = segments.keys().map(String::as_str).collect();
                let detail = format!(
                    "{}: {} differ by case or spelling alone, and have nothing of each other's: agree on one",
                    kind.as_str(),
                    names.join(", ")
                );
                self.add(collision(places.join(", "), detail));
            }
        }
        let mut examined = self.examined;
        examined.problems.sort_by_key(|one| one.kind);
        examined
    }

    fn agent(&mut self, actor: &str, seen: &IdSpellings) {
        let name = segment::decode(actor);
        let agent = self.settings.known_as(&name);
        let (kind, detail) = if agent != name {
            let why =
                format!("{name} is another name of {agent}: {} records are where nobody looks", seen.records);
            (SreProblemKind::AgentAlias, format!("{why}; save them as {agent}'s and delete these"))
        } else if self.settings.is_read(&name) {
            return;
        } else {
            let why = format!("{name} is neither in agents nor in agent_aliases");
            (SreProblemKind::AgentUnknown, format!("{why}: no start shows its {} records", seen.records))
        };
        self.add(SreProblem { kind, record: None, place: actor.to_owned(), detail });
    }
}

fn collision(place: String, detail: String) -> SreProblem {
    SreProblem { kind: SreProblemKind::IdsCollide, record: None, place, detail }
}

/// Returns the actor in the record's namespace, if the template of its strategy has one.
fn actor_of(memory: &Memory, record: &Record) -> std::result::Result<Option<String>, String> {
    let mut others = Vec::new();
    for strategy in &memory.strategies {
        let known =
            |name: &str| matches!(name, "memoryStrategyId" | "strategyId").then(|| strategy.id.to_string());
        let Some(mut values) = strategy.template.read(&record.namespace, &known) else { continue };
        if record.strategy.as_ref() == Some(&strategy.id) {
            return Ok(values.remove("actorId"));
        }
        others.push(strategy.name.as_str());
    }
    let own = record.strategy.as_ref().and_then(|id| memory.strategy(id));
    let own = own.map_or("no strategy".to_owned(), |one| format!("the strategy {}", one.name));
    Err(match others.first() {
        None => format!("no strategy looks here; it is of {own}"),
        Some(other) => format!("the strategy {other} looks here, and it is of {own}"),
    })
}
