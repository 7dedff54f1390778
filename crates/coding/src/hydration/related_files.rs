//! Files that often change with those of the task, shown as lines within the share of the
//! knowledge. They are read by the paths of the request, not by the query. They are not records, so
//! no exposure lists them.

use loci_engine::calls::deadline::DeadlineRead;
use loci_engine::retrieval::render::{RenderedEntry, ScreenedEntry};
use loci_engine::safety::Patterns;
use loci_model::ErrorKind;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::task::MemoryArm;

use super::candidate_reads::{HydrationReads, HydrationScope};
use super::kind::KindStatus;
use super::lines::TOGETHER;
use super::request::Hydration;
use crate::code_graph::co_change::{CoChange, Scene, Thresholds, absent};
use crate::tasks::log_fields::LOAD_INFRA;

/// The word of the API.
pub const GRAPH: &str = "graph";
/// The maximum number of shown files.
const FILES_MAX: usize = 5;
/// The prefix of the id of a line that stands for no record.
const ID: &str = "related-";

/// The result of reading files that change together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RelatedRead {
    pub(super) status: KindStatus,
    pub(super) files: Vec<CoChange>,
    pub(super) warnings: Vec<String>,
}

impl RelatedRead {
    pub(super) fn of(status: KindStatus) -> Self {
        Self { status, files: Vec::new(), warnings: Vec::new() }
    }

    fn failed(status: KindStatus, warning: &str) -> Self {
        Self { warnings: vec![warning.to_owned()], ..Self::of(status) }
    }
}

/// True if the files are shown. They belong to the last tier, which only tasks with all memory
/// have.
pub(super) fn is_wanted(place: &HydrationScope, asked: &Hydration) -> bool {
    let own = place.repository.as_ref().and_then(|repository| repository.settings.tiers.graph);
    asked.includes_graph() && own.unwrap_or(true) && place.arm() == MemoryArm::On
}

impl HydrationReads<'_> {
    /// Reads the files that often change with the paths of the request.
    pub(super) async fn related(&self) -> RelatedRead {
        if !is_wanted(self.place, self.asked) {
            return RelatedRead::of(KindStatus::Disabled);
        }
        let Some(repository) = self.place.repository.clone().filter(|_| !self.asked.paths.is_empty()) else {
            return RelatedRead::of(KindStatus::Skipped);
        };
        let (coding, caller) = (self.coding.clone(), self.caller.clone());
        let paths = self.asked.paths.clone();
        let work = self.coding.engine.store().read(move |tx| {
            let answer = |scene: &Scene<'_>| Ok(absent(scene, &paths, &Thresholds::default(), FILES_MAX));
            Ok(coding.ask_graph_of(tx, &caller, &repository, &answer)?.0)
        });
        match self.deadline.read(work).await {
            DeadlineRead::Done(Ok(files)) => {
                let status = if files.is_empty() { KindStatus::Empty } else { KindStatus::Ok };
                RelatedRead { status, files, warnings: Vec::new() }
            }
            DeadlineRead::Done(Err(error)) if error.kind == ErrorKind::Denied => RelatedRead::failed(
                KindStatus::Disabled,
                "NOT_GRANTED: the caller may not read the graph of files that change together",
            ),
            DeadlineRead::Done(Err(error)) => {
                tracing::warn!(
                    metric_type = LOAD_INFRA,
                    ?error,
                    "files that change together could not be read"
                );
                RelatedRead::failed(
                    KindStatus::Error,
                    "NOT_READ: files that change together could not be read",
                )
            }
            DeadlineRead::Late => RelatedRead::failed(
                KindStatus::Timeout,
                "NOT_IN_TIME: files that change together were not read in time",
            ),
        }
    }
}

/// Returns the screened lines of files, in order.
pub(super) fn screened(files: &[CoChange], patterns: &Patterns) -> Vec<ScreenedEntry> {
    let entry = |(number, file): (usize, &CoChange)| {
        let CoChange { path, because, support, confidence, .. } = file;
        let part = (confidence * 100.0).round();
        let entry = RenderedEntry {
            id: format!("{ID}{number}"),
            section: TOGETHER,
            label: format!("history; {support} times"),
            text: format!("{path} is changed in {part} % of the changes of {because}"),
        };
        ScreenedEntry::new(&entry, patterns)
    };
    (1..).zip(files).map(entry).collect()
}

/// Returns the index of the file that a line with this id stands for.
pub(super) fn place_of(id: &str) -> Option<usize> {
    let number: usize = id.strip_prefix(ID)?.parse().ok()?;
    number.checked_sub(1)
}
