//! The sync state of a mirror: for each path, the file on which the mirror and its tree agreed
//! after the last sync. It is stored in parts, so that a change of one path writes one part.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::ledger::LedgerNoun;
use loci_model::ports::files::FileDigest;
use loci_model::ports::store::{LedgerPage, ReadTx, Tx};
use loci_model::trees::mirror::{MIRROR_SHARDS, Mirror, MirrorFile, MirrorFiles};
use loci_model::{Result, Timestamp};
use sha2::{Digest, Sha256};

/// The known state of a mirror's paths, with the changed parts.
#[derive(Debug, Clone, Default)]
pub(super) struct SyncState {
    files: BTreeMap<String, MirrorFile>,
    changed: BTreeSet<usize>,
}

impl SyncState {
    /// Reads the state from the ledger.
    pub(super) fn read(tx: &dyn ReadTx, mirror: &Mirror) -> Result<Self> {
        let page = LedgerPage {
            memory: mirror.memory.clone(),
            shelf: MirrorFiles::SHELF,
            actor: None,
            subject: Some(mirror.name.clone()),
            after: None,
            limit: MIRROR_SHARDS,
        };
        let mut kept = Self::default();
        for part in tx.ledger().nouns::<MirrorFiles>(&page)? {
            kept.files.extend(part.files);
        }
        Ok(kept)
    }

    pub(super) fn get(&self, path: &str) -> Option<&MirrorFile> {
        self.files.get(path)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &MirrorFile)> {
        self.files.iter()
    }

    /// Changes the state of a path.
    pub(super) fn edit(&mut self, path: &str, change: impl FnOnce(&mut MirrorFile)) {
        let mut file = self.files.get(path).cloned().unwrap_or_default();
        change(&mut file);
        if self.files.get(path).map_or(file.is_empty(), |known| *known == file) {
            return;
        }
        self.changed.insert(shard_of(path));
        if file.is_empty() {
            self.files.remove(path);
        } else {
            self.files.insert(path.to_owned(), file);
        }
    }

    /// Records that both sides have this file.
    pub(super) fn agree(&mut self, path: &str, file: &str, rendered: Option<String>) {
        self.edit(path, |known| {
            let rendered = rendered.filter(|rendered| rendered != file);
            *known = MirrorFile { agreed: Some(file.to_owned()), rendered, ..MirrorFile::default() };
        });
    }

    /// Removes the state of a path.
    pub(super) fn forget(&mut self, path: &str) {
        self.edit(path, |known| *known = MirrorFile::default());
    }

    /// Removes the state of all paths.
    pub(super) fn clear(&mut self) {
        self.changed.extend(self.files.keys().map(|path| shard_of(path)));
        self.files.clear();
    }

    /// Returns the parts that changed since the last call, in their stored form.
    pub(super) fn changes(&mut self, mirror: &Mirror, at: Timestamp) -> Vec<MirrorFiles> {
        let changed = std::mem::take(&mut self.changed);
        let mut parts: BTreeMap<usize, BTreeMap<String, MirrorFile>> =
            changed.into_iter().map(|shard| (shard, BTreeMap::new())).collect();
        for (path, file) in &self.files {
            if let Some(part) = parts.get_mut(&shard_of(path)) {
                part.insert(path.clone(), file.clone());
            }
        }
        let part = |(shard, files)| MirrorFiles {
            memory: mirror.memory.clone(),
            mirror: mirror.name.clone(),
            shard,
            files,
            at,
            actor: mirror.actor.clone(),
        };
        parts.into_iter().map(part).collect()
    }
}

/// Writes parts.
pub(super) fn put(tx: &mut dyn Tx, parts: &[MirrorFiles]) -> Result<()> {
    for part in parts {
        if part.files.is_empty() {
            let key = MirrorFiles::key_of(&part.mirror, part.shard);
            tx.ledger_mut().remove(&part.memory, &MirrorFiles::SHELF, &key)?;
        } else {
            tx.ledger_mut().put_noun(part)?;
        }
    }
    Ok(())
}

/// Forgets all parts of a mirror.
pub(super) fn remove(tx: &mut dyn Tx, mirror: &Mirror) -> Result<()> {
    for shard in 0..MIRROR_SHARDS {
        tx.ledger_mut().remove(
            &mirror.memory,
            &MirrorFiles::SHELF,
            &MirrorFiles::key_of(&mirror.name, shard),
        )?;
    }
    Ok(())
}

fn shard_of(path: &str) -> usize {
    usize::from(Sha256::digest(path.as_bytes()).first().copied().unwrap_or_default()) % MIRROR_SHARDS
}

/// Returns the digest of a file as syncs compare it: of its bytes and its executable flag.
pub(super) fn state_of(sha256: &FileDigest, executable: bool) -> FileDigest {
    if !executable {
        return *sha256;
    }
    Sha256::new_with_prefix(sha256).chain_update("executable").finalize().into()
}

/// Returns a digest in hex digits.
pub(super) fn hex_of(digest: &FileDigest) -> String {
    hex::encode(digest)
}

/// Parses a digest in hex digits.
pub(super) fn digest_of(text: &str) -> Option<FileDigest> {
    hex::decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_kept_anew() {
        let mut kept = SyncState::default();
        let paths: Vec<String> = (0..1_000).map(|number| format!("knowledge/facts/{number}.md")).collect();
        paths.iter().for_each(|path| kept.agree(path, "aa", None));
        assert_eq!(kept.changed.len(), MIRROR_SHARDS);
        kept.changed.clear();
        kept.agree(&paths[7], "aa", Some("aa".to_owned()));
        assert!(kept.changed.is_empty());
        kept.agree(&paths[7], "bb", Some("cc".to_owned()));
        kept.forget("knowledge/facts/unknown.md");
        assert_eq!(kept.changed.len(), 1);
        kept.forget(&paths[7]);
        assert!(kept.get(&paths[7]).is_none() && kept.get(&paths[8]).is_some());
    }
}
