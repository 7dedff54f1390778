//! `repository_add`: registers a repository, or another name or place of a registered one.

use std::collections::BTreeSet;
use std::path::Path;

use loci_api::verified::repository::RepositoryAdd;
use loci_engine::access;
use loci_engine::memories::existing;
use loci_engine::safety::{RedactionMode, SafetyPolicy, check_name};
use loci_model::facts::repository::{Repository, RepositorySettings};
use loci_model::ports::code::{CodePlace, CodeResult, DiscoveredRepository};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, MemoryId, RepositoryId, Result, Timestamp};

use super::RepositoryAdded;
use super::find::{named, qualified};
use super::forge_identity::{ForgeIdentity, number_alias};
use super::unknown_default_branch::untold;
use crate::Verified;
use crate::{RepositoryName, local_key};
use loci_engine::calls::call_context::CallContext;

/// The number of repositories that are compared by their root commits.
const COMPARED_MAX: usize = 1_000;
/// The maximum number of root commits of a repository whose history was rewritten. Those of the
/// newest history are always complete.
const ROOTS_MAX: usize = 16;

/// The parts of a request that are parsed without a memory. They are parsed first, so that a
/// request that fails here creates none.
struct GivenNames {
    names: Vec<RepositoryName>,
    forge_id: Option<String>,
}

impl GivenNames {
    fn parse(add: &RepositoryAdd) -> Result<Self> {
        let mut names = Vec::new();
        names.extend(add.name.as_deref().map(RepositoryName::parse).transpose()?);
        for alias in &add.aliases {
            let name = RepositoryName::of_remote(alias).map_or_else(|| RepositoryName::parse(alias), Ok)?;
            names.push(name);
        }
        let forge_id = add.forge_id.as_deref().map(forge_alias).transpose()?;
        // A directory may have a remote that names the repository and its host.
        if add.directory.is_none() {
            if names.is_empty() {
                return Err(nameless());
            }
            if add.at_forge && names.iter().all(|name| name.host.is_none()) {
                return Err(hostless());
            }
        }
        Ok(Self { names, forge_id })
    }
}

fn nameless() -> Error {
    Error::invalid("name", "name the repository, or a directory of it")
}

fn hostless() -> Error {
    Error::invalid("name", "a repository at a forge is named host/owner/name")
}

/// The data about a repository before it is looked up.
#[derive(Debug, Clone)]
struct RepositoryInput {
    /// The names with their hosts, the best first.
    names: Vec<RepositoryName>,
    /// The given name, or one made from the directory.
    key: String,
    place: Option<CodePlace>,
    forge: Option<CodePlace>,
    discovered: Option<DiscoveredRepository>,
    forge_id: Option<String>,
    /// Warnings about data that could not be determined.
    warnings: Vec<String>,
}

impl RepositoryInput {
    /// Checks that no name contains a secret, because repositories are looked up by their names.
    fn check_names(&self, add: &RepositoryAdd, mode: RedactionMode) -> Result<()> {
        self.names.iter().try_for_each(|name| check_name("name", &name.segments.join("/"), mode))?;
        add.default_ref.iter().try_for_each(|name| check_name("default_branch", name, mode))
    }

    /// Returns a warning if the branch that changes states is unknown. Before the first commit
    /// there is no branch at all.
    fn without_default(&self, repository: &Repository) -> Option<String> {
        let found = self.discovered.as_ref()?;
        let is_told = found.default_branch.is_some() || repository.default_ref.is_some();
        (!is_told && found.head.is_some()).then(|| untold(&repository.key))
    }
}

impl Verified {
    /// Registers a repository, or a name or place of a registered one. Repeating the call changes
    /// nothing.
    ///
    /// # Errors
    /// `Denied` without the administration right on the memory, because a registered repository can
    /// be read through this server, and for a directory outside of the memory's folder without the
    /// administration right on the server. `Invalid` if the directory has no repository, or if the
    /// repository has no name.
    pub async fn repository_add(
        &self,
        caller: &Principal,
        standing: &CallContext,
        add: RepositoryAdd,
    ) -> Result<RepositoryAdded> {
        let given = GivenNames::parse(&add)?;
        self.require_repository(caller, standing, add.directory.as_deref()).await?;
        let memory = self.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        let known = self.known_of(caller, &memory, &add, given).await?;
        let now = self.engine.now();
        let fresh = RepositoryId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let engine = self.engine.settings().clone();
        self.engine
            .store()
            .write(move |tx| {
                let mode = SafetyPolicy::of(&engine, &existing(tx, &memory)?.settings).secrets;
                known.check_names(&add, mode)?;
                let before = match &add.same_as {
                    Some(name) => Some(one_named(tx, &memory, name)?),
                    None => look_for(tx, &memory, &known)?,
                };
                let mut warnings = known.warnings.clone();
                let created = before.is_none();
                let mut repository = match &before {
                    Some(repository) => repository.clone(),
                    None => {
                        warnings.extend(look_alikes(tx, &memory, &known)?);
                        new_repository(tx, &memory, &known, fresh.clone(), now)?
                    }
                };
                warnings.extend(enrich(tx, &mut repository, &known, &add)?);
                warnings.extend(known.without_default(&repository));
                if before.as_ref() != Some(&repository) {
                    repository.updated_at = now;
                    tx.repositories_mut().put(&repository)?;
                }
                Ok(RepositoryAdded { repository, created, warnings })
            })
            .await
    }

    async fn known_of(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        add: &RepositoryAdd,
        given: GivenNames,
    ) -> Result<RepositoryInput> {
        let discovered = match &add.directory {
            None => None,
            Some(directory) => Some(self.directory_of(caller, memory, Path::new(directory)).await?),
        };
        let GivenNames { mut names, mut forge_id } = given;
        names.extend(discovered.as_ref().and_then(of_remote));
        let place = discovered.as_ref().map(|found| CodePlace::Local(found.common_dir.clone()));
        let at_forge = |name: &RepositoryName| {
            Some(CodePlace::Forge { host: name.host.clone()?, path: name.segments.join("/") })
        };
        let mut forge = if add.at_forge { names.iter().find_map(at_forge) } else { None };
        if add.at_forge && forge.is_none() {
            return Err(hostless());
        }
        let mut warnings = Vec::new();
        match self.told_at(forge.as_ref()).await {
            Ok(None) => {}
            Ok(Some(told)) => {
                if forge_id.as_ref().is_some_and(|given| *given != told.number) {
                    return Err(Error::conflict("the forge has another number for it").on("forge_id"));
                }
                forge = told.place();
                forge_id = Some(told.number);
                if !names.contains(&told.name) {
                    names.push(told.name);
                }
            }
            Err(error) => warnings.push(format!(
                "UNVERIFIABLE: its forge could not be asked for its number, which is learned later: {} ({})",
                error.detail,
                error.why.as_str()
            )),
        }
        let key = match (names.first(), &discovered) {
            (Some(name), _) => name.key(),
            (None, Some(found)) => of_directory(found),
            (None, None) => return Err(nameless()),
        };
        Ok(RepositoryInput { names, key, place, forge, discovered, forge_id, warnings })
    }

    async fn told_at(&self, forge: Option<&CodePlace>) -> CodeResult<Option<ForgeIdentity>> {
        match forge {
            Some(place) => self.told(place).await,
            None => Ok(None),
        }
    }
}

/// Returns the name of a clone that is not registered yet: that of its remote `origin` with its
/// host, else of its first remote, else one made from its directory.
pub fn name_of(found: &DiscoveredRepository) -> String {
    of_remote(found).map_or_else(|| of_directory(found), |name| name.alias())
}

fn of_remote(found: &DiscoveredRepository) -> Option<RepositoryName> {
    let mut remotes: Vec<_> = found.remotes.iter().collect();
    remotes.sort_by_key(|(name, _)| name != "origin");
    RepositoryName::of_remote(&remotes.first()?.1)
}

/// Returns a key for a repository without a remote.
fn of_directory(found: &DiscoveredRepository) -> String {
    let worktree = found.worktree.as_deref().unwrap_or(&found.common_dir);
    let name = worktree.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".git").unwrap_or(&name);
    local_key(name, found.roots.first().map(ToString::to_string).as_deref())
}

/// Returns the alias for a forge's own number, as a caller gives it.
fn forge_alias(text: &str) -> Result<String> {
    let rule = "forge_id must be <host>:<number>, like github.com:12345";
    let bad = || Error::invalid("forge_id", rule);
    let (host, number) = text.rsplit_once(':').ok_or_else(bad)?;
    let sane = !host.is_empty() && !host.contains('/') && number.bytes().all(|byte| byte.is_ascii_digit());
    if sane && !number.is_empty() { Ok(number_alias(host, number)) } else { Err(bad()) }
}

fn one_named(tx: &dyn ReadTx, memory: &MemoryId, name: &str) -> Result<Repository> {
    let mut found = named(tx, memory, name)?;
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => Err(Error::conflict("the name fits several repositories: write host/owner/name")),
        (None, _) => Err(Error::not_found(format!("no repository {name} is known here"))),
    }
    .map_err(|error| error.on("same_as"))
}

/// Looks up the registered repository: by its forge's number, by a name with a host, or by the
/// place of its clone.
fn look_for(tx: &dyn ReadTx, memory: &MemoryId, known: &RepositoryInput) -> Result<Option<Repository>> {
    if let Some(forge_id) = &known.forge_id
        && let Some(found) = tx.repositories().named(memory, forge_id)?.into_iter().next()
    {
        return Ok(Some(found));
    }
    if let Some(place) = &known.place
        && let Some(found) = with_place(tx, memory, place)?
        && shares_roots(&found, known)
    {
        return Ok(Some(found)); // The same clone, whatever its origin says by now.
    }
    for name in known.names.iter().filter(|name| name.host.is_some()) {
        if let Some(found) = tx.repositories().named(memory, &name.alias())?.into_iter().next() {
            return Ok(Some(found));
        }
    }
    if known.names.iter().all(|name| name.host.is_none()) {
        let mut found = tx.repositories().named(memory, &known.key.to_lowercase())?;
        // A directory's name identifies no repository unless a root commit confirms it.
        let is_told = known.discovered.as_ref().is_none_or(|found| !found.roots.is_empty());
        found.retain(|repository| known.discovered.is_none() || (is_told && shares_roots(repository, known)));
        if found.len() == 1 {
            return Ok(found.pop());
        }
    }
    Ok(None)
}

fn with_place(tx: &dyn ReadTx, memory: &MemoryId, place: &CodePlace) -> Result<Option<Repository>> {
    let all = tx.repositories().list(memory, None, COMPARED_MAX)?;
    Ok(all.into_iter().find(|repository| repository.places.contains(place)))
}

/// Returns false if both have known root commits and none in common. Then another repository took
/// the place.
fn shares_roots(repository: &Repository, known: &RepositoryInput) -> bool {
    let roots = known.discovered.as_ref().map_or(&[][..], |found| &found.roots);
    roots.is_empty()
        || repository.roots.is_empty()
        || repository.roots.iter().any(|root| roots.contains(root))
}

/// Returns the names of repositories with common root commits: a fork, or one repository under
/// another name. A person decides.
fn look_alikes(tx: &dyn ReadTx, memory: &MemoryId, known: &RepositoryInput) -> Result<Vec<String>> {
    let roots = known.discovered.as_ref().map_or(&[][..], |found| &found.roots);
    let all = tx.repositories().list(memory, None, COMPARED_MAX)?;
    let alike = all.iter().filter(|other| other.roots.iter().any(|root| roots.contains(root)));
    Ok(alike
        .map(|other| {
            format!(
                "{} has the same first commits: a fork stays apart; if it is the same, repeat with same_as",
                qualified(other)
            )
        })
        .collect())
}

fn new_repository(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    known: &RepositoryInput,
    id: RepositoryId,
    now: Timestamp,
) -> Result<Repository> {
    let taken = |key: &str| {
        Ok::<_, Error>(!tx.repositories().named(memory, &format!("key:{}", key.to_lowercase()))?.is_empty())
    };
    let mut key = known.key.clone();
    if taken(&key)?
        && let Some(host) = known.names.iter().find_map(|name| name.host.clone())
    {
        key = format!("{}--{key}", host.replace(':', "-"));
    }
    let mut number = 2;
    while taken(&key)? {
        key = format!("{}-{number}", known.key);
        number += 1;
    }
    Ok(Repository {
        memory: memory.clone(),
        id,
        aliases: BTreeSet::from([format!("key:{}", key.to_lowercase())]),
        key,
        roots: Vec::new(),
        places: Vec::new(),
        default_ref: None,
        quorum: None,
        parent: None,
        verified_tip: None,
        checked_at: None,
        settings: RepositorySettings::default(),
        created_at: now,
        updated_at: now,
    })
}

/// Adds the new data to the repository, and returns warnings.
fn enrich(
    tx: &dyn ReadTx,
    repository: &mut Repository,
    known: &RepositoryInput,
    add: &RepositoryAdd,
) -> Result<Vec<String>> {
    let mut warnings = learn_names(tx, repository, known)?;
    warnings.extend(learn_roots(repository, known, add.same_as.is_some()));
    // Local places are read before forges, in the order of registration. The background puts the
    // furthest clone first.
    let forges = repository.places.iter().position(|place| matches!(place, CodePlace::Forge { .. }));
    for (place, at) in [(&known.place, forges), (&known.forge, None)] {
        if let Some(place) = place.as_ref().filter(|place| !repository.places.contains(place)) {
            repository.places.insert(at.unwrap_or(repository.places.len()), place.clone());
        }
    }
    if let Some(parent) = &add.parent {
        let parent = one_named(tx, &repository.memory, parent).map_err(|error| error.on("parent"))?;
        if parent.id == repository.id {
            return Err(Error::invalid("parent", "a repository is not its own parent"));
        }
        repository.parent = Some(parent.id);
    }
    if add.default_ref.is_some() && add.default_ref != repository.default_ref {
        repository.default_ref = add.default_ref.clone();
        repository.verified_tip = None; // Of another branch: nothing is older or newer than that.
    }
    repository.quorum = add.quorum.or(repository.quorum);
    Ok(warnings)
}

/// Adds root commits if none are known, or if a person states that another history is that of this
/// repository. Otherwise it returns a warning that the place is not read.
fn learn_roots(repository: &mut Repository, known: &RepositoryInput, is_same: bool) -> Option<String> {
    let found = known.discovered.as_ref()?;
    if repository.roots.is_empty() {
        repository.roots = found.roots.clone();
    } else if shares_roots(repository, known) {
        return None;
    } else if is_same {
        let mut roots = found.roots.clone();
        roots.extend(repository.roots.iter().take(ROOTS_MAX.saturating_sub(roots.len())));
        roots.sort_unstable();
        repository.roots = roots;
    } else {
        return Some(format!(
            "ANOTHER_HISTORY: it has none of the first commits of {}, so it is not read for it: another repository, or one that \
             was rewritten; if it is the same, repeat with same_as",
            repository.key
        ));
    }
    None
}

/// Adds names and number. A name of another repository stays with that one, with a warning: two
/// repositories of one name would both match it, so neither would be found.
fn learn_names(tx: &dyn ReadTx, repository: &mut Repository, known: &RepositoryInput) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let mut is_free = |alias: &str| {
        let owners = tx.repositories().named(&repository.memory, alias)?;
        let other = owners.iter().find(|other| other.id != repository.id);
        warnings.extend(other.map(|other| {
            format!("{alias} is another repository, {}: {} is not known by it", other.key, repository.key)
        }));
        Ok::<_, Error>(other.is_none())
    };
    let mut learned = Vec::new();
    for name in &known.names {
        if name.host.is_none() || is_free(&name.alias())? {
            learned.extend([name.alias(), name.unqualified()]);
        }
    }
    if let Some(number) = &known.forge_id
        && is_free(number)?
    {
        learned.push(number.clone());
    }
    // Two repositories may have directories of one name. Before their root commits nothing else
    // distinguishes them.
    let by_directory = known.key.to_lowercase();
    if known.names.is_empty() {
        let is_own = is_free(&by_directory)?;
        learned.push(if is_own { by_directory } else { repository.key.to_lowercase() });
    }
    repository.aliases.extend(learned);
    Ok(warnings)
}
