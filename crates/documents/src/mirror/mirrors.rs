//! `mirror_add`, `mirror_remove`, `mirrors_list`: the trees that are mirrored as files elsewhere.
//! Removing a mirror leaves its files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use loci_engine::access;
use loci_engine::memories::existing;
use loci_engine::records::conflicts;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::files::{FileBackend, FilePlaces};
use loci_model::ports::ids::uuid4;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::trees::mirror::{
    Mirror, MirrorDeletes, MirrorDirection, MirrorKind, MirrorOrigin, MirrorState,
};
use loci_model::trees::tree_entry::{TreePlace, owner_of};
use loci_model::{Error, MemoryId, Namespace, Reason, Result, limits};

use super::layouts::Layout;
use super::sync_state;
use crate::Documents;

/// The maximum number of mirrors of a memory.
const MIRRORS_MAX: usize = 100;
/// The minimum interval between two syncs of a mirror, in milliseconds.
pub const INTERVAL_MS_MIN: u64 = 5_000;
/// The maximum interval between two syncs of a mirror, in milliseconds.
const INTERVAL_MS_MAX: u64 = 86_400_000;

/// A request to add a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMirror {
    /// The memory of the mirrored tree.
    pub memory: MemoryId,
    /// The name of the mirror, unique in its memory.
    pub name: String,
    /// The namespace of the mirrored tree.
    pub namespace: Namespace,
    /// The name of the layout of the files.
    pub layout: String,
    /// The kind of the location: a directory, a git repository or a bucket.
    pub kind: MirrorKind,
    /// The path of the location.
    pub path: String,
    /// The direction in which changes are copied.
    pub direction: MirrorDirection,
    /// The effect of deleting a file on its document.
    pub deletes: MirrorDeletes,
    /// The interval between two syncs, in milliseconds.
    pub interval_ms: u64,
    /// True if each file contains the id of its record.
    pub render_ids: bool,
    /// True if the mirror may write documents in `system/`, which every prompt loads.
    pub system: bool,
    /// True if the mirror also gets files with the conversations of the memory.
    pub sessions: bool,
    /// True if the mirror may start in a location that already has files.
    pub adopt: bool,
    /// The time in which consecutive writes of one author become one commit, in milliseconds.
    pub debounce_ms: u64,
    /// The origin of the mirror: the API or the configuration.
    pub origin: MirrorOrigin,
}

/// A mirror with its state.
#[derive(Debug, Clone, PartialEq)]
pub struct MirrorShown {
    /// The mirror.
    pub mirror: Mirror,
    /// The state after the last sync. `None` before the first sync.
    pub state: Option<MirrorState>,
    /// The number of conflict copies about which nobody has decided.
    pub open_conflicts: u64,
}

impl NewMirror {
    fn check(&self) -> Result<Layout> {
        Mirror::check_name(&self.name)?;
        let words = || Layout::all().iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ");
        let layout = Layout::named(&self.layout)
            .ok_or_else(|| Error::invalid("layout", format!("layout must be one of {}", words())))?;
        if !(INTERVAL_MS_MIN..=INTERVAL_MS_MAX).contains(&self.interval_ms) {
            return Err(Error::invalid("interval", "interval must be 5 seconds to 1 day"));
        }
        if self.debounce_ms > 60_000 {
            return Err(Error::invalid("debounce", "debounce must be at most 60 seconds"));
        }
        if self.path.is_empty() || self.path.len() > limits::FILE_PATH_BYTES_MAX || self.path.contains('\0') {
            return Err(Error::invalid("path", "path must say where the mirror lies"));
        }
        if self.sessions && layout != Layout::Native {
            return Err(Error::invalid("sessions", "conversations are rendered in the layout native alone"));
        }
        if self.kind == MirrorKind::Git {
            if layout != Layout::Native || self.render_ids {
                let rule = "a git mirror has the layout native, without ids: use kind dir for the others";
                return Err(Error::invalid("layout", rule));
            }
            if self.direction == MirrorDirection::Import {
                let rule = "a git mirror goes both ways or out: pull from a working clone to take edits";
                return Err(Error::invalid("direction", rule));
            }
        }
        Ok(layout)
    }
}

impl Documents {
    /// Adds a mirror. If the configuration contains it, an existing mirror is updated.
    ///
    /// # Errors
    /// `Denied` without a grant of admin on the whole namespace; `Invalid`, naming the member;
    /// `Invalid` for `path` if the location is outside of the memory's folder and the caller does
    /// not administer the server; `Conflict` if a mirror has the name.
    pub async fn mirror_add(&self, caller: &Principal, new: NewMirror) -> Result<Mirror> {
        access::tree_view(caller, &new.memory, &new.namespace, Capability::Admin)?;
        new.check()?;
        if new.sessions {
            // The readers of the mirror can read every conversation of the memory.
            access::require_whole(caller, &new.memory, Capability::Admin)?;
        }
        let is_configured = new.origin == MirrorOrigin::Configured;
        let new = match access::require_server_admin(caller) {
            Ok(()) => new,
            // Limited to the memory's own folder, which contains nothing of other memories.
            Err(_) => {
                let path = self.file_places()?.own_path(new.kind, &new.path, &new.memory)?;
                NewMirror { path, ..new }
            }
        };
        self.file_places()?.resolve(new.kind, &new.path, is_configured)?;
        self.mirror_apart(&new).await?;
        let mirror = Mirror {
            id: uuid4(self.engine.ids().as_ref()),
            memory: new.memory,
            name: new.name,
            namespace: new.namespace,
            layout: new.layout,
            kind: new.kind,
            path: new.path,
            direction: new.direction,
            deletes: new.deletes,
            interval_ms: new.interval_ms,
            render_ids: new.render_ids,
            system: new.system,
            sessions: new.sessions,
            adopt: new.adopt,
            debounce_ms: new.debounce_ms,
            origin: new.origin,
            at: self.engine.now(),
            actor: owner_of(None)?,
        };
        self.parts.mirrors.changed();
        self.engine.store().write(move |tx| put(tx, &mirror)).await
    }

    /// Removes a mirror; its files stay.
    ///
    /// # Errors
    /// `NotFound`; `Denied`; `Conflict` if the configuration contains the mirror.
    pub async fn mirror_remove(&self, caller: &Principal, memory: &MemoryId, name: &str) -> Result<Mirror> {
        let mirror = self.mirror_of(caller, memory, name, Capability::Admin).await?;
        if mirror.origin == MirrorOrigin::Configured {
            let rule = format!("the configuration has this mirror: take [mirror.{name}] out of it first");
            return Err(Error::conflict(rule));
        }
        self.mirror_forget(mirror).await
    }

    pub(super) async fn mirror_forget(&self, mirror: Mirror) -> Result<Mirror> {
        self.parts.mirrors.changed();
        self.engine
            .store()
            .write(move |tx| {
                forget(tx, &mirror)?;
                tx.ledger_mut().remove(&mirror.memory, &Mirror::SHELF, &mirror.name)?;
                Ok(mirror.clone())
            })
            .await
    }

    /// Removes the mirrors that are no longer in the configuration. `names` are those that it
    /// contains.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn mirrors_configured(&self, names: &BTreeMap<MemoryId, Vec<String>>) -> Result<()> {
        for mirror in self.mirrors_everywhere().await? {
            let is_named = names.get(&mirror.memory).is_some_and(|names| names.contains(&mirror.name));
            if mirror.origin == MirrorOrigin::Configured && !is_named {
                self.mirror_forget(mirror).await?;
            }
        }
        Ok(())
    }

    /// Returns the mirrors of a memory that the caller may read, by name.
    ///
    /// # Errors
    /// `NotFound`; `Denied` if the caller has no access to the memory.
    pub async fn mirrors_list(&self, caller: &Principal, memory: &MemoryId) -> Result<Vec<MirrorShown>> {
        access::record_view(caller, memory, Capability::Read)?;
        let mut shown = Vec::new();
        for mirror in self.mirrors_in(memory).await? {
            if access::tree_view(caller, memory, &mirror.namespace, Capability::Read).is_ok() {
                shown.push(self.mirror_shown(mirror).await?);
            }
        }
        Ok(shown)
    }

    /// Returns a mirror, and the report of its last sync.
    ///
    /// # Errors
    /// `NotFound` if there is no such mirror, or the caller may not read it.
    pub async fn mirror_status(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        name: &str,
    ) -> Result<MirrorShown> {
        let mirror = self.mirror_of(caller, memory, name, Capability::Read).await?;
        self.mirror_shown(mirror).await
    }

    async fn mirror_shown(&self, mirror: Mirror) -> Result<MirrorShown> {
        self.engine
            .store()
            .read(move |tx| {
                let state = tx.ledger().noun::<MirrorState>(&mirror.memory, &mirror.name)?;
                let open_conflicts = conflicts_of(tx, &mirror)?;
                Ok(MirrorShown { mirror: mirror.clone(), state, open_conflicts })
            })
            .await
    }

    pub(super) async fn mirrors_in(&self, memory: &MemoryId) -> Result<Vec<Mirror>> {
        let memory = memory.clone();
        let mut all = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                in_ledger(tx, &memory)
            })
            .await?;
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }

    /// Returns a mirror if the caller's grants permit the use. Unknown and forbidden mirrors give
    /// the same error.
    pub(super) async fn mirror_of(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        name: &str,
        capability: Capability,
    ) -> Result<Mirror> {
        access::record_view(caller, memory, Capability::Read)?;
        let (of, named) = (memory.clone(), name.to_owned());
        let found = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &of)?;
                tx.ledger().noun::<Mirror>(&of, &named)
            })
            .await?;
        let is_readable =
            |mirror: &Mirror| access::tree_view(caller, memory, &mirror.namespace, Capability::Read).is_ok();
        let mirror = found
            .filter(is_readable)
            .ok_or_else(|| Error::not_found(format!("there is no mirror named {name}")))?;
        access::tree_view(caller, memory, &mirror.namespace, capability)?;
        Ok(mirror)
    }

    /// Returns the repository of a git mirror, for a caller who may read the tree and wants to
    /// clone it.
    ///
    /// # Errors
    /// `NotFound` if there is no such mirror, it has no repository, or the caller may not read it.
    pub async fn mirror_repository(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        name: &str,
    ) -> Result<PathBuf> {
        let mirror = self.mirror_of(caller, memory, name, Capability::Read).await?;
        if mirror.kind != MirrorKind::Git {
            return Err(Error::not_found(format!("there is no repository named {name}")));
        }
        if mirror.sessions && access::require_whole(caller, memory, Capability::Read).is_err() {
            // A clone contains every conversation of the memory.
            return Err(Error::not_found(format!("there is no repository named {name}")));
        }
        self.own_repository(&mirror).await?;
        let is_configured = mirror.origin == MirrorOrigin::Configured;
        self.file_places()?.resolve(mirror.kind, &mirror.path, is_configured)
    }

    pub(super) fn file_places(&self) -> Result<&Arc<dyn FilePlaces>> {
        self.engine.file_places().ok_or_else(|| Error::unavailable("this process keeps no mirrors"))
    }

    pub(super) fn mirror_backend(&self, mirror: &Mirror) -> Result<Arc<dyn FileBackend>> {
        let is_configured = mirror.origin == MirrorOrigin::Configured;
        self.file_places()?.open(mirror.kind, &mirror.path, is_configured)
    }
}

/// Returns the number of open conflicts whose newer document is in the mirror's tree.
fn conflicts_of(tx: &dyn ReadTx, mirror: &Mirror) -> Result<u64> {
    let (normal, actor) = (mirror.namespace.normal(), conflicts::actor_of(&mirror.namespace)?);
    conflicts::count_open_of(tx, &mirror.memory, &actor, |conflict| {
        let place = tx.ledger().noun::<TreePlace>(&mirror.memory, conflict.against.as_str())?;
        Ok(place.is_some_and(|place| place.namespace == normal))
    })
}

fn forget(tx: &mut dyn Tx, mirror: &Mirror) -> Result<()> {
    sync_state::remove(tx, mirror)?;
    tx.ledger_mut().remove(&mirror.memory, &MirrorState::SHELF, &mirror.name)?;
    Ok(())
}

/// True if a tree has a mirror.
///
/// # Errors
/// The errors of the store.
pub(crate) fn is_mirrored(tx: &dyn ReadTx, memory: &MemoryId, namespace: &str) -> Result<bool> {
    Ok(in_ledger(tx, memory)?.iter().any(|mirror| mirror.namespace.normal() == namespace))
}

/// Marks the mirrors of a tree as outdated because content was removed from the tree: their files
/// are written again.
///
/// # Errors
/// The errors of the store.
pub(crate) fn outdate(tx: &mut dyn Tx, memory: &MemoryId, namespace: &Namespace) -> Result<()> {
    let normal = namespace.normal();
    outdate_where(tx, memory, |mirror| mirror.namespace.normal() == normal)
}

/// Marks mirrors that keep the history of a tree as outdated, because an erased person made or is
/// mentioned in a change there. The tree is given by the normal form of its namespace.
///
/// # Errors
/// The errors of the store.
pub(crate) fn outdate_history(tx: &mut dyn Tx, memory: &MemoryId, namespace: &str) -> Result<()> {
    outdate_where(tx, memory, |mirror| keeps_history(mirror) && mirror.namespace.normal() == namespace)
}

/// Marks git mirrors as outdated whose history may contain more than the change log of this store,
/// as after a restore. The log may not know an erased person.
///
/// # Errors
/// The errors of the store.
pub(crate) fn outdate_joined(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    let store = tx.memories().identity_of_store()?;
    for mirror in in_ledger(tx, memory)?.into_iter().filter(keeps_history) {
        let Some(state) = tx.ledger().noun::<MirrorState>(memory, &mirror.name)? else { continue };
        if state.joined.is_some() || state.is_of_other_store(&store) {
            tx.ledger_mut().put_noun(&MirrorState { outdated_by: state.outdated_by + 1, ..state })?;
        }
    }
    Ok(())
}

/// True for a mirror that makes commits of the history of its tree.
pub(super) fn keeps_history(mirror: &Mirror) -> bool {
    mirror.kind == MirrorKind::Git && mirror.direction != MirrorDirection::Import
}

/// Marks mirrors with conversations as outdated, because some conversations were erased.
///
/// # Errors
/// The errors of the store.
pub(crate) fn outdate_conversations(tx: &mut dyn Tx, memory: &MemoryId) -> Result<()> {
    outdate_where(tx, memory, |mirror| mirror.sessions)
}

fn outdate_where(tx: &mut dyn Tx, memory: &MemoryId, is_meant: impl Fn(&Mirror) -> bool) -> Result<()> {
    for mirror in in_ledger(tx, memory)?.into_iter().filter(is_meant) {
        let state = tx.ledger().noun::<MirrorState>(memory, &mirror.name)?;
        let state = state.map_or_else(|| MirrorState::new(&mirror), Ok)?;
        tx.ledger_mut().put_noun(&MirrorState { outdated_by: state.outdated_by + 1, ..state })?;
    }
    Ok(())
}

fn in_ledger(tx: &dyn ReadTx, memory: &MemoryId) -> Result<Vec<Mirror>> {
    tx.ledger().nouns::<Mirror>(&LedgerPage {
        memory: memory.clone(),
        shelf: Mirror::SHELF,
        actor: None,
        subject: None,
        after: None,
        limit: MIRRORS_MAX,
    })
}

/// Stores an added mirror. A configured one is updated to its configuration.
fn put(tx: &mut dyn Tx, mirror: &Mirror) -> Result<Mirror> {
    existing(tx, &mirror.memory)?;
    let Some(known) = tx.ledger().noun::<Mirror>(&mirror.memory, &mirror.name)? else {
        if tx.ledger().count(&mirror.memory, &Mirror::SHELF, None)? >= MIRRORS_MAX as u64 {
            let rule = format!("a memory has at most {MIRRORS_MAX} mirrors: remove one");
            return Err(Error::conflict(rule).because(Reason::QuotaExceeded));
        }
        tx.ledger_mut().put_noun(mirror)?;
        return Ok(mirror.clone());
    };
    if known.origin != MirrorOrigin::Configured || mirror.origin != MirrorOrigin::Configured {
        let rule = format!("a mirror named {} is there: choose another name", mirror.name);
        return Err(Error::conflict(rule).because(Reason::ResourceConflict).on("name"));
    }
    let is_elsewhere = known.path != mirror.path
        || known.kind != mirror.kind
        || known.namespace != mirror.namespace
        || known.layout != mirror.layout;
    let mirror = Mirror {
        // A mirror at another place starts again: earlier agreements do not apply there.
        id: if is_elsewhere { mirror.id.clone() } else { known.id.clone() },
        at: known.at,
        ..mirror.clone()
    };
    if is_elsewhere {
        forget(tx, &mirror)?;
    }
    if mirror != known {
        tx.ledger_mut().put_noun(&mirror)?;
    }
    Ok(mirror)
}
