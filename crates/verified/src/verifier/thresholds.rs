//! The numbers of the verifier, each with its reason. They are fixed on the development
//! repositories of RotBench; nothing else in the verifier holds a number that decides a verdict.

/// Most lines of one citation.
pub const SPAN_LINES_MAX: u32 = 400;
/// Longest snippet whose text is kept with its anchor; longer ones keep hashes.
pub const SNIPPET_BYTES_MAX: usize = 8 << 10;
/// Most lines of a snippet whose text is kept.
pub const SNIPPET_LINES_MAX: usize = 200;
/// Lines of context on each side of a block.
pub(super) const CONTEXT_LINES: usize = 3;

/// Most bytes of lines read for an answer.
pub const READ_BYTES_MAX: usize = 64 << 10;

/// Largest file that is read.
pub const FILE_BYTES_MAX: u64 = 8 << 20;
/// Largest file in which is looked whether a block's lines stand there at all, on this machine: they are not called gone then.
pub(super) const LARGE_FILE_BYTES_MAX: u64 = 32 << 20;
/// A file with a longer line is minified.
pub(super) const LINE_BYTES_MAX: usize = 64 << 10;
/// A NUL in so many first bytes says binary.
pub(super) const BINARY_PROBE_BYTES: usize = 8 << 10;

/// Below it a citation says too little to be stored.
pub const INFO_STORE_MIN: u32 = 2;
/// Below it a block elsewhere needs strong context: a short line stands in many places by chance.
pub const INFO_WEAK: u32 = 4;
/// From here on a block is told apart by its own words.
pub const INFO_STRONG: u32 = 8;
/// Context that a block of middling information needs away from its predicted position (step 3b).
pub(super) const CONTEXT_MIDDLING: f64 = 0.17;
/// Context that a block of little information needs away from its predicted position (step 6).
pub(super) const CONTEXT_WEAK: f64 = 0.34;

/// Context that a block of middling information needs in a file of which only the name is the cited one's: without a rename
/// behind it, boilerplate of another module is found there by chance (step 4 iii).
pub(super) const CONTEXT_MIDDLING_SAME_NAME: f64 = 0.5;
/// Context that a block of little information needs there.
pub(super) const CONTEXT_WEAK_SAME_NAME: f64 = 0.66;

/// Likeness of a renamed file between two revisions, in percent (step 4 i), and of a file to what it was, commit by commit: git's
/// own, so that both name the same file.
pub(super) const RENAME_PERCENT: u8 = 50;
/// Likeness of a renamed file from one commit to the next, in percent: less, since one commit changes less (step 4 ii).
pub(super) const FOLLOW_PERCENT: u8 = 40;
/// Files of the same name that are looked at when a path is gone (step 4 iii).
pub(super) const SAME_NAME_FILES_MAX: usize = 64;
/// The same where files are at hand and not asked of a forge one by one: repositories have hundreds of `mod.rs` and `index.ts`.
pub(super) const SAME_NAME_FILES_NEAR_MAX: usize = 1_024;
/// Files that the block's lines are looked for with changes in (steps 5 and 7), the likeliest first: each costs as much as a
/// hundred of those above.
pub(super) const CHANGED_FILES_MAX: usize = 6;
/// A file that keeps a smaller share of its lines under the same path is taken for another file: its renames are looked
/// for although the path is there.
pub(super) const SAME_FILE_SHARE: f64 = 0.5;
/// Occurrences of one block in one file that are looked at.
pub(super) const OCCURRENCES_MAX: usize = 4_096;

/// Shortest text without white space that is looked for with other line breaks (step 5).
pub(super) const PACKED_BYTES_MIN: u32 = 24;

/// Lines on each side of a block that may have been wrapped anew together with it (step 5).
pub(super) const WRAPPED_NEIGHBOURS_MAX: usize = 8;
/// Longest stretch, in lines, in which a block wrapped anew together with its neighbours is looked for.
pub(super) const WRAPPED_LINES_MAX: usize = 120;

/// Least likeness by lines of a drifted block (step 7).
pub(super) const LINE_LIKENESS_MIN: f64 = 0.60;
/// Least likeness by words of a drifted block, where its surroundings agree (step 7).
pub(super) const WORD_LIKENESS_MIN: f64 = 0.75;
/// The agreement of surroundings that this takes (step 7).
pub(super) const WORD_CONTEXT_MIN: f64 = 0.5;
/// Longest diff of a drifted block, in bytes.
pub(super) const DIFF_BYTES_MAX: usize = 8 << 10;

/// Most edits that one gap of a line diff is searched for; larger gaps count as rewritten.
pub(super) const DIFF_EDITS_MAX: usize = 400;
