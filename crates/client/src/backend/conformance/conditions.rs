//! Checks of preconditions: a change whose condition does not hold fails and changes nothing.

use super::check_environment::{
    BackendFault, CheckEnvironment, CheckVerdict, fault, in_words, refused, same,
};
use crate::backend::storage_error::StorageErrorKind::PreconditionFailed;
use crate::backend::stored_file::{FilePrecondition, sha256_hex};

fn sha(text: &str) -> FilePrecondition {
    FilePrecondition::Sha256(sha256_hex(text.as_bytes()))
}

async fn writes(it: &CheckEnvironment, text: &str, only_if: &FilePrecondition) -> CheckVerdict {
    let done = it.write_if("a.md", text.as_bytes(), only_if).await;
    done.map_err(|error| fault(format!("write under {only_if:?} succeeds"), in_words(&error)))?;
    it.holds("a.md", Some(text.as_bytes())).await
}

pub(super) async fn absent(it: &CheckEnvironment) -> CheckVerdict {
    writes(it, "first\n", &FilePrecondition::Absent).await?;
    let done = it.write_if("a.md", b"second\n", &FilePrecondition::Absent).await;
    refused("a write under Absent over a file", done, PreconditionFailed)?;
    let done = it.write_if("a.md", b"first\n", &FilePrecondition::Absent).await;
    refused("a write of the same bytes under Absent over a file", done, PreconditionFailed)?;
    it.holds("a.md", Some(b"first\n")).await?;
    it.delete("a.md").await?;
    writes(it, "third\n", &FilePrecondition::Absent).await
}

pub(super) async fn sha256(it: &CheckEnvironment) -> CheckVerdict {
    let done = it.write_if("a.md", b"text\n", &sha("")).await;
    refused("a write under Sha256 of an absent file", done, PreconditionFailed)?;
    it.holds("a.md", None).await?;
    it.write("a.md", b"first\n").await?;
    let done = it.write_if("a.md", b"second\n", &sha("other\n")).await;
    refused("a write under the Sha256 of other bytes", done, PreconditionFailed)?;
    it.holds("a.md", Some(b"first\n")).await?;
    writes(it, "second\n", &sha("first\n")).await?;
    let done = it.write_if("a.md", b"third\n", &sha("first\n")).await;
    refused("a write under the Sha256 of an earlier version", done, PreconditionFailed)?;
    it.holds("a.md", Some(b"second\n")).await
}

pub(super) async fn delete(it: &CheckEnvironment) -> CheckVerdict {
    let path = it.at("a.md");
    let removed = |only_if: FilePrecondition| {
        let path = path.clone();
        async move { it.backend.delete(&path, &only_if).await }
    };
    let succeeded = |done: Result<bool, _>| -> Result<bool, BackendFault> {
        done.map_err(|error| fault("delete under a condition that holds succeeds", in_words(&error)))
    };
    same("delete of an absent file under Sha256", &succeeded(removed(sha("")).await)?, &false)?;
    it.write("a.md", b"first\n").await?;
    refused("delete under the Sha256 of other bytes", removed(sha("other\n")).await, PreconditionFailed)?;
    refused("delete of a file under Absent", removed(FilePrecondition::Absent).await, PreconditionFailed)?;
    it.holds("a.md", Some(b"first\n")).await?;
    same("delete under the Sha256 of the file", &succeeded(removed(sha("first\n")).await)?, &true)?;
    it.holds("a.md", None).await
}
