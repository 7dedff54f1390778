//! Themes, which are the common gaps of several tasks of a repository: show, close, propose as an
//! edit of its prompt.

use loci_api::coding::table as api;
use loci_api::coding::theme as shape;
use loci_coding::{ProposalOf, Theme};
use loci_model::{Error, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::repo;

const OPEN: &str = "open";
const CLOSED: &str = "closed";

pub(super) fn operations(table: Table) -> Table {
    table
        .query(api::THEMES_LIST, list)
        .plain(api::THEME_CLOSE, close)
        .query(api::THEME_PROPOSAL, propose)
        .json(api::THEME_PROPOSAL_ACCEPT, accept)
}

async fn propose(call: Call, asked: shape::ThemeProposalAsk) -> Result<shape::ThemeProposal> {
    let (standing, repo) = (standing(&call)?, repo(&call)?);
    let of = ProposalOf { repo: &repo, template_id: asked.template.as_deref() };
    call.doors.engine.coding.theme_proposal(&call.caller, &standing, of).await
}

async fn accept(call: Call, asked: shape::ThemeProposalAccept) -> Result<shape::ThemeProposalAccepted> {
    let (standing, repo) = (standing(&call)?, repo(&call)?);
    let of = ProposalOf { repo: &repo, template_id: asked.template.as_deref() };
    call.doors.engine.coding.theme_proposal_accept(&call.caller, &standing, of, &asked.proposal).await
}

async fn list(call: Call, asked: shape::ThemeListing) -> Result<shape::ThemeList> {
    let closed = match asked.state.as_deref() {
        None | Some(OPEN) => false,
        Some(CLOSED) => true,
        Some(_) => return Err(Error::invalid("state", "state must be open or closed")),
    };
    let standing = standing(&call)?;
    let found = call.doors.engine.coding.themes_list(&call.caller, &standing, &repo(&call)?, closed).await?;
    Ok(shape::ThemeList { themes: found.themes.into_iter().map(shown).collect(), warnings: found.warnings })
}

async fn close(call: Call) -> Result<shape::ThemeClosed> {
    let (standing, repo, theme) = (standing(&call)?, repo(&call)?, call.path("theme")?);
    call.doors.engine.coding.theme_close(&call.caller, &standing, &repo, theme).await
}

fn shown(theme: Theme) -> shape::Theme {
    let told_by = theme.told_by();
    shape::Theme {
        state: theme.state.as_str().to_owned(),
        count: theme.tasks.len(),
        topic: told_by.and_then(|item| item.title.clone()),
        text: told_by.map(|item| loci_engine::safety::for_model(&item.text)).unwrap_or_default(),
        items: theme.items.iter().map(|item| item.id.to_string()).collect(),
        newest_at: theme.newest_at.to_rfc3339(),
        theme_id: theme.id,
        tasks: theme.tasks,
    }
}
