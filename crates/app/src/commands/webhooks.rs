//! `loci webhooks`: shows targets and waiting notifications, and retries them.

use anyhow::Result;
use clap::Subcommand;
use loci_api::delivery as shape;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Difference;
use crate::memory_argument::MemoryArgument;
use crate::output;
use crate::session::Session;

/// Webhooks: targets, waiting notifications, retries
#[derive(Debug, Subcommand)]
pub(crate) enum Webhooks {
    /// Show the configured targets
    Targets,
    /// List notifications of a memory, newest first; delivered ones are listed for a day
    List {
        #[command(flatten)]
        memory: MemoryArgument,
        /// pending, done or failed
        #[arg(long)]
        state: Option<String>,
    },
    /// Retry a waiting or failed notification
    Retry {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The notification
        delivery: String,
    },
    /// Send a test notification to a target; exit code 5 if it does not arrive
    Test {
        /// The target, by its name in the configuration
        target: String,
    },
}

impl Webhooks {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        match self {
            Self::Targets => output::result(session.json, &session.client.target_list().await?, places)?,
            Self::List { memory, state } => {
                let memory = memory.id(&session).await?;
                let mut listing = shape::DeliveryListing { state, ..Default::default() };
                let mut deliveries = Vec::new();
                loop {
                    let page = session.client.delivery_list(&memory, &listing).await?;
                    deliveries.extend(page.deliveries);
                    listing.cursor = page.next_cursor;
                    if listing.cursor.is_none() {
                        break;
                    }
                }
                let list = shape::DeliveryList { deliveries, next_cursor: None };
                output::result(session.json, &list, shown)?;
            }
            Self::Retry { memory, delivery } => {
                let memory = memory.id(&session).await?;
                let retried = session.client.delivery_retry(&memory, &delivery).await?;
                session.wrote(&memory)?;
                output::result(session.json, &retried, |retried| {
                    output::line(format!("tried again: {}", retried.id))
                })?;
            }
            Self::Test { target } => {
                let tried = session.client.target_test(&shape::TargetTest { name: target }).await?;
                output::result(session.json, &tried, |tried| {
                    let said = tried.detail.as_deref().unwrap_or("accepted");
                    output::line(format!("{said}, {} ms", tried.elapsed_ms));
                })?;
                session.end().await?;
                return if tried.ok {
                    Ok(())
                } else {
                    Err(Difference("the notification did not arrive".to_owned()).into())
                };
            }
        }
        session.end().await
    }
}

fn places(list: &shape::TargetList) {
    let mut rows = Vec::new();
    for target in &list.targets {
        let signed = if target.signed { "yes" } else { "no" };
        rows.push(vec![target.name.clone(), target.place.clone(), signed.to_owned()]);
    }
    output::list(&["TARGET", "PLACE", "SIGNED"], rows, "No targets: the configuration names them.");
}

fn shown(list: &shape::DeliveryList) {
    let mut rows = Vec::new();
    for delivery in &list.deliveries {
        rows.push(vec![
            delivery.id.clone(),
            delivery.kind.clone(),
            delivery.state.clone(),
            delivery.target.clone(),
            delivery.attempts.to_string(),
            delivery.last_error.clone().unwrap_or_default(),
        ]);
    }
    let heads = ["DELIVERY", "KIND", "STATE", "TARGET", "TRIED", "WHY"];
    output::list(&heads, rows, "No notifications.");
}
