//! The two loops that vectors live on: dot products of small integers, and Hamming distances. All arithmetic is whole
//! numbers, so that every kernel gives the same answer on every machine.
//!
//! `unsafe` lives here only. To add a kernel: a file beside `avx2`, its check in [`chosen`], the property tests below.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

use std::sync::OnceLock;

/// Values of one line.
pub(crate) const LINE: usize = 64;

/// A part of a stored row: one cache line. Rows are padded with zeros, which change no dot product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [i8; LINE]);

/// A part of a question: as many values as a [`Line`], with two bytes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct WideLine(pub(crate) [i16; LINE]);

/// One set of loops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernels {
    /// Dot product of a question and a row; of lines that both have. Must not overflow: see [`widest`].
    pub(crate) dot: fn(&[WideLine], &[Line]) -> i32,
    /// Dot product of two rows.
    pub(crate) dot_rows: fn(&[Line], &[Line]) -> i32,
    /// Hamming distance of `sketch` to each row of `rows`, a row being as many words as `sketch`; into `distances`.
    pub(crate) distances: fn(&[u64], &[u64], &mut Vec<u16>),
}

/// The loops of this machine, chosen once.
pub(crate) fn chosen() -> &'static Kernels {
    static CHOSEN: OnceLock<Kernels> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernels) = avx2::kernels() {
            return kernels;
        }
        portable::kernels()
    })
}

/// The greatest value of a question whose dot product with any row of `lines` lines fits 32 bits.
pub(crate) fn widest(lines: usize) -> i16 {
    let most = i32::MAX as usize / (127 * LINE * lines.max(1));
    i16::try_from(most.min(8191)).unwrap_or(8191)
}

/// `values` in lines, the last padded with zeros.
pub(crate) fn lines(values: &[i8]) -> impl Iterator<Item = Line> + '_ {
    values.chunks(LINE).map(|chunk| {
        let mut line = Line([0; LINE]);
        for (to, from) in line.0.iter_mut().zip(chunk) {
            *to = *from;
        }
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn every() -> Vec<Kernels> {
        vec![portable::kernels(), *chosen()]
    }

    fn wide(values: &[i16]) -> Vec<WideLine> {
        let line = |chunk: &[i16]| WideLine(std::array::from_fn(|at| chunk.get(at).copied().unwrap_or(0)));
        values.chunks(LINE).map(line).collect()
    }

    #[test]
    fn this_machine_has_a_kernel_of_its_own_where_it_can() {
        #[cfg(target_arch = "x86_64")]
        assert_eq!(
            avx2::kernels().is_some(),
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
        );
    }

    #[test]
    fn the_widest_question_does_not_overflow() {
        for lines_count in [1, 6, 33, 200] {
            let question = vec![WideLine([-widest(lines_count); LINE]); lines_count];
            let row = vec![Line([-127; LINE]); lines_count];
            let expect = i64::from(widest(lines_count)) * 127 * (LINE * lines_count) as i64;
            for kernels in every() {
                assert_eq!(i64::from((kernels.dot)(&question, &row)), expect);
            }
        }
    }

    proptest! {
        #[test]
        fn all_kernels_agree(
            question in proptest::collection::vec(-8191i16..=8191, 0..400),
            left in proptest::collection::vec(-127i8..=127, 0..400),
            right in proptest::collection::vec(-127i8..=127, 0..400),
        ) {
            let (q, a, b) = (wide(&question), lines(&left).collect::<Vec<_>>(), lines(&right).collect::<Vec<_>>());
            let dot: i32 = question.iter().zip(&left).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            let rows: i32 = left.iter().zip(&right).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            for kernels in every() {
                prop_assert_eq!((kernels.dot)(&q, &a), dot);
                prop_assert_eq!((kernels.dot_rows)(&a, &b), rows);
            }
        }

        #[test]
        fn all_kernels_count_the_same_distances(
            words in 0usize..9, rows in 0usize..20, seed in proptest::collection::vec(any::<u64>(), 200)
        ) {
            let (sketch, rest) = seed.split_at(words);
            let rows = &rest[..rows * words];
            let distance = |row: &[u64]| row.iter().zip(sketch).map(|(a, b)| (a ^ b).count_ones() as u16).sum::<u16>();
            let expect: Vec<u16> = if words == 0 { Vec::new() } else { rows.chunks(words).map(distance).collect() };
            for kernels in every() {
                let mut got = vec![7; 3];
                (kernels.distances)(sketch, rows, &mut got);
                prop_assert_eq!(&got, &expect);
            }
        }
    }
}
