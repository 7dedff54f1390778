//! `loci.sock` in the data folder, by which commands on this machine reach the server that has the
//! folder open. Only processes of the same user are accepted; they could read the folder's files in
//! any case.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use loci_model::{Error, Result};
use tokio::net::{UnixListener, UnixStream};

/// A socket that this process created. It is removed on drop.
pub(super) struct OwnSocket {
    pub(super) listener: UnixListener,
    path: PathBuf,
    owner: u32,
}

impl OwnSocket {
    /// Binds the socket; `None` if another server has it. The leftover of a crashed server is
    /// replaced.
    pub(super) async fn bind(path: &Path) -> Result<Option<Self>> {
        if UnixStream::connect(path).await.is_ok() {
            tracing::warn!(
                "another server answers on loci.sock of this folder; this one listens on TCP only"
            );
            return Ok(None);
        }
        let failed = |error: std::io::Error| {
            Error::unavailable(format!("the socket {} cannot be made: {error}", path.display()))
        };
        match std::fs::remove_file(path) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let listener = match UnixListener::bind(path) {
            Ok(listener) => listener,
            // Systems allow about a hundred bytes. TCP and --no-attach work without the socket.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
                tracing::warn!(
                    "the path of the data folder is too long for loci.sock; this server listens on TCP only"
                );
                return Ok(None);
            }
            Err(error) => return Err(failed(error)),
        };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let owner = std::fs::metadata(path).map_err(failed)?.uid();
        Ok(Some(Self { listener, path: path.to_owned(), owner }))
    }

    /// Returns true if the process at the other end runs as the user of this one.
    pub(super) fn is_same_user(&self, stream: &UnixStream) -> bool {
        stream.peer_cred().is_ok_and(|peer| peer.uid() == self.owner)
    }
}

impl Drop for OwnSocket {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, "loci.sock could not be removed");
        }
    }
}
