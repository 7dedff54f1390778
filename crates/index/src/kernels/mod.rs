//! The inner loops of vector search: dot products of small integers, and distances of sketches. All
//! arithmetic uses integers, so that every kernel gives the same result on every machine.
//!
//! Only this module uses `unsafe`. To add a kernel, add a file next to `avx2` and its line in
//! [`able`]. The property tests below then compare it with `portable` on every machine that can run
//! it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod prefetch;

use std::sync::OnceLock;

pub(crate) use prefetch::ask_for;

/// The number of values in a line.
pub(crate) const LINE: usize = 64;
/// The number of rows whose sketches are stored together.
pub(crate) const BLOCK: usize = 16;
/// The number of rows that a kernel processes in one call, one bit each.
pub(crate) const GROUP: usize = 64;
/// The greatest value in [`Tables`]: the sum of four is less than 256.
pub(crate) const TABLE_MAX: u8 = 60;

/// A part of a stored row: one cache line. Rows are padded with zeros, which change no dot product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [i8; LINE]);

/// A part of a question: as many values as a [`Line`], with two bytes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct WideLine(pub(crate) [i16; LINE]);

/// Four bytes of the sketches of a [`BLOCK`] of rows: by byte, then by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Tile(pub(crate) [u8; LINE]);

/// The contributions of the bytes of a [`Tile`] to the distance of their row: sixteen values for
/// the low halves of the first byte, sixteen for those of the second, and so on; the same for the
/// high halves. None is above [`TABLE_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Tables {
    /// Values by the low four bits.
    pub(crate) low: [u8; LINE],
    /// Values by the high four bits.
    pub(crate) high: [u8; LINE],
}

/// A set of loops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernels {
    /// A name for diagnostics.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests say which loops disagree"))]
    pub(crate) name: &'static str,
    /// Returns the dot product of a question and a row over their common lines. Must not overflow:
    /// see [`widest`].
    pub(crate) dot: fn(&[WideLine], &[Line]) -> i32,
    /// Returns the dot product of two rows.
    pub(crate) dot_rows: fn(&[Line], &[Line]) -> i32,
    /// Returns the distances of the rows of a group of sketches, and the wanted rows within a
    /// limit.
    pub(crate) near: Near,
    /// Prefetches a row.
    pub(crate) ask_row: fn(&[Line]),
    /// Prefetches tiles.
    pub(crate) ask_tiles: fn(&[Tile]),
}

/// Sums the table values of the sketch of each row in a group. `tables` are those of one block, an
/// even number; `tiles` are those of up to four blocks, with the same number each. Returns the bits
/// of the rows in `wanted` with a distance of at most `limit`. Blocks without a wanted row are not
/// read, and their distances are undefined.
pub(crate) type Near =
    fn(tables: &[Tables], tiles: &[Tile], wanted: u64, limit: u16, distances: &mut [u16; GROUP]) -> u64;

/// Returns the loops for this machine, selected once.
#[inline]
pub(crate) fn chosen() -> &'static Kernels {
    static CHOSEN: OnceLock<Kernels> = OnceLock::new();
    CHOSEN.get_or_init(|| able().next().unwrap_or_else(portable::kernels))
}

/// Returns the loops that this machine can run, fastest first.
fn able() -> impl Iterator<Item = Kernels> {
    let all = [
        #[cfg(target_arch = "x86_64")]
        avx512::kernels(),
        #[cfg(target_arch = "x86_64")]
        avx_vnni::kernels(),
        #[cfg(target_arch = "x86_64")]
        avx2::kernels(),
        #[cfg(target_arch = "aarch64")]
        neon::kernels(),
        Some(portable::kernels()),
    ];
    all.into_iter().flatten()
}

/// Returns the greatest value of a question whose dot product with any row of `lines` lines fits 32
/// bits.
pub(crate) fn widest(lines: usize) -> i16 {
    let most = i32::MAX as usize / (128 * LINE * lines.max(1));
    i16::try_from(most.min(8191)).unwrap_or(8191)
}

/// Returns `values` in lines, the last one padded with zeros.
pub(crate) fn lines(values: &[i8]) -> impl Iterator<Item = Line> + '_ {
    values.chunks(LINE).map(|chunk| {
        let mut line = Line([0; LINE]);
        for (to, from) in line.0.iter_mut().zip(chunk) {
            *to = *from;
        }
        line
    })
}

/// Prefetches the tiles of a group that [`Near`] will read with the same arguments.
pub(crate) fn ask_group(tables: usize, tiles: &[Tile], wanted: u64) {
    let ask = chosen().ask_tiles;
    blocks(tables, tiles, wanted).for_each(|(_, tiles, _)| ask(tiles));
}

/// Returns the blocks of a group that have wanted rows, each with its first row and the bits of its
/// wanted rows.
fn blocks(tables: usize, tiles: &[Tile], wanted: u64) -> impl Iterator<Item = (usize, &[Tile], u16)> {
    let blocks = tiles.chunks_exact(tables.max(1)).take(GROUP / BLOCK).enumerate();
    blocks.filter_map(move |(at, tiles)| {
        let rows = (wanted >> (at * BLOCK)) as u16;
        (rows != 0).then_some((at * BLOCK, tiles, rows))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(values: &[i16]) -> Vec<WideLine> {
        let line = |chunk: &[i16]| WideLine(std::array::from_fn(|at| chunk.get(at).copied().unwrap_or(0)));
        values.chunks(LINE).map(line).collect()
    }

    #[test]
    fn this_machine_has_a_kernel_of_its_own_where_it_can() {
        let names: Vec<&str> = able().map(|kernels| kernels.name).collect();
        assert_eq!(names.last(), Some(&"portable"));
        assert_eq!(names.first(), Some(&chosen().name));
        #[cfg(target_arch = "x86_64")]
        assert_eq!(names.contains(&"avx2"), is_x86_feature_detected!("avx2"));
        #[cfg(target_arch = "aarch64")]
        assert_eq!(names.first(), Some(&"neon"));
    }

    #[test]
    fn the_widest_question_does_not_overflow() {
        for lines_count in [1, 6, 33, 200] {
            let question = vec![WideLine([-widest(lines_count); LINE]); lines_count];
            for value in [-128i8, 127] {
                let row = vec![Line([value; LINE]); lines_count];
                let expect = i64::from(-widest(lines_count)) * i64::from(value) * (LINE * lines_count) as i64;
                for kernels in able() {
                    assert_eq!(i64::from((kernels.dot)(&question, &row)), expect, "{}", kernels.name);
                }
            }
        }
    }

    /// Returns the result of [`Near`] for one row, computed value by value.
    fn distance(tables: &[Tables], tiles: &[Tile], row: usize) -> u16 {
        let mut sum = 0;
        for (table, tile) in tables.iter().zip(tiles) {
            for byte in 0..4 {
                let value = tile.0[byte * BLOCK + row];
                sum += u16::from(table.low[byte * BLOCK + usize::from(value & 15)]);
                sum += u16::from(table.high[byte * BLOCK + usize::from(value >> 4)]);
            }
        }
        sum
    }

    proptest! {
        #[test]
        fn all_kernels_agree(
            question in proptest::collection::vec(-8191i16..=8191, 0..400),
            left in proptest::collection::vec(any::<i8>(), 0..400),
            right in proptest::collection::vec(any::<i8>(), 0..400),
        ) {
            let q = wide(&question);
            let (a, b): (Vec<_>, Vec<_>) = (lines(&left).collect(), lines(&right).collect());
            let dot: i32 = question.iter().zip(&left).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            let rows: i32 = left.iter().zip(&right).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            for kernels in able() {
                (kernels.ask_row)(&a);
                prop_assert_eq!((kernels.dot)(&q, &a), dot, "{}", kernels.name);
                prop_assert_eq!((kernels.dot_rows)(&a, &b), rows, "{}", kernels.name);
            }
        }

        #[test]
        fn all_kernels_tell_the_same_distances(
            halves in 0usize..8, blocks in 0usize..=4, wanted: u64, share in 0u16..=100, seed: u64
        ) {
            let mut mix = crate::primitives::stable_hash::Mix::default();
            mix.number(seed);
            let mut next = || mix.number(7).finish();
            let mut bytes = || -> [u8; LINE] { std::array::from_fn(|_| next() as u8) };
            let values = |bytes: [u8; LINE]| bytes.map(|byte| byte % (TABLE_MAX + 1));
            let tables: Vec<Tables> =
                (0..halves * 2).map(|_| Tables { low: values(bytes()), high: values(bytes()) }).collect();
            let tiles: Vec<Tile> = (0..blocks * tables.len()).map(|_| Tile(bytes())).collect();
            let limit = (tables.len() * 8 * usize::from(TABLE_MAX) * usize::from(share) / 100) as u16;
            let block = |at: usize| tiles.get(at * tables.len()..(at + 1) * tables.len()).unwrap_or_default();
            let blocks = if tables.is_empty() { 0 } else { blocks };
            let rows = (0..blocks * BLOCK).filter(|row| wanted >> row & 1 == 1);
            let expect: Vec<(usize, u16)> =
                rows.map(|row| (row, distance(&tables, block(row / BLOCK), row % BLOCK))).collect();
            for kernels in able() {
                let mut distances = [7; GROUP];
                let near = (kernels.near)(&tables, &tiles, wanted, limit, &mut distances);
                for (row, distance) in &expect {
                    prop_assert_eq!(distances[*row], *distance, "{}", kernels.name);
                }
                let within = expect.iter().filter(|(_, distance)| *distance <= limit);
                prop_assert_eq!(near, within.fold(0, |bits, (row, _)| bits | 1u64 << row), "{}", kernels.name);
            }
        }
    }
}
