//! News of what changed, for those who listen: lists of tools and prompts, and single resources. A listener hears only what
//! it asked for.
//!
//! What this process knows by itself is told by the hub. Resources that others change too, processes beside this one and work in
//! the background, are looked at: as soon as something is changed here, else now and then, with the listener's own eyes. However
//! much is changed, a listener looks once a second at most.

use std::collections::BTreeMap;

use loci_model::limits;
use loci_model::ports::clock::Clock;
use serde_json::{Map, Value, json};
use tokio::sync::{broadcast, watch};

use super::dispatch::Service;
use super::fault::Fault;
use super::message::Params;
use super::peer::Peer;
use super::provider::{Asking, Offers, Provider};

/// News that a slow listener may be behind; one that is further behind misses some, and reads again anyway.
const BEHIND_MAX: usize = 256;
/// Resources are looked at so often where nothing is known to have changed: as long as they may be kept.
const LOOK_EVERY_MS: u64 = 10_000;
/// Between two looks of one listener lies so much time; what changes meanwhile is seen in the next.
const LOOK_APART_MS: u64 = 1_000;

/// Something that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// A resource, by its URI.
    Resource(String),
}

/// Tells listeners.
pub struct Hub {
    news: broadcast::Sender<News>,
    changes: watch::Sender<u64>,
    closed: watch::Sender<bool>,
}

impl Default for Hub {
    fn default() -> Self {
        Self {
            news: broadcast::Sender::new(BEHIND_MAX),
            changes: watch::Sender::new(0),
            closed: watch::Sender::new(false),
        }
    }
}

impl Hub {
    /// Something changed. It costs nothing where nobody listens.
    pub fn tell(&self, news: News) {
        let _ = self.news.send(news); // nobody listens
    }

    /// Something of what is remembered was changed by this process: listeners look whether it is theirs.
    pub fn changed(&self) {
        self.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    /// When a listener is to look, from now on.
    pub(super) fn looks(&self, clock: &dyn Clock) -> Looks {
        Looks {
            changes: self.changes.subscribe(),
            is_due: false,
            began_us: clock.monotonic_us(),
            looked_us: None,
        }
    }

    /// Everything that changes from now on.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// Resolves when all listening ends.
    pub(super) async fn ended(&self) {
        // The sender is this one's own: it is there as long as anybody asks.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    /// Ends all listening, in order: the server stops.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }
}

/// When one listener looks at its resources: soon after something changed here, but not in quick succession, and now and then
/// where nothing is known to have changed.
pub(super) struct Looks {
    changes: watch::Receiver<u64>,
    /// There is a reason to look.
    is_due: bool,
    began_us: u64,
    looked_us: Option<u64>,
}

impl Looks {
    /// Resolves when it is time to look. Who stops waiting, and waits again, misses nothing.
    pub(super) async fn time_to_look(&mut self, clock: &dyn Clock) {
        let since_ms = |then_us: u64| clock.monotonic_us().saturating_sub(then_us) / 1_000;
        if !self.is_due {
            let idle_ms = since_ms(self.looked_us.unwrap_or(self.began_us));
            tokio::select! {
                _ = self.changes.changed() => {}
                () = clock.sleep(LOOK_EVERY_MS.saturating_sub(idle_ms)) => {}
            }
            self.is_due = true;
        }
        if let Some(looked_us) = self.looked_us {
            clock.sleep(LOOK_APART_MS.saturating_sub(since_ms(looked_us))).await;
        }
        self.looked_us = Some(clock.monotonic_us());
        self.is_due = false;
        // Seen by this look; what changes during it is a reason for the next.
        self.changes.mark_unchanged();
    }
}

/// Checks how many resources one client listens to.
///
/// # Errors
/// Above the limit.
pub(super) fn room_for(resources: usize) -> Result<(), Fault> {
    if resources > limits::RESOURCES_MAX {
        let rule = format!("at most {} resources can be listened to at once", limits::RESOURCES_MAX);
        return Err(Fault::malformed(format!("{rule}: end listening to others first")));
    }
    Ok(())
}

/// How many resources a request to listen names.
///
/// # Errors
/// Where it is malformed, or names too many.
pub(super) fn named(params: &Params, offers: Offers) -> Result<usize, Fault> {
    Wanted::of(params, offers).map(|wanted| wanted.resources.len())
}

/// What a listener wants to hear.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Wanted {
    tools: bool,
    prompts: bool,
    resources: Vec<String>,
}

impl Wanted {
    /// What was asked for, as far as the server has it.
    fn of(params: &Params, offers: Offers) -> Result<Self, Fault> {
        let Some(Value::Object(asked)) = params.get("notifications") else {
            return Err(Fault::malformed("notifications must be an object"));
        };
        let flag = |name: &str| asked.get(name).and_then(Value::as_bool).unwrap_or(false);
        let uris = asked.get("resourceSubscriptions").and_then(Value::as_array);
        let mut resources: Vec<_> =
            uris.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        room_for(resources.len())?;
        if !offers.subscribe {
            resources.clear();
        }
        Ok(Self {
            tools: offers.tools_change && flag("toolsListChanged"),
            prompts: offers.prompts_change && flag("promptsListChanged"),
            resources,
        })
    }

    fn wants(&self, news: &News) -> bool {
        match news {
            News::Tools => self.tools,
            News::Prompts => self.prompts,
            News::Resource(uri) => self.resources.contains(uri),
        }
    }

    fn shown(&self) -> Value {
        let mut shown = Map::new();
        for (name, wanted) in [("toolsListChanged", self.tools), ("promptsListChanged", self.prompts)] {
            if wanted {
                shown.insert(name.to_owned(), Value::Bool(true));
            }
        }
        if !self.resources.is_empty() {
            shown.insert("resourceSubscriptions".to_owned(), json!(self.resources));
        }
        Value::Object(shown)
    }
}

/// The name of the member that says which listening a message belongs to.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Tells one listener what it wants to hear, until it goes or the server stops; then gives the members of the last result.
pub(super) async fn listen(
    service: &Service,
    id: &Value,
    params: &Params,
    asking: &Asking,
) -> Result<Map<String, Value>, Fault> {
    let (provider, hub, peer) = (service.provider.as_ref(), &service.mcp.hub, &asking.peer);
    let wanted = Wanted::of(params, provider.offers())?;
    let clock = service.mcp.clock.as_ref();
    let (mut news, mut looks) = (hub.news.subscribe(), hub.looks(clock));
    let mut closed = hub.closed.subscribe();
    let mut marks = Marks::default();
    for uri in &wanted.resources {
        marks.add(uri.clone(), mark(provider, asking, uri).await);
    }
    let mut meta = Map::new();
    meta.insert(SUBSCRIPTION.to_owned(), id.clone());
    let begun = json!({ "_meta": meta, "notifications": wanted.shown() });
    peer.notify("notifications/subscriptions/acknowledged", begun).await;
    loop {
        let heard = tokio::select! {
            heard = news.recv() => Some(heard),
            () = looks.time_to_look(clock) => None,
            _ = closed.wait_for(|closed| *closed) => break,
            () = peer.gone() => break,
        };
        match heard {
            Some(Ok(news)) if wanted.wants(&news) => tell(peer, &news, &meta).await,
            Some(Ok(_) | Err(broadcast::error::RecvError::Lagged(_))) => {}
            Some(Err(broadcast::error::RecvError::Closed)) => break,
            None => {
                for uri in marks.uris() {
                    let seen = mark(provider, asking, &uri).await;
                    if marks.is_news(&uri, seen) {
                        tell(peer, &News::Resource(uri), &meta).await;
                    }
                }
            }
        }
    }
    let mut result = Map::new();
    result.insert("_meta".to_owned(), Value::Object(meta));
    Ok(result)
}

/// How a resource looks now; `None` where it cannot be told, or not now.
pub(super) async fn mark(provider: &dyn Provider, asking: &Asking, uri: &str) -> Option<String> {
    provider.mark(asking, uri).await.unwrap_or_else(|fault| {
        tracing::debug!(?fault, uri, "a resource that is listened to could not be looked at");
        None
    })
}

/// Resources that one client listens to, and how they looked last.
#[derive(Debug, Default)]
pub(super) struct Marks(BTreeMap<String, Option<String>>);

impl Marks {
    /// One more.
    pub(super) fn add(&mut self, uri: String, mark: Option<String>) {
        self.0.insert(uri, mark);
    }

    /// One less.
    pub(super) fn remove(&mut self, uri: &str) {
        self.0.remove(uri);
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// True where it is listened to.
    pub(super) fn contains(&self, uri: &str) -> bool {
        self.0.contains_key(uri)
    }

    /// All, in order.
    pub(super) fn uris(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// True where it looks otherwise than before; what cannot be told is no news.
    pub(super) fn is_news(&mut self, uri: &str, seen: Option<String>) -> bool {
        let (Some(known), Some(seen)) = (self.0.get_mut(uri), seen) else { return false };
        known.replace(seen.clone()).as_ref() != Some(&seen)
    }
}

async fn tell(peer: &Peer, news: &News, meta: &Map<String, Value>) {
    match news {
        News::Tools => peer.notify("notifications/tools/list_changed", json!({ "_meta": meta })).await,
        News::Prompts => peer.notify("notifications/prompts/list_changed", json!({ "_meta": meta })).await,
        News::Resource(uri) => {
            peer.notify("notifications/resources/updated", json!({ "_meta": meta, "uri": uri })).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_otherwise_is_news_once() {
        let mut marks = Marks::default();
        let some = |text: &str| Some(text.to_owned());
        marks.add("a".to_owned(), some("1"));
        marks.add("b".to_owned(), None);
        let mut check = |uri: &str, seen: Option<&str>, expect: bool| {
            assert_eq!(marks.is_news(uri, seen.map(str::to_owned)), expect, "{uri} {seen:?}");
        };
        check("a", Some("1"), false);
        check("a", None, false);
        check("a", Some("2"), true);
        check("a", Some("2"), false);
        // What was not there is news when it comes.
        check("b", Some("1"), true);
        check("c", Some("1"), false);
        marks.remove("a");
        assert!(!marks.contains("a") && marks.uris() == ["b"]);
    }
}
