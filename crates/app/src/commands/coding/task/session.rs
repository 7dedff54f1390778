//! `loci session`: the events of an agent during a task, its state for the next run, promotion of
//! events to learnings, and the end of the session. `append` uses `task/delivery`, so it exits with
//! 0 even if no server is reachable.

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::coding::task::session::{
    SaidEvent, SessionAppended, SessionEvent, SessionListing, SessionPromote, SessionState,
};

use super::delivery::DeliveryOptions;
use super::entry_sender::join;
use super::learning;
use super::session_parts;
use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::input::text_of;
use crate::output;
use crate::session::Session;
use crate::spool::SpoolCall;

/// Session events of an agent during a task
#[derive(Debug, Subcommand)]
pub(crate) enum TaskSession {
    /// Add events; exits with 0 even if no server is reachable
    Append(Box<Append>),
    /// Show the events, by number
    Show(Show),
    /// Show or replace the state that the agent keeps for its next run
    State(State),
    /// Promote events to learnings while the session is open
    Promote(Promote),
    /// End the session; only its archive remains
    End {
        /// The task
        task: String,
        #[command(flatten)]
        at: CodeMemory,
    },
}

/// The events to add
#[derive(Debug, clap::Args)]
pub(crate) struct Append {
    /// The task
    task: String,
    /// The text of the event
    #[arg(required_unless_present = "file", requires = "seq")]
    text: Option<String>,
    /// The sequence number in the session, increasing over time
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
    /// message, reasoning, tool_call, tool_result, decision or note
    #[arg(long = "type", value_name = "TYPE", default_value = "message")]
    kind: String,
    /// user, assistant, tool or other [default: derived from the type]
    #[arg(long)]
    role: Option<String>,
    /// Events as JSON, one per line or in an array; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "seq", "role"])]
    file: Option<String>,
    #[command(flatten)]
    helper: DeliveryOptions,
}

/// The selection of events
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The task
    task: String,
    /// Only events after this number
    #[arg(long, value_name = "N")]
    after: Option<u64>,
    /// Only these types, separated by commas
    #[arg(long)]
    types: Option<String>,
    /// The maximum number of events
    #[arg(long)]
    limit: Option<u32>,
    #[command(flatten)]
    at: CodeMemory,
}

/// The state of the agent
#[derive(Debug, clap::Args)]
pub(crate) struct State {
    /// The task
    task: String,
    /// The new state: any JSON; - reads standard input
    #[arg(long, value_name = "FILE")]
    put: Option<String>,
    /// The version of the replaced state; 0 for the first
    #[arg(long, value_name = "N", default_value_t = 0, requires = "put")]
    replaces: u64,
    #[command(flatten)]
    at: CodeMemory,
}

/// The events that become learnings
#[derive(Debug, clap::Args)]
pub(crate) struct Promote {
    /// The task
    task: String,
    /// The sequence numbers
    #[arg(required = true)]
    seq: Vec<u64>,
    /// knowledge, about the repository, or self_feedback, about information that the agent lacked
    #[arg(long = "as", value_name = "WHAT")]
    what: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

impl TaskSession {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if let Self::Append(append) = self {
            return append.run(globals, environment).await;
        }
        let session = Session::begin(globals, environment)?;
        match self {
            Self::Append(_) => {}
            Self::Show(show) => show.run(&session).await?,
            Self::State(state) => state.run(&session).await?,
            Self::Promote(promote) => promote.run(&session).await?,
            Self::End { task, at } => {
                let ended = at.of(&session.client)?.session_end_of_task(&task).await?;
                output::result(session.json, &ended, |ended| {
                    output::line(if ended.ended { "ended" } else { "had ended before" });
                })?;
            }
        }
        session.end().await
    }
}

impl Append {
    async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let call = (self.task.as_str(), SpoolCall::Session);
        let (events, mut bad) = match self.events() {
            Ok(read) => read,
            Err(error) => return self.helper.fail(call.1, error),
        };
        let (bodies, great) = session_parts::cut(events)?;
        bad.extend(great);
        if self.helper.is_strict()
            && let Some((_, why)) = bad.first()
        {
            return Err(Usage(why.clone()).into());
        }
        for (body, why) in bad {
            output::note(format!("loci session append: {why}"));
            self.helper.keep_apart(globals, environment, call, (body, why)).await;
        }
        if bodies.is_empty() {
            return Ok(());
        }
        let (answers, failure) = self.helper.say_each(globals, environment, call, bodies).await;
        let mut whole = SessionAppended::default();
        for answer in &answers {
            join(&mut whole, serde_json::from_value(answer.clone()).context("the answer of the server")?);
        }
        if !answers.is_empty() {
            output::result(globals.json, &whole, |done| {
                let last = done.last_seq.map_or_else(String::new, |last| format!(", the last is {last}"));
                output::line(format!("{} added, {} known{last}", done.accepted, done.duplicates));
                done.warnings.iter().for_each(output::note);
            })?;
        }
        failure.map_or(Ok(()), |failure| self.helper.fail(call.1, failure))
    }

    fn events(&self) -> Result<(Vec<SessionEvent>, Vec<session_parts::UnsendableEvent>)> {
        if let Some(file) = &self.file {
            return session_parts::read(&text_of(file, "the events")?);
        }
        let seq = self.seq.ok_or_else(|| Usage("--seq gives the number of the event".to_owned()))?;
        let event = SessionEvent {
            seq,
            r#type: self.kind.clone(),
            role: self.role.clone(),
            content: self.text.clone(),
            ..SessionEvent::default()
        };
        Ok((vec![event], Vec::new()))
    }
}

impl Show {
    async fn run(self, session: &Session) -> Result<()> {
        let listing = SessionListing { after_seq: self.after, types: self.types, limit: self.limit };
        let found = self.at.of(&session.client)?.session_events(&self.task, &listing).await?;
        output::result(session.json, &found, |found| {
            output::note_if_empty(&found.events, "No events of this session.");
            found.events.iter().for_each(said);
            if let Some(ended) = &found.ended_at {
                output::note(format!("ended {ended}: this is what the archive keeps"));
            }
            if let Some(next) = found.next_after_seq {
                output::note(format!("more with --after {next}"));
            }
        })
    }
}

fn said(event: &SaidEvent) {
    let tool = event.tool.as_ref().map(|tool| {
        let took = tool.duration_ms.map(|ms| format!(" {ms} ms")).unwrap_or_default();
        let status = tool.status.as_ref().map(|status| format!(" {status}")).unwrap_or_default();
        format!("  [{}{took}{status}]", tool.name)
    });
    let tool = tool.unwrap_or_default();
    output::line(format!("{:>6}  {}  {}  {}{tool}", event.seq, event.at, event.r#type, event.role));
    match &event.content {
        Some(content) => content.lines().for_each(|line| output::line(format!("        {line}"))),
        None if event.content_chars > 0 => {
            output::line(format!("        ({} characters, not kept)", event.content_chars));
        }
        None => {}
    }
}

impl State {
    async fn run(self, session: &Session) -> Result<()> {
        let client = self.at.of(&session.client)?;
        let Some(file) = &self.put else {
            let kept = client.session_state(&self.task).await?;
            return output::result(session.json, &kept, |kept| {
                output::line(kept.state.to_string());
                output::note(format!("version {}", kept.version));
            });
        };
        let read = serde_json::from_str(&text_of(file, "the state")?);
        let state = read.map_err(|error| Usage(format!("{file} is no JSON: {error}")))?;
        let state = SessionState { state, version: self.replaces };
        let kept = client.session_state_put(&self.task, &state).await?;
        output::result(session.json, &kept, |kept| output::line(format!("version {}", kept.version)))
    }
}

impl Promote {
    async fn run(self, session: &Session) -> Result<()> {
        let promote = SessionPromote { seq: self.seq, r#as: self.what };
        let done = self.at.of(&session.client)?.session_promote(&self.task, &promote).await?;
        done.warnings.iter().for_each(output::note);
        output::result(session.json, &done, |done| {
            for one in &done.events {
                let lines = one.learnings.iter().map(learning);
                lines.for_each(|line| output::line(format!("{:>6}  {line}", one.seq)));
                if one.learnings.is_empty() {
                    output::line(format!("{:>6}  nothing to learn", one.seq));
                }
            }
        })
    }
}
