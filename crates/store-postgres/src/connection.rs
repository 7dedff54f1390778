//! One connection and its prepared statements, driven by the thread that owns it: no other thread has to wake for an
//! answer. Statements that need not wait for each other go out together.

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

use crate::errors::{Again, SILENT, UNREACHABLE, again, translate};
use crate::options::PostgresOptions;
use crate::recent::Recent;
use crate::tls::connector;

/// Values of a statement.
pub(crate) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Futures that [`join_all`] polls in the order they were given: more are handled in shares.
const TOGETHER: usize = 24;

/// The database gives a statement up after its timeout; one that has not said so so much later says nothing any more.
const MARGIN: Duration = Duration::from_secs(3);

/// What a connection is made with.
pub(crate) struct Connecting {
    pub(crate) options: PostgresOptions,
    tls: MakeRustlsConnect,
}

impl Connecting {
    pub(crate) fn new(options: PostgresOptions) -> Result<Arc<Self>> {
        let is_used = options.config.get_ssl_mode() != SslMode::Disable;
        let tls = connector(options.root_certificates.as_deref(), is_used)?;
        Ok(Arc::new(Self { options, tls }))
    }

    /// No answer takes longer.
    fn answers_within(&self) -> Duration {
        Duration::from_millis(self.options.statement_timeout_ms) + MARGIN
    }

    /// A connection is made and greeted by then, or never. The library bounds how long each host may take to listen, and
    /// nothing that comes after it.
    fn connects_within(&self) -> Duration {
        let config = &self.options.config;
        let each = config.get_connect_timeout().copied().unwrap_or(MARGIN);
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len()).max(1);
        each.saturating_mul(u32::try_from(hosts).unwrap_or(1)) + MARGIN
    }

    /// What a fresh connection is told.
    fn greeting(&self) -> String {
        let PostgresOptions { schema, statement_timeout_ms, lock_timeout_ms, .. } = &self.options;
        format!(
            "SET search_path = {schema}, public; SET statement_timeout = {statement_timeout_ms}; \
             SET lock_timeout = {lock_timeout_ms}; SET idle_in_transaction_session_timeout = 60000; \
             SET client_min_messages = warning; SET jit = off"
        )
    }
}

/// A client and what it has prepared.
struct Live {
    client: Client,
    statements: Recent<Statement>,
    /// What sends and receives for the client.
    driver: AbortHandle,
}

/// A connection that is made when it is first needed, and again when it broke.
pub(crate) struct Connection {
    connecting: Arc<Connecting>,
    runtime: Runtime,
    live: Option<Live>,
    answers_within: Option<Duration>,
    lost: Duration,
}

/// A failure, and whether the work may be run again.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: Error,
    pub(crate) again: Again,
}

impl Failed {
    fn disconnected(message: &str) -> Self {
        Self { error: Error::unavailable(message), again: Again::Disconnected }
    }
}

impl From<tokio_postgres::Error> for Failed {
    fn from(error: tokio_postgres::Error) -> Self {
        Self { again: again(&error), error: translate(error) }
    }
}

/// A statement to be run.
pub(crate) enum Step<'a> {
    /// Text without values, perhaps of several statements.
    Plain(&'a str),
    /// A prepared statement with its values.
    Prepared(&'a str, Values<'a>),
}

impl Connection {
    pub(crate) fn new(connecting: Arc<Connecting>) -> Result<Self> {
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

    /// True where a transaction that was begun can go on.
    pub(crate) fn is_open(&self) -> bool {
        self.live.as_ref().is_some_and(|live| !live.client.is_closed())
    }

    /// Forgets the connection: the next statement makes a new one.
    pub(crate) fn forget(&mut self) {
        self.live = None;
    }

    /// From now on statements may take as long as they need, where the database lets them.
    pub(crate) fn wait_long(&mut self) {
        self.answers_within = None;
    }

    /// From now on an answer may take so long.
    pub(crate) fn wait_for(&mut self, within: Duration) {
        self.answers_within = Some(within);
    }

    /// How long this waited in vain since it was asked last: for a connection, or for an answer that did not come.
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
            again: Again::Never,
        })
    }

    /// Runs statements one after the other and reads their rows, without waiting for an answer before the next is sent. All
    /// of them are answered; the first failure is returned.
    pub(crate) fn run(&mut self, steps: &[Step<'_>]) -> std::result::Result<Vec<Vec<Row>>, Failed> {
        self.live()?;
        self.go_on(steps)
    }

    /// As [`Self::run`], within a transaction that was begun before: where the connection has ended since, and the
    /// transaction with it, nothing is sent, for on a new connection each statement would be a transaction of its own.
    pub(crate) fn go_on(&mut self, steps: &[Step<'_>]) -> std::result::Result<Vec<Vec<Row>>, Failed> {
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
            // Each answer has its time, for the database bounds each statement.
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
                // Nobody waits for what may come on it: it ends here, without a farewell that could not be sent.
                live.driver.abort();
                self.live = None;
                self.lost += within;
                Err(Failed::disconnected(SILENT))
            }
        }
    }
}

async fn connect(connecting: &Connecting) -> std::result::Result<Live, Failed> {
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
    /// Sends a statement whose answer nobody waits for: how a transaction that read ends. Were it not to end, the next
    /// statement would say so.
    pub(crate) fn tell(&mut self, sql: &str) {
        let Some(live) = self.live.as_ref() else { return };
        self.runtime.block_on(async {
            let mut answer = std::pin::pin!(live.client.batch_execute(sql));
            // Once puts it on the connection's list, and the connection, a task of this thread, sends it.
            if futures::poll!(answer.as_mut()).is_pending() {
                tokio::task::yield_now().await;
            }
        });
    }
}

impl Live {
    /// What [`Connection::go_on`] returns; counts answers as they come.
    async fn answers(
        &mut self,
        steps: &[Step<'_>],
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
        steps: &[Step<'_>],
        count: &Cell<usize>,
    ) -> std::result::Result<(), tokio_postgres::Error> {
        for step in steps {
            if let Step::Prepared(sql, _) = step
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
        step: &Step<'_>,
        count: &Cell<usize>,
    ) -> std::result::Result<Vec<Row>, tokio_postgres::Error> {
        let answer = match step {
            Step::Plain(sql) => self.client.batch_execute(sql).await.map(|()| Vec::new()),
            Step::Prepared(sql, values) => match self.statements.get(sql) {
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
    /// Waits until the end of the connection was noticed, as it may be while an answer is read.
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

    /// A connection that is answered within `millis` of every statement.
    fn answered_within(url: &str, millis: u64) -> Connection {
        let mut connection =
            Connection::new(Connecting::new(PostgresOptions::parse(url).unwrap()).unwrap()).unwrap();
        connection.answers_within = Some(Duration::from_millis(millis));
        connection
    }

    /// As where the network lets nothing through any more: the database goes on, and nobody hears of it.
    #[test]
    fn a_connection_that_says_nothing_is_given_up() {
        let url = PostgresServer::shared().unwrap().fresh_database().unwrap();
        let mut connection = answered_within(&url, 2_000);
        connection.run(&[Step::Plain("SET statement_timeout = 0")]).unwrap();
        let failed = connection.run(&[Step::Plain("SELECT pg_sleep(600)")]).unwrap_err();
        assert_eq!((failed.again, failed.error.message.as_str()), (Again::Disconnected, SILENT));
        assert!(!connection.is_open());
        assert_eq!((connection.lost(), connection.lost()), (Duration::from_secs(2), Duration::ZERO));
        connection.run(&[Step::Plain("SELECT 1")]).unwrap();
    }

    /// Each statement has its time: many that take long together are no silence.
    #[test]
    fn many_answers_may_take_long() {
        let url = PostgresServer::shared().unwrap().fresh_database().unwrap();
        let mut connection = answered_within(&url, 2_000);
        let steps: Vec<Step<'_>> = (0..5).map(|_| Step::Plain("SELECT pg_sleep(0.5)")).collect();
        assert_eq!(connection.run(&steps).unwrap().len(), 5);
        connection.wait_long();
        connection.run(&[Step::Plain("SELECT pg_sleep(2.2)")]).unwrap();
    }

    /// A machine that accepts connections and says nothing on them: what is waited for one counts.
    #[test]
    fn a_connection_that_is_never_greeted_is_given_up() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = silent.local_addr().unwrap().port();
        let url = format!("postgres://anybody@127.0.0.1:{port}/nothing?connect_timeout=1&sslmode=disable");
        let mut connection = answered_within(&url, 300);
        let failed = connection.run(&[Step::Plain("SELECT 1")]).unwrap_err();
        assert_eq!((failed.again, failed.error.message.as_str()), (Again::Disconnected, SILENT));
        assert!(connection.lost() >= Duration::from_secs(1));
    }
}
