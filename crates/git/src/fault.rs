//! What goes wrong while a repository is read, in the words of the port. Details name neither a path of this machine nor
//! anything a stranger wrote.

use std::io;

use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeError;

/// The object is not in this clone.
pub(crate) fn missing(id: &ObjectId) -> CodeError {
    CodeError::new(Unverifiable::PartialClone, format!("the object {id} is not in this clone"))
}

/// Something is there that is not what git writes.
pub(crate) fn damaged(what: &str) -> CodeError {
    CodeError::new(Unverifiable::PartialClone, format!("the repository is damaged: {what}"))
}

/// The history ends before the commit that was looked for.
pub(crate) fn cut_off() -> CodeError {
    CodeError::new(Unverifiable::PartialClone, "the history of this clone is cut off")
}

/// More than is read.
pub(crate) fn too_large(what: &str) -> CodeError {
    CodeError::new(Unverifiable::TooLarge, format!("{what} is larger than is read"))
}

/// The directory cannot be opened as a repository.
pub(crate) fn unreadable(why: &str) -> CodeError {
    CodeError::new(Unverifiable::AuthOrMissing, why.to_owned())
}

/// The system refused.
pub(crate) fn io(error: &io::Error, what: &str) -> CodeError {
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => Unverifiable::Auth,
        _ => Unverifiable::PartialClone,
    };
    CodeError::new(why, format!("{what} cannot be read: {}", error.kind()))
}
