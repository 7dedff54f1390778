//! `sre_preferences_apply`: applies a file that declares the preferences of users. It works by key,
//! applies all or nothing, and writes nothing if the file matches the stored state. A declared
//! preference does not expire while the file contains it. A memory has one such file: preferences
//! of an earlier file that this one lacks are no longer declared.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use loci_engine::access;
use loci_engine::access::segment;
use loci_engine::admin::erasure::{Tombstones, refusal_of_actor};
use loci_engine::calls::idempotency::IfErased;
use loci_engine::events::{NewEvent, PreparedEvent};
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{RedactionMode, SafetyPolicy};
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{Error, ErrorKind, MemoryId, Result, Timestamp, limits};
use serde_json::Value;

use super::current_set::{IN_FORCE, SrePreference, merged};
use super::preference;
use super::preference_lists::{by_user, records_of};
use crate::Operations;
use crate::input::{canonical_json, secret_mask};
use crate::records::drafts::{Speaker, drafts};
use crate::records::namespace_rules;
use crate::records::precedence::{DIGEST, put_in_force, said_of_it, source, word};
use crate::records::save::{EVENT_TYPE, SaveIds, SaveOrigin, SreSave};

/// A request to apply a file.
#[derive(Clone, PartialEq)]
pub struct SreApply {
    /// The memory that holds the preferences.
    pub memory: MemoryId,
    /// The users, each with preferences in the form in which they are saved.
    pub users: Vec<(String, Vec<Value>)>,
    /// True for a dry run: the call reports the changes and writes nothing.
    pub dry_run: bool,
    /// True to remove declared preferences that the file no longer contains.
    pub prune: bool,
    /// The treatment of users who were erased in this memory. A file has no date and may be older
    /// than the erasure, so it is rejected unless the caller requests a restore.
    pub if_erased: IfErased,
}

/// The effect on a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SreApplyKind {
    /// No value was active.
    Add,
    /// A different value was active, or the same value from another source.
    Change,
    /// The value was already declared.
    Unchanged,
    /// The file no longer contains it: it is removed.
    Prune,
    /// The file no longer contains it: it gets the retention of undeclared preferences.
    Undeclare,
    /// The value is from another source and is kept.
    Kept,
}

impl SreApplyKind {
    /// Returns the name used in responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Change => "change",
            Self::Unchanged => "unchanged",
            Self::Prune => "prune",
            Self::Undeclare => "undeclare",
            Self::Kept => "kept",
        }
    }

    /// True if the change is written.
    pub fn is_write(self) -> bool {
        match self {
            Self::Add | Self::Change | Self::Prune | Self::Undeclare => true,
            Self::Unchanged | Self::Kept => false,
        }
    }
}

/// A change of one key.
#[derive(Debug, Clone, PartialEq)]
pub struct SreApplyChange {
    /// The user whose preference changes.
    pub user: String,
    /// The type of the preference.
    pub kind: String,
    /// The key of the preference.
    pub key: String,
    /// The effect of the change on the key.
    pub what: SreApplyKind,
    /// The active value of the preference before the call; `None` if there was none.
    pub from: Option<Value>,
    /// The active value of the preference after the call; `None` if there is none.
    pub to: Option<Value>,
}

/// One preference of the file.
#[derive(Clone)]
struct DeclaredItem {
    user: String,
    place: String,
    said: Value,
    event: PreparedEvent,
    naming: SaveIds,
}

type Key = (String, String, String);

/// A declared value, with the index of its item.
struct DeclaredValue {
    item: usize,
    value: Value,
    context: Value,
}

/// The planned changes.
struct PreferencePlan {
    changes: Vec<SreApplyChange>,
    /// The records that the file no longer declares.
    undeclared: Vec<(Record, SreApplyKind)>,
    items: Vec<DeclaredItem>,
}

impl Operations {
    /// Applies a file of declared preferences, or returns the changes it would make.
    ///
    /// # Errors
    /// `Denied` if the caller does not administer the whole memory; `Invalid`, naming user, index
    /// and member, with nothing changed; `TooLarge` if the file has too many keys; `SOURCE_ERASED`,
    /// naming the user, if a key of an erased user would change.
    pub async fn sre_preferences_apply(
        &self,
        caller: &Principal,
        asked: SreApply,
    ) -> Result<Vec<SreApplyChange>> {
        access::require_whole(caller, &asked.memory, Capability::Admin)?;
        let now = self.engine.now();
        let items = self.sre_items(caller, &asked, now)?;
        let (operations, caller, dry_run) = (self.clone(), caller.clone(), asked.dry_run);
        if dry_run {
            return self
                .engine
                .store()
                .read(move |tx| Ok(operations.sre_plan(tx, &asked, &items, now)?.changes))
                .await;
        }
        let changes = self
            .engine
            .store()
            .write(move |tx| {
                let plan = operations.sre_plan(tx, &asked, &items, now)?;
                operations.sre_carry_out(tx, &caller, &asked.memory, &plan, now)?;
                Ok(plan.changes)
            })
            .await?;
        self.engine.wake().call();
        Ok(changes)
    }

    /// Returns the preferences of the file in order, each with its prepared event.
    fn sre_items(&self, caller: &Principal, asked: &SreApply, now: Timestamp) -> Result<Vec<DeclaredItem>> {
        let many: usize = asked.users.iter().map(|(_, items)| items.len()).sum();
        if many > limits::SRE_APPLY_ITEMS_MAX {
            let rule = format!(
                "a file has at most {} preferences: {many} are too many",
                limits::SRE_APPLY_ITEMS_MAX
            );
            return Err(Error::new(ErrorKind::TooLarge, rule).on("users"));
        }
        let mut items = Vec::new();
        for (user, said) in &asked.users {
            let named = |error: Error| {
                Error::invalid(format!("users.{user}"), error.message.replace("actor_id", "a user"))
            };
            let actor = namespace_rules::actor(SreType::Preferences, user, self.settings.of(&asked.memory))
                .map_err(named)?;
            let session = namespace_rules::session(SreType::Preferences, None)?;
            let view =
                access::event_view(caller, &asked.memory, &actor, Some(&session), Capability::Write, now)?;
            for (index, said) in said.iter().enumerate() {
                let mut event = self.engine.prepare(NewEvent {
                    memory: asked.memory.clone(),
                    actor: actor.clone(),
                    session: Some(session.clone()),
                    time: None,
                    payload: Vec::new(),
                    branch: None,
                    metadata: BTreeMap::from([(
                        EVENT_TYPE.to_owned(),
                        SreType::Preferences.as_str().to_owned(),
                    )]),
                    extraction: ExtractionMode::Skip,
                    namespace_variables: BTreeMap::new(),
                    over_limit: false,
                })?;
                event.put_within(&view)?;
                let place = format!("users.{user}.preferences[{index}]");
                let naming = self.sre_naming(now)?;
                items.push(DeclaredItem { user: user.clone(), place, said: said.clone(), event, naming });
            }
        }
        Ok(items)
    }

    fn sre_plan(
        &self,
        tx: &dyn ReadTx,
        asked: &SreApply,
        items: &[DeclaredItem],
        now: Timestamp,
    ) -> Result<PreferencePlan> {
        let memory = existing(tx, &asked.memory)?;
        let mut items = items.to_vec();
        let secrets = SafetyPolicy::of(self.engine.settings(), &memory.settings).secrets;
        for item in &mut items {
            secret_mask::mask(&mut item.said, secrets);
        }
        let mut declared = declared(&items, now)?;
        let listed: BTreeSet<&String> = asked.users.iter().map(|(user, _)| user).collect();
        let states = [RecordState::Active, RecordState::Candidate];
        let mut plan = PreferencePlan { changes: Vec::new(), undeclared: Vec::new(), items: Vec::new() };
        for (actor, records) in by_user(records_of(tx, &memory, None, None, &states, now)?) {
            let user = segment::decode(actor.as_str());
            for (kind, one) in merged(records, self.settings.of(&memory.id)) {
                for entry in one.entries {
                    let key = (user.clone(), kind.clone(), entry.key.clone());
                    let is_told = listed.contains(&user);
                    plan.meet(key, entry, &mut declared, (asked.prune, is_told));
                }
            }
        }
        for ((user, kind, key), one) in declared {
            let to = Some(one.value);
            plan.changes.push(SreApplyChange { user, kind, key, what: SreApplyKind::Add, from: None, to });
        }
        plan.changes
            .sort_by(|a, b| (&a.user, &a.kind, &a.key, a.what).cmp(&(&b.user, &b.kind, &b.key, b.what)));
        plan.items = items;
        if asked.if_erased != IfErased::Restore {
            self.check_forgotten(tx, &memory.id, &plan, now)?;
        }
        Ok(plan)
    }

    /// Requires that no user with an added or changed key was erased.
    fn check_forgotten(
        &self,
        tx: &dyn ReadTx,
        memory: &MemoryId,
        plan: &PreferencePlan,
        now: Timestamp,
    ) -> Result<()> {
        let tombstones = Tombstones { vault: self.engine.vault().as_ref(), memory };
        let said = |one: &&SreApplyChange| matches!(one.what, SreApplyKind::Add | SreApplyKind::Change);
        let mut users: BTreeSet<&str> =
            plan.changes.iter().filter(said).map(|one| one.user.as_str()).collect();
        for item in &plan.items {
            // Check each user once, even if the file has several items for the user.
            if !users.remove(item.user.as_str()) {
                continue;
            }
            if let Some(at) = tombstones.of_actor(tx, item.event.actor(), now)? {
                return Err(refusal_of_actor(at).on(format!("users.{}", item.user)));
            }
        }
        Ok(())
    }

    fn sre_carry_out(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        memory: &MemoryId,
        plan: &PreferencePlan,
        now: Timestamp,
    ) -> Result<()> {
        let memory = existing(tx, memory)?;
        let view = access::bound_view(self.engine.products(), caller, &memory.id, Capability::Write, now)?;
        let policy = SafetyPolicy {
            secrets: RedactionMode::Off,
            ..SafetyPolicy::of(self.engine.settings(), &memory.settings)
        };
        let by = caller.name.as_str();
        let building = Building { memory: &memory, view: &view, policy, expiry: None, by, now };
        let changing = StateTransition { memory: &memory, by, at: now };
        for item in &plan.items {
            self.sre_declare(tx, caller, &building, item, plan)?;
        }
        let days = namespace_rules::strategy(&memory, SreType::Preferences)?.record_expiry_days;
        for (record, what) in &plan.undeclared {
            if *what == SreApplyKind::Prune {
                changing.set_state(
                    tx,
                    record,
                    RecordState::Superseded,
                    "the file does not say it any more",
                )?;
                continue;
            }
            let mut left = record.clone();
            left.expiry_days = days;
            left.expires_at = days.map(|days| now.plus_days(days));
            left.updated_at = now;
            building.replace(tx, record, left, "the file does not say it any more")?;
        }
        if let Some(first) = plan.items.first() {
            batch::ask_for_vectors(tx, &memory.id, first.naming.job(), now)?;
        }
        Ok(())
    }

    /// Writes the event of an item, and a record for each key that changes.
    fn sre_declare(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        building: &Building<'_>,
        item: &DeclaredItem,
        plan: &PreferencePlan,
    ) -> Result<()> {
        let (memory, now) = (building.memory, building.now);
        let asked = SreSave {
            memory: memory.id.clone(),
            kind: SreType::Preferences,
            actor: item.user.clone(),
            session: None,
            data: item.said.clone(),
            source: SreSource::Declared,
        };
        let speaker = Speaker {
            settings: self.settings.of(&memory.id),
            zone: &TimeZone::UTC,
            name: &caller.name,
            noticed: None,
            in_person: false,
        };
        let mut drafts = drafts(&asked, &speaker, item.naming.random(), now)?;
        drafts.retain(|draft| plan.changes_by(&item.user, draft.place()));
        if drafts.is_empty() {
            return Ok(());
        }
        let text = canonical_json::text(&item.said);
        let payload = vec![PayloadItem::Conversational { role: Role::Assistant, text }];
        let stored =
            self.engine.event_store_in(tx, caller, memory, &item.event.with_masked(payload), None)?;
        let of = (item.event.actor(), item.event.session());
        let spring = SaveOrigin {
            actor: of.0,
            session: of.1,
            event: &stored.event.id,
            of,
            private_to: None,
            making: None,
        };
        let strategy = namespace_rules::strategy(memory, SreType::Preferences)?;
        for (draft, (id, part)) in drafts.into_iter().zip(item.naming.ids().iter().zip(0_u32..)) {
            // The time of a declared statement is the time of applying the file.
            let record = draft.said_at(now).record(building, strategy, &asked, (spring, part), id)?;
            let scope = namespace_rules::scope(memory, SreType::Preferences, Some(of.0), now)?;
            let scope = RecordScope { view: building.view.clauses().to_vec(), ..scope };
            let rivals = said_of_it(tx, scope, record.subtype.as_deref().unwrap_or_default())?;
            let says_it = |one: &&Record| {
                one.state != RecordState::Quarantined && word(one, DIGEST) == word(&record, DIGEST)
            };
            let before = rivals.iter().find(says_it).cloned();
            put_in_force(tx, building, record, &rivals, before.as_ref())?;
        }
        Ok(())
    }
}

impl PreferencePlan {
    /// Plans the effect on a stored preference.
    fn meet(
        &mut self,
        key: Key,
        entry: SrePreference,
        declared: &mut BTreeMap<Key, DeclaredValue>,
        (prune, is_told): (bool, bool),
    ) {
        let said_by = source(&entry.record);
        let is_declared = said_by == SreSource::Declared;
        let is_in_force = entry.state == IN_FORCE;
        let what = match declared.get(&key) {
            // The entry is pending or conflicting: the declared value takes its place, and this is
            // no change of a key.
            Some(_) if !is_in_force => return,
            Some(one) => {
                let is_same = one.value == entry.value && one.context == context(&entry.record);
                let is_lasting = is_declared && entry.record.expires_at.is_none();
                if is_same && is_lasting { SreApplyKind::Unchanged } else { SreApplyKind::Change }
            }
            None if is_declared && prune => SreApplyKind::Prune,
            None if is_declared && entry.record.expires_at.is_none() => SreApplyKind::Undeclare,
            None if prune && is_told && is_in_force => SreApplyKind::Kept,
            None => return,
        };
        let to = declared.remove(&key).map(|one| one.value);
        if matches!(what, SreApplyKind::Prune | SreApplyKind::Undeclare) {
            self.undeclared.push((entry.record, what));
        }
        let (user, kind, key) = key;
        self.changes.push(SreApplyChange { user, kind, key, what, from: Some(entry.value), to });
    }

    fn changes_by(&self, user: &str, (kind, key): (&str, &str)) -> bool {
        let is_it = |one: &&SreApplyChange| one.user == user && one.kind == kind && one.key == key;
        let what = self.changes.iter().find(is_it).map(|one| one.what);
        matches!(what, Some(SreApplyKind::Add | SreApplyKind::Change))
    }
}

/// Returns the declared values by key. Each key may occur once.
fn declared(items: &[DeclaredItem], now: Timestamp) -> Result<BTreeMap<Key, DeclaredValue>> {
    let mut all: BTreeMap<Key, DeclaredValue> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        let place = |error: Error| {
            let member =
                error.field.as_deref().and_then(|field| field.strip_prefix("data")).unwrap_or_default();
            let message = format!("{}: {}", item.place, error.message);
            Error::invalid(format!("{}{member}", item.place), message)
        };
        let said = preference::Preference::read(item.said.clone(), now).map_err(place)?;
        for one in said.keys() {
            let key = (item.user.clone(), said.kind.clone(), one.key.clone());
            let context = said.context.clone().map_or(Value::Null, Value::String);
            if let Some(first) = all.get(&key).and_then(|first| items.get(first.item)) {
                let rule =
                    format!("{}: {} is said by {} already: say it once", item.place, one.key, first.place);
                return Err(Error::invalid(format!("{}.preference_value.{}", item.place, one.member), rule));
            }
            all.insert(key, DeclaredValue { item: at, value: canonical_json::sorted(&one.value), context });
        }
    }
    Ok(all)
}

fn context(record: &Record) -> Value {
    let stored: Value = serde_json::from_str(&record.text).unwrap_or(Value::Null);
    stored.get("context").cloned().unwrap_or(Value::Null)
}
