//! The limits for reading a repository, which is untrusted data.

/// The maximum size of an object, inflated, in bytes.
pub(crate) const OBJECT_BYTES_MAX: u64 = 128 << 20;
/// The maximum total size of data inflated for one object: its bases and their deltas, in bytes.
pub(crate) const WORK_BYTES_MAX: u64 = 1 << 30;
/// The maximum length of a delta chain; git itself creates no more than 4,095.
pub(crate) const CHAIN_MAX: usize = 4_095;
/// The maximum size of a pack index in memory, in bytes; a larger one is read in pieces.
pub(crate) const PACK_INDEX_HELD_BYTES: u64 = 64 << 20;
/// The maximum total size of pack indexes in memory for one object directory, in bytes.
pub(crate) const PACK_INDEXES_HELD_BYTES: u64 = 512 << 20;
/// The maximum number of packs in one object directory.
pub(crate) const PACKS_MAX: usize = 20_000;
/// The maximum number of pack indexes that are read in pieces, each from an open file.
pub(crate) const PACK_INDEXES_OPEN_MAX: usize = 256;
/// The maximum number of additional object directories of a repository.
pub(crate) const ALTERNATES_MAX: usize = 16;
/// The maximum size of a tree or a commit, in bytes.
pub(crate) const STRUCTURE_BYTES_MAX: u64 = 32 << 20;
/// The maximum depth of nested directories.
pub(crate) const DEPTH_MAX: usize = 256;
/// The maximum length of a path, in bytes.
pub(crate) const PATH_BYTES_MAX: usize = 4_096;
/// The maximum number of tree entries read for one call of the port.
pub(crate) const ENTRIES_MAX: usize = 1_000_000;
/// The maximum total size of trees read for one call of the port, in bytes. A tree that occurs
/// several times counts each time.
pub(crate) const TREES_BYTES_MAX: usize = 256 << 20;
/// The maximum total length of paths in a list of files, in bytes.
pub(crate) const PATHS_BYTES_MAX: usize = 256 << 20;
/// The maximum number of commits read for one call of the port.
pub(crate) const COMMITS_MAX: usize = 1_000_000;
/// The maximum number of parents of a commit; merges in git's own history have at most 66.
pub(crate) const PARENTS_MAX: usize = 1_024;
/// The maximum number of edges from a commit to a parent that one call of the port follows.
pub(crate) const WAYS_MAX: usize = 4 * COMMITS_MAX;
/// The maximum number of history steps followed for renames.
pub(crate) const STEPS_MAX: usize = 100_000;
/// The maximum number of successive paths of a file.
pub(crate) const RENAMES_OF_FILE_MAX: usize = 100;
/// The maximum size of the cached steps of one history, in bytes: removed and added paths.
pub(crate) const MOVES_BYTES_MAX: usize = 64 << 20;
/// The maximum number of file pairs compared for similarity, as in git (1,000 times 1,000).
pub(crate) const PAIRS_MAX: usize = 1_000_000;
/// The maximum number of files whose content is read to compare two revisions.
pub(crate) const COMPARED_MAX: usize = 8_192;
/// The maximum size of a compared file, in bytes.
pub(crate) const COMPARED_BYTES_MAX: u64 = 8 << 20;
/// The maximum total size of files whose content is read to compare two revisions, in bytes.
pub(crate) const COMPARED_TOTAL_BYTES_MAX: u64 = 1 << 30;
/// The maximum memory use of the fingerprints of all compared files, in bytes.
pub(crate) const FINGERPRINTS_BYTES_MAX: usize = 256 << 20;
/// The maximum number of fingerprint pieces compared in one comparison of revisions.
pub(crate) const PIECES_MAX: u64 = 1 << 31;
/// The maximum size of small files of the repository, in bytes: a ref, `HEAD`, `.git` files.
pub(crate) const SMALL_FILE_BYTES_MAX: u64 = 4_096;
/// The maximum size of configuration, alternates and ignore lists, in bytes.
pub(crate) const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// The maximum size of packed refs, and of the list of commits where a shallow clone ends, in
/// bytes.
pub(crate) const REFS_BYTES_MAX: u64 = 128 << 20;
/// The maximum number of names in one folder of loose refs, if they are counted.
pub(crate) const REFS_IN_FOLDER_MAX: usize = 10_000;
/// The maximum size of the index of a worktree, in bytes.
pub(crate) const INDEX_BYTES_MAX: u64 = 512 << 20;
/// The maximum number of steps for matching the paths of a worktree with ignore patterns, per list.
pub(crate) const IGNORING_STEPS_MAX: u64 = 1 << 33;
/// The maximum number of symbolic refs and tags in a chain.
pub(crate) const HOPS_MAX: usize = 8;
/// The minimum number of digits of an abbreviated object id.
pub(crate) const ABBREVIATED_MIN: usize = 7;
/// The maximum number of objects that an abbreviated id is compared with.
pub(crate) const ABBREVIATED_FITS_MAX: usize = 64;
/// The maximum number of root commits that identify a repository.
pub(crate) const ROOTS_MAX: usize = 8;
/// The maximum length of a returned commit subject, in characters.
pub(crate) const SUBJECT_CHARS_MAX: usize = 500;
/// The maximum number of added and removed files of one commit that are compared by content. With
/// more, only files with equal content count as renamed.
pub(crate) const COMPARED_IN_COMMIT_MAX: usize = 1_000;
