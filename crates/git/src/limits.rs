//! How much of a repository is read at most. A repository is data from a stranger: everything has an end.

/// One object, inflated.
pub(crate) const OBJECT_BYTES_MAX: u64 = 128 << 20;
/// All that is inflated and put together for one object: its bases and the differences between them.
pub(crate) const WORK_BYTES_MAX: u64 = 1 << 30;
/// Differences on top of each other; git itself makes no more than 4,095.
pub(crate) const CHAIN_MAX: usize = 4_095;
/// An index of a pack that is held in memory; a larger one is read piecewise.
pub(crate) const PACK_INDEX_HELD_BYTES: u64 = 64 << 20;
/// Indexes of packs of one directory of objects that are held in memory.
pub(crate) const PACK_INDEXES_HELD_BYTES: u64 = 512 << 20;
/// Packs of one directory of objects.
pub(crate) const PACKS_MAX: usize = 20_000;
/// Indexes of packs that are read piecewise, each from an open file.
pub(crate) const PACK_INDEXES_OPEN_MAX: usize = 256;
/// Directories of objects beside a repository's own.
pub(crate) const ALTERNATES_MAX: usize = 16;
/// A tree or a commit.
pub(crate) const STRUCTURE_BYTES_MAX: u64 = 32 << 20;
/// Directories inside each other.
pub(crate) const DEPTH_MAX: usize = 256;
/// A path.
pub(crate) const PATH_BYTES_MAX: usize = 4_096;
/// Entries of all trees that are looked at for one question.
pub(crate) const ENTRIES_MAX: usize = 1_000_000;
/// Bytes of all trees that are read for one question. A tree that stands in many places counts in each.
pub(crate) const TREES_BYTES_MAX: usize = 256 << 20;
/// Bytes of all paths of a list of files.
pub(crate) const PATHS_BYTES_MAX: usize = 256 << 20;
/// Commits that are looked at for one question.
pub(crate) const COMMITS_MAX: usize = 1_000_000;
/// Parents of a commit; merges of git's own history have 66 at most.
pub(crate) const PARENTS_MAX: usize = 1_024;
/// Ways from a commit to a parent that are gone for one question.
pub(crate) const WAYS_MAX: usize = 4 * COMMITS_MAX;
/// Steps of history that are followed for renames.
pub(crate) const STEPS_MAX: usize = 100_000;
/// Paths that a file had one after the other.
pub(crate) const RENAMES_OF_FILE_MAX: usize = 100;
/// Bytes of what is remembered of the steps of one history: paths that files left and came to.
pub(crate) const MOVES_BYTES_MAX: usize = 64 << 20;
/// Pairs of files that are compared with each other for likeness, as in git (1,000 times 1,000).
pub(crate) const PAIRS_MAX: usize = 1_000_000;
/// Files whose content is read to compare two revisions.
pub(crate) const COMPARED_MAX: usize = 8_192;
/// A file whose content is compared.
pub(crate) const COMPARED_BYTES_MAX: u64 = 8 << 20;
/// All files whose content is read to compare two revisions.
pub(crate) const COMPARED_TOTAL_BYTES_MAX: u64 = 1 << 30;
/// Bytes of what is held of these files at once.
pub(crate) const FINGERPRINTS_BYTES_MAX: usize = 256 << 20;
/// Pieces of files that are compared with each other for one comparison.
pub(crate) const PIECES_MAX: u64 = 1 << 31;
/// Small files of the repository: a ref, `HEAD`, `.git` files.
pub(crate) const SMALL_FILE_BYTES_MAX: u64 = 4_096;
/// Configuration, alternates, lists of ignored paths.
pub(crate) const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Packed refs and lists of cut-off commits.
pub(crate) const REFS_BYTES_MAX: u64 = 128 << 20;
/// Names in one folder of loose refs, where they are counted.
pub(crate) const REFS_IN_FOLDER_MAX: usize = 10_000;
/// The index of a worktree.
pub(crate) const INDEX_BYTES_MAX: u64 = 512 << 20;
/// Steps by which paths of a worktree are compared with patterns of ignored ones, for one list.
pub(crate) const IGNORING_STEPS_MAX: u64 = 1 << 33;
/// Symbolic refs and tags that point at each other.
pub(crate) const HOPS_MAX: usize = 8;
/// Digits of an abbreviated object id, at least.
pub(crate) const ABBREVIATED_MIN: usize = 7;
/// Objects that an abbreviated id is compared with at most.
pub(crate) const ABBREVIATED_FITS_MAX: usize = 64;
/// Root commits that tell a repository apart.
pub(crate) const ROOTS_MAX: usize = 8;
/// Characters of a commit's subject that are given away.
pub(crate) const SUBJECT_CHARS_MAX: usize = 500;
/// New and gone files of one commit that are compared by what they hold; where there are more, a file is a renamed one only with the
/// same content.
pub(crate) const COMPARED_IN_COMMIT_MAX: usize = 1_000;
