//! `loci repo themes`: what several tasks of a repository lacked; and closing that when something was done about it.

use anyhow::Result;
use loci_api::theme::{Theme, ThemeListing};

use super::repository_words::{PositionedRepository, Surroundings};
use crate::output;

/// Characters of what is shown on a line.
const TEXT_CHARS_MAX: usize = 160;

/// Which themes
#[derive(Debug, clap::Args)]
pub(crate) struct Themes {
    #[command(flatten)]
    of: PositionedRepository,
    /// Those that are closed, or quiet for twenty tasks
    #[arg(long, conflicts_with = "close")]
    closed: bool,
    /// Close this theme: its items are put away
    #[arg(long, value_name = "THEME")]
    close: Option<String>,
}

impl Themes {
    pub(super) async fn run(&self, around: Surroundings<'_>) -> Result<()> {
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

fn line(theme: &Theme) {
    output::line(format!("{}  {} tasks  {}  {}", theme.theme_id, theme.count, theme.state, theme.newest_at));
    let topic = theme.topic.as_ref().map(|topic| format!("{topic}: ")).unwrap_or_default();
    output::line(format!("      {}", output::short(&format!("{topic}{}", theme.text), TEXT_CHARS_MAX)));
}
