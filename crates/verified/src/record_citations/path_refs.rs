//! Files that records name, as stored in their metadata, and the check for files that are gone. An
//! unreadable file does not count as gone. The result changes no state; the caller that shows a
//! record uses it.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_engine::strategies::learnings::LEARNING;
use loci_model::RecordId;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;

use crate::Verified;
use crate::verification::verdicts::{OwnedCodeCheck, scope_of};
use crate::verifier::{PATH_REFS_MAX, PathRef, check_path};
use loci_engine::calls::call_context::CallContext;

/// The metadata key: a list of JSON objects of `path`, `blob` and `commit`.
pub const PATH_REFS: &str = "path_refs";

/// The metadata key that marks learnings.
const TYPE: &str = "type";

/// The result of the check of named files.
#[derive(Debug, Clone, Default)]
pub struct PathsLook {
    /// The records that name a missing file, each with the first such file.
    pub gone: BTreeMap<RecordId, String>,
    /// The error, if something could not be read.
    pub error: Option<CodeError>,
}

/// Returns the files as a metadata value; `None` if there are none.
pub fn as_metadata(refs: &[PathRef]) -> Option<MetadataValue> {
    let texts: Vec<String> = refs.iter().filter_map(|one| serde_json::to_string(one).ok()).collect();
    (!texts.is_empty()).then_some(MetadataValue::StringList(texts))
}

/// Returns the files that a record names. Invalid values are skipped, because clients can write
/// metadata.
pub fn path_refs_of(record: &Record) -> Vec<PathRef> {
    let Some(MetadataValue::StringList(texts)) = record.metadata.get(PATH_REFS) else { return Vec::new() };
    let read =
        |text: &String| loci_json::from_str(text).ok().filter(|one: &PathRef| check_path(&one.path).is_ok());
    texts.iter().filter_map(read).take(PATH_REFS_MAX).collect()
}

/// Returns true for a learning, whose metadata names its files.
pub(super) fn keeps_path_refs(record: &Record) -> bool {
    matches!(record.metadata.get(TYPE), Some(MetadataValue::String(word)) if word == LEARNING)
}

impl Verified {
    /// Checks all given files at a revision, in one look.
    ///
    /// # Errors
    /// The reason why the repository or the revision could not be read.
    pub async fn look_for_paths(
        &self,
        repository: &Repository,
        standing: &CallContext,
        reference: Option<&str>,
        named: Vec<(RecordId, Vec<PathRef>)>,
    ) -> CodeResult<PathsLook> {
        let reference = self.revision_of(repository, standing, reference).await;
        let (own, scope, verified) =
            (OwnedCodeCheck::of(self, repository, reference.as_deref()), scope_of(repository), self.clone());
        let work = move |source: &dyn CodeSource| {
            let tip = own.tip(source)?;
            let verifier = verified.verifier(source, &tip, &scope);
            let mut look = PathsLook::default();
            for (record, refs) in &named {
                for one in refs {
                    match verifier.is_path_gone(one) {
                        Ok(true) => {
                            look.gone.entry(record.clone()).or_insert_with(|| one.path.clone());
                        }
                        Ok(false) => {}
                        Err(error) => look.error = Some(error),
                    }
                }
            }
            Ok(look)
        };
        self.on_code(repository, standing, Arc::new(work)).await
    }
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;
    use loci_model::facts::code::ObjectId;
    use loci_testkit_ports::samples;

    use super::*;

    #[test]
    fn what_metadata_keep() {
        let id = ObjectId::from_bytes(&[3; 20]).unwrap();
        let one = PathRef { path: "src/a.rs".to_owned(), blob: id, commit: id };
        let mut record =
            samples::record(&MemoryId::parse("code_memory-0123456789").unwrap(), 1, "x").unwrap();
        assert_eq!((path_refs_of(&record), as_metadata(&[])), (Vec::new(), None));
        let Some(MetadataValue::StringList(mut texts)) = as_metadata(std::slice::from_ref(&one)) else {
            panic!()
        };
        let escaping = PathRef { path: "../a".to_owned(), ..one.clone() };
        texts.extend(["no JSON".to_owned(), serde_json::to_string(&escaping).unwrap()]);
        record.metadata.insert(PATH_REFS.to_owned(), MetadataValue::StringList(texts));
        assert_eq!(path_refs_of(&record), [one]);
    }
}
