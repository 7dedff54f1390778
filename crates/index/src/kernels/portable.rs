//! The loops in plain Rust: for any machine, and the reference for the others.

use super::{BLOCK, GROUP, Kernels, Line, Tables, Tile, WideLine, blocks};

/// Returns the portable loops.
pub(super) fn kernels() -> Kernels {
    Kernels { name: "portable", dot, dot_rows, near, ask_row: |_| (), ask_tiles: |_| () }
}

fn dot(question: &[WideLine], row: &[Line]) -> i32 {
    let line = |(q, v): (&WideLine, &Line)| {
        q.0.iter().zip(&v.0).map(|(q, v)| i32::from(*q) * i32::from(*v)).sum::<i32>()
    };
    question.iter().zip(row).map(line).sum()
}

fn dot_rows(left: &[Line], right: &[Line]) -> i32 {
    let line = |(a, b): (&Line, &Line)| {
        a.0.iter().zip(&b.0).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>()
    };
    left.iter().zip(right).map(line).sum()
}

fn near(tables: &[Tables], tiles: &[Tile], wanted: u64, limit: u16, distances: &mut [u16; GROUP]) -> u64 {
    let mut near = 0;
    for (first, tiles, rows) in blocks(tables.len(), tiles, wanted) {
        let sums = block(tables, tiles);
        for (at, sum) in sums.into_iter().enumerate() {
            near |= u64::from(sum <= limit) << (first + at) & u64::from(rows) << first;
        }
        for (to, sum) in distances.iter_mut().skip(first).zip(sums) {
            *to = sum;
        }
    }
    near
}

fn block(tables: &[Tables], tiles: &[Tile]) -> [u16; BLOCK] {
    let mut sums = [0u16; BLOCK];
    for (table, tile) in tables.iter().zip(tiles) {
        let ((low, _), (high, _)) = (table.low.as_chunks::<16>(), table.high.as_chunks::<16>());
        for ((bytes, low), high) in tile.0.chunks_exact(BLOCK).zip(low).zip(high) {
            for (sum, byte) in sums.iter_mut().zip(bytes) {
                let value = low[usize::from(byte & 15)] + high[usize::from(byte >> 4)];
                *sum = sum.wrapping_add(u16::from(value));
            }
        }
    }
    sums
}
