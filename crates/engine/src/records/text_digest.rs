//! The digest of a record's text, which identifies the text.

use loci_model::record::metadata::{Metadata, MetadataValue};
use sha2::{Digest, Sha256};

use crate::safety::sanitise;

/// Metadata key of the digest.
pub const DIGEST: &str = "content_sha256";

/// Returns the digest of a text in its readable form.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(sanitise(text).as_bytes()))
}

/// Updates the stored digest of a text, if there is one.
pub(crate) fn follow(metadata: &mut Metadata, text: &str) {
    if metadata.contains_key(DIGEST) {
        metadata.insert(DIGEST.to_owned(), MetadataValue::String(digest(text)));
    }
}
