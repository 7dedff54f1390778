//! `loci rule`: lists the rules learned from reviews, decides about them, shows their provenance
//! and proposes them as a patch.

use anyhow::Result;
use clap::Subcommand;
use loci_api::coding::rule::{
    NewRule, Rule, RuleDecision, RuleItem, RuleList, RuleListing, RulePromote, RulePromotion, RuleProvenance,
};

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::commands::verified::repository_words::{
    MeantRepository, PositionedRepository, Surroundings, repository_and_word,
};
use crate::config::environment::Environment;
use crate::confirmation::{self, DryRun};
use crate::output;
use crate::session::Session;

/// The maximum number of characters of text on a line.
const TEXT_CHARS_MAX: usize = 160;

/// Rules learned from the reviews of a repository
#[derive(Debug, Subcommand)]
pub(crate) enum Rules {
    /// List rules, newest first
    List(List),
    /// Show one rule with its support
    Show(RuleSelector),
    /// Write a rule; it is active at once
    Add(Add),
    /// Activate a rule
    Approve(Decide),
    /// Reject a rule permanently
    Reject(Decide),
    /// Keep a rule active regardless of reviews and disuse
    Pin(Decide),
    /// Remove the pin of a rule
    Unpin(Decide),
    /// Expire a rule
    Expire(Decide),
    /// Replace a rule with another one
    Supersede(Supersede),
    /// Quarantine a rule as suspicious
    Quarantine(Decide),
    /// Show the support of a rule, its state changes, and the tasks that received it
    Provenance(RuleSelector),
    /// Print a rule as a patch of the repository's instructions, for `git apply`
    Promote(Promote),
}

/// The selection of rules
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    #[command(flatten)]
    of: PositionedRepository,
    /// The state [default: active]
    #[arg(long)]
    state: Option<String>,
    /// The scope, exactly as in the rule
    #[arg(long)]
    scope: Option<String>,
    /// Only rules from reviews by this login
    #[arg(long, value_name = "LOGIN")]
    reviewer: Option<String>,
    /// Only rules from this pull request
    #[arg(long, value_name = "NUMBER")]
    pr: Option<u64>,
    /// First written at or after this time
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// First written before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only rules whose text contains this
    #[arg(long, short, value_name = "WORDS")]
    q: Option<String>,
    /// Only candidates that wait for a person's approval
    #[arg(long, conflicts_with = "state")]
    suggested: bool,
}

/// One rule
#[derive(Debug, clap::Args)]
pub(crate) struct RuleSelector {
    /// The rule; before it its repository, as owner/name [default: that of the working directory]
    #[arg(required = true, num_args = 1..=2, value_names = ["[REPO]", "RULE"])]
    rule: Vec<String>,
    #[command(flatten)]
    at: CodeMemory,
}

/// A rule that a person writes
#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// The text of the rule: one line of 10 to 300 characters; before it the repository, as
    /// owner/name [default: that of the working directory]
    #[arg(required = true, num_args = 1..=2, value_names = ["[REPO]", "TEXT"])]
    text: Vec<String>,
    /// The scope: a path, a glob, module:NAME [default: everything]
    #[arg(long)]
    scope: Option<String>,
    /// Keep it active regardless of reviews
    #[arg(long)]
    pin: bool,
    /// The reason
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

/// The decision
#[derive(Debug, clap::Args)]
pub(crate) struct Decide {
    #[command(flatten)]
    of: RuleSelector,
    #[command(flatten)]
    dry: DryRun,
    /// The reason
    #[arg(long)]
    reason: Option<String>,
}

/// The replaced rule and its replacement
#[derive(Debug, clap::Args)]
pub(crate) struct Supersede {
    #[command(flatten)]
    of: RuleSelector,
    /// The replacing rule
    #[arg(long, value_name = "RULE")]
    by: String,
    /// The reason
    #[arg(long)]
    reason: Option<String>,
}

/// The target of a rule
#[derive(Debug, clap::Args)]
pub(crate) struct Promote {
    #[command(flatten)]
    of: RuleSelector,
    /// The file [default: AGENTS.md]
    #[arg(long, value_name = "FILE")]
    target: Option<String>,
}

impl Rules {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let around = Surroundings { session: &session, globals, environment };
        let done = match self {
            Self::List(list) => list.run(around).await,
            Self::Show(of) | Self::Provenance(of) => of.provenance(around).await,
            Self::Add(add) => add.run(around).await,
            Self::Approve(decide) => decide.run(around, "approve").await,
            Self::Reject(decide) => decide.run(around, "reject").await,
            Self::Pin(decide) => decide.run(around, "pin").await,
            Self::Unpin(decide) => decide.run(around, "unpin").await,
            Self::Expire(decide) => decide.run(around, "expire").await,
            Self::Supersede(Supersede { of, by, reason }) => {
                of.decide(around, "supersede", RuleDecision { reason, by: Some(by) }).await
            }
            Self::Quarantine(decide) => decide.run(around, "quarantine").await,
            Self::Promote(promote) => promote.run(around).await,
        };
        done?;
        session.end().await
    }
}

impl List {
    async fn run(self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let (client, repo) = (&meant.client, meant.parts());
        let mut listing = RuleListing {
            state: if self.suggested { Some("candidate".to_owned()) } else { self.state },
            scope: self.scope,
            since: self.since,
            until: self.until,
            q: self.q,
            reviewer: self.reviewer,
            pr: self.pr,
            approval_suggested: self.suggested.then_some(true),
            limit: None,
            cursor: None,
        };
        let mut rules = Vec::new();
        loop {
            let page = client.rule_list(repo, &listing).await?;
            rules.extend(page.rules);
            listing.cursor = page.next_cursor;
            if listing.cursor.is_none() {
                break;
            }
        }
        output::result(around.session.json, &RuleList { rules, next_cursor: None }, |list| {
            list.rules.iter().for_each(line);
            if list.rules.is_empty() {
                output::note("no such rules");
            }
        })
    }
}

impl RuleSelector {
    /// Returns the repository and the rule.
    async fn meant(&self, around: Surroundings<'_>) -> Result<(MeantRepository, &str)> {
        let (repo, rule) = repository_and_word(&self.rule);
        Ok((around.meant(&self.at, repo).await?, rule))
    }

    async fn provenance(self, around: Surroundings<'_>) -> Result<()> {
        let (meant, rule) = self.meant(around).await?;
        let found = meant.client.rule_provenance(meant.parts(), rule).await?;
        output::result(around.session.json, &found, print)
    }

    async fn decide(self, around: Surroundings<'_>, decision: &str, told: RuleDecision) -> Result<()> {
        let (meant, rule) = self.meant(around).await?;
        let decided = meant.client.rule_decide(meant.parts(), rule, decision, &told).await?;
        output::result(around.session.json, &decided, |decided| {
            output::line(format!("{}  {}  version {}", decided.id, decided.state, decided.version));
        })
    }
}

impl Add {
    async fn run(self, around: Surroundings<'_>) -> Result<()> {
        let (repo, text) = repository_and_word(&self.text);
        let meant = around.meant(&self.at, repo).await?;
        let new = NewRule { text: text.to_owned(), scope: self.scope, pin: self.pin, reason: self.reason };
        let added = meant.client.rule_add(meant.parts(), &new).await?;
        output::result(around.session.json, &added, line)
    }
}

impl Decide {
    async fn run(self, around: Surroundings<'_>, decision: &str) -> Result<()> {
        if self.dry.dry_run {
            let (meant, rule) = self.of.meant(around).await?;
            let found = meant.client.rule_provenance(meant.parts(), rule).await?.rule;
            let effect = format!("{decision} the rule {}, which is {}", found.id, found.state);
            return confirmation::would(around.session.json, &effect);
        }
        let told = RuleDecision { reason: self.reason, by: None };
        self.of.decide(around, decision, told).await
    }
}

impl Promote {
    async fn run(self, around: Surroundings<'_>) -> Result<()> {
        let (meant, rule) = self.of.meant(around).await?;
        let asked = RulePromote { target: self.target };
        let made = meant.client.rule_promote(meant.parts(), rule, &asked).await?;
        output::result(around.session.json, &made, |RulePromotion { patch, target, .. }| {
            if patch.is_empty() {
                output::note(format!("{target} contains it already"));
            } else {
                output::line(patch.trim_end_matches('\n'));
            }
        })
    }
}

fn line(rule: &Rule) {
    let scope = rule.scope.as_ref().map(|scope| format!("  for {scope}")).unwrap_or_default();
    let mut notes = Vec::new();
    notes.extend(rule.support.map(|support| format!("support {support:.2}")));
    notes.extend(
        rule.reviewers.zip(rule.prs).map(|(people, prs)| format!("{people} people on {prs} pull requests")),
    );
    notes.extend(rule.waits_for.as_ref().map(|why| format!("waits for a person: {why}")));
    notes.extend(rule.approval_suggested.then(|| "approval suggested".to_owned()));
    notes.extend(rule.approved_by.as_ref().map(|by| format!("approved by {by}")));
    notes.extend(rule.pinned.then(|| "pinned".to_owned()));
    notes.extend(
        (!rule.conflicts.is_empty()).then(|| format!("conflicts with {}", rule.conflicts.join(", "))),
    );
    output::line(format!("{}  {}{scope}  {}", rule.id, rule.state, notes.join("; ")));
    output::line(format!("      {}", output::short(&rule.text, TEXT_CHARS_MAX)));
}

fn print(found: &RuleProvenance) {
    line(&found.rule);
    for (word, items) in [("for", &found.items), ("against", &found.dissent)] {
        items.iter().for_each(|item| said(word, item));
    }
    for change in &found.transitions {
        let from = change.from.as_deref().unwrap_or("new");
        output::line(format!(
            "  {}  {from} -> {}  by {}: {}",
            change.at, change.to, change.by, change.reason
        ));
    }
    for shown in &found.exposures {
        output::line(format!("  {}  shown to task {}", shown.at, shown.task_id));
    }
}

fn said(word: &str, item: &RuleItem) {
    let RuleItem { date, pr, reviewer, role, weight, excerpt, .. } = item;
    let text = output::short(excerpt, TEXT_CHARS_MAX);
    output::line(format!("  {date}  {word} {weight:.2}  #{pr} @{reviewer} ({role}): {text}"));
}
