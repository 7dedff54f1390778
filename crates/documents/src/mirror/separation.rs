//! The separation of mirrors. No mirror is inside another one. A mirror on a disk is synced by the
//! installation that has the disk. A mirror whose files disappeared gets a new id. A repository is
//! read only if its marker names the mirror.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_model::ports::files::FileBackend;
use loci_model::ports::ids::uuid4;
use loci_model::ports::store::StoreExt;
use loci_model::trees::mirror::{Mirror, MirrorKind, MirrorOrigin, MirrorState};
use loci_model::{Error, Reason, Result};

use super::NewMirror;
use super::guards::{self, MarkerState};
use super::sync::Sync;
use super::sync_state::{self, SyncState};
use crate::Documents;

impl Documents {
    /// Rejects a location that is the same as another mirror's, inside of it or around it.
    pub(super) async fn mirror_apart(&self, new: &NewMirror) -> Result<()> {
        let places = self.file_places()?;
        let place = places.resolve(new.kind, &new.path, new.origin == MirrorOrigin::Configured)?;
        for other in self.mirrors_everywhere().await? {
            if (&other.memory, &other.name) == (&new.memory, &new.name) {
                continue;
            }
            let is_configured = other.origin == MirrorOrigin::Configured;
            let Ok(there) = places.resolve(other.kind, &other.path, is_configured) else { continue };
            if place.starts_with(&there) || there.starts_with(&place) {
                let rule = "path must lie apart from every other mirror: choose one that lies in none and holds none";
                return Err(Error::conflict(rule).because(Reason::ResourceConflict).on("path"));
            }
        }
        Ok(())
    }

    /// Returns the repository of a git mirror, if its marker names this mirror: a mirror must not
    /// give access to another one's repository.
    pub(super) async fn own_repository(&self, mirror: &Mirror) -> Result<Arc<dyn FileBackend>> {
        let backend = self.mirror_backend(mirror)?;
        let marker = backend.marker().await?;
        if guards::marked(marker.as_deref(), &mirror.id) == MarkerState::Own {
            return Ok(backend);
        }
        Err(Error::not_found(format!("there is no repository named {}: sync the mirror first", mirror.name)))
    }

    /// Returns a mirror, its state and its known files, for the installation that has its disks:
    /// the first one that syncs it.
    pub(super) async fn mirror_held(&self, asked: &Mirror) -> Result<(Mirror, MirrorState, SyncState)> {
        let here = match asked.kind {
            MirrorKind::Directory | MirrorKind::Git => {
                Some(self.file_places()?.installation(&|| uuid4(self.engine.ids().as_ref()))?)
            }
            MirrorKind::S3 => None,
        };
        let wanted = asked.clone();
        let (mirror, mut state, kept) = self
            .engine
            .store()
            .read(move |tx| {
                let mirror = tx.ledger().noun::<Mirror>(&wanted.memory, &wanted.name)?;
                let gone = || Error::not_found(format!("there is no mirror named {}", wanted.name));
                let mirror = mirror.filter(|mirror| mirror.kind == wanted.kind).ok_or_else(gone)?;
                let state = tx.ledger().noun::<MirrorState>(&wanted.memory, &wanted.name)?;
                let state = state.map_or_else(|| MirrorState::new(&mirror), Ok)?;
                let kept = SyncState::read(tx, &mirror)?;
                Ok((mirror, state, kept))
            })
            .await?;
        match (&state.holder, here) {
            (_, None) => {}
            (Some(holder), Some(here)) if *holder == here => {}
            (Some(_), Some(_)) => {
                let rule = "the mirror lies on the disks of another server: sync it there, or remove it and make it anew here";
                return Err(Error::conflict(rule));
            }
            (None, Some(here)) => {
                state.holder = Some(here);
                let held = state.clone();
                self.engine
                    .store()
                    .write(move |tx| {
                        let now = tx.ledger().noun::<MirrorState>(&held.memory, &held.mirror)?;
                        let outdated_by = now.map_or(held.outdated_by, |now| now.outdated_by);
                        tx.ledger_mut().put_noun(&MirrorState { outdated_by, ..held.clone() })
                    })
                    .await?;
            }
        }
        Ok((mirror, state, kept))
    }

    /// Returns the ids of all mirrors.
    pub(super) async fn mirror_ids(&self) -> Result<BTreeSet<String>> {
        Ok(self.mirrors_everywhere().await?.into_iter().map(|mirror| mirror.id).collect())
    }
}

impl Sync<'_> {
    /// Restarts a mirror whose files disappeared, with a new id and without sync state. If the
    /// former directory returns with old files and its marker, it then counts as another mirror's.
    pub(super) async fn begin_again(&mut self) -> Result<()> {
        let id = uuid4(self.documents.engine.ids().as_ref());
        self.kept.clear();
        let parts = self.kept.changes(&self.mirror, self.documents.engine.now());
        let (asked, fresh) = (self.mirror.clone(), id.clone());
        self.documents
            .engine
            .store()
            .write(move |tx| {
                let known = tx.ledger().noun::<Mirror>(&asked.memory, &asked.name)?;
                let known = known.filter(|known| known.id == asked.id).ok_or_else(|| {
                    Error::conflict(format!("the mirror {} was changed meanwhile: sync it again", asked.name))
                })?;
                tx.ledger_mut().put_noun(&Mirror { id: fresh.clone(), ..known })?;
                sync_state::put(tx, &parts)
            })
            .await?;
        self.mirror.id = id;
        self.backend.mark(&guards::marker_of(&self.mirror.id, &self.mirror.memory)).await
    }
}
