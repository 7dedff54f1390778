//! Checks of concurrent writers: none is lost, none is mixed with another, and a condition admits
//! exactly one.

use futures::future::join_all;

use super::check_environment::{BackendFault, CheckEnvironment, CheckVerdict, fault, in_words, same, shown};
use crate::backend::storage_error::StorageErrorKind;
use crate::backend::stored_file::{FilePrecondition, sha256_hex};

/// The number of concurrent writers.
const WRITERS: usize = 8;

/// The text of a writer, long enough to be written in several steps.
fn text(writer: usize) -> Vec<u8> {
    format!("Writer {writer} wrote this line.\n").repeat(400).into_bytes()
}

/// Returns the outcome of one write of each writer to a path; `None` if the condition rejected it.
async fn race(
    it: &CheckEnvironment,
    name: impl Fn(usize) -> String,
    only_if: &FilePrecondition,
) -> Result<Vec<Option<usize>>, BackendFault> {
    let writes = (0..WRITERS).map(|writer| {
        let name = name(writer);
        async move { (writer, it.write_if(&name, &text(writer), only_if).await) }
    });
    let mut out = Vec::with_capacity(WRITERS);
    for (writer, done) in join_all(writes).await {
        match done {
            Ok(_) => out.push(Some(writer)),
            Err(error) if error.kind == StorageErrorKind::PreconditionFailed => out.push(None),
            Err(error) => {
                let expected = format!("{WRITERS} writers at once succeed or fail their precondition");
                return Err(fault(expected, in_words(&error)));
            }
        }
    }
    Ok(out)
}

pub(super) async fn many_files(it: &CheckEnvironment) -> CheckVerdict {
    let done = race(it, |writer| format!("new/deep/file-{writer}.md"), &FilePrecondition::Any).await?;
    same("writers of their own files that succeeded", &done.iter().flatten().count(), &WRITERS)?;
    for writer in 0..WRITERS {
        it.holds(&format!("new/deep/file-{writer}.md"), Some(&text(writer))).await?;
    }
    same("files of a listing", &it.paths("new").await?.len(), &WRITERS)
}

pub(super) async fn whole(it: &CheckEnvironment) -> CheckVerdict {
    let done = race(it, |_| "a.md".to_owned(), &FilePrecondition::Any).await?;
    same("writers without a condition that succeeded", &done.iter().flatten().count(), &WRITERS)?;
    let found = it.read("a.md").await?.unwrap_or_default();
    if (0..WRITERS).any(|writer| text(writer) == found) {
        return Ok(());
    }
    Err(fault("the file is that of one writer, whole", shown(&found)))
}

/// Fails the check unless exactly one writer won and its file is stored.
async fn one_wins(it: &CheckEnvironment, only_if: &FilePrecondition) -> CheckVerdict {
    let done = race(it, |_| "a.md".to_owned(), only_if).await?;
    let winners: Vec<usize> = done.into_iter().flatten().collect();
    match winners.as_slice() {
        [winner] => it.holds("a.md", Some(&text(*winner))).await,
        winners => {
            let expected = format!("one of {WRITERS} writers at once succeeds under {only_if:?}");
            Err(fault(expected, format!("{} succeeded", winners.len())))
        }
    }
}

pub(super) async fn one_creates(it: &CheckEnvironment) -> CheckVerdict {
    one_wins(it, &FilePrecondition::Absent).await
}

pub(super) async fn one_updates(it: &CheckEnvironment) -> CheckVerdict {
    it.write("a.md", b"before\n").await?;
    one_wins(it, &FilePrecondition::Sha256(sha256_hex(b"before\n"))).await
}
