//! Names of tree states for callers. A state is a sequence of the memory, and the number itself
//! would reveal how much others write. So it is encrypted under a key that the vault makes for the
//! tree. The same state has the same name, and nobody can make a name without the key. The key
//! belongs to one store: after a restore, earlier names are unknown.

use loci_model::ports::store::StoreExt;
use loci_model::{Error, Result};
use sha2::{Digest, Sha256};

use super::tree::{Tree, TreeAsk};
use crate::Documents;
use crate::document_history::diff::Point;

/// The prefix of every name: a snapshot label contains no colon.
const PREFIX: &str = "at:";
/// The prefix of the key's input, so that no other digest of the vault equals it.
const KEY_OF: &[u8] = b"loci tree states 1";
/// The separator between the two uses of a key.
const MARK: u8 = 1;
const PAD: u8 = 2;

/// The names of one tree's states.
pub(crate) struct StateNames {
    key: [u8; 32],
}

impl Documents {
    /// Returns the names of a tree's states for callers.
    ///
    /// # Errors
    /// `Unavailable` if the master key cannot be read.
    pub(crate) async fn state_names(&self, tree: &TreeAsk) -> Result<StateNames> {
        let store = self.engine.store().read(|tx| tx.memories().identity_of_store()).await?;
        self.names_in(tree, Some(store.as_str())).await
    }

    /// Returns the names of a tree's states in commits: equal logs give equal commits in every
    /// store.
    ///
    /// # Errors
    /// The errors of [`Documents::state_names`].
    pub(crate) async fn commit_names(&self, tree: &TreeAsk) -> Result<StateNames> {
        self.names_in(tree, None).await
    }

    async fn names_in(&self, tree: &TreeAsk, store: Option<&str>) -> Result<StateNames> {
        self.engine.ready_to_seal().await?;
        let tree = Tree::of(tree);
        let mut text = KEY_OF.to_vec();
        for part in [tree.memory.as_str(), tree.normal.as_str()].into_iter().chain(store) {
            text.extend_from_slice(&(part.len() as u64).to_be_bytes());
            text.extend_from_slice(part.as_bytes());
        }
        Ok(StateNames { key: self.engine.vault().digest(&text)? })
    }

    /// Replaces the name of a state by its sequence.
    ///
    /// # Errors
    /// `Invalid`, naming `field`, for a name that this server did not create for this tree.
    pub(crate) async fn located(&self, tree: &TreeAsk, point: Point, field: &str) -> Result<Point> {
        match point {
            Point::State(name) => {
                let names = self.state_names(tree).await?;
                names.open(&name).map(Point::Sequence).ok_or_else(|| unknown(field))
            }
            Point::Now | Point::Sequence(_) | Point::Label(_) | Point::Version(..) => Ok(point),
        }
    }
}

impl StateNames {
    /// Returns the name of the state after a change: a mark, then the sequence under a pad derived
    /// from the mark.
    pub(crate) fn seal(&self, sequence: u64) -> String {
        let mark = self.digest(MARK, sequence.to_be_bytes());
        let number = sequence ^ u64::from_be_bytes(self.digest(PAD, mark));
        format!("{PREFIX}{}{}", hex::encode(mark), hex::encode(number.to_be_bytes()))
    }

    /// Returns the sequence of a name; `None` for a name of another tree, or an invalid one.
    pub(super) fn open(&self, name: &str) -> Option<u64> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(name.strip_prefix(PREFIX)?, &mut bytes).ok()?;
        let (mark, number) = bytes.split_first_chunk::<8>()?;
        let number = u64::from_be_bytes(number.try_into().ok()?);
        let sequence = number ^ u64::from_be_bytes(self.digest(PAD, *mark));
        (self.digest(MARK, sequence.to_be_bytes()) == *mark).then_some(sequence)
    }

    /// Returns the sequence in a commit of a mirror: a name, or a number in older commits.
    pub(crate) fn place(&self, state: &str) -> Option<u64> {
        self.open(state).or_else(|| state.parse().ok())
    }

    fn digest(&self, of: u8, text: [u8; 8]) -> [u8; 8] {
        let mut hasher = Sha256::new();
        hasher.update(self.key);
        hasher.update([of]);
        hasher.update(text);
        let mut out = [0; 8];
        for (to, from) in out.iter_mut().zip(hasher.finalize()) {
            *to = from;
        }
        out
    }
}

/// True for a word in the form of a state's name.
pub(crate) fn is_name(word: &str) -> bool {
    word.starts_with(PREFIX)
}

/// Returns the error for an unknown name, or one from before a restore.
pub(crate) fn unknown(field: &str) -> Error {
    let rule = "is no state of this tree that this server named, or one from before its store was restored \
                from a backup or moved: read the tree anew, and go on from tree/changes without since";
    Error::invalid(field, format!("{field} {rule}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_open_in_their_own_tree_alone() {
        let (one, other) = (StateNames { key: [1; 32] }, StateNames { key: [2; 32] });
        for sequence in [0, 1, 17, u64::MAX] {
            let name = one.seal(sequence);
            assert_eq!(one.open(&name), Some(sequence));
            assert_eq!((one.seal(sequence), name.len()), (name.clone(), 35));
            assert_eq!(other.open(&name), None);
            for at in 3..name.len() {
                let mut changed = name.clone().into_bytes();
                changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
                assert_eq!(one.open(std::str::from_utf8(&changed).unwrap()), None, "{at}");
            }
        }
        for foreign in ["", "17", "at:", "at:zz", "at:0011223344556677", &"0".repeat(35)] {
            assert_eq!(one.open(foreign), None, "{foreign}");
        }
        // Adjacent sequences share no part of their names.
        assert_ne!(one.seal(1)[3..19], one.seal(2)[3..19]);
        assert_ne!(one.seal(1)[19..], one.seal(2)[19..]);
    }
}
