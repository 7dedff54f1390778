//! Documents of the repository that the caller adds to the prompt separately
//! (`exclude_repo_docs_sha`). Records that repeat them are not shown. The documents are read at the
//! revision at which citations are verified, concurrently with all other reads and within the same
//! deadline.

use std::sync::Arc;

use loci_engine::calls::deadline::DeadlineRead;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeError, CodeSource};
use loci_model::{Error, Result, limits};
use loci_verified::tip_of;

use super::candidate_reads::HydrationReads;
use crate::repositories::docs::{NamedDocs, RepositoryDocs};

/// The length of a git object's id and of a SHA-256, in characters.
const DIGEST_CHARS: [usize; 2] = [40, 64];

/// Checks the digests of a request.
pub(super) fn check_digests(digests: &[String]) -> Result<()> {
    let is_digest = |text: &String| {
        DIGEST_CHARS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if digests.len() <= limits::HYDRATION_DOCS_MAX && digests.iter().all(is_digest) {
        return Ok(());
    }
    let most = limits::HYDRATION_DOCS_MAX;
    let rule = format!(
        "exclude_repo_docs_sha must have at most {most} items, each the id of a git blob or the SHA-256 of a document"
    );
    Err(Error::invalid("exclude_repo_docs_sha", rule))
}

impl HydrationReads<'_> {
    /// Returns the named documents, and warnings. `None` if the request names none, or if they
    /// could not be read; then no record is left out.
    pub(super) async fn named_docs(&self) -> (Option<RepositoryDocs>, Vec<String>) {
        let digests = &self.asked.excluded_docs;
        if digests.is_empty() {
            return (None, Vec::new());
        }
        let unread =
            |why: &str| (None, vec![format!("DOCS_UNREAD: the named documents could not be read ({why})")]);
        let Some(repository) = &self.place.repository else { return unread("no_repository") };
        let (digests, revision) = (digests.clone(), self.asked.revision().map(str::to_owned));
        let default = repository.default_ref.clone();
        let work = move |source: &dyn CodeSource| {
            let tip = tip_of(source, revision.as_deref(), default.as_deref())?;
            RepositoryDocs::read_named(source, &tip, &digests)
        };
        let reading =
            async { Ok(self.coding.verified.on_code(repository, self.standing, Arc::new(work)).await) };
        let late = || CodeError::new(Unverifiable::Deadline, "the deadline has passed");
        let found = match self.deadline.read(reading).await {
            DeadlineRead::Done(Ok(found)) => found,
            DeadlineRead::Done(Err(_)) | DeadlineRead::Late => Err(late()),
        };
        match found {
            Ok(NamedDocs { docs, missing }) => {
                let missing = missing.into_iter();
                (
                    Some(docs),
                    missing.map(|digest| format!("DOC_UNKNOWN: no document there is {digest}")).collect(),
                )
            }
            Err(error) => unread(error.why.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_digest_is() {
        let check = |digests: &[String], expect: bool| {
            assert_eq!(check_digests(digests).is_ok(), expect, "{digests:?}");
        };
        check(&[], true);
        check(&["a".repeat(40), "0".repeat(64)], true);
        check(&["a".repeat(41)], false);
        check(&["g".repeat(40)], false);
        check(&vec!["a".repeat(40); loci_model::limits::HYDRATION_DOCS_MAX], true);
        check(&vec!["a".repeat(40); loci_model::limits::HYDRATION_DOCS_MAX + 1], false);
    }
}
