//! `loci event`: events, actors and sessions.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use loci_api::event as shape;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::DryRun;
use crate::memory_argument::MemoryArgument;
use crate::session::Session;
use crate::{confirmation, output};

/// The maximum number of characters of a message in a list.
const TEXT_CHARS: usize = 120;

/// The role of the speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// A person
    User,
    /// The model
    Assistant,
    /// A tool
    Tool,
    /// Anything else
    Other,
}

/// A session of an actor.
#[derive(Debug, Args)]
pub(crate) struct SessionAddress {
    #[command(flatten)]
    memory: MemoryArgument,
    /// The actor
    #[arg(long)]
    actor: String,
    /// The session
    #[arg(long)]
    session: String,
}

/// Events, actors and sessions
#[derive(Debug, Subcommand)]
pub(crate) enum Event {
    /// Store a message
    Create {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The actor
        #[arg(long)]
        actor: String,
        /// The session; a new one without it
        #[arg(long)]
        session: Option<String>,
        /// The role of the speaker
        #[arg(long, default_value = "user")]
        role: Role,
        /// The time, as RFC 3339; now without it
        #[arg(long)]
        time: Option<String>,
        /// The text of the message
        text: String,
    },
    /// List events of a session, newest first
    List {
        #[command(flatten)]
        place: SessionAddress,
        /// The maximum number of events
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Show an event
    Get {
        #[command(flatten)]
        place: SessionAddress,
        /// The event
        event: String,
    },
    /// Delete an event; its records stay
    Delete {
        #[command(flatten)]
        place: SessionAddress,
        #[command(flatten)]
        dry: DryRun,
        /// The event
        event: String,
    },
    /// End a session; its remaining events are extracted now
    End {
        #[command(flatten)]
        place: SessionAddress,
    },
    /// List actors
    Actors {
        #[command(flatten)]
        memory: MemoryArgument,
    },
    /// List sessions of an actor
    Sessions {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The actor
        #[arg(long)]
        actor: String,
    },
}

impl Event {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        match self {
            Self::Create { memory, actor, session: in_session, role, time, text } => {
                let memory = memory.id(&session).await?;
                let new = message(actor, in_session, role, time, text);
                let made = session.client.event_create(&memory, &new).await?;
                session.wrote(&memory)?;
                output::result(session.json, &made, |made| output::line(&made.event.id))?;
            }
            Self::List { place, limit } => {
                let memory = place.memory.id(&session).await?;
                let listing = shape::EventListing {
                    actor: place.actor,
                    session: place.session,
                    limit: Some(limit),
                    ..Default::default()
                };
                let page = session.client.event_list(&memory, &listing).await?;
                output::result(session.json, &page, |page| {
                    output::note_if_empty(&page.events, "No events of this session.");
                    page.events.iter().for_each(shown);
                })?;
            }
            Self::Get { place, event } => {
                let memory = place.memory.id(&session).await?;
                let place = shape::EventPlace { actor: place.actor, session: place.session };
                output::details(session.json, &session.client.event_get(&memory, &event, &place).await?)?;
            }
            Self::Delete { place, dry, event } => {
                let memory = place.memory.id(&session).await?;
                let place = shape::EventPlace { actor: place.actor, session: place.session };
                if dry.dry_run {
                    let found = session.client.event_get(&memory, &event, &place).await?;
                    let effect = format!("delete the event {} of {}", found.id, found.time);
                    confirmation::would(session.json, &effect)?;
                    return session.end().await;
                }
                let nothing = session.client.event_delete(&memory, &event, &place).await?;
                output::result(session.json, &nothing, |_| output::line(format!("deleted {event}")))?;
            }
            Self::End { place } => {
                let memory = place.memory.id(&session).await?;
                let ended = session.client.session_end(&memory, &place.actor, &place.session).await?;
                session.wrote(&memory)?;
                output::result(session.json, &ended, |ended| output::line(format!("{} due", ended.due)))?;
            }
            Self::Actors { memory } => {
                let memory = memory.id(&session).await?;
                let list = session.client.actor_list(&memory, &shape::Paging::default()).await?;
                output::result(session.json, &list, |list| {
                    output::note_if_empty(&list.actors, "No actors: the memory has no events.");
                    list.actors.iter().for_each(output::line);
                })?;
            }
            Self::Sessions { memory, actor } => {
                let memory = memory.id(&session).await?;
                let list = session.client.session_list(&memory, &actor, &shape::Paging::default()).await?;
                output::result(session.json, &list, |list| {
                    let row = |found: &shape::Session| vec![found.id.clone(), found.created_at.clone()];
                    output::list(&[], list.sessions.iter().map(row).collect(), "No sessions of this actor.");
                })?;
            }
        }
        session.end().await
    }
}

fn message(
    actor: String,
    session: Option<String>,
    role: Role,
    time: Option<String>,
    text: String,
) -> shape::EventCreate {
    let role = match role {
        Role::User => shape::Role::User,
        Role::Assistant => shape::Role::Assistant,
        Role::Tool => shape::Role::Tool,
        Role::Other => shape::Role::Other,
    };
    shape::EventCreate {
        actor,
        session,
        time,
        payload: vec![shape::PayloadItem::Message(shape::Message { role, text })],
        branch: None,
        metadata: BTreeMap::new(),
        extraction: shape::Extraction::Extract,
        namespace_variables: BTreeMap::new(),
    }
}

fn shown(event: &shape::Event) {
    for item in &event.payload {
        let text = match item {
            shape::PayloadItem::Message(message) => format!("{:?}: {}", message.role, message.text),
            shape::PayloadItem::Json(raw) => format!("json {}", raw.get()),
            shape::PayloadItem::Blob(raw) => format!("blob {}", raw.get()),
        };
        output::line(format!("{}  {}  {}", event.id, event.time, output::short(&text, TEXT_CHARS)));
    }
}
