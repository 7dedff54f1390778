//! Injection: entries are appended to the input of one model call. They never become a part of
//! the agent's history, so they are never saved as messages. After any error the model is called
//! without entries, because the call matters more than memory.

mod budget;
mod format;
mod trigger;

use std::num::NonZeroU32;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::Either;
use serde_json::Value;

use super::entry::Entry;
use super::isolation::caught_call;
use super::limits::{INJECTED_ENTRIES_DEFAULT, INJECTED_TOKENS_DEFAULT, INJECTION_DEADLINE_MS};
use super::memory_manager::MemoryManager;
use super::memory_manager::search::SearchOptions;
use super::message::{Block, Message, Role};

pub use format::{EntryRenderer, InjectionFormat};
pub use trigger::{InjectionTrigger, Predicate, Situation};

/// An error of a callback for injection. It is logged, and nothing is injected.
pub type CallbackError = Box<dyn std::error::Error + Send + Sync>;

/// A function that derives the search query from the situation. For `None` or a blank text nothing
/// is searched.
pub type QueryOf = Arc<dyn Fn(&Situation<'_>) -> Result<Option<String>, CallbackError> + Send + Sync>;

/// The options of injection.
#[derive(Clone)]
pub struct InjectionOptions {
    /// The trigger that decides if a model call gets entries.
    pub trigger: InjectionTrigger,
    /// The function that returns the query. `None` uses the last text of the user, or of the model
    /// if the model spoke last.
    pub query: Option<QueryOf>,
    /// The maximum number of entries of each store, and also of all stores together.
    pub max_entries: NonZeroU32,
    /// The format in which the model reads the entries.
    pub format: InjectionFormat,
    /// The maximum number of tokens of the injected text.
    pub max_tokens: usize,
    /// The deadline of the searches, in milliseconds. Results that arrive later are ignored.
    pub deadline_ms: u64,
}

impl Default for InjectionOptions {
    fn default() -> Self {
        Self {
            trigger: InjectionTrigger::UserTurn,
            query: None,
            max_entries: NonZeroU32::new(INJECTED_ENTRIES_DEFAULT).unwrap_or(NonZeroU32::MIN),
            format: InjectionFormat::Dated,
            max_tokens: INJECTED_TOKENS_DEFAULT,
            deadline_ms: INJECTION_DEADLINE_MS,
        }
    }
}

impl std::fmt::Debug for InjectionOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InjectionOptions")
            .field("trigger", &self.trigger)
            .field("max_entries", &self.max_entries)
            .field("format", &self.format)
            .field("max_tokens", &self.max_tokens)
            .field("deadline_ms", &self.deadline_ms)
            .finish_non_exhaustive()
    }
}

/// The input of a model call after injection.
#[derive(Debug, Clone, PartialEq)]
pub struct InjectedInput {
    /// The messages for the model, with the entries at the end of the user's last message.
    pub messages: Vec<Message>,
    /// The number of blocks that were appended to that message. A provider sets its cache point
    /// before them.
    pub appended_blocks: usize,
    /// The entries that the appended text contains.
    pub entries: Vec<Entry>,
    /// The number of entries that were found and did not fit the token budget.
    pub skipped: usize,
}

impl InjectedInput {
    /// Appends a text to the message at index `at`. Returns false if there is no such message.
    fn show(&mut self, at: usize, text: String) -> bool {
        let Some(message) = self.messages.get_mut(at).filter(|_| !text.is_empty()) else { return false };
        message.content.push(Block::Text(format!("\n\n{text}")));
        self.appended_blocks += 1;
        true
    }
}

/// Returns the texts of the manager's prompt contexts, joined. A context that fails or is late is
/// left out.
async fn contexts(manager: &MemoryManager, options: &InjectionOptions) -> String {
    if manager.parts.contexts.is_empty() {
        return String::new();
    }
    let deadline = manager.parts.surroundings.clock.sleep(options.deadline_ms).shared();
    let texts = manager.parts.contexts.iter().map(|context| {
        let late = deadline.clone();
        async move {
            match futures::future::select(context.text(), late).await {
                Either::Left((Ok(text), _)) => text,
                Either::Left((Err(error), _)) => {
                    tracing::warn!("reason=<{error}> | memory context failed");
                    String::new()
                }
                Either::Right(_) => {
                    tracing::warn!("reason=<no answer in time> | memory context failed");
                    String::new()
                }
            }
        }
    });
    futures::future::join_all(texts).await.concat()
}

pub(super) async fn inject(manager: &MemoryManager, messages: &[Message], state: &Value) -> InjectedInput {
    let mut injected =
        InjectedInput { messages: messages.to_vec(), appended_blocks: 0, entries: Vec::new(), skipped: 0 };
    let Some(options) = &manager.parts.injection else { return injected };
    let Some(at) = messages.iter().rposition(|message| message.role == Role::User) else { return injected };
    let situation = Situation { messages, state };
    if !options.trigger.fires(&situation) {
        return injected;
    }
    injected.show(at, contexts(manager, options).await);
    let Some(question) = question(options, &situation) else { return injected };
    let span = tracing::info_span!(
        "memory.inject",
        "memory.max_entries" = options.max_entries.get(),
        "memory.injected" = false,
        "memory.entry.count" = tracing::field::Empty,
        "memory.inject.format_error" = tracing::field::Empty,
        "memory.inject.tokens" = tracing::field::Empty,
        "memory.inject.skipped" = tracing::field::Empty,
    );
    let entries = tracing::Instrument::instrument(found(manager, options, &question), span.clone()).await;
    span.record("memory.entry.count", entries.len());
    if entries.is_empty() {
        return injected;
    }
    let estimator = &manager.parts.estimator;
    let rendered = isolated("the format or the estimator", || {
        budget::rendered(&options.format, entries, options.max_tokens, estimator)
    });
    match rendered {
        Err(error) => {
            span.record("memory.inject.format_error", true);
            span.in_scope(|| tracing::warn!("reason=<{error}> | memory injection format failed"));
        }
        Ok(rendered) => {
            injected.skipped = rendered.skipped;
            span.record("memory.inject.skipped", rendered.skipped);
            span.record("memory.inject.tokens", rendered.tokens);
            if injected.show(at, rendered.text) {
                injected.entries = rendered.entries;
                span.record("memory.injected", true);
            }
        }
    }
    injected
}

fn question(options: &InjectionOptions, situation: &Situation<'_>) -> Option<String> {
    let question = match &options.query {
        Some(query) => match isolated("the query", || query(situation)) {
            Ok(question) => question,
            Err(error) => {
                tracing::warn!("reason=<{error}> | memory injection query failed");
                None
            }
        },
        None => {
            let role = if trigger::is_user_turn(situation.messages) { Role::User } else { Role::Assistant };
            let last = situation.messages.iter().rev().find(|message| message.role == role);
            last.map(Message::joined_text)
        }
    };
    question.filter(|question| !question.trim().is_empty())
}

/// Returns the result of a callback. A panic counts as an error. `whose` names the callback.
fn isolated<T>(whose: &str, call: impl FnOnce() -> Result<T, CallbackError>) -> Result<T, CallbackError> {
    caught_call(whose, call).unwrap_or_else(|panicked| Err(panicked.into()))
}

async fn found(manager: &MemoryManager, options: &InjectionOptions, question: &str) -> Vec<Entry> {
    let deadline = manager.parts.surroundings.clock.sleep(options.deadline_ms).shared();
    let limit = usize::try_from(options.max_entries.get()).unwrap_or(usize::MAX);
    let asked =
        SearchOptions { max_search_results: Some(options.max_entries.get()), ..SearchOptions::default() };
    match manager.find(question, &asked, Some(limit), Some(deadline)).await {
        Ok(details) => details.entries,
        Err(error) => {
            tracing::warn!("reason=<{error}> | memory injection search failed");
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests;
