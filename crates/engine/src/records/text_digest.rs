//! The digest of a record's text, by which a text is known again.

use loci_model::record::metadata::{Metadata, MetadataValue};
use sha2::{Digest, Sha256};

use crate::safety::sanitise;

/// The metadata key of the digest.
pub const DIGEST: &str = "content_sha256";

/// Returns the digest of a text as its readers see it.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(sanitise(text).as_bytes()))
}

/// Brings the digest that is kept of a text up to the text as it is now, where one is kept.
pub(crate) fn follow(metadata: &mut Metadata, text: &str) {
    if metadata.contains_key(DIGEST) {
        metadata.insert(DIGEST.to_owned(), MetadataValue::String(digest(text)));
    }
}
