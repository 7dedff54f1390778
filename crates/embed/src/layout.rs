//! The layout of the model file. The crate that reads the file and `cargo xtask model`, which
//! writes it, compile this same source, so that they cannot disagree. It contains positions and
//! shapes, not values.
//!
//! The file is little-endian, and every section starts at a multiple of 64 bytes, so that a kernel
//! can load it in place. Nothing is unpacked or copied at start, and all processes that run the
//! binary share the pages.

/// The first bytes of the file; the last two are the version of this layout.
pub(crate) const MAGIC: [u8; 8] = *b"MINILM01";
/// The length of a token's vector.
pub(crate) const HIDDEN: usize = 384;
/// The width of one attention head; there are `HIDDEN / HEAD` of them.
pub(crate) const HEAD: usize = 32;
/// The width between the two halves of a layer's feed-forward part.
pub(crate) const FEED: usize = 1536;
/// The number of transformer layers.
pub(crate) const LAYERS: usize = 6;
/// The number of WordPiece ids.
pub(crate) const VOCABULARY: usize = 30_522;
/// The total size of all spellings in bytes, including `##`.
pub(crate) const SPELLING_BYTES: usize = 200_986;
/// The number of positions: a window of 254 ids, `[CLS]` and `[SEP]`. The model has 512, but was
/// trained on fewer.
pub(crate) const POSITIONS: usize = 256;
/// The number of slots of the vocabulary's hash table (open addressing; about half are used).
pub(crate) const SLOTS: usize = 1 << 16;
/// The content of an empty slot.
pub(crate) const EMPTY_SLOT: u16 = u16::MAX;
/// The number of adjacent outputs in a weight block: one 512-bit register of four-byte groups.
pub(crate) const BLOCK: usize = 16;
/// The number of adjacent consecutive inputs: the four bytes that one 32-bit lane multiplies at
/// once.
pub(crate) const GROUP: usize = 4;

/// A range of bytes of the file.
#[derive(Clone, Copy)]
pub(crate) struct Section {
    /// The first byte; a multiple of 64.
    pub(crate) offset: usize,
    /// The number of bytes.
    pub(crate) bytes: usize,
}

impl Section {
    const fn then(self, bytes: usize) -> Section {
        Section { offset: (self.offset + self.bytes).next_multiple_of(64), bytes }
    }
}

/// The weights of `outputs × inputs` as i8 in blocks `[outputs / 16][inputs / 4][16][4]`, with the
/// parameters of each output.
#[derive(Clone, Copy)]
pub(crate) struct MatrixPlace {
    /// The length of the vectors that it multiplies.
    pub(crate) inputs: usize,
    /// The length of the resulting vectors.
    pub(crate) outputs: usize,
    /// The i8 weights, in blocks.
    pub(crate) weights: Section,
    /// The scale of one step of the i8 weights, f32 per output.
    pub(crate) scales: Section,
    /// The bias, f32 per output.
    pub(crate) bias: Section,
    /// The sum of the i8 weights, i32 per output. Kernels need it if they multiply activations
    /// before they subtract the zero point.
    pub(crate) sums: Section,
}

/// The six parts of one transformer layer. A norm consists of `HIDDEN` gains, then `HIDDEN` shifts,
/// f32.
#[derive(Clone, Copy)]
pub(crate) struct LayerPlace {
    /// Query, key and value, concatenated. The query's rows are already divided by √`HEAD`.
    pub(crate) query_key_value: MatrixPlace,
    /// The projection of the joined heads to the token.
    pub(crate) attention_output: MatrixPlace,
    /// The norm after attention.
    pub(crate) attention_norm: Section,
    /// The matrix from `HIDDEN` to `FEED`.
    pub(crate) feed_up: MatrixPlace,
    /// The matrix from `FEED` to `HIDDEN`.
    pub(crate) feed_down: MatrixPlace,
    /// The norm after the feed-forward part.
    pub(crate) feed_norm: Section,
}

/// `MAGIC`, then zeros.
pub(crate) const HEADER: Section = Section { offset: 0, bytes: 64 };
/// The hash table, u16 per slot: an id, or `EMPTY_SLOT`.
pub(crate) const VOCABULARY_SLOTS: Section = HEADER.then(2 * SLOTS);
/// The start of each id's spelling in `SPELLINGS`, u32 per id, and one more value; the next value
/// is the end.
pub(crate) const SPELLING_STARTS: Section = VOCABULARY_SLOTS.then(4 * (VOCABULARY + 1));
/// The spellings in order of id, UTF-8, without separators.
pub(crate) const SPELLINGS: Section = SPELLING_STARTS.then(SPELLING_BYTES);
/// The vectors of tokens: i8, `HIDDEN` per id.
pub(crate) const TOKENS: Section = SPELLINGS.then(VOCABULARY * HIDDEN);
/// The scale of one step of an id's i8 vector, f32 per id.
pub(crate) const TOKEN_SCALES: Section = TOKENS.then(4 * VOCABULARY);
/// The vectors of positions: f32, `HIDDEN` per position. The vector of token type 0 is already
/// added.
pub(crate) const POSITION_VECTORS: Section = TOKEN_SCALES.then(4 * POSITIONS * HIDDEN);
/// The norm after the sum of token and position.
pub(crate) const EMBEDDING_NORM: Section = POSITION_VECTORS.then(NORM_BYTES);

const NORM_BYTES: usize = 4 * 2 * HIDDEN;
const LAYER_BYTES: usize = end(layer_after(HEADER).feed_norm) - end(HEADER);

/// The size of the whole file, in bytes.
pub(crate) const FILE_BYTES: usize = end(EMBEDDING_NORM) + LAYERS * LAYER_BYTES;

/// Returns the positions of layer `index` (below `LAYERS`).
pub(crate) const fn layer(index: usize) -> LayerPlace {
    layer_after(Section { offset: end(EMBEDDING_NORM) + index * LAYER_BYTES, bytes: 0 })
}

/// Returns the first slot of the search for a spelling: FNV-1a over `##`, if it continues a word,
/// and the piece, folded to 16 bits.
pub(crate) fn first_slot(continues: bool, piece: &[u8]) -> usize {
    let prefix: &[u8] = if continues { b"##" } else { b"" };
    let hash = prefix
        .iter()
        .chain(piece)
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    ((hash ^ (hash >> 16)) & 0xffff) as usize
}

const fn end(section: Section) -> usize {
    (section.offset + section.bytes).next_multiple_of(64)
}

const fn layer_after(previous: Section) -> LayerPlace {
    let query_key_value = matrix_after(previous, HIDDEN, 3 * HIDDEN);
    let attention_output = matrix_after(query_key_value.sums, HIDDEN, HIDDEN);
    let attention_norm = attention_output.sums.then(NORM_BYTES);
    let feed_up = matrix_after(attention_norm, HIDDEN, FEED);
    let feed_down = matrix_after(feed_up.sums, FEED, HIDDEN);
    let feed_norm = feed_down.sums.then(NORM_BYTES);
    LayerPlace { query_key_value, attention_output, attention_norm, feed_up, feed_down, feed_norm }
}

const fn matrix_after(previous: Section, inputs: usize, outputs: usize) -> MatrixPlace {
    let weights = previous.then(inputs * outputs);
    let scales = weights.then(4 * outputs);
    let bias = scales.then(4 * outputs);
    let sums = bias.then(4 * outputs);
    MatrixPlace { inputs, outputs, weights, scales, bias, sums }
}
