//! Files that a record names without citing lines of them. If one was deleted and not renamed, the
//! record is withheld. A repository that cannot be read causes no withholding here.

use std::collections::HashSet;

use loci_engine::calls::deadline::DeadlineRead;
use loci_model::RecordId;
use loci_verified::{PathsLook, Remembered, path_refs_of};

use super::candidate_reads::{HydrationReads, KindRead};
use super::kind::HydrationKind;

impl HydrationReads<'_> {
    /// Adds the verification results of citations and named files to the records read.
    pub(super) async fn with_code(
        &self,
        kind: HydrationKind,
        read: KindRead,
        facts: Vec<Remembered>,
    ) -> KindRead {
        // The citation covers a file whose lines are cited.
        let of = |one: &Remembered| {
            let (id, paths) = (one.record.id.clone(), one.fact.paths());
            paths.into_iter().map(move |path| (id.clone(), path)).collect::<Vec<_>>()
        };
        let cited: HashSet<(RecordId, String)> = facts.iter().flat_map(of).collect();
        let read = self.with_branches(read).await;
        let read = self.with_look(kind, read, facts).await;
        self.with_paths(read, &cited).await
    }

    async fn with_paths(&self, mut read: KindRead, cited: &HashSet<(RecordId, String)>) -> KindRead {
        // A caller's report on its code does not cover files.
        let Some(repository) = self.place.repository.as_ref().filter(|_| self.told.is_none()) else {
            return read;
        };
        let named: Vec<_> = read
            .found
            .iter()
            .map(|one| {
                let id = &one.record.id;
                let mut refs = path_refs_of(&one.record);
                refs.retain(|named| !cited.contains(&(id.clone(), named.path.clone())));
                (id.clone(), refs)
            })
            .filter(|(_, refs)| !refs.is_empty())
            .collect();
        if named.is_empty() {
            return read;
        }
        let look = async {
            let revision = self.asked.revision();
            Ok(self.coding.verified.look_for_paths(repository, self.standing, revision, named).await)
        };
        let unread =
            |why: &str| format!("PATHS_UNVERIFIED: whether named files are there is not known ({why})");
        match self.deadline.read(look).await {
            DeadlineRead::Done(Ok(Ok(PathsLook { gone, error }))) => {
                for one in &mut read.found {
                    one.gone_path = gone.get(&one.record.id).cloned();
                }
                read.warnings.extend(error.map(|error| unread(error.why.as_str())));
            }
            DeadlineRead::Done(Ok(Err(error))) => read.warnings.push(unread(error.why.as_str())),
            DeadlineRead::Done(Err(_)) | DeadlineRead::Late => read.warnings.push(unread("deadline")),
        }
        read
    }
}
