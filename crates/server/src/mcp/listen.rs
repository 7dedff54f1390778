//! News of what changed, for those who listen: lists of tools and prompts, and single resources. A listener hears only what
//! it asked for (mcp.md §1.2).

use serde_json::{Map, Value, json};
use tokio::sync::{broadcast, watch};

use super::fault::Fault;
use super::message::Params;
use super::peer::Peer;
use super::provider::Offers;

/// News that a slow listener may be behind; one that is further behind misses some, and reads again anyway.
const BEHIND_MAX: usize = 256;
/// Resources that one listener names.
const RESOURCES_MAX: usize = 100;

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
    closed: watch::Sender<bool>,
}

impl Default for Hub {
    fn default() -> Self {
        Self { news: broadcast::Sender::new(BEHIND_MAX), closed: watch::Sender::new(false) }
    }
}

impl Hub {
    /// Something changed. It costs nothing where nobody listens.
    pub fn tell(&self, news: News) {
        let _ = self.news.send(news); // nobody listens
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
        if resources.len() > RESOURCES_MAX {
            let rule = format!("at most {RESOURCES_MAX} resources can be listened to at once");
            return Err(Fault::malformed(rule));
        }
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
    hub: &Hub,
    offers: Offers,
    id: &Value,
    params: &Params,
    peer: &Peer,
) -> Result<Map<String, Value>, Fault> {
    let wanted = Wanted::of(params, offers)?;
    let mut news = hub.news.subscribe();
    let mut closed = hub.closed.subscribe();
    let mut meta = Map::new();
    meta.insert(SUBSCRIPTION.to_owned(), id.clone());
    let begun = json!({ "_meta": meta, "notifications": wanted.shown() });
    peer.notify("notifications/subscriptions/acknowledged", begun).await;
    loop {
        let heard = tokio::select! {
            heard = news.recv() => heard,
            _ = closed.wait_for(|closed| *closed) => break,
            () = peer.gone() => break,
        };
        match heard {
            Ok(news) if wanted.wants(&news) => tell(peer, &news, &meta).await,
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => break,
        }
    }
    let mut result = Map::new();
    result.insert("_meta".to_owned(), Value::Object(meta));
    Ok(result)
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
