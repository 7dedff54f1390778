//! The verb `session_append`: statements and actions, event by event, under the numbers that the
//! agent assigns. A known number is a repetition, so a report may arrive late and twice. An event
//! after the end of the session is stored only in the archive.

use std::collections::BTreeMap;

use loci_api::coding::task::session::SessionAppended;
use loci_engine::calls::call_context::CallContext;
use loci_engine::events::{NewEvent, PreparedEvent};
use loci_engine::memories::existing;
use loci_engine::safety::{RedactionMode, SafetyPolicy, Tally, secrets};
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::facts::code::ObjectId;
use loci_model::memory::Memory;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{SessionItem, SessionItemKind, ToolUse};
use loci_model::{Document, Error, ErrorKind, EventId, Result, TaskId, Timestamp, limits};

use super::{archive_rules, session_of};
use crate::Coding;
use crate::commits::task_commits;
use crate::settings::CaptureSettings;
use crate::tasks::log_fields::Call;
use crate::tasks::{field_checks, task_namespaces};

/// A statement or an action.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSessionItem {
    /// The number of the event in its session, greater than those of earlier events.
    pub seq: u64,
    /// The kind.
    pub kind: SessionItemKind,
    /// The speaker; `None`: the tool for its own answer, else the agent.
    pub role: Option<Role>,
    /// The content.
    pub content: Option<String>,
    /// The user whose request led to it, by name.
    pub user: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// The commit that was checked out, or made.
    pub commit: Option<String>,
    /// The tool that was used.
    pub tool: Option<ToolUse>,
    /// The time; `None`: now.
    pub at: Option<Timestamp>,
}

/// A checked item, and the event that it becomes.
#[derive(Clone)]
struct CheckedSessionItem {
    new: NewSessionItem,
    role: Role,
    commit: Option<ObjectId>,
    event: PreparedEvent,
}

/// The write of one call.
struct Appending<'a> {
    coding: &'a Coding,
    caller: &'a Principal,
    memory: &'a Memory,
    task: &'a Task,
    is_over: bool,
    /// The archive settings.
    capture: CaptureSettings,
    now: Timestamp,
    done: SessionAppended,
    found: Tally,
    asked: bool,
}

impl Coding {
    /// Adds events to the session of a task.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members, naming the event by its index (`events[3].content`);
    /// no event is stored then; `NotFound`; `Denied`.
    pub async fn session_append(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        items: Vec<NewSessionItem>,
    ) -> Result<SessionAppended> {
        Call::write("session_append", Some(id))
            .told(async {
                let max = limits::SESSION_EVENTS_PER_CALL_MAX;
                if items.is_empty() || items.len() > max {
                    let rule = format!("events must have 1 to {max} members: send several calls");
                    return Err(Error::invalid("events", rule));
                }
                (0..)
                    .zip(&items)
                    .try_for_each(|(at, item)| check(item).map_err(|error| of_event(at, error)))?;
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let task = self.task_of(caller, &memory, id).await?;
                let ready = (0..).zip(items);
                let ready =
                    ready.map(|(at, new)| self.ready(&task, new).map_err(|error| of_event(at, error)));
                let mut ready = ready.collect::<Result<Vec<_>>>()?;
                for one in &mut ready {
                    self.engine.mask_beforehand(&mut one.event).await?;
                }
                let (coding, caller, id, now) = (self.clone(), caller.clone(), id.clone(), self.engine.now());
                let (done, found, asked) = self
                    .engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let task = &task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        let is_over = session_of(tx, task, now)?.ended_at.is_some();
                        let mut appending = Appending {
                            coding: &coding,
                            caller: &caller,
                            memory: &memory,
                            task,
                            is_over,
                            capture: coding.parts.settings.of_task(tx, task)?.capture,
                            now,
                            done: SessionAppended::default(),
                            found: Tally::default(),
                            asked: false,
                        };
                        for (at, item) in (0..).zip(&ready) {
                            appending.take(tx, item).map_err(|error| of_event(at, error))?;
                        }
                        appending.end(tx)
                    })
                    .await?;
                found.tell(self.engine.observe().as_ref());
                if asked {
                    self.engine.wake().call();
                }
                Ok(done)
            })
            .await
    }

    fn ready(&self, task: &Task, new: NewSessionItem) -> Result<CheckedSessionItem> {
        let new = without_secrets(new);
        let by_default = if new.kind == SessionItemKind::ToolResult { Role::Tool } else { Role::Assistant };
        let role = new.role.unwrap_or(by_default);
        let commit =
            new.commit.as_deref().map(|sha| task_commits::id("events.commit_sha", sha)).transpose()?;
        let event = self.engine.prepare(event_of(task, &new, role, commit.as_ref())?)?;
        Ok(CheckedSessionItem { new, role, commit, event })
    }
}

impl CheckedSessionItem {
    /// Returns the masked text, from its event if that was masked before the write.
    fn text(&self, mode: RedactionMode) -> String {
        match self.event.masked_text(mode) {
            Some(text) => text.to_owned(),
            None => secrets::redact(self.new.content.clone().unwrap_or_default(), mode).0,
        }
    }
}

impl Appending<'_> {
    fn take(&mut self, tx: &mut dyn Tx, ready: &CheckedSessionItem) -> Result<()> {
        let item = self.item(ready);
        if let Some(known) = tx.task_sessions().item(&self.memory.id, &self.task.id, item.seq)? {
            self.done.duplicates = self.done.duplicates.saturating_add(1);
            if (known.kind, &known.text_sha256) != (item.kind, &item.text_sha256) {
                self.done.warnings.push(format!("SEQ_TAKEN: {} was said before, with other words", item.seq));
            }
            return Ok(());
        }
        self.done.accepted = self.done.accepted.saturating_add(1);
        if self.is_over {
            return match archive_rules::keeps(self.capture.conversation, &item) {
                true => tx.task_sessions_mut().put_item(&item),
                false => Ok(()),
            };
        }
        let event = self.store(tx, &ready.event)?;
        tx.task_sessions_mut().put_item(&SessionItem { event: Some(event), ..item })
    }

    /// Stores the event of the memory like every event.
    fn store(&mut self, tx: &mut dyn Tx, event: &PreparedEvent) -> Result<EventId> {
        let stored = self.coding.engine.event_store_in(tx, self.caller, self.memory, event, None)?;
        self.found.join(stored.found);
        self.asked |= stored.asked;
        Ok(stored.event.id)
    }

    fn item(&self, ready: &CheckedSessionItem) -> SessionItem {
        let new = &ready.new;
        let policy = SafetyPolicy::of(self.coding.engine.settings(), &self.memory.settings);
        let text = ready.text(policy.secrets);
        let is_kept = !text.is_empty() && archive_rules::keeps_words(self.capture.conversation, new.kind);
        SessionItem {
            memory: self.memory.id.clone(),
            actor: self.task.actor.clone(),
            task: self.task.id.clone(),
            seq: new.seq,
            kind: new.kind,
            role: ready.role.as_str().to_lowercase(),
            text_sha256: archive_rules::digest_of(&text),
            text_chars: archive_rules::chars_of(&text),
            text: is_kept.then_some(text),
            user: new.user.clone().or_else(|| self.task.user.clone()),
            prompt_version: new.prompt_version.clone().or_else(|| self.task.prompt_version.clone()),
            commit: ready.commit.map(|sha| sha.to_string()),
            tool: new
                .tool
                .clone()
                .map(|tool| ToolUse { cost_usd: field_checks::dollars(tool.cost_usd), ..tool }),
            event: None,
            at: new.at.unwrap_or(self.now),
            reported_at: self.now,
            expires_at: self.now.plus_days(self.capture.retention_days),
        }
    }

    fn end(mut self, tx: &mut dyn Tx) -> Result<(SessionAppended, Tally, bool)> {
        if self.is_over && self.done.accepted > 0 {
            self.done.warnings.push(OVER.to_owned());
        }
        self.done.last_seq = tx.task_sessions().last_seq(&self.memory.id, &self.task.id)?;
        Ok((self.done, self.found, self.asked))
    }
}

const OVER: &str = "SESSION_ENDED: the session is over; what came now is in the archive alone";

/// Masks the secrets in the fields other than the words, under all settings and before an item or
/// an event exists.
fn without_secrets(new: NewSessionItem) -> NewSessionItem {
    let clean = |text: String| secrets::redact(text, RedactionMode::Mask).0;
    NewSessionItem {
        user: new.user.map(clean),
        prompt_version: new.prompt_version.map(clean),
        tool: new.tool.map(|tool| ToolUse { name: clean(tool.name), status: tool.status.map(clean), ..tool }),
        ..new
    }
}

/// Returns the event of an item. Strategies do not process it: learnings come from the report at
/// the end, or from a promotion.
fn event_of(task: &Task, new: &NewSessionItem, role: Role, commit: Option<&ObjectId>) -> Result<NewEvent> {
    let mut payload = Vec::new();
    if let Some(text) = new.content.clone().filter(|text| !text.is_empty()) {
        payload.push(PayloadItem::Conversational { role, text });
    }
    if let Some(tool) = &new.tool {
        let tool = serde_json::to_value(tool)
            .map_err(|error| Error::bug("a tool that cannot be written down").caused_by(error))?;
        payload.push(PayloadItem::Blob(Document::from_value(&serde_json::json!({ "tool": tool }))?));
    }
    let mut metadata = BTreeMap::from([
        ("task_id".to_owned(), task.id.to_string()),
        ("seq".to_owned(), new.seq.to_string()),
        ("type".to_owned(), new.kind.as_str().to_owned()),
    ]);
    metadata.extend(commit.map(|sha| ("commit_sha".to_owned(), sha.to_string())));
    Ok(NewEvent {
        memory: task.memory.clone(),
        actor: task.actor.clone(),
        session: Some(task.session.clone()),
        time: new.at,
        payload,
        branch: None,
        metadata,
        extraction: ExtractionMode::Skip,
        namespace_variables: BTreeMap::new(),
        over_limit: false,
    })
}

/// Returns the error of one event, with its index in the call from 0, so that the sender can leave
/// the event out.
pub fn of_event(at: usize, mut error: Error) -> Error {
    if !matches!(error.kind, ErrorKind::Invalid | ErrorKind::TooLarge) {
        return error;
    }
    let place = format!("events[{at}]");
    match error.field.as_deref().and_then(|field| field.strip_prefix("events.")) {
        Some(member) => {
            let member = format!("{place}.{member}");
            error.message = error.message.replace("events.", &format!("{place}."));
            if !error.message.contains(&place) {
                error.message = format!("{place}: {}", error.message);
            }
            error.on(member)
        }
        None => {
            error.message = format!("{place}: {}", error.message);
            error.on(place)
        }
    }
}

fn check(new: &NewSessionItem) -> Result<()> {
    if new.seq > limits::SESSION_SEQ_MAX {
        let max = limits::SESSION_SEQ_MAX;
        return Err(Error::invalid("events.seq", format!("events.seq must be at most {max}")));
    }
    let said = new.content.as_deref().unwrap_or_default();
    if said.is_empty() && new.tool.is_none() {
        return Err(Error::invalid("events.content", "an event must have content or a tool"));
    }
    if said.chars().count() > limits::MESSAGE_CHARS_MAX {
        let rule = "events.content must have at most 100,000 characters: send it as several events";
        return Err(Error::invalid("events.content", rule));
    }
    field_checks::name("events.user", new.user.as_ref())?;
    field_checks::name("events.prompt_hash", new.prompt_version.as_ref())?;
    let Some(tool) = &new.tool else { return Ok(()) };
    field_checks::name("events.tool.name", Some(&tool.name))?;
    field_checks::name("events.tool.status", tool.status.as_ref())?;
    digest("events.tool.input_sha256", tool.input_sha256.as_ref())?;
    digest("events.tool.output_sha256", tool.output_sha256.as_ref())
}

/// The number of hex digits of a SHA-256.
const DIGEST_DIGITS: usize = 64;

fn digest(field: &'static str, value: Option<&String>) -> Result<()> {
    let is_digest = |text: &String| {
        text.len() == DIGEST_DIGITS && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
    };
    if value.is_none_or(is_digest) {
        return Ok(());
    }
    Err(Error::invalid(field, format!("{field} must be 64 small hex digits")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_event() {
        let check = |error: Error, field: Option<&str>, message: &str| {
            let error = of_event(3, error);
            assert_eq!((error.field.as_deref(), error.message.as_str()), (field, message));
        };
        let invalid = Error::invalid("events.at", "events.at must be a time");
        check(invalid, Some("events[3].at"), "events[3].at must be a time");
        check(Error::invalid("payload", "too long"), Some("events[3]"), "events[3]: too long");
        check(Error::conflict("full"), None, "full");
    }

    #[test]
    fn at_the_limits_and_one_over() {
        let said = |content: &str| NewSessionItem {
            seq: 1,
            kind: SessionItemKind::Message,
            role: None,
            content: Some(content.to_owned()),
            user: None,
            prompt_version: None,
            commit: None,
            tool: None,
            at: None,
        };
        let ok = |new: NewSessionItem| super::check(&new).is_ok();
        assert!(ok(said("a")) && !ok(said("")) && !ok(NewSessionItem { content: None, ..said("") }));
        assert!(ok(said(&"ä".repeat(loci_model::limits::MESSAGE_CHARS_MAX))));
        assert!(!ok(said(&"ä".repeat(loci_model::limits::MESSAGE_CHARS_MAX + 1))));
        assert!(ok(NewSessionItem { seq: loci_model::limits::SESSION_SEQ_MAX, ..said("a") }));
        assert!(!ok(NewSessionItem { seq: loci_model::limits::SESSION_SEQ_MAX + 1, ..said("a") }));
        let with = |tool: ToolUse| NewSessionItem { content: None, tool: Some(tool), ..said("") };
        let bash = ToolUse { name: "bash".to_owned(), ..ToolUse::default() };
        assert!(ok(with(bash.clone())) && !ok(with(ToolUse::default())));
        let input = |digits: &str| with(ToolUse { input_sha256: Some(digits.to_owned()), ..bash.clone() });
        assert!(ok(input(&"a".repeat(64))) && !ok(input(&"A".repeat(64))) && !ok(input(&"a".repeat(63))));
    }
}
