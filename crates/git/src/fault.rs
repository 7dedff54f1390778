//! The errors of reading a repository, as defined by the port. Details contain neither paths of
//! this machine nor text by third parties.

use std::io;

use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeError;

/// Returns the error for an object that is not in this clone.
pub(crate) fn missing(id: &ObjectId) -> CodeError {
    CodeError::new(Unverifiable::PartialClone, format!("the object {id} is not in this clone"))
}

/// Returns the error for data that is not in a format that git writes.
pub(crate) fn damaged(what: &str) -> CodeError {
    CodeError::new(Unverifiable::PartialClone, format!("the repository is damaged: {what}"))
}

/// Returns the error for a history that ends before the requested commit.
pub(crate) fn cut_off() -> CodeError {
    CodeError::new(Unverifiable::PartialClone, "the history of this clone is cut off")
}

/// Returns the error for data that exceeds a limit.
pub(crate) fn too_large(what: &str) -> CodeError {
    CodeError::new(Unverifiable::TooLarge, format!("{what} is larger than is read"))
}

/// Returns the error for a directory that cannot be opened as a repository.
pub(crate) fn unreadable(why: &str) -> CodeError {
    CodeError::new(Unverifiable::AuthOrMissing, why.to_owned())
}

/// Returns the error for a failure that the operating system reports.
pub(crate) fn io(error: &io::Error, what: &str) -> CodeError {
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => Unverifiable::Auth,
        _ => Unverifiable::PartialClone,
    };
    CodeError::new(why, format!("{what} cannot be read: {}", error.kind()))
}
