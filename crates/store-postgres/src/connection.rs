//! A connection with its prepared statements, driven by the thread that owns it: no other thread
//! has to be woken for a response. Independent statements are pipelined.

use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use loci_model::{Error, Result};
use tokio::runtime::Runtime;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};
use tokio_postgres::config::SslMode;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::errors::{RetryEffect, SILENT, UNREACHABLE, again, translate};
use crate::options::PostgresOptions;
use crate::statement_cache::Recent;
use crate::tls::connector;

/// The values of a statement.
pub(crate) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// The maximum number of futures that [`join_all`] polls in order. Longer lists are processed in
/// parts.
const TOGETHER: usize = 24;

/// The time after the statement timeout in which the database must report it. After that, the
/// connection counts as lost.
const MARGIN: Duration = Duration::from_secs(3);

/// The parameters with which connections are opened.
pub(crate) struct ConnectionParameters {
    pub(crate) options: PostgresOptions,
    tls: MakeRustlsConnect,
}

impl ConnectionParameters {
    pub(crate) fn new(options: PostgresOptions) -> Result<Arc<Self>> {
        let is_used = options.config.get_ssl_mode() != SslMode::Disable;
        let tls = connector(options.root_certificates.as_deref(), is_used)?;
        Ok(Arc::new(Self { options, tls }))
    }

    /// Returns the maximum time to wait for a response.
    fn answers_within(&self) -> Duration {
        Duration::from_millis(self.options.statement_timeout_ms) + MARGIN
    }

    /// Returns the maximum time to connect and to receive the first response. The client library
    /// limits only the TCP connection to each host.
    fn connects_within(&self) -> Duration {
        let config = &self.options.config;
        let each = config.get_connect_timeout().copied().unwrap_or(MARGIN);
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len()).max(1);
        each.saturating_mul(u32::try_from(hosts).unwrap_or(1)) + MARGIN
    }

    /// Returns the session settings that are sent on a new connection.
    fn greeting(&self) -> String {
        let PostgresOptions { schema, statement_timeout_ms, lock_timeout_ms, .. } = &self.options;
        format!(
            "SET search_path = {schema}, public; SET statement_timeout = {statement_timeout_ms}; \
             SET lock_timeout = {lock_timeout_ms}; SET idle_in_transaction_session_timeout = 60000; \
             SET client_min_messages = warning; SET jit = off"
        )
    }
}

/// An open connection and its prepared statements.
struct Live {
    client: Client,
    statements: Recent<Statement>,
    /// The handle of the task that sends and receives for the connection.
    driver: AbortHandle,
}

/// A connection that is established on first use, and again after a failure.
pub(crate) struct Connection {
    connecting: Arc<ConnectionParameters>,
    runtime: Runtime,
    live: Option<Live>,
    answers_within: Option<Duration>,
    lost: Duration,
}

/// The failure of a statement, and its effect on a retry of the work.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: Error,
    pub(crate) again: RetryEffect,
}

impl Failed {
    fn disconnected(message: &str) -> Self {
        Self { error: Error::unavailable(message), again: RetryEffect::Disconnected }
    }
}

impl From<tokio_postgres::Error> for Failed {
    fn from(error: tokio_postgres::Error) -> Self {
        Self { again: again(&error), error: translate(error) }
    }
}

/// A statement to run.
pub(crate) enum ConnectionStep<'a> {
    /// Text without values, possibly with several statements.
    Plain(&'a str),
    /// A prepared statement with its values.
    Prepared(&'a str, Values<'a>),
}

impl Connection {
    pub(crate) fn new(connecting: Arc<ConnectionParameters>) -> Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().map_err(
                |error| {
                    Error::unavailable(
                        "a connection of the store cannot be driven: check the limit of open files",
                    )
                    .caused_by(error)
                },
            )?;
        let answers_within = Some(connecting.answers_within());
        Ok(Self { connecting, runtime, live: None, answers_within, lost: Duration::ZERO })
    }

    pub(crate) fn options(&self) -> &PostgresOptions {
        &self.connecting.options
    }

    /// Returns true if a transaction that was started on the connection can continue.
    pub(crate) fn is_open(&self) -> bool {
        self.live.as_ref().is_some_and(|live| !live.client.is_closed())
    }

    /// Drops the connection. The next statement opens a new one.
    pub(crate) fn forget(&mut self) {
        self.live = None;
    }

    /// Removes the client's limit on the duration of statements. Limits that the database has stay.
    pub(crate) fn wait_long(&mut self) {
        self.answers_within = None;
    }

    /// Sets the maximum time for a response.
    pub(crate) fn wait_for(&mut self, within: Duration) {
        self.answers_within = Some(within);
    }

    /// Returns the time lost since the last call, in waits for a connection or a response that
    /// failed.
    pub(crate) fn lost(&mut self) -> Duration {
        std::mem::take(&mut self.lost)
    }

    fn live(&mut self) -> std::result::Result<&mut Live, Failed> {
        if self.live.as_ref().is_some_and(|live| live.client.is_closed()) {
            self.live = None;
        }
        if self.live.is_none() {
            let began = Instant::now();
            let connecting = Arc::clone(&self.connecting);
            let within = connecting.connects_within();
            let connected = self.runtime.block_on(async { timeout(within, connect(&connecting)).await });
            if !matches!(connected, Ok(Ok(_))) {
                self.lost += began.elapsed();
            }
            self.live = Some(connected.unwrap_or_else(|_| Err(Failed::disconnected(SILENT)))?);
        }
        self.live.as_mut().ok_or_else(|| Failed {
            error: Error::bug("a connection that was made is not there"),
            again: RetryEffect::Never,
        })
    }

    /// Runs statements in order and reads their rows. They are pipelined, without waiting for each
    /// response. Every response is received; the first failure is returned.
    pub(crate) fn run(&mut self, steps: &[ConnectionStep<'_>]) -> std::result::Result<Vec<Vec<Row>>, Failed> {
        self.live()?;
        self.go_on(steps)
    }

    /// Like [`Self::run`], but within a transaction that was started before. If the connection, and
    /// with it the transaction, has ended, nothing is sent: on a new connection each statement
    /// would be a transaction of its own.
    pub(crate) fn go_on(
        &mut self,
        steps: &[ConnectionStep<'_>],
    ) -> std::result::Result<Vec<Vec<Row>>, Failed> {
        let Some(live) = self.live.as_mut().filter(|live| !live.client.is_closed()) else {
            return Err(Failed::disconnected(UNREACHABLE));
        };
        let Some(within) = self.answers_within else {
            return Ok(self.runtime.block_on(live.answers(steps, &Cell::new(0)))?);
        };
        let answered = self.runtime.block_on(async {
            let count = Cell::new(0);
            let mut answers = pin!(live.answers(steps, &count));
            let mut seen = 0;
            // Each response has its own timeout, because the database limits each statement.
            loop {
                match timeout(within, answers.as_mut()).await {
                    Ok(answers) => return Some(answers),
                    Err(_) if count.get() == seen => return None,
                    Err(_) => seen = count.get(),
                }
            }
        });
        match answered {
            Some(answers) => Ok(answers?),
            None => {
                // Later responses on this connection are ignored: it is dropped without a
                // termination message, which could not be sent.
                live.driver.abort();
                self.live = None;
                self.lost += within;
                Err(Failed::disconnected(SILENT))
            }
        }
    }
}

async fn connect(connecting: &ConnectionParameters) -> std::result::Result<Live, Failed> {
    let (client, connection) = connecting.options.config.connect(connecting.tls.clone()).await?;
    let driver = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to the database ended");
        }
    });
    client.batch_execute(&connecting.greeting()).await?;
    Ok(Live { client, statements: Recent::default(), driver: driver.abort_handle() })
}

impl Connection {
    /// Sends a statement without waiting for its response, to end a read transaction. The next
    /// statement reports a failure.
    pub(crate) fn tell(&mut self, sql: &str) {
        let Some(live) = self.live.as_ref() else { return };
        self.runtime.block_on(async {
            let mut answer = std::pin::pin!(live.client.batch_execute(sql));
            // One poll queues the statement, and the connection, a task of this thread, sends it.
            if futures::poll!(answer.as_mut()).is_pending() {
                tokio::task::yield_now().await;
            }
        });
    }
}

impl Live {
    /// Returns the result of [`Connection::go_on`], and counts responses as they arrive.
    async fn answers(
        &mut self,
        steps: &[ConnectionStep<'_>],
        count: &Cell<usize>,
    ) -> std::result::Result<Vec<Vec<Row>>, tokio_postgres::Error> {
        self.prepare(steps, count).await?;
        let mut out = Vec::with_capacity(steps.len());
        for share in steps.chunks(TOGETHER) {
            for answer in join_all(share.iter().map(|step| self.answer(step, count))).await {
                out.push(answer?);
            }
        }
        Ok(out)
    }

    async fn prepare(
        &mut self,
        steps: &[ConnectionStep<'_>],
        count: &Cell<usize>,
    ) -> std::result::Result<(), tokio_postgres::Error> {
        for step in steps {
            if let ConnectionStep::Prepared(sql, _) = step
                && !self.statements.uses(sql)
            {
                let statement = self.client.prepare(sql).await?;
                self.statements.insert(sql, statement);
                count.set(count.get() + 1);
            }
        }
        Ok(())
    }

    async fn answer(
        &self,
        step: &ConnectionStep<'_>,
        count: &Cell<usize>,
    ) -> std::result::Result<Vec<Row>, tokio_postgres::Error> {
        let answer = match step {
            ConnectionStep::Plain(sql) => self.client.batch_execute(sql).await.map(|()| Vec::new()),
            ConnectionStep::Prepared(sql, values) => match self.statements.get(sql) {
                Some(statement) => self.client.query(statement, values).await,
                None => self.client.query(*sql, values).await,
            },
        };
        count.set(count.get() + 1);
        answer
    }
}

#[cfg(test)]
impl Connection {
    /// Waits until the end of the connection is detected. This may happen while a response is read.
    pub(crate) fn notices_its_end(&mut self) {
        let (runtime, live) = (&self.runtime, &self.live);
        runtime.block_on(async {
            while live.as_ref().is_some_and(|live| !live.client.is_closed()) {
                tokio::task::yield_now().await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_engine_testkit::postgres::PostgresServer;

    /// Returns a connection with a timeout of `millis` for every statement.
    fn answered_within(url: &str, millis: u64) -> Connection {
        let mut connection =
            Connection::new(ConnectionParameters::new(PostgresOptions::parse(url).unwrap()).unwrap())
                .unwrap();
        connection.answers_within = Some(Duration::from_millis(millis));
        connection
    }

    /// Simulates a network that drops all packets: the database continues, and no response arrives.
    #[test]
    fn a_connection_that_says_nothing_is_given_up() {
        let url = PostgresServer::shared().unwrap().fresh_database().unwrap();
        let mut connection = answered_within(&url, 2_000);
        connection.run(&[ConnectionStep::Plain("SET statement_timeout = 0")]).unwrap();
        let failed = connection.run(&[ConnectionStep::Plain("SELECT pg_sleep(600)")]).unwrap_err();
        assert_eq!((failed.again, failed.error.message.as_str()), (RetryEffect::Disconnected, SILENT));
        assert!(!connection.is_open());
        assert_eq!((connection.lost(), connection.lost()), (Duration::from_secs(2), Duration::ZERO));
        connection.run(&[ConnectionStep::Plain("SELECT 1")]).unwrap();
    }

    /// Each statement has its own timeout: many slow statements in a row are no failure.
    #[test]
    fn many_answers_may_take_long() {
        let url = PostgresServer::shared().unwrap().fresh_database().unwrap();
        let mut connection = answered_within(&url, 2_000);
        let steps: Vec<ConnectionStep<'_>> =
            (0..5).map(|_| ConnectionStep::Plain("SELECT pg_sleep(0.5)")).collect();
        assert_eq!(connection.run(&steps).unwrap().len(), 5);
        connection.wait_long();
        connection.run(&[ConnectionStep::Plain("SELECT pg_sleep(2.2)")]).unwrap();
    }

    /// A server that accepts connections but sends nothing: the connect timeout applies.
    #[test]
    fn a_connection_that_is_never_greeted_is_given_up() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = silent.local_addr().unwrap().port();
        let url = format!("postgres://anybody@127.0.0.1:{port}/nothing?connect_timeout=1&sslmode=disable");
        let mut connection = answered_within(&url, 300);
        let failed = connection.run(&[ConnectionStep::Plain("SELECT 1")]).unwrap_err();
        assert_eq!((failed.again, failed.error.message.as_str()), (RetryEffect::Disconnected, SILENT));
        assert!(connection.lost() >= Duration::from_secs(1));
    }
}
