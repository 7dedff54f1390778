//! Notifications of changes for listeners: the lists of tools and prompts, and single resources. A
//! listener gets only the notifications that it requested.
//!
//! The hub reports changes that this process knows. Resources can also be changed by other
//! processes and by background work, so they are polled with the listener's rights: soon after a
//! change in this process, otherwise at an interval. A listener polls at most once a second, at any
//! rate of changes.

use std::collections::BTreeMap;

use loci_model::limits;
use loci_model::ports::clock::Clock;
use serde_json::{Map, Value, json};
use tokio::sync::{broadcast, watch};

use super::dispatch::Service;
use super::fault::McpFault;
use super::message::Params;
use super::peer::Peer;
use super::provider::{HandlerRequest, OfferedCapabilities, Provider};

/// The number of notifications that a slow listener may lag behind. One that lags further misses
/// some, and reads the resources again in any case.
const BEHIND_MAX: usize = 256;
/// The polling interval of resources without a known change, in milliseconds. It equals the time
/// for which they may be cached.
const LOOK_EVERY_MS: u64 = 10_000;
/// The minimum time between two polls of one listener, in milliseconds. The next poll sees the
/// changes meanwhile.
const LOOK_APART_MS: u64 = 1_000;

/// A change that listeners can be notified of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The list of tools changed.
    Tools,
    /// The list of prompts changed.
    Prompts,
    /// The resource with this URI changed.
    Resource(String),
}

/// Notifies the clients that listen for changes.
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
    /// Reports a change. It costs nothing without listeners.
    pub fn tell(&self, news: News) {
        let _ = self.news.send(news); // nobody listens
    }

    /// Reports that this process changed stored data. Listeners then check their resources.
    pub fn changed(&self) {
        self.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    /// Returns the polling schedule of a listener, from now on.
    pub(super) fn looks(&self, clock: &dyn Clock) -> PollSchedule {
        PollSchedule {
            changes: self.changes.subscribe(),
            is_due: false,
            began_us: clock.monotonic_us(),
            looked_us: None,
        }
    }

    /// Returns a receiver of all changes from now on.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// Resolves when all listening ends.
    pub(super) async fn ended(&self) {
        // This hub owns the sender, so the channel stays open while it is in use.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    /// Ends all listening in order, because the server stops.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }
}

/// The polling schedule of one listener: soon after a change here, with a minimum interval, and
/// regularly without a known change.
pub(super) struct PollSchedule {
    changes: watch::Receiver<u64>,
    /// True if a poll is due.
    is_due: bool,
    began_us: u64,
    looked_us: Option<u64>,
}

impl PollSchedule {
    /// Resolves when a poll is due. A caller that stops waiting and waits again misses nothing.
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
        // This poll covers the changes so far. Changes during it trigger the next one.
        self.changes.mark_unchanged();
    }
}

/// Checks the number of resources that one client listens to.
///
/// # Errors
/// An error above the limit.
pub(super) fn room_for(resources: usize) -> Result<(), McpFault> {
    if resources > limits::RESOURCES_MAX {
        let rule = format!("at most {} resources can be listened to at once", limits::RESOURCES_MAX);
        return Err(McpFault::malformed(format!("{rule}: end listening to others first")));
    }
    Ok(())
}

/// Returns the number of resources in a listen request.
///
/// # Errors
/// An error if the request is malformed, or names too many.
pub(super) fn named(params: &Params, offers: OfferedCapabilities) -> Result<usize, McpFault> {
    ListenRequest::of(params, offers).map(|wanted| wanted.resources.len())
}

/// The notifications that a listener requested.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct ListenRequest {
    tools: bool,
    prompts: bool,
    resources: Vec<String>,
}

impl ListenRequest {
    /// Returns the requested notifications that the server has.
    fn of(params: &Params, offers: OfferedCapabilities) -> Result<Self, McpFault> {
        let Some(Value::Object(asked)) = params.get("notifications") else {
            return Err(McpFault::malformed("notifications must be an object"));
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

/// The metadata key with the subscription that a message belongs to.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Sends one listener its notifications, until it disconnects or the server stops. Returns the
/// members of the last result.
pub(super) async fn listen(
    service: &Service,
    id: &Value,
    params: &Params,
    asking: &HandlerRequest,
) -> Result<Map<String, Value>, McpFault> {
    let (provider, hub, peer) = (service.provider.as_ref(), &service.mcp.hub, &asking.peer);
    let wanted = ListenRequest::of(params, provider.offers())?;
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

/// Returns the current mark of a resource; `None` if it has none or cannot be read now.
pub(super) async fn mark(provider: &dyn Provider, asking: &HandlerRequest, uri: &str) -> Option<String> {
    provider.mark(asking, uri).await.unwrap_or_else(|fault| {
        tracing::debug!(?fault, uri, "a subscribed resource could not be read");
        None
    })
}

/// The resources that one client listens to, with their last marks.
#[derive(Debug, Default)]
pub(super) struct Marks(BTreeMap<String, Option<String>>);

impl Marks {
    /// Adds a resource.
    pub(super) fn add(&mut self, uri: String, mark: Option<String>) {
        self.0.insert(uri, mark);
    }

    /// Removes a resource.
    pub(super) fn remove(&mut self, uri: &str) {
        self.0.remove(uri);
    }

    /// Returns the number of resources.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns true for a resource of this listener.
    pub(super) fn contains(&self, uri: &str) -> bool {
        self.0.contains_key(uri)
    }

    /// Returns all URIs, in order.
    pub(super) fn uris(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Returns true if the mark changed. An unreadable resource does not count as changed.
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
        // A resource that was missing counts as changed when it appears.
        check("b", Some("1"), true);
        check("c", Some("1"), false);
        marks.remove("a");
        assert!(!marks.contains("a") && marks.uris() == ["b"]);
    }
}
