//! `loci reviews`, `loci backfill`: the import of pull request reviews.

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::coding::review::{BackfillRequest, NewReview, ReviewsPulled, ReviewsReprocess};
use loci_api::hook as shape;

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::commands::verified::repository_words::{OptionalRepository, Surroundings};
use crate::config::environment::Environment;
use crate::input;
use crate::output::{self, counted};
use crate::session::Session;

/// Reviews of pull requests: webhook deliveries, retries
#[derive(Debug, Subcommand)]
pub(crate) enum Reviews {
    /// List webhook deliveries, newest first
    Deliveries {
        /// received, done, failed or ignored
        #[arg(long)]
        state: Option<String>,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// Process a failed delivery again
    Retry {
        /// The sender's id of the delivery
        guid: String,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// Read all reviews of a pull request from its forge
    Pull {
        #[command(flatten)]
        of: OptionalRepository,
        /// The pull request
        #[arg(long)]
        pr: u64,
    },
    /// Extract rules again from the reviews of a pull request
    Reprocess {
        #[command(flatten)]
        of: OptionalRepository,
        /// The pull request
        #[arg(long)]
        pr: u64,
        /// Only this review, by the forge's number
        #[arg(long)]
        review: Option<u64>,
    },
    /// Read the changes of a repository's pull requests since the last poll
    Poll {
        #[command(flatten)]
        of: OptionalRepository,
    },
    /// Import a review of any forge from a file; - reads standard input
    Take {
        #[command(flatten)]
        of: OptionalRepository,
        /// The file with the review, as JSON
        #[arg(long, value_name = "FILE")]
        file: String,
    },
}

impl Reviews {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let around = Surroundings { session: &session, globals, environment };
        match self {
            Self::Deliveries { state, at } => {
                let client = at.of(&session.client)?;
                let mut listing = shape::HookDeliveryListing { state, ..Default::default() };
                let mut deliveries = Vec::new();
                loop {
                    let page = client.hook_delivery_list(&listing).await?;
                    deliveries.extend(page.deliveries);
                    listing.cursor = page.next_cursor;
                    if listing.cursor.is_none() {
                        break;
                    }
                }
                let list = shape::HookDeliveryList { deliveries, next_cursor: None };
                output::result(session.json, &list, shown)?;
            }
            Self::Retry { guid, at } => {
                let retried = at.of(&session.client)?.hook_delivery_retry(&guid).await?;
                output::result(session.json, &retried, |retried| {
                    output::line(format!("dealt with again: {}", retried.guid))
                })?;
            }
            Self::Pull { of, pr } => {
                let meant = of.meant(around).await?;
                let pulled = meant.client.reviews_pull(meant.parts(), pr).await?;
                output::result(session.json, &pulled, told)?;
            }
            Self::Reprocess { of, pr, review } => {
                let which = ReviewsReprocess { review_id: review };
                let meant = of.meant(around).await?;
                let pulled = meant.client.reviews_reprocess(meant.parts(), pr, &which).await?;
                output::result(session.json, &pulled, told)?;
            }
            Self::Poll { of } => {
                let meant = of.meant(around).await?;
                let polled = meant.client.reviews_poll(meant.parts()).await?;
                output::result(session.json, &polled, |polled| {
                    output::line(format!(
                        "{}, {}, {} new or changed",
                        counted(polled.pull_requests, "pull request"),
                        counted(polled.reviews, "review"),
                        polled.changed
                    ));
                    if polled.skipped > 0 {
                        output::line(format!(
                            "{} could not be read and were skipped: see the server's log",
                            polled.skipped
                        ));
                    }
                })?;
            }
            Self::Take { of, file } => {
                let text = input::text_of(&file, "the review")?;
                let review: NewReview = loci_json::from_str(&text).context("the review")?;
                let meant = of.meant(around).await?;
                let taken = meant.client.review_take(meant.parts(), &review).await?;
                output::result(session.json, &taken, told)?;
            }
        }
        session.end().await
    }
}

fn shown(list: &shape::HookDeliveryList) {
    let mut rows = Vec::new();
    for delivery in &list.deliveries {
        rows.push(vec![
            delivery.guid.clone(),
            delivery.event.clone(),
            delivery.repository.clone(),
            delivery.state.clone(),
            delivery.attempts.to_string(),
            delivery.reason.clone().unwrap_or_default(),
        ]);
    }
    let heads = ["DELIVERY", "EVENT", "REPO", "STATE", "TRIED", "WHY"];
    output::list(&heads, rows, "No deliveries.");
}

fn told(pulled: &ReviewsPulled) {
    output::line(format!("{}, {} new or changed", counted(pulled.reviews, "review"), pulled.changed));
    for (why, count) in &pulled.left_out {
        output::note(format!("nothing is learned from {count}: {why}"));
    }
}

/// Import the reviews of a repository's latest pull requests
#[derive(Debug, clap::Args)]
pub(crate) struct Backfill {
    #[command(flatten)]
    of: OptionalRepository,
    /// The number of pull requests [default: 200]
    #[arg(long, value_name = "N")]
    reviews: Option<usize>,
    /// Only print the number of pull requests
    #[arg(long)]
    dry_run: bool,
}

impl Backfill {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let request = BackfillRequest { reviews: self.reviews, dry_run: self.dry_run };
        let meant = self.of.meant(Surroundings { session: &session, globals, environment }).await?;
        let begun = meant.client.backfill(meant.parts(), &request).await?;
        output::result(session.json, &begun, |begun| match &begun.job {
            Some(job) => {
                output::line(format!("{} pull requests are read by the job {job}", begun.pull_requests))
            }
            None => output::line(format!("{} pull requests would be read", begun.pull_requests)),
        })?;
        session.end().await
    }
}
