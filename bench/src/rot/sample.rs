//! Selects the blocks to cite. Files are weighted by length, block lengths are drawn from a fixed
//! list, and each block has at least one word. The same seed over the same tree gives the same
//! blocks.

use std::collections::HashSet;

use anyhow::{Result, bail};

use super::git::{Repository, Tree, lines};
use super::item::{Item, Stratum};
use super::words;
use crate::seeded_random::Seeded;

const LENGTHS: [usize; 10] = [1, 1, 1, 2, 3, 4, 6, 8, 12, 20];
/// The number of lines as which a longer file counts.
const LINES_MAX: usize = 2000;
/// The size in bytes from which files are not sampled.
const BYTES_MAX: u64 = 400_000;

struct Source {
    path: String,
    lines: Vec<Vec<u8>>,
}

/// Returns at most `wanted` different blocks of a tree.
pub(super) fn draw(repository: &mut Repository, tree: &Tree, wanted: usize, rng: u64) -> Result<Vec<Item>> {
    let sources = sources(repository, tree)?;
    let mut ends = Vec::with_capacity(sources.len());
    let mut total = 0u64;
    for source in &sources {
        total += u64::try_from(source.lines.len().min(LINES_MAX)).unwrap_or(0);
        ends.push(total);
    }
    if total == 0 {
        bail!("the first revision holds no text");
    }
    // Mixed, so that adjacent seeds give different sequences.
    let mut seeded = Seeded::new(rng.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut seen = HashSet::new();
    let mut items = Vec::with_capacity(wanted);
    for _ in 0..wanted.saturating_mul(30) {
        if items.len() == wanted {
            break;
        }
        let place = seeded.below(total);
        let which = ends.partition_point(|end| *end <= place);
        let length = seeded.pick(&LENGTHS).copied().unwrap_or(1);
        let Some(source) = sources.get(which) else { continue };
        let length = length.min(source.lines.len());
        let span = u64::try_from(source.lines.len() - length + 1).unwrap_or(1);
        let first = usize::try_from(seeded.below(span)).unwrap_or(0);
        let block = source.lines.get(first..first + length).unwrap_or_default();
        let count = words::of_lines(block);
        if count > 0 && seen.insert((which, first, length)) {
            items.push(Item {
                path: source.path.clone(),
                start: u32::try_from(first + 1).unwrap_or(u32::MAX),
                lines: block.to_vec(),
                words: count,
                stratum: stratum(&source.path, block, count),
            });
        }
    }
    Ok(items)
}

/// Returns the text files that can be sampled, by path.
fn sources(repository: &mut Repository, tree: &Tree) -> Result<Vec<Source>> {
    let mut all = Vec::new();
    for (path, file) in tree {
        if file.bytes == 0 || file.bytes >= BYTES_MAX {
            continue;
        }
        let Some(bytes) = repository.read(&file.id)? else { continue };
        if !is_text(&bytes) {
            continue;
        }
        all.push(Source {
            path: path.clone(),
            lines: lines(&bytes).into_iter().map(<[u8]>::to_vec).collect(),
        });
    }
    Ok(all)
}

/// Returns true for text whose lines every tool counts equally: no zero byte, no mark of a wide
/// encoding, no lone carriage return.
fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..8192).unwrap_or(bytes);
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let lone = |at: usize| bytes.get(at + 1).is_some_and(|next| *next != b'\n');
    let lone_return = bytes.iter().enumerate().any(|(at, byte)| *byte == b'\r' && lone(at));
    !head.contains(&0) && !wide && !lone_return
}

fn stratum(path: &str, block: &[Vec<u8>], words: usize) -> Stratum {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let test_word =
        |part: &str| matches!(part, "test" | "tests" | "testing" | "spec" | "specs" | "testdata" | "t");
    let in_tests = lower.split('/').rev().skip(1).any(test_word)
        || name.split(['.', '_', '-']).any(|part| matches!(part, "test" | "tests" | "spec"));
    if words < 4 {
        Stratum::LowInformation
    } else if in_tests {
        Stratum::Tests
    } else if !is_code(name) {
        Stratum::ConfigAndDocs
    } else if block.first().is_some_and(|line| defines(line)) {
        Stratum::Definitions
    } else {
        Stratum::Code
    }
}

fn is_code(name: &str) -> bool {
    const CODE: &[&str] = &[
        "rs", "py", "go", "c", "h", "cc", "cpp", "hpp", "java", "kt", "js", "jsx", "ts", "tsx", "rb", "php",
        "cs", "swift", "scala", "sh", "pl", "lua", "zig", "m", "mm", "sql", "vue", "svelte", "ex", "erl",
        "hs", "ml",
    ];
    name.rsplit_once('.').is_some_and(|(_, extension)| CODE.contains(&extension))
}

fn defines(line: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "fn",
        "def",
        "class",
        "struct",
        "enum",
        "trait",
        "impl",
        "func",
        "function",
        "interface",
        "type",
        "const",
        "static",
        "macro_rules!",
        "mod",
        "#define",
        "typedef",
        "module",
        "object",
        "record",
    ];
    let text = String::from_utf8_lossy(line);
    text.split_ascii_whitespace().take(5).any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_by_path_and_text() {
        let check = |path: &str, line: &str, words, expect| {
            assert_eq!(stratum(path, &[line.as_bytes().to_vec()], words), expect, "{path}");
        };
        check("src/a.rs", "pub fn read(value: Thing)", 5, Stratum::Definitions);
        check("src/a.rs", "let value = other(thing, more);", 5, Stratum::Code);
        check("src/a.rs", "}", 1, Stratum::LowInformation);
        check("tests/it.rs", "let value = other(thing, more);", 5, Stratum::Tests);
        check("pkg/read_test.go", "let value = other(thing, more);", 5, Stratum::Tests);
        check("README.md", "some words of many", 4, Stratum::ConfigAndDocs);
    }

    #[test]
    fn text_has_lines_that_everybody_counts_alike() {
        assert!(is_text(b"a\r\nb\n") && is_text(b"a\r"));
        assert!(!is_text(b"a\rb\n") && !is_text(b"a\0b") && !is_text(&[0xff, 0xfe, b'a', 0]));
    }
}
