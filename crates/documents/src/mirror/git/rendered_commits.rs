//! Commits of files that Loci writes without documents, in the same history. Each conversation with
//! new events gets a commit, in order of time among those of the tree. The changelog of
//! consolidation is a part of the commit of each run. These commits name the state of the tree that
//! they follow, so that writing continues after them.

use std::collections::{BTreeMap, VecDeque};

use loci_engine::document_text::areas::SESSIONS;
use loci_engine::document_text::slug::slug;
use loci_model::ports::files::{FileChange, FileDigest, FileStep, Precondition};
use loci_model::ports::store::StoreExt;
use loci_model::{Result, Timestamp};
use sha2::{Digest, Sha256};

use super::message::rendered_message;
use super::rendering_git::AUTHOR;
use crate::mirror::file_writes::change_of;
use crate::mirror::rendering::tree_of;
use crate::mirror::sync::Sync;
use crate::mirror::transcripts::RenderedTalk;
use crate::trees::state_names::StateNames;
use crate::trees::tree::Tree;
use crate::upkeep::{CHANGELOG, Changelog};

/// The maximum of events of a conversation that its commit names: the newest.
const SOURCES_MAX: usize = 20;

/// A commit to make.
#[derive(Debug)]
struct RenderedCommit {
    at: Timestamp,
    by: String,
    subject: String,
    sources: Vec<String>,
    changes: Vec<FileChange>,
}

/// The rendered files that one sync adds to a repository.
#[derive(Debug)]
pub(super) struct Timeline {
    sessions: VecDeque<RenderedCommit>,
    pub(super) changelog: Changelog,
    /// The sequence up to which the tree is committed.
    pub(super) reached: u64,
    /// The digest of all rendered files.
    digest: String,
}

impl Sync<'_> {
    /// Returns the rendered files of a sync, for a tree that is committed up to a sequence. The
    /// repository is listed only if something changed since the last sync.
    pub(super) async fn timeline(&mut self, reached: u64, has_commits: bool) -> Result<Timeline> {
        let talks = self.talks().await?;
        let tree = Tree::of(&tree_of(&self.mirror));
        let changelog =
            self.documents.engine.store().read(move |tx| Changelog::read(tx, &tree, None)).await?;
        let digest = digest(&talks, &changelog);
        let is_known = has_commits && self.state.rendered.as_ref() == Some(&digest);
        let sessions = if is_known { VecDeque::new() } else { self.session_commits(talks).await? };
        Ok(Timeline { sessions, changelog, reached, digest })
    }

    /// Returns a commit for each conversation that differs from the repository. Files of moved or
    /// expired conversations are removed with the last one.
    async fn session_commits(&self, mut talks: Vec<RenderedTalk>) -> Result<VecDeque<RenderedCommit>> {
        let listing = self.backend.list().await?;
        let below = format!("{SESSIONS}/");
        let mut lying: BTreeMap<String, FileDigest> = listing
            .entries
            .into_iter()
            .filter(|entry| entry.path.starts_with(&below))
            .map(|entry| (entry.path, entry.sha256))
            .collect();
        talks.sort_by(|a, b| (a.at, &a.actor, &a.session).cmp(&(b.at, &b.actor, &b.session)));
        let mut commits = VecDeque::new();
        for talk in talks {
            let mut changes = Vec::new();
            for (path, bytes) in talk.files {
                let lies =
                    lying.remove(&path).is_some_and(|lies| lies == FileDigest::from(Sha256::digest(&bytes)));
                if !lies {
                    changes.push(change_of(&path, Some(bytes), Precondition::Any));
                }
            }
            if !changes.is_empty() {
                let named = Some(slug(&talk.session)).filter(|named| !named.is_empty());
                let older = talk.events.len().saturating_sub(SOURCES_MAX);
                commits.push_back(RenderedCommit {
                    at: talk.at,
                    by: format!("{}/{}", talk.actor, talk.session),
                    subject: format!("session: append {}", named.unwrap_or(talk.session)),
                    sources: talk.events.into_iter().skip(older).collect(),
                    changes,
                });
            }
        }
        let left: Vec<FileChange> =
            lying.keys().map(|path| change_of(path, None, Precondition::Any)).collect();
        match commits.back_mut() {
            Some(last) => last.changes.extend(left),
            None if left.is_empty() => {}
            None => commits.push_back(RenderedCommit {
                at: self.documents.engine.now(),
                by: AUTHOR.to_owned(),
                subject: format!("session: remove {} files", left.len()),
                sources: Vec::new(),
                changes: left,
            }),
        }
        Ok(commits)
    }

    /// Returns the commits of conversations up to a time; all of them for `None`.
    pub(super) fn session_steps(
        &self,
        timeline: &mut Timeline,
        names: &StateNames,
        until: Option<Timestamp>,
    ) -> Vec<FileStep> {
        let mut steps = Vec::new();
        let is_due = |commit: &&RenderedCommit| until.is_none_or(|until| commit.at <= until);
        while timeline.sessions.front().as_ref().is_some_and(is_due) {
            let Some(commit) = timeline.sessions.pop_front() else { break };
            steps.push(self.rendered_step(commit, &names.seal(timeline.reached)));
        }
        steps
    }

    fn rendered_step(&self, commit: RenderedCommit, state: &str) -> FileStep {
        let RenderedCommit { at, by, subject, sources, changes } = commit;
        let paths: Vec<(bool, &str)> =
            changes.iter().map(|change| (change.bytes.is_some(), change.path.as_str())).collect();
        let message = rendered_message(&subject, &paths, &sources, state);
        FileStep { note: self.change_note(&by, at, message), changes }
    }

    /// Updates the changelog to its runs, if their commits did not, as those of an earlier version;
    /// and records the repository's present state.
    pub(super) async fn end_timeline(&mut self, mut timeline: Timeline, names: &StateNames) -> Result<()> {
        let rest = self.session_steps(&mut timeline, names, None);
        self.commit_steps(rest).await?;
        if self.state.rendered.as_ref() != Some(&timeline.digest) {
            let lies = self.backend.read(CHANGELOG).await?.map(|file| file.bytes);
            let wanted = timeline.changelog.until(timeline.reached).map(String::into_bytes);
            if lies != wanted {
                let commit = RenderedCommit {
                    at: self.documents.engine.now(),
                    by: AUTHOR.to_owned(),
                    subject: "consolidation: the changelog of runs".to_owned(),
                    sources: Vec::new(),
                    changes: vec![change_of(CHANGELOG, wanted, Precondition::Any)],
                };
                let step = self.rendered_step(commit, &names.seal(timeline.reached));
                self.commit_steps(vec![step]).await?;
            }
        }
        self.state.rendered = Some(timeline.digest);
        Ok(())
    }
}

/// Returns the change that updates the changelog to the state after a run.
pub(super) fn changelog_change(changelog: &Changelog, sequence: u64) -> Option<FileChange> {
    let text = changelog.until(sequence)?;
    Some(change_of(CHANGELOG, Some(text.into_bytes()), Precondition::Any))
}

/// Returns the digest of all rendered files.
fn digest(talks: &[RenderedTalk], changelog: &Changelog) -> String {
    let mut hasher = Sha256::new();
    let mut add = |name: &str, bytes: &[u8]| {
        for part in [name.as_bytes(), bytes] {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
    };
    for (path, bytes) in talks.iter().flat_map(|talk| &talk.files) {
        add(path, bytes);
    }
    add(CHANGELOG, changelog.until(u64::MAX).unwrap_or_default().as_bytes());
    hex::encode(hasher.finalize())
}
