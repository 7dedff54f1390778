//! The errors of reading a repository, as defined by the port. Details contain neither paths of
//! this machine nor text by third parties.

use std::io;

use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeError;

/// The object is not in this clone.
pub(crate) fn missing(id: &ObjectId) -> CodeError {
    CodeError::new(Unverifiable::PartialClone, format!("the object {id} is not in this clone"))
}

/// The data is not in a format that git writes.
pub(crate) fn damaged(what: &str) -> CodeError {
    CodeError::new(Unverifiable::PartialClone, format!("the repository is damaged: {what}"))
}

/// The history ends before the requested commit.
pub(crate) fn cut_off() -> CodeError {
    CodeError::new(Unverifiable::PartialClone, "the history of this clone is cut off")
}

/// The data exceeds a limit.
pub(crate) fn too_large(what: &str) -> CodeError {
    CodeError::new(Unverifiable::TooLarge, format!("{what} is larger than is read"))
}

/// The directory cannot be opened as a repository.
pub(crate) fn unreadable(why: &str) -> CodeError {
    CodeError::new(Unverifiable::AuthOrMissing, why.to_owned())
}

/// The operating system returned an error.
pub(crate) fn io(error: &io::Error, what: &str) -> CodeError {
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => Unverifiable::Auth,
        _ => Unverifiable::PartialClone,
    };
    CodeError::new(why, format!("{what} cannot be read: {}", error.kind()))
}
