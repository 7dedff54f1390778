//! `loci repo themes`: recurring gaps that several tasks of a repository reported, closing them,
//! and the edit of the repository's prompt that would address them.

use anyhow::Result;
use loci_api::coding::theme::{Theme, ThemeListing, ThemeProposal, ThemeProposalAccept, ThemeProposalAsk};
use loci_client::Client;

use crate::commands::verified::repository_words::{PositionedRepository, Surroundings};
use crate::output::{self, counted};

/// The maximum number of characters of text on a line.
const TEXT_CHARS_MAX: usize = 160;

/// The selection of themes
#[derive(Debug, clap::Args)]
pub(crate) struct Themes {
    #[command(flatten)]
    of: PositionedRepository,
    /// Only themes that are closed, or quiet for twenty tasks
    #[arg(long, conflicts_with = "close")]
    closed: bool,
    /// Close this theme and archive its items
    #[arg(long, value_name = "THEME")]
    close: Option<String>,
    /// Show the open themes as an edit of the repository's prompt
    #[arg(long, conflicts_with_all = ["closed", "close"])]
    propose: bool,
    /// Accept the proposed edit: store it as a version of the prompt, and close its themes
    #[arg(long, value_name = "PROPOSAL", conflicts_with_all = ["closed", "close", "propose"])]
    accept: Option<String>,
    /// The template of the repository's prompt [default: the one named owner/name]
    #[arg(long, value_name = "ID", conflicts_with_all = ["closed", "close"])]
    template: Option<String>,
}

impl Themes {
    pub(in crate::commands) async fn run(&self, around: Surroundings<'_>) -> Result<()> {
        let as_json = around.session.json;
        let meant = self.of.meant(around).await?;
        let (client, repo) = (&meant.client, meant.parts());
        if let Some(theme) = &self.close {
            let closed = client.theme_close(repo, theme).await?;
            return output::result(as_json, &closed, |closed| {
                output::line(format!(
                    "{} closed: {} items were put away",
                    closed.theme_id,
                    closed.items.len()
                ));
            });
        }
        let state = self.closed.then(|| "closed".to_owned());
        if let Some(proposal) = &self.accept {
            return self.accepted(client, repo, proposal, as_json).await;
        }
        if self.propose || self.template.is_some() {
            let ask = ThemeProposalAsk { template: self.template.clone() };
            let found = client.theme_proposal(repo, &ask).await?;
            return output::result(as_json, &found, proposed);
        }
        let found = client.themes_list(repo, &ThemeListing { state }).await?;
        output::result(as_json, &found, |found| {
            found.themes.iter().for_each(line);
            if found.themes.is_empty() {
                output::note("nothing that three tasks lacked");
            }
            found.warnings.iter().for_each(output::note);
        })
    }
}

impl Themes {
    async fn accepted(
        &self,
        client: &Client,
        repo: (&str, &str),
        proposal: &str,
        as_json: bool,
    ) -> Result<()> {
        let accept = ThemeProposalAccept { template: self.template.clone(), proposal: proposal.to_owned() };
        let done = client.theme_proposal_accept(repo, &accept).await?;
        output::result(as_json, &done, |done| {
            output::line(&done.prompt_version);
            done.closed.iter().for_each(|closed| output::note(format!("{} is closed", closed.theme_id)));
            done.warnings.iter().for_each(output::note);
        })
    }
}

fn proposed(found: &ThemeProposal) {
    if found.themes.is_empty() {
        output::note(format!("nothing is proposed: the prompt {} has every open theme", found.template_id));
    } else {
        found.diff.lines().for_each(output::line);
        output::note(format!(
            "agents wrote the added lines: read them; accept with --accept {}",
            found.proposal
        ));
    }
    found.warnings.iter().for_each(output::note);
}

fn line(theme: &Theme) {
    output::line(format!(
        "{}  {}  {}  {}",
        theme.theme_id,
        counted(theme.count, "task"),
        theme.state,
        theme.newest_at
    ));
    let topic = theme.topic.as_ref().map(|topic| format!("{topic}: ")).unwrap_or_default();
    output::line(format!("      {}", output::short(&format!("{topic}{}", theme.text), TEXT_CHARS_MAX)));
}
