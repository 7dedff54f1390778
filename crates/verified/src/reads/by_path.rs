//! `facts_by_path`: facts that cite a file, a directory or a glob, under any name it had.

use std::collections::BTreeSet;

use loci_engine::memories::existing;
use loci_model::facts::fact::Fact;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{PathChoice, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, MemoryId, RecordId, RepositoryId, Result};

use super::answers::FactList;
use super::recent_facts::{FACTS_MAX, check_limit};
use crate::Verified;
use crate::facts::fact_record::{Remembered, join};
use crate::repositories::code_access::check_ref;
use crate::repositories::find;
use crate::serving_policy::missing_code;
use crate::serving_policy::served_facts::FactReadOptions;
use crate::verifier::{Glob, check_path};
use loci_engine::calls::call_context::CallContext;

/// The number of path rows in one read, and in total.
const ROWS: usize = 1_000;
const ROWS_MAX: usize = 50_000;

/// The interpretation of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathMatch {
    /// The path itself.
    #[default]
    Exact,
    /// The directory with everything below it.
    Prefix,
    /// Paths that the pattern matches.
    Glob,
}

impl PathMatch {
    /// Parses the interpretation's name.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "exact" => Some(Self::Exact),
            "prefix" => Some(Self::Prefix),
            "glob" => Some(Self::Glob),
            _ => None,
        }
    }
}

/// A request for facts by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByPath {
    /// A path, a directory or a pattern.
    pub path: String,
    /// The interpretation of the path.
    pub matching: PathMatch,
    /// True to include paths that the code has left.
    pub previous: bool,
    /// The maximum number of facts, 1 to 200.
    pub limit: u32,
}

/// A choice of paths, as a store query and as a check of its rows.
struct Choice {
    rows: PathChoice,
    glob: Option<Glob>,
    directory: Option<String>,
}

impl Choice {
    fn of(by: &ByPath) -> Result<Self> {
        let checked = |path: &str| {
            check_path(path)
                .map_err(|rejected| Error::code(loci_model::CodeReason::PathRejected, rejected.0).on("path"))
        };
        Ok(match by.matching {
            PathMatch::Exact => {
                checked(&by.path)?;
                Self { rows: PathChoice::Exact(by.path.clone()), glob: None, directory: None }
            }
            PathMatch::Prefix => {
                let directory = by.path.trim_end_matches('/');
                checked(directory)?;
                let rows = PathChoice::Prefix(directory.to_owned());
                Self { rows, glob: None, directory: Some(directory.to_owned()) }
            }
            PathMatch::Glob => {
                let glob = Glob::parse(&by.path).map_err(|bad| Error::invalid("path", bad.0))?;
                let fixed = by.path.split(['*', '?', '[', '{']).next().unwrap_or_default().to_owned();
                Self { rows: PathChoice::Prefix(fixed), glob: Some(glob), directory: None }
            }
        })
    }

    fn fits(&self, path: &str) -> bool {
        let beneath = |directory: &String| {
            path.strip_prefix(directory.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.glob.as_ref().is_none_or(|glob| glob.matches(path))
            && self.directory.as_ref().is_none_or(beneath)
    }
}

impl Verified {
    /// Returns the facts of a repository that cite such paths, most recently confirmed first.
    ///
    /// # Errors
    /// As [`Verified::facts_recent`]; `PATH_REJECTED` for a path that is not allowed.
    pub async fn facts_by_path(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        by: ByPath,
        mut serving: FactReadOptions,
    ) -> Result<FactList> {
        serving.most = Some(by.limit);
        serving.reference.as_deref().map_or(Ok(()), check_ref)?;
        let (repository, facts) = self.found_by_path(caller, standing, repo, by).await?;
        self.serve(caller, standing, &repository, facts, &serving).await
    }

    /// Returns the facts to verify.
    pub(crate) async fn found_by_path(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        by: ByPath,
    ) -> Result<(Repository, Vec<Remembered>)> {
        let limit = check_limit(by.limit)?;
        Choice::of(&by)?;
        let memory = self.memory_of_repository(caller, standing, repo).await?;
        let (asking, name) = (caller.clone(), repo.to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &asking, &memory, &name, Capability::Read)?;
                let choice = Choice::of(&by)?;
                let records = with_paths(tx, &memory, &found.repository.id, &choice)?;
                let mut facts = tx.facts().get_many(&memory, &records)?;
                facts.retain(|fact| {
                    (fact.status == RecordState::Active && !fact.proposed) || missing_code::is_gone(fact)
                });
                if !by.previous {
                    facts.retain(|fact| {
                        current_paths(fact).any(|path| choice.fits(path) && is_choice(&choice.rows, path))
                    });
                }
                missing_code::order(&mut facts);
                missing_code::cut(&mut facts, limit, (FACTS_MAX as usize).saturating_sub(limit));
                let facts = join(tx, &memory, &found.view, facts)?;
                Ok((found.repository, facts))
            })
            .await
    }
}

/// Returns the current paths of a fact's code.
fn current_paths(fact: &Fact) -> impl Iterator<Item = &str> {
    fact.detail.citations.iter().map(|citation| {
        let place = citation.current.as_ref().map_or(&citation.anchor.place, |(place, _)| place);
        place.path.as_str()
    })
}

fn is_choice(rows: &PathChoice, path: &str) -> bool {
    match rows {
        PathChoice::Exact(exact) => path == exact,
        PathChoice::Prefix(prefix) => path.starts_with(prefix.as_str()),
    }
}

fn with_paths(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    repository: &RepositoryId,
    choice: &Choice,
) -> Result<Vec<RecordId>> {
    let mut found = BTreeSet::new();
    let (mut after, mut read) = (None, 0);
    loop {
        let rows = tx.facts().with_path(memory, repository, &choice.rows, after.as_ref(), ROWS)?;
        let is_last = rows.len() < ROWS;
        read += rows.len();
        after = rows.last().cloned();
        found.extend(rows.into_iter().filter(|(path, _)| choice.fits(path)).map(|(_, record)| record));
        if is_last {
            return Ok(found.into_iter().collect());
        }
        if read >= ROWS_MAX {
            let rule = format!("path fits more than {ROWS_MAX} cited places: narrow it");
            return Err(Error::invalid("path", rule));
        }
    }
}
