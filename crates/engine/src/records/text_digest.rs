//! The digest of a record's text, which clients may store in the metadata to identify the text.

use loci_model::record::metadata::{Metadata, MetadataValue};
use sha2::{Digest, Sha256};

use crate::safety::sanitise;

/// The metadata key under which the digest of a text is stored.
pub const DIGEST: &str = "content_sha256";

/// Returns the SHA-256 digest of a text, in hex, after hidden characters are removed from the
/// text.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(sanitise(text).as_bytes()))
}

/// Updates the digest in the metadata to a new text, if the metadata has a digest.
pub(crate) fn follow(metadata: &mut Metadata, text: &str) {
    if metadata.contains_key(DIGEST) {
        metadata.insert(DIGEST.to_owned(), MetadataValue::String(digest(text)));
    }
}
