//! Repositories: register and list them, and check if the facts of one changed.

use loci_api::verified::table as api;
use std::collections::BTreeSet;

use loci_api::verified::repository as shape;
use loci_model::Result;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::CodePlace;

use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;

/// The default page size.
const PAGE: u32 = 100;

pub(super) fn operations(table: Table) -> Table {
    let table = table.json(api::REPOSITORY_ADD, add);
    let table = table.query(api::REPOSITORY_LIST, list);
    table.query(api::REPOSITORY_MARK, mark)
}

/// Returns the authenticated call in the form that all interfaces share.
pub(in crate::v1) fn asking(call: &Call) -> Result<AuthenticatedCall<'_>> {
    Ok(AuthenticatedCall { engine: &call.doors.engine, caller: &call.caller, standing: standing(call)? })
}

/// Returns the name of the repository in the request's path.
pub(in crate::v1) fn repo(call: &Call) -> Result<String> {
    Ok(format!("{}/{}", call.path("owner")?, call.path("name")?))
}

async fn add(call: Call, add: shape::RepositoryAdd) -> Result<shape::RepositoryAdded> {
    let added = call.doors.engine.verified.repository_add(&call.caller, &standing(&call)?, add).await?;
    Ok(shape::RepositoryAdded {
        repository: shown(added.repository),
        created: added.created,
        warnings: added.warnings,
    })
}

async fn list(call: Call, asked: shape::RepositoryListing) -> Result<shape::RepositoryList> {
    let (standing, limit) = (standing(&call)?, asked.limit.unwrap_or(PAGE));
    let page =
        call.doors.engine.verified.repository_list(&call.caller, &standing, asked.cursor, limit).await?;
    Ok(shape::RepositoryList {
        repositories: page.items.into_iter().map(shown).collect(),
        next_cursor: page.next,
    })
}

async fn mark(call: Call, asked: shape::RepositoryMarkAsk) -> Result<shape::RepositoryMark> {
    let mark = call.doors.engine.verified.fact_mark(&call.caller, &standing(&call)?, &asked.repo).await?;
    Ok(shape::RepositoryMark { mark })
}

/// Returns a location of a repository's code as a text: a path, or an address at a forge.
pub(in crate::v1) fn place(place: CodePlace) -> String {
    match place {
        CodePlace::Local(path) => path.display().to_string(),
        CodePlace::Forge { host, path } => format!("https://{host}/{path}"),
    }
}

fn shown(repository: Repository) -> shape::Repository {
    shape::Repository {
        id: repository.id.to_string(),
        repo: repository.key,
        aliases: aliases(repository.aliases),
        places: repository.places.into_iter().map(place).collect(),
        default_ref: repository.default_ref,
        verified_commit: repository.verified_tip.map(|tip| tip.to_string()),
    }
}

/// Returns the names of a repository. The mark of its own key is internal to the store.
pub(in crate::v1) fn aliases(aliases: BTreeSet<String>) -> Vec<String> {
    aliases.into_iter().filter(|alias| !alias.starts_with("key:")).collect()
}
