//! Sketches: two bits for three dimensions, which state the signs of a vector's values after a
//! rotation. A question weighs each bit with its own value in that dimension, and the distance of a
//! row is the weight of the differing bits. A scan of sketches selects the rows whose exact cosine
//! is computed (decision 0031).
//!
//! The rotation is equal for rows and questions on every machine. It consists of signs from a fixed
//! seed, and of sums and differences, which all processors round equally. It distributes the
//! information of a few significant dimensions over all bits.

use crate::kernels::{LINE, TABLE_MAX, Tables};
use crate::primitives::stable_hash::Mix;

/// The version of the sketch format, incremented with every change: snapshots contain sketches.
pub(crate) const VERSION: u32 = 3;

/// The number of rounds of signs and sums. After two, every bit depends on every value.
const ROUNDS: usize = 2;
/// The maximum number of values that one round sums up. With more, sums would be rounded.
const MIXED_MAX: usize = 256;

/// Returns the size of the sketch of a vector with `dimensions` dimensions, in bytes: a multiple of
/// eight.
pub(crate) fn bytes(dimensions: usize) -> usize {
    (dimensions * 2).div_ceil(3 * 64) * 8
}

/// Computes the sketches of vectors with a fixed number of dimensions.
#[derive(Debug)]
pub(crate) struct Sketcher {
    /// Values of 1 or −1: for each round as many as the width.
    signs: Vec<f32>,
    /// The number of rotated values: those of a vector, and zeros up to a multiple of 64.
    width: usize,
    /// The number of values mixed in one round: a power of two that divides the width.
    mixed: usize,
    /// The number of values that give a bit. After the rotation all values are equally good.
    bits: usize,
}

impl Sketcher {
    /// Returns a sketcher for vectors of `dimensions` dimensions.
    pub(crate) fn new(dimensions: usize) -> Self {
        let width = dimensions.next_multiple_of(64);
        let mixed = (1usize << width.trailing_zeros().min(31)).min(MIXED_MAX);
        let sign = |at: usize| {
            let mut mix = Mix::default();
            if mix.number(at as u64 + 1).finish() & 1 == 1 { 1.0 } else { -1.0 }
        };
        Self { signs: (0..width * ROUNDS).map(sign).collect(), width, mixed, bits: bytes(dimensions) * 8 }
    }

    /// Returns the sketch of a stored row.
    pub(crate) fn of_row(&self, values: &[i8]) -> Vec<u8> {
        let values = self.rotated(values, f32::from);
        let bit = |byte, (at, value): (usize, &f32)| byte | u8::from(*value > 0.0) << at;
        values.as_chunks::<8>().0.iter().map(|eight| eight.iter().enumerate().fold(0, bit)).collect()
    }

    /// Returns the distance that each half byte of a sketch adds: the question's values where the
    /// signs differ, rounded to at most 15, or less if the sum would not fit 16 bits. Also returns
    /// the greatest distance.
    pub(crate) fn of_question(&self, values: &[i16]) -> (Vec<Tables>, u16) {
        let mut values = self.rotated(values, f32::from);
        let greatest = values.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        let most = (usize::from(u16::MAX) / self.bits.max(1)).min(usize::from(TABLE_MAX / 4));
        let step = if greatest > 0.0 { most as f32 / greatest } else { 0.0 };
        values.iter_mut().for_each(|value| *value = (*value * step).round());
        let farthest = values.iter().map(|value| value.abs() as u16).sum();
        (values.chunks(LINE / 2).map(tables).collect(), farthest)
    }

    fn rotated<T: Copy>(&self, from: &[T], number: impl Fn(T) -> f32) -> Vec<f32> {
        let mut values = vec![0.0; self.width];
        for (to, from) in values.iter_mut().zip(from) {
            *to = number(*from);
        }
        for (round, signs) in self.signs.chunks(self.width.max(1)).enumerate() {
            if round > 0 {
                values = self.spread(&values);
            }
            for (value, sign) in values.iter_mut().zip(signs) {
                *value *= sign;
            }
            values.chunks_mut(self.mixed).for_each(mix);
        }
        values.truncate(self.bits);
        values
    }

    /// Reorders the values so that those mixed next come from all parts mixed before.
    fn spread(&self, values: &[f32]) -> Vec<f32> {
        let mut spread = vec![0.0; values.len()];
        let parts = values.len() / self.mixed;
        for (at, part) in values.chunks(self.mixed).enumerate() {
            for (to, from) in spread.iter_mut().skip(at).step_by(parts.max(1)).zip(part) {
                *to = *from;
            }
        }
        spread
    }
}

/// Computes the unnormalised fast Walsh–Hadamard transform of a power of two of at least eight
/// values.
fn mix(values: &mut [f32]) {
    // Start with blocks of eight: loops over fewer values have too much overhead.
    for [a, b, c, d, e, f, g, h] in values.as_chunks_mut::<8>().0 {
        let (a1, b1, c1, d1) = (*a + *e, *b + *f, *c + *g, *d + *h);
        let (e1, f1, g1, h1) = (*a - *e, *b - *f, *c - *g, *d - *h);
        let (a2, b2, c2, d2) = (a1 + c1, b1 + d1, a1 - c1, b1 - d1);
        let (e2, f2, g2, h2) = (e1 + g1, f1 + h1, e1 - g1, f1 - h1);
        (*a, *b, *c, *d) = (a2 + b2, a2 - b2, c2 + d2, c2 - d2);
        (*e, *f, *g, *h) = (e2 + f2, e2 - f2, g2 + h2, g2 - h2);
    }
    let mut half = 8;
    while half < values.len() {
        for pair in values.chunks_exact_mut(half * 2) {
            let (left, right) = pair.split_at_mut(half);
            for (left, right) in left.as_chunks_mut::<8>().0.iter_mut().zip(right.as_chunks_mut::<8>().0) {
                for (a, b) in left.iter_mut().zip(right) {
                    (*a, *b) = (*a + *b, *a - *b);
                }
            }
        }
        half *= 2;
    }
}

/// Returns the tables of four bytes. The values are whole and at most a quarter of [`TABLE_MAX`].
fn tables(values: &[f32]) -> Tables {
    let mut tables = Tables { low: [0; LINE], high: [0; LINE] };
    let ((low, _), (high, _)) = (tables.low.as_chunks_mut::<16>(), tables.high.as_chunks_mut::<16>());
    for ((byte, low), high) in values.as_chunks::<8>().0.iter().zip(low).zip(high) {
        let [a, b, c, d, e, f, g, h] = *byte;
        (*low, *high) = (against([a, b, c, d]), against([e, f, g, h]));
    }
    tables
}

/// Returns for each combination of four bits the sum of the values with the opposite sign. Without
/// any bit this is the sum of the positive values; each bit removes a positive value or adds a
/// negative one.
fn against(values: [f32; 4]) -> [u8; 16] {
    let mut sums = [values.iter().map(|value| value.max(0.0)).sum::<f32>(); 16];
    for (bits, sum) in sums.iter_mut().enumerate() {
        for (at, value) in values.iter().enumerate() {
            *sum -= if bits >> at & 1 == 1 { *value } else { 0.0 };
        }
    }
    sums.map(|sum| sum as u8)
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
        // The information is in six of 384 dimensions; the signs of the others are random.
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
        // A change of this number requires a change of `VERSION`: snapshots contain sketches.
        assert_eq!((Mix::default().bytes(&sketch).finish(), VERSION), (7_373_737_044_820_812_931, 3));
    }
}
