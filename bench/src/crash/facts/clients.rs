//! The clients of one round. They store, supersede, refresh, invalidate and use facts, several of
//! them the same facts, until the server is killed. Every write has a key, so that it can be sent
//! again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::code::{PARTS, REPO, citation, word};
use super::ledger::{AcknowledgedFact, CallAction, Sent, Shared};
use crate::seeded_random::Seeded;
use crate::wire::Wire;

/// The number of facts of a repository before most calls supersede.
const FACTS: usize = 12;
/// The number of facts that one read returns.
const READ: u64 = 5;

/// The load of one round.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) wire: Wire,
    pub(super) ledger: Shared,
    pub(super) seed: u64,
    pub(super) round: u32,
    /// Returns true if the code of a part is missing.
    pub(super) is_gone: Arc<dyn Fn(u64) -> bool + Send + Sync>,
    /// True once a kill begins: from then on calls may fail.
    pub(super) is_disturbed: Arc<AtomicBool>,
}

/// Starts the clients. Each ends at its first call without a response.
pub(super) fn start(load: &Load, clients: u32) -> JoinSet<()> {
    let mut all = JoinSet::new();
    for number in 0..clients {
        let seed = load.seed ^ (u64::from(load.round) << 20) ^ (u64::from(number) << 8) ^ 0xfac7;
        let mut client = Client { load: load.clone(), random: Seeded::new(seed), number, calls: 0 };
        all.spawn(async move { while client.step().await.is_some() {} });
    }
    all
}

struct Client {
    load: Load,
    random: Seeded,
    number: u32,
    calls: u64,
}

impl Client {
    /// Makes one call. Returns `None` if it got no response.
    async fn step(&mut self) -> Option<()> {
        self.calls += 1;
        let (count, choice) = (self.load.ledger.lock().facts.len(), self.random.below(16));
        let sent = match choice {
            _ if count < FACTS => Some(self.store()),
            0 => Some(self.store()),
            1..=6 => self.supersede(),
            7..=10 => self.refresh(),
            11 => self.invalidate(),
            12 => self.merge(),
            13 => self.store_again(),
            14 => return self.read().await,
            _ => return self.verify_and_use().await,
        };
        match sent {
            Some(sent) => self.write(sent).await,
            None => Some(()),
        }
    }

    fn number(&self) -> u64 {
        (u64::from(self.load.round) << 24) | (u64::from(self.number) << 16) | self.calls
    }

    fn session(&self) -> String {
        format!("session-{}", self.number)
    }

    /// Returns a random fact for which `fits` is true.
    fn any(&mut self, fits: impl Fn(&AcknowledgedFact) -> bool) -> Option<(String, AcknowledgedFact)> {
        let start = self.random.next();
        let ledger = self.load.ledger.lock();
        let fitting: Vec<_> = ledger.facts.iter().filter(|(_, known)| fits(known)).collect();
        let count = u64::try_from(fitting.len()).ok().filter(|count| *count > 0)?;
        let (id, known) = fitting.get(usize::try_from(start % count).ok()?)?;
        Some(((*id).clone(), (*known).clone()))
    }

    fn head(&mut self) -> Option<(String, AcknowledgedFact)> {
        self.any(|known| known.superseded_by.is_none())
    }

    fn valid_head(&mut self) -> Option<(String, AcknowledgedFact)> {
        self.any(|known| known.superseded_by.is_none() && !known.is_invalid)
    }

    fn store(&mut self) -> Sent {
        let part = self.random.below(PARTS);
        let name = word(self.number());
        let (subject, fact) = (format!("Part {name}"), text(part, &name));
        let arguments =
            json!({ "repo": REPO, "subject": subject, "fact": fact, "citations": [citation(part)] });
        Sent { tool: "memory_store", arguments, act: CallAction::Store { subject, fact, part } }
    }

    /// Stores the text of an invalid fact again, as a new version.
    fn store_again(&mut self) -> Option<Sent> {
        let (_, known) = self.any(|known| known.is_invalid && known.superseded_by.is_none())?;
        let AcknowledgedFact { subject, fact, part, .. } = known;
        let arguments =
            json!({ "repo": REPO, "subject": subject, "fact": fact, "citations": [citation(part)] });
        Some(Sent { tool: "memory_store", arguments, act: CallAction::Store { subject, fact, part } })
    }

    fn supersede(&mut self) -> Option<Sent> {
        let (old, known) = self.head()?;
        let fact = text(known.part, &word(self.number()));
        let mut arguments = json!({ "old_memory_id": old, "new_fact": fact });
        if self.random.below(2) == 0
            && let Some(members) = arguments.as_object_mut()
        {
            members.insert("new_citations".to_owned(), json!([citation(known.part)]));
        }
        let act = CallAction::Supersede { old, subject: known.subject, fact, part: known.part };
        Some(Sent { tool: "memory_supersede", arguments, act })
    }

    /// Supersedes a fact with the text of another one, which merges both.
    fn merge(&mut self) -> Option<Sent> {
        let ((old, _), (into, other)) = (self.head()?, self.valid_head()?);
        if old == into {
            return None;
        }
        let AcknowledgedFact { subject, fact, part, .. } = other;
        let arguments = json!({ "old_memory_id": old, "new_fact": fact, "new_subject": subject, "new_citations": [citation(part)] });
        Some(Sent {
            tool: "memory_supersede",
            arguments,
            act: CallAction::Supersede { old, subject, fact, part },
        })
    }

    fn refresh(&mut self) -> Option<Sent> {
        let (id, known) = self.valid_head()?;
        let arguments = json!({ "memory_id": id });
        Some(Sent { tool: "memory_refresh", arguments, act: CallAction::Refresh { id, part: known.part } })
    }

    fn invalidate(&mut self) -> Option<Sent> {
        let (id, _) = self.valid_head()?;
        let arguments = json!({ "memory_id": id, "reason": "it is not so any more" });
        Some(Sent { tool: "memory_invalidate", arguments, act: CallAction::Invalidate { id } })
    }

    /// Reads with fresh verification, which quarantines facts whose code is missing and restores
    /// those whose code is back.
    async fn read(&mut self) -> Option<()> {
        let arguments = json!({ "repo": REPO, "limit": READ, "verify": "fresh" });
        self.ask("memory_get_recent", &arguments).await.map(drop)
    }

    async fn verify_and_use(&mut self) -> Option<()> {
        let Some((id, known)) = self.valid_head() else { return Some(()) };
        let asked = json!({ "repo": REPO, "memory_id": id, "session_id": self.session() });
        self.ask("memory_verify_citations", &asked).await?;
        let arguments = json!({ "memory_id": id, "outcome": "helped" });
        self.write(Sent {
            tool: "memory_log_applied",
            arguments,
            act: CallAction::Apply { id, part: known.part },
        })
        .await
    }

    /// Sends a write under its own key.
    async fn write(&mut self, mut sent: Sent) -> Option<()> {
        let key = format!("call-{:012}", self.number());
        if let Some(members) = sent.arguments.as_object_mut() {
            members.insert("idempotency_key".to_owned(), key.clone().into());
            members.insert("session_id".to_owned(), self.session().into());
        }
        let (tool, arguments) = (sent.tool, sent.arguments.clone());
        self.load.ledger.lock().open.insert(key.clone(), sent);
        let (status, answer) = self.ask(tool, &arguments).await?;
        let outcome = settle(&self.load.ledger, &key, status, &answer, &*self.load.is_gone);
        self.expect(outcome)
    }

    /// Returns the response of a tool. Returns `None` if there was none, or if it reports a failure
    /// of the server.
    async fn ask(&mut self, tool: &'static str, arguments: &Value) -> Option<(u16, Value)> {
        let sent = self.load.wire.send("POST", &format!("/v1/tools/{tool}"), Some(arguments)).await;
        let answered = match sent {
            Ok((status, answer)) if status >= 500 => Err(anyhow::anyhow!("{tool}: {status} {answer}")),
            Ok(answered) => Ok(answered),
            Err(error) => Err(error.context(tool)),
        };
        match answered {
            Ok(answered) => Some(answered),
            Err(_) if self.load.is_disturbed.load(Ordering::SeqCst) => None,
            Err(error) => self.expect(Err(error)).and(None),
        }
    }

    fn expect(&self, outcome: Result<()>) -> Option<()> {
        if let Err(error) = outcome {
            self.load.ledger.lock().failures.push(format!("{error:#}"));
            return None;
        }
        Some(())
    }
}

/// Records the response to a write. A rejection is valid if another client was quicker or if the
/// code is missing.
pub(super) fn settle(
    ledger: &Shared,
    key: &str,
    status: u16,
    answer: &Value,
    is_gone: &dyn Fn(u64) -> bool,
) -> Result<()> {
    let mut ledger = ledger.lock();
    if (200..300).contains(&status) {
        return ledger.acknowledge(key, answer);
    }
    let code = answer.pointer("/error/code").and_then(Value::as_str).unwrap_or_default();
    let proves = ledger.open.get(key).and_then(|sent| sent.act.proves());
    let in_order = match code {
        "NOT_ACTIVE" => true,
        "NOT_VERIFIED" | "CITATION_UNREADABLE" => proves.is_some_and(is_gone),
        _ => false,
    };
    if !in_order {
        let sent = ledger.open.get(key).cloned();
        anyhow::bail!("{status} {answer} to {sent:?}");
    }
    ledger.refuse(key);
    Ok(())
}

fn text(part: u64, name: &str) -> String {
    format!("`finished_by_{}` leaves out halted parts, by rule {name}.", word(part))
}
