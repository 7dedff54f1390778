//! Checks of content: any bytes come back as they were written, and a removed file is gone.

use super::check_environment::{
    BackendFault, CheckEnvironment, CheckVerdict, fault, in_words, refused, same,
};
use crate::backend::storage_error::StorageErrorKind;
use crate::backend::stored_file::{FilePrecondition, sha256_hex};

/// Bytes that every backend without a limit stores.
pub(super) const LARGE_BYTES: u64 = 1 << 20;

/// Texts that a backend with its own text normalisation changes.
const TEXTS: &[(&str, &str)] = &[
    ("crlf.md", "first\r\nsecond\r\n"),
    ("mixed-line-ends.md", "first\nsecond\r\nthird\rfourth\n"),
    ("bom.md", "\u{feff}begins with a mark\n"),
    ("no-final-newline.md", "one line without an end"),
    ("many-final-newlines.md", "one line\n\n\n"),
    ("empty.md", ""),
    ("spaces.md", "  leading and trailing  \n\t\n "),
    ("head.md", "---\ndescription: \"A head of its own\"\nkey: 1\n---\n\nText below the head.\n"),
    ("scripts.md", "Grüße, 日本語, العربية, हिन्दी, 👩\u{200d}💻\n"),
    ("decomposed.md", "cafe\u{301} stays decomposed\n"),
    ("markup.txt", "Vec<String> && <entry>&amp;</entry> \"quoted\" 'text'\n"),
];

pub(super) async fn round_trip(it: &CheckEnvironment) -> CheckVerdict {
    for (name, text) in TEXTS {
        it.write(name, text.as_bytes()).await?;
        it.holds(name, Some(text.as_bytes())).await?;
        same(&format!("exists {name:?}"), &it.exists(name).await?, &true)?;
    }
    if !it.can().text_only {
        let bytes: Vec<u8> = (0..=255).collect();
        it.write("all-bytes.bin", &bytes).await?;
        it.holds("all-bytes.bin", Some(&bytes)).await?;
    }
    Ok(())
}

/// Returns a text of exactly so many bytes.
fn text_of(bytes: u64) -> Vec<u8> {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut text = Vec::with_capacity(bytes);
    let mut number = 0_u64;
    while text.len() < bytes {
        number += 1;
        text.extend_from_slice(format!("Line {number} of a long file.\n").as_bytes());
    }
    text.truncate(bytes);
    text
}

pub(super) async fn large_file(it: &CheckEnvironment) -> CheckVerdict {
    let bytes = text_of(it.can().file_bytes_max.unwrap_or(LARGE_BYTES).min(LARGE_BYTES));
    it.write("large.md", &bytes).await?;
    it.holds("large.md", Some(&bytes)).await
}

pub(super) async fn digests(it: &CheckEnvironment) -> CheckVerdict {
    for (name, text) in [("a.md", "digest of a\n"), ("b.md", "")] {
        let expected = sha256_hex(text.as_bytes());
        same("the sha256 of a write", &it.write(name, text.as_bytes()).await?.sha256, &expected)?;
        let read = it.backend.read(&it.at(name)).await;
        let read = read.map_err(|error| fault("read succeeds", in_words(&error)))?;
        same("the sha256 of a read", &read.map(|file| file.sha256), &Some(expected))?;
    }
    for entry in it.list("").await? {
        let text = if entry.path.ends_with("a.md") { "digest of a\n" } else { "" };
        let expected = entry.sha256.is_some().then(|| sha256_hex(text.as_bytes()));
        same("the sha256 of a listing, where it has one", &entry.sha256, &expected)?;
    }
    Ok(())
}

pub(super) async fn overwrite(it: &CheckEnvironment) -> CheckVerdict {
    for text in ["first and longer than the next\n", "second\n", "second\n", "third, without an end"] {
        it.write("a.md", text.as_bytes()).await?;
        it.holds("a.md", Some(text.as_bytes())).await?;
    }
    same("the files of the prefix", &it.paths("").await?, &vec![it.at("a.md")])
}

pub(super) async fn absent_file(it: &CheckEnvironment) -> CheckVerdict {
    it.holds("absent.md", None).await?;
    same("exists of an absent file", &it.exists("absent.md").await?, &false)?;
    it.write("directory/a.md", b"text\n").await?;
    it.holds("directory", None).await?;
    it.holds("directory/a.md/below.md", None).await?;
    same("exists of a directory", &it.exists("directory").await?, &false)
}

pub(super) async fn delete(it: &CheckEnvironment) -> CheckVerdict {
    same("delete of an absent file", &it.delete("a.md").await?, &false)?;
    it.write("a.md", b"text\n").await?;
    it.write("keep/b.md", b"text\n").await?;
    same("delete of a file", &it.delete("a.md").await?, &true)?;
    it.holds("a.md", None).await?;
    same("exists after delete", &it.exists("a.md").await?, &false)?;
    same("delete of a deleted file", &it.delete("a.md").await?, &false)?;
    same("the files of the prefix", &it.paths("").await?, &vec![it.at("keep/b.md")])?;
    it.write("a.md", b"again\n").await?;
    it.holds("a.md", Some(b"again\n")).await
}

pub(super) async fn size_limit(it: &CheckEnvironment) -> CheckVerdict {
    let max = it.can().file_bytes_max.unwrap_or(LARGE_BYTES);
    let done = it.write_if("large.md", &text_of(max + 1), &FilePrecondition::Any).await;
    refused("a file one byte past file_bytes_max", done, StorageErrorKind::TooLarge)?;
    it.holds("large.md", None).await
}

pub(super) async fn text_only(it: &CheckEnvironment) -> CheckVerdict {
    let done = it.write_if("bytes.bin", b"no UTF-8: \xff\xfe", &FilePrecondition::Any).await;
    refused("a file that is no UTF-8", done, StorageErrorKind::InvalidContent)?;
    it.holds("bytes.bin", None).await
}

pub(super) async fn search(it: &CheckEnvironment) -> CheckVerdict {
    it.write("boats/gull.md", b"The zephyrine gull sails to Aberdeen on Mondays.\n").await?;
    it.write("trees/oak.md", b"An oak grows slowly.\n").await?;
    let found = |prefix: String| async move {
        let hits = it.backend.search(&prefix, "zephyrine gull", 10).await;
        let hits = hits.map_err(|error| fault("search succeeds", in_words(&error)))?;
        Ok::<_, BackendFault>(hits.into_iter().map(|hit| hit.path).collect::<Vec<_>>())
    };
    same("the best hit", &found(it.prefix.clone()).await?.first().cloned(), &Some(it.at("boats/gull.md")))?;
    let below = found(it.at("trees")).await?;
    same("hits outside of the prefix", &below.iter().any(|path| path.contains("gull")), &false)
}
