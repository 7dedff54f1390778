//! Sketches: one bit per dimension, on which side of zero a vector lies after a rotation. A question weighs each bit
//! with its own value there, so that the distance of a row is what the bits say against the question; a scan of sketches
//! finds the rows worth a true cosine (decision 0031).
//!
//! The rotation is the same for rows and questions, on every machine: signs from a fixed seed and sums and differences,
//! which no processor rounds in its own way. It spreads over all bits what a model keeps in a few dimensions.

use crate::kernels::{LINE, TABLE_MAX, Tables};
use crate::mix::Mix;

/// Raised with every change of what a sketch says: snapshots hold sketches.
pub(crate) const VERSION: u32 = 2;

/// Rounds of signs and sums; after two every bit hangs on every value.
const ROUNDS: usize = 2;
/// Values that one round sums up; with more, sums are rounded.
const MIXED_MAX: usize = 256;

/// Bytes of the sketch of a vector with so many dimensions: a multiple of eight.
pub(crate) fn bytes(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}

/// Makes the sketches of vectors with one number of dimensions.
#[derive(Debug)]
pub(crate) struct Sketcher {
    /// 1 or −1: of each round as many as there are bits.
    signs: Vec<f32>,
    bits: usize,
    /// Values mixed in one round: a power of two that divides the bits.
    mixed: usize,
}

impl Sketcher {
    /// For vectors of so many dimensions.
    pub(crate) fn new(dimensions: usize) -> Self {
        let bits = bytes(dimensions) * 8;
        let mixed = (1usize << bits.trailing_zeros().min(31)).min(MIXED_MAX);
        let sign = |at: usize| {
            let mut mix = Mix::default();
            if mix.number(at as u64 + 1).finish() & 1 == 1 { 1.0 } else { -1.0 }
        };
        Self { signs: (0..bits * ROUNDS).map(sign).collect(), bits, mixed }
    }

    /// The sketch of a stored row.
    pub(crate) fn of_row(&self, values: &[i8]) -> Vec<u8> {
        let values = self.rotated(values.iter().map(|value| f32::from(*value)));
        let byte = |chunk: &[f32]| {
            chunk.iter().enumerate().fold(0, |byte, (at, value)| byte | u8::from(*value > 0.0) << at)
        };
        values.chunks(8).map(byte).collect()
    }

    /// What each half byte of a sketch adds to its distance from a question: the question's values, rounded to at most
    /// 15, where the signs differ. Less where the sum would not fit 16 bits. Also tells the greatest distance.
    pub(crate) fn of_question(&self, values: &[i16]) -> (Vec<Tables>, u16) {
        let mut values = self.rotated(values.iter().map(|value| f32::from(*value)));
        let greatest = values.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        let most = (usize::from(u16::MAX) / self.bits.max(1)).min(usize::from(TABLE_MAX / 4));
        let step = if greatest > 0.0 { most as f32 / greatest } else { 0.0 };
        values.iter_mut().for_each(|value| *value = (*value * step).round());
        let farthest = values.iter().map(|value| value.abs() as u16).sum();
        (values.chunks(LINE / 2).map(tables).collect(), farthest)
    }

    fn rotated(&self, values: impl Iterator<Item = f32>) -> Vec<f32> {
        let mut values: Vec<f32> = values.chain(std::iter::repeat(0.0)).take(self.bits).collect();
        let mut spread = values.clone();
        for (round, signs) in self.signs.chunks(self.bits.max(1)).enumerate() {
            for (value, sign) in values.iter_mut().zip(signs) {
                *value *= sign;
            }
            values.chunks_mut(self.mixed).for_each(mix);
            if round + 1 < ROUNDS {
                // Each part gets values of all others before the next round.
                let parts: Vec<&[f32]> = values.chunks(self.mixed).collect();
                for (at, to) in spread.chunks_mut(parts.len().max(1)).enumerate() {
                    for (to, part) in to.iter_mut().zip(&parts) {
                        *to = part.get(at).copied().unwrap_or(0.0);
                    }
                }
                std::mem::swap(&mut values, &mut spread);
            }
        }
        values
    }
}

/// The fast Walsh–Hadamard transform of as many values as a power of two, without its factor.
fn mix(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(half * 2) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

/// The tables of four bytes; the values are whole and at most a quarter of [`TABLE_MAX`].
fn tables(values: &[f32]) -> Tables {
    let mut tables = Tables { low: [0; LINE], high: [0; LINE] };
    for (at, four) in values.chunks(4).enumerate() {
        let half = if at % 2 == 0 { &mut tables.low } else { &mut tables.high };
        for (bits, entry) in half.iter_mut().skip(at / 2 * 16).take(16).enumerate() {
            let against =
                four.iter().enumerate().filter(|(at, value)| (bits >> at & 1 == 1) != (**value > 0.0));
            *entry = against.map(|(_, value)| value.abs() as u8).sum();
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(dimensions: usize, many: usize) -> Vec<Vec<i8>> {
        let mut mix = Mix::default();
        let mut next = || (mix.number(3).finish() % 255) as i16 - 127;
        (0..many).map(|_| (0..dimensions).map(|_| next() as i8).collect()).collect()
    }

    fn distance(tables: &[Tables], sketch: &[u8]) -> u32 {
        let of = |(at, byte): (usize, &u8)| {
            let (table, part) = (&tables[at / 4], at % 4 * 16);
            let entry = |half: &[u8; LINE], bits: u8| u32::from(half[part + usize::from(bits)]);
            entry(&table.low, byte & 15) + entry(&table.high, byte >> 4)
        };
        sketch.iter().enumerate().map(of).sum()
    }

    #[test]
    fn a_row_is_nearest_to_itself_and_farthest_from_its_opposite() {
        for dimensions in [1, 8, 64, 100, 130, 384, 768, 1000, 1536, 5000] {
            let sketcher = Sketcher::new(dimensions);
            for row in rows(dimensions, 3) {
                let sketch = sketcher.of_row(&row);
                assert_eq!(sketch.len(), bytes(dimensions));
                let question = |sign: i16| -> Vec<i16> { row.iter().map(|x| i16::from(*x) * sign).collect() };
                let (near, _) = sketcher.of_question(&question(1));
                assert_eq!(near.len() * 4, sketch.len());
                assert!(
                    near.iter().all(|table| table.low.iter().chain(&table.high).all(|x| *x <= TABLE_MAX))
                );
                let (far, farthest) = sketcher.of_question(&question(-1));
                assert_eq!(distance(&near, &sketch), 0);
                assert_eq!(distance(&far, &sketch), u32::from(farthest));
                if dimensions <= 768 {
                    let opposite: Vec<u8> = sketch.iter().map(|byte| !byte).collect();
                    assert_eq!(distance(&far, &opposite), 0);
                }
            }
        }
    }

    #[test]
    fn distances_follow_cosines_also_where_few_dimensions_tell() {
        let (dimensions, many) = (384, 400);
        let sketcher = Sketcher::new(dimensions);
        // What a model keeps in six dimensions of 384: signs of the others are chance.
        let values = |row: &[i8]| -> Vec<f32> {
            let weight = |at: usize| if at.is_multiple_of(64) { 1.0 } else { 0.02 };
            row.iter().enumerate().map(|(at, value)| f32::from(*value) * weight(at)).collect()
        };
        let all: Vec<Vec<f32>> = rows(dimensions, many).iter().map(|row| values(row)).collect();
        let stored: Vec<_> = all.iter().map(|row| crate::input::StoredVector::quantise(row, "m")).collect();
        let question: Vec<i16> = all[0].iter().map(|value| (value * 60.0) as i16).collect();
        let (tables, _) = sketcher.of_question(&question);
        let cosine = |row: &[f32]| {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
            dot(row, &all[0]) / dot(row, row).sqrt()
        };
        let mut exact: Vec<usize> = (0..many).collect();
        exact.sort_by(|a, b| cosine(&all[*b]).total_cmp(&cosine(&all[*a])));
        let far: Vec<u32> =
            stored.iter().map(|row| distance(&tables, &sketcher.of_row(&row.values))).collect();
        let mut near: Vec<usize> = (0..many).collect();
        near.sort_by_key(|row| far[*row]);
        assert!(exact[..10].iter().all(|row| near[..30].contains(row)), "{exact:?} {near:?}");
    }

    #[test]
    fn sketches_are_the_same_forever() {
        let row: Vec<i8> = (0..130).map(|at| (at * 73 % 255 - 127) as i8).collect();
        let sketch = Sketcher::new(130).of_row(&row);
        // A change of this number is a change of `VERSION`: snapshots hold sketches.
        assert_eq!((Mix::default().bytes(&sketch).finish(), VERSION), (2_297_122_548_264_672_037, 2));
    }
}
