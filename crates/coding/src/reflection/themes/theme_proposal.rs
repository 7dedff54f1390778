//! The verbs `theme_proposal` and `theme_proposal_accept`: the open themes of a repository as an
//! edit of its prompt. The themes are added as a section at the end of the template's text. A
//! person reviews the difference and accepts it, which stores a version of the prompt and closes
//! the themes. A proposal alone changes nothing.

use loci_api::coding::theme::{ThemeProposal, ThemeProposalAccepted};
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::safety::for_model;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::{Error, Result};
use sha2::{Digest, Sha256};

use super::items::{Theme, ThemeState};
use crate::Coding;
use crate::prompts::versions::{NewPrompt, PromptParts, lines_difference};

/// The section for the themes.
const SECTION: &str = "## What earlier tasks lacked";
/// The number of hex digits of a proposal's id.
const ID_DIGITS: usize = 16;

/// A repository, and the template of its prompt; absent: the template with the repository's name.
#[derive(Debug, Clone, Copy)]
pub struct ProposalOf<'a> {
    /// The repository.
    pub repo: &'a str,
    /// The template.
    pub template_id: Option<&'a str>,
}

impl Coding {
    /// Proposes an edit of a prompt from the open themes of a repository.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` if the caller may not read the whole memory, because prompts belong
    /// to all of it.
    pub async fn theme_proposal(
        &self,
        caller: &Principal,
        standing: &CallContext,
        of: ProposalOf<'_>,
    ) -> Result<ThemeProposal> {
        self.proposed(caller, standing, of).await.map(|(proposal, _)| proposal)
    }

    /// Accepts a proposal: stores the text as the template's next version, and closes the themes
    /// that it names.
    ///
    /// # Errors
    /// `Conflict` if the prompt or the themes have changed since, or if nothing is proposed;
    /// `Denied` without write access to the whole memory and administration of the repository's
    /// actor.
    pub async fn theme_proposal_accept(
        &self,
        caller: &Principal,
        standing: &CallContext,
        of: ProposalOf<'_>,
        id: &str,
    ) -> Result<ThemeProposalAccepted> {
        // A caller who may not close the themes may not store a prompt either.
        self.place_of_themes(caller, standing, of.repo, Capability::Admin).await?;
        let (proposal, current) = self.proposed(caller, standing, of).await?;
        if proposal.themes.is_empty() {
            let rule = "nothing is proposed: no open theme is missing from the prompt";
            return Err(Error::conflict(rule).on("proposal"));
        }
        if proposal.proposal != id {
            let rule = "themes or prompt have changed since: look at the proposal again, and accept that one";
            return Err(Error::conflict(rule).on("proposal"));
        }
        let parts = match &current {
            Some(current) => PromptParts {
                text: proposal.text,
                overrides: Some(current.overrides.value()?),
                tools: current.tools.clone(),
                extraction_prompts: current.extraction_prompts.clone(),
            },
            None => PromptParts { text: proposal.text, ..PromptParts::default() },
        };
        let model = current.and_then(|current| current.model);
        let new = NewPrompt { template_id: proposal.template_id, parts, model };
        let added = self.prompt_add(caller, standing, new).await?;
        let mut closed = Vec::new();
        for theme in &proposal.themes {
            closed.push(self.theme_close(caller, standing, of.repo, theme).await?);
        }
        let warnings = proposal.warnings.into_iter().chain(added.warnings).collect();
        Ok(ThemeProposalAccepted {
            prompt_version: added.prompt.version,
            previous: added.previous,
            closed,
            warnings,
        })
    }

    async fn proposed(
        &self,
        caller: &Principal,
        standing: &CallContext,
        of: ProposalOf<'_>,
    ) -> Result<(ThemeProposal, Option<PromptVersion>)> {
        let place = self.place_of_themes(caller, standing, of.repo, Capability::Read).await?;
        access::require_whole(caller, &place.memory, Capability::Read)?;
        let (mut themes, warnings) = self.themes_of(caller, &place, false).await?;
        themes.retain(|theme| theme.state == ThemeState::Open);
        let template_id = of.template_id.unwrap_or(place.actor.as_str()).to_owned();
        let (memory, template) = (place.memory, template_id.clone());
        let current = self
            .engine
            .store()
            .read(move |tx| Ok(tx.prompts().list(&memory, Some(&template), None, 1)?.into_iter().next()))
            .await?;
        let before = current.as_ref().map_or("", |current| current.text.as_str());
        let edit = edited(before, &themes);
        let is_empty = edit.themes.is_empty();
        let diff = if is_empty { String::new() } else { lines_difference(before, &edit.text) };
        let from = current.as_ref().map(|current| current.version.clone());
        let digest = format!("{template_id}\n{}\n{}", from.as_deref().unwrap_or_default(), edit.text);
        let digest = hex::encode(Sha256::digest(digest));
        let proposal = ThemeProposal {
            proposal: format!("proposal_{}", digest.get(..ID_DIGITS).unwrap_or_default()),
            template_id,
            from,
            text: edit.text,
            diff,
            themes: edit.themes,
            warnings,
        };
        Ok((proposal, current))
    }
}

/// A text with added themes, and their ids.
struct Edit {
    text: String,
    themes: Vec<String>,
}

/// Adds themes to the section of a text. The section starts at the end of a text that has none.
/// Lines that the text already contains are not added.
fn edited(before: &str, themes: &[Theme]) -> Edit {
    let (mut lines, mut added) = (Vec::new(), Vec::new());
    for theme in themes {
        let Some(line) = bullet(theme).filter(|line| !before.contains(line.as_str())) else { continue };
        lines.push(line);
        added.push(theme.id.clone());
    }
    if lines.is_empty() {
        return Edit { text: before.to_owned(), themes: added };
    }
    let lines = lines.join("\n");
    let text = match before.find(SECTION) {
        Some(at) => {
            let behind = at + SECTION.len();
            let (head, rest) = before.split_at_checked(behind).unwrap_or((before, ""));
            // The section ends at the next heading of the same level.
            let end = rest.find("\n## ").unwrap_or(rest.len());
            let (section, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
            format!("{head}{}\n{lines}\n{tail}", section.trim_end())
        }
        None if before.trim().is_empty() => format!("{SECTION}\n\n{lines}\n"),
        None => format!("{}\n\n{SECTION}\n\n{lines}\n", before.trim_end()),
    };
    Edit { text, themes: added }
}

/// Returns the line of a theme.
fn bullet(theme: &Theme) -> Option<String> {
    let newest = theme.told_by()?;
    let plain = |text: &str| for_model(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let topic = newest.title.as_deref().map(|topic| format!("{}: ", plain(topic))).unwrap_or_default();
    Some(format!("- {topic}{}", plain(&newest.text)))
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;
    use loci_model::record::Record;
    use loci_testkit_ports::samples;

    use super::*;

    fn theme(number: u8, topic: Option<&str>, text: &str) -> Theme {
        let memory = MemoryId::parse("memory-0123456789").unwrap();
        let record = samples::record(&memory, number.into(), text).unwrap();
        let item = Record { title: topic.map(str::to_owned), ..record };
        Theme {
            id: format!("theme_{number}"),
            state: ThemeState::Open,
            tasks: Vec::new(),
            newest_at: item.created_at,
            items: vec![item],
        }
    }

    #[test]
    fn themes_are_a_section_at_the_end() {
        let themes = [theme(1, Some("Database"), "Run `make\n db-up` first."), theme(2, None, "No icons.")];
        let lines = "- Database: Run `make db-up` first.\n- No icons.\n";
        for (before, expect) in [
            ("", format!("{SECTION}\n\n{lines}")),
            ("Be brief.\n", format!("Be brief.\n\n{SECTION}\n\n{lines}")),
            (
                "A\n\n## What earlier tasks lacked\n\n- No icons.\n\n## Then\n\nB\n",
                "A\n\n## What earlier tasks lacked\n\n- No icons.\n- Database: Run `make db-up` first.\n\n## Then\n\nB\n"
                    .to_owned(),
            ),
        ] {
            let edit = edited(before, &themes);
            assert_eq!(edit.text, expect, "{before}");
            let again = edited(&edit.text, &themes);
            assert_eq!((again.text, again.themes.len()), (expect, 0), "twice changes nothing: {before}");
        }
    }
}
