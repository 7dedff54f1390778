//! MCP over standard input and output: one message per line, and no other output. It ends with the
//! input. A request that names its revision is answered in it; others belong to the connection's
//! `initialize`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::ports::ids::uuid4;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::dispatch::Service;
use super::fault::McpFault;
use super::http::body;
use super::listen::{self, Marks, News, mark};
use super::message::{self, Message, Params};
use super::peer::{FreshId, Peer, WAITING_MAX};
use super::provider::{Caller, Endpoint, HandlerRequest, Inputs};
use super::revision::Revision;

/// The maximum number of requests that are answered concurrently.
const AT_ONCE_MAX: usize = 256;
/// The time for running requests after the end of the input, in milliseconds.
const LAST_MS: u64 = 5_000;

/// A server on standard input and output, or on similar streams.
pub struct StdioDoor {
    service: Arc<Service>,
    caller: Caller,
    endpoint: Endpoint,
    line_bytes_max: usize,
    fresh: FreshId,
    connection: Mutex<Connection>,
}

/// The declaration and the subscriptions of an initialize-based client.
#[derive(Default)]
struct Connection {
    revision: Option<Revision>,
    capabilities: Map<String, Value>,
    subscriptions: Marks,
    /// The number of resources in listen requests.
    listened: usize,
    is_told: bool,
    under_way: HashMap<String, AbortHandle>,
}

impl Connection {
    /// Checks that this number of further resources is within the limit.
    fn check_room(&self, more: usize) -> Result<(), McpFault> {
        listen::room_for(self.subscriptions.count() + self.listened + more)
    }
}

/// A request that was parsed from a line of the input.
struct StdioRequest {
    id: Value,
    method: String,
    params: Params,
    /// True if lone surrogates in it became U+FFFD.
    is_repaired: bool,
}

/// The resources of a listen request, counted while it runs.
struct ListenCounts<'d>(&'d StdioDoor, usize);

impl Drop for ListenCounts<'_> {
    fn drop(&mut self) {
        let mut connection = self.0.connection();
        connection.listened = connection.listened.saturating_sub(self.1);
    }
}

/// A line of the input.
enum StdioLine {
    Text(Vec<u8>),
    /// The start of a line that is too long, from which its id can be read.
    TooLong(Vec<u8>),
    End,
}

/// The bytes of a too long line that are searched for its id.
const HEAD_BYTES: usize = 4096;

impl StdioDoor {
    /// Creates a server for one client.
    pub fn new(
        service: Arc<Service>,
        caller: Caller,
        endpoint: Endpoint,
        line_bytes_max: usize,
    ) -> Arc<Self> {
        let ids = Arc::clone(&service.mcp.ids);
        Arc::new(Self {
            service,
            caller,
            endpoint,
            line_bytes_max,
            fresh: Arc::new(move || uuid4(ids.as_ref())),
            connection: Mutex::default(),
        })
    }

    /// Serves until the input ends.
    ///
    /// # Errors
    /// An error if the input cannot be read or the output cannot be written.
    pub async fn serve(
        self: Arc<Self>,
        mut input: impl AsyncBufRead + Unpin,
        output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> std::io::Result<()> {
        let (out, told) = mpsc::channel(WAITING_MAX);
        let mut writer = tokio::spawn(write(output, told));
        let mut tasks = JoinSet::new();
        loop {
            let line = tokio::select! {
                line = read_line(&mut input, self.line_bytes_max) => line?,
                written = &mut writer => return written.map_err(std::io::Error::other)?,
            };
            while tasks.try_join_next().is_some() {}
            match line {
                StdioLine::End => break,
                StdioLine::TooLong(head) => {
                    let rule = format!("a line must have at most {} bytes", self.line_bytes_max);
                    let id = message::leading_id(&head);
                    let refused = message::error(id.as_ref(), &McpFault::no_message(&rule));
                    let _ = out.send(refused).await; // the writer's end is noticed above
                }
                StdioLine::Text(text) if text.iter().all(u8::is_ascii_whitespace) => {}
                StdioLine::Text(text) => Arc::clone(&self).take(&text, &out, &mut tasks).await,
            }
        }
        self.finish(tasks).await;
        drop(out);
        writer.await.map_err(std::io::Error::other)?
    }

    /// Waits a moment for running requests to end; listening ends at once.
    async fn finish(&self, mut tasks: JoinSet<()>) {
        self.service.mcp.hub.close();
        let mut last = self.service.mcp.clock.sleep(LAST_MS);
        loop {
            tokio::select! {
                ended = tasks.join_next() => if ended.is_none() { break },
                () = &mut last => break,
            }
        }
        tasks.shutdown().await;
    }

    async fn take(self: Arc<Self>, text: &[u8], out: &mpsc::Sender<Value>, tasks: &mut JoinSet<()>) {
        match message::read(text) {
            Err(unread) => {
                let _ = out.send(message::error(unread.id.as_ref(), &unread.fault)).await;
            }
            Ok((Message::Notification { method, params }, _)) => self.told(&method, &params),
            Ok((Message::Response { id, outcome }, _)) => self.service.mcp.pending.answered(&id, outcome),
            Ok((Message::Request { id, method, params }, _)) if method == "initialize" => {
                // Subsequent messages may depend on it.
                let answer = Arc::clone(&self).answer(&id, method, params, out.clone()).await;
                let _ = out.send(answer).await;
            }
            Ok((Message::Request { id, method, params }, is_repaired)) => {
                let request = StdioRequest { id, method, params, is_repaired };
                self.begin(request, out, tasks).await;
            }
        }
    }

    async fn begin(
        self: Arc<Self>,
        StdioRequest { id, method, params, is_repaired }: StdioRequest,
        out: &mpsc::Sender<Value>,
        tasks: &mut JoinSet<()>,
    ) {
        let key = id.to_string();
        let refused = {
            let connection = self.connection();
            if connection.under_way.contains_key(&key) {
                Some("a request of this id is under way")
            } else if connection.under_way.len() >= AT_ONCE_MAX {
                Some("too many requests are under way")
            } else {
                None
            }
        };
        if let Some(rule) = refused {
            let _ = out.send(message::error(Some(&id), &McpFault::no_message(rule))).await;
            return;
        }
        if method == "resources/subscribe" {
            Arc::clone(&self).tell_changes(out, tasks);
        }
        let (door, out, own) = (Arc::clone(&self), out.clone(), key.clone());
        let (started, start) = tokio::sync::oneshot::channel::<()>();
        let handle = tasks.spawn(async move {
            let _ = start.await; // until it can be cancelled
            let mut answer = Arc::clone(&door).answer(&id, method, params, out.clone()).await;
            if is_repaired {
                message::warn_of_repair(&mut answer);
            }
            // The request can no longer be cancelled, because its response is being sent.
            door.connection().under_way.remove(&own);
            let _ = out.send(answer).await;
        });
        self.connection().under_way.insert(key, handle);
        let _ = started.send(());
    }

    async fn answer(
        self: Arc<Self>,
        id: &Value,
        method: String,
        params: Params,
        out: mpsc::Sender<Value>,
    ) -> Value {
        let outcome = match self.asking(&params, out) {
            Ok(asking) => self.answered(asking, id, &method, params).await,
            Err(fault) => Err(fault),
        };
        message::answer(id, outcome)
    }

    async fn answered(
        &self,
        asking: HandlerRequest,
        id: &Value,
        method: &str,
        params: Params,
    ) -> Result<Value, McpFault> {
        let is_legacy = !asking.revision.is_modern();
        let uri = params.get("uri").and_then(Value::as_str).map(str::to_owned);
        let said = params.get("capabilities").and_then(Value::as_object).cloned();
        let listens = !is_legacy && method == "subscriptions/listen";
        let _listened = if listens { Some(self.listened(&params)?) } else { None };
        let seen = match &uri {
            Some(uri) if is_legacy && method == "resources/subscribe" => {
                self.check_subscription(uri)?;
                mark(self.service.provider.as_ref(), &asking, uri).await
            }
            _ => None,
        };
        let result = self.service.answer(asking, id, method, params).await?;
        if is_legacy {
            let mut connection = self.connection();
            match (method, uri) {
                ("initialize", _) => {
                    let version = result.get("protocolVersion").and_then(Value::as_str);
                    connection.revision = version.and_then(Revision::parse);
                    connection.capabilities = said.unwrap_or_default();
                }
                ("resources/subscribe", Some(uri)) => {
                    // Others may have been added meanwhile.
                    let is_known = connection.subscriptions.contains(&uri);
                    connection.check_room(usize::from(!is_known))?;
                    connection.subscriptions.add(uri, seen);
                }
                ("resources/unsubscribe", Some(uri)) => {
                    connection.subscriptions.remove(&uri);
                }
                _ => {}
            }
        }
        Ok(result)
    }

    fn check_subscription(&self, uri: &str) -> Result<(), McpFault> {
        let connection = self.connection();
        connection.check_room(usize::from(!connection.subscriptions.contains(uri)))
    }

    /// Counts the resources of a listen request, within the limit.
    fn listened(&self, params: &Params) -> Result<ListenCounts<'_>, McpFault> {
        let resources = listen::named(params, self.service.provider.offers())?;
        let mut connection = self.connection();
        connection.check_room(resources)?;
        connection.listened += resources;
        Ok(ListenCounts(self, resources))
    }

    /// Returns the request for the handler: by its own description, else by that of the connection.
    fn asking(&self, params: &Params, out: mpsc::Sender<Value>) -> Result<HandlerRequest, McpFault> {
        let meta = params.get("_meta").and_then(Value::as_object);
        let (revision, capabilities) = match body::version(params) {
            Some(version) => {
                let served = &self.service.revisions;
                let revision = Revision::parse(version)
                    .filter(|revision| revision.is_modern() && served.contains(revision));
                let revision =
                    revision.ok_or_else(|| McpFault::unsupported(version, &Revision::modern(served)))?;
                let capabilities = meta.and_then(body::capabilities);
                let missing =
                    || McpFault::malformed("_meta must have io.modelcontextprotocol/clientCapabilities");
                (revision, capabilities.ok_or_else(missing)?)
            }
            None => {
                let connection = self.connection();
                let revision = connection.revision.unwrap_or(Revision::V2024Nov);
                (revision, connection.capabilities.clone())
            }
        };
        Ok(HandlerRequest {
            revision,
            caller: self.caller.clone(),
            endpoint: self.endpoint.clone(),
            capabilities,
            progress: meta.and_then(|meta| meta.get("progressToken").cloned()),
            log_level: body::log_level(revision, meta),
            inputs: Inputs::default(),
            lasting: true,
            peer: Peer::new(out, Arc::clone(&self.service.mcp.pending), Arc::clone(&self.fresh)),
        })
    }

    fn told(&self, method: &str, params: &Params) {
        if method == "notifications/cancelled"
            && let Some(id) = params.get("requestId")
            && let Some(handle) = self.connection().under_way.remove(&id.to_string())
        {
            handle.abort();
        }
    }

    /// Notifies an initialize-based client of its subscribed resources, from the first subscription
    /// on.
    fn tell_changes(self: Arc<Self>, out: &mpsc::Sender<Value>, tasks: &mut JoinSet<()>) {
        if std::mem::replace(&mut self.connection().is_told, true) {
            return;
        }
        let mcp = Arc::clone(&self.service.mcp);
        let (mut news, mut looks) = (mcp.hub.subscribe(), mcp.hub.looks(mcp.clock.as_ref()));
        let out = out.clone();
        let handle = tasks.spawn(async move {
            loop {
                let changed = tokio::select! {
                    // A client that lags far behind misses some, and reads the resources again in
                    // any case.
                    heard = news.recv() => match heard {
                        Ok(News::Resource(uri)) => {
                            let is_subscribed = self.connection().subscriptions.contains(&uri);
                            if is_subscribed { vec![uri] } else { Vec::new() }
                        }
                        _ => Vec::new(),
                    },
                    () = looks.time_to_look(mcp.clock.as_ref()) => self.looked(&out).await,
                    () = mcp.hub.ended() => break,
                };
                for uri in changed {
                    let update =
                        message::notification("notifications/resources/updated", json!({ "uri": uri }));
                    let _ = out.send(update).await;
                }
            }
        });
        drop(handle);
    }

    /// Returns the subscribed resources whose mark has changed.
    async fn looked(&self, out: &mpsc::Sender<Value>) -> Vec<String> {
        let Ok(asking) = self.asking(&Params::new(), out.clone()) else { return Vec::new() };
        let uris = self.connection().subscriptions.uris();
        let mut changed = Vec::new();
        for uri in uris {
            let seen = mark(self.service.provider.as_ref(), &asking, &uri).await;
            if self.connection().subscriptions.is_news(&uri, seen) {
                changed.push(uri);
            }
        }
        changed
    }

    fn connection(&self) -> std::sync::MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for StdioDoor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StdioDoor").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// Reads the next line, without its end. Of a line that is too long it holds no more than the
/// limit.
async fn read_line(input: &mut (impl AsyncBufRead + Unpin), max: usize) -> std::io::Result<StdioLine> {
    let (mut line, mut is_over) = (Vec::new(), false);
    loop {
        let piece = input.fill_buf().await?;
        if piece.is_empty() {
            return Ok(match (is_over, line.is_empty()) {
                (true, _) => StdioLine::TooLong(line),
                (false, true) => StdioLine::End,
                (false, false) => StdioLine::Text(line),
            });
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let part = end.map_or(piece, |end| piece.get(..end).unwrap_or_default());
        if !is_over && line.len().saturating_add(part.len()) > max {
            is_over = true;
            let room = HEAD_BYTES.saturating_sub(line.len());
            line.extend_from_slice(part.get(..room).unwrap_or(part));
            line.truncate(HEAD_BYTES);
            line.shrink_to_fit();
        }
        if !is_over {
            line.extend_from_slice(part);
        }
        let used = end.map_or(piece.len(), |end| end.saturating_add(1));
        input.consume(used);
        if end.is_some() {
            return Ok(if is_over { StdioLine::TooLong(line) } else { StdioLine::Text(line) });
        }
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut told: mpsc::Receiver<Value>) -> std::io::Result<()> {
    while let Some(message) = told.recv().await {
        let line = format!("{message}\n");
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}
