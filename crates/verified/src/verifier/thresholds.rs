//! The thresholds of the verifier, each with its reason. They were tuned on the development
//! repositories of RotBench. No other number in the verifier decides a verdict.

/// The maximum number of lines of one citation.
pub const SPAN_LINES_MAX: u32 = 400;
/// The longest snippet whose text is stored with its anchor, in bytes; of longer ones only hashes
/// are stored.
pub const SNIPPET_BYTES_MAX: usize = 8 << 10;
/// The maximum number of lines of a snippet whose text is stored.
pub const SNIPPET_LINES_MAX: usize = 200;
/// The number of context lines on each side of a block.
pub(super) const CONTEXT_LINES: usize = 3;

/// The maximum number of bytes of lines read for an answer.
pub const READ_BYTES_MAX: usize = 64 << 10;

/// The largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 8 << 20;
/// The largest local file that is checked only for the presence of a block's lines, in bytes. If
/// they are present, they do not count as gone.
pub(super) const LARGE_FILE_BYTES_MAX: u64 = 32 << 20;
/// The longest line, in bytes, of a file that is not minified.
pub(super) const LINE_BYTES_MAX: usize = 64 << 10;
/// The number of first bytes in which a NUL marks a binary file.
pub(super) const BINARY_PROBE_BYTES: usize = 8 << 10;

/// The minimum information of a citation that is stored.
pub const INFO_STORE_MIN: u32 = 2;
/// The information below which a moved block needs strong context, because a short line occurs in
/// many places by chance.
pub const INFO_WEAK: u32 = 4;
/// The information from which a block is distinguished by its own words.
pub const INFO_STRONG: u32 = 8;
/// The context that a block of medium information needs outside of its predicted place (step 3b).
pub(super) const CONTEXT_MIDDLING: f64 = 0.17;
/// The context that a block of low information needs outside of its predicted place (step 6).
pub(super) const CONTEXT_WEAK: f64 = 0.34;

/// The context that a block of medium information needs in a file that shares only the name with
/// the cited one. Without a rename, boilerplate of another module matches by chance (step 4 iii).
pub(super) const CONTEXT_MIDDLING_SAME_NAME: f64 = 0.5;
/// The context that a block of low information needs there.
pub(super) const CONTEXT_WEAK_SAME_NAME: f64 = 0.66;

/// The similarity of a renamed file between two revisions, in percent (step 4 i), and of a file to
/// its earlier version, commit by commit. It is git's own default, so that both name the same file.
pub(super) const RENAME_PERCENT: u8 = 50;
/// The similarity of a renamed file from one commit to the next, in percent. It is lower, because
/// one commit changes less (step 4 ii).
pub(super) const FOLLOW_PERCENT: u8 = 40;
/// The number of files of equal name that are searched if a path is gone (step 4 iii).
pub(super) const SAME_NAME_FILES_MAX: usize = 64;
/// The number of such files in a local source, which reads them without requests to a forge.
/// Repositories have hundreds of `mod.rs` and `index.ts`.
pub(super) const SAME_NAME_FILES_NEAR_MAX: usize = 1_024;
/// The number of files that are searched for changed lines of the block (steps 5 and 7), the
/// likeliest first. Each costs as much as a hundred of those above.
pub(super) const CHANGED_FILES_MAX: usize = 6;
/// The share of kept lines below which a file at an unchanged path counts as another file. Then its
/// renames are searched although the path exists.
pub(super) const SAME_FILE_SHARE: f64 = 0.5;
/// The maximum number of occurrences of one block in one file that are examined.
pub(super) const OCCURRENCES_MAX: usize = 4_096;

/// The shortest text without white space that is searched for with other line breaks, in bytes
/// (step 5).
pub(super) const PACKED_BYTES_MIN: u32 = 24;

/// The number of lines on each side of a block that may have been rewrapped together with it (step
/// 5).
pub(super) const WRAPPED_NEIGHBOURS_MAX: usize = 8;
/// The longest range, in lines, in which a block that was rewrapped with its neighbours is searched
/// for.
pub(super) const WRAPPED_LINES_MAX: usize = 120;

/// The minimum similarity by lines of a drifted block (step 7).
pub(super) const LINE_LIKENESS_MIN: f64 = 0.60;
/// The minimum similarity by words of a drifted block whose surroundings agree (step 7).
pub(super) const WORD_LIKENESS_MIN: f64 = 0.75;
/// The required agreement of these surroundings (step 7).
pub(super) const WORD_CONTEXT_MIN: f64 = 0.5;
/// The longest diff of a drifted block, in bytes.
pub(super) const DIFF_BYTES_MAX: usize = 8 << 10;

/// The maximum number of edits that are searched for in one gap of a line diff; larger gaps count
/// as rewritten.
pub(super) const DIFF_EDITS_MAX: usize = 400;
