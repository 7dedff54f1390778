//! Typed views of the model file's bytes, in place. It does not parse: `layout` defines the
//! positions.
#![expect(unsafe_code, reason = "reinterprets aligned little-endian bytes without a copy")]

#[cfg(target_endian = "big")]
compile_error!("the model file is little-endian and used in place");

macro_rules! view {
    ($name:ident, $number:ty) => {
        /// Returns the bytes as numbers; empty if they do not start at a multiple of the number's
        /// size (sections always do).
        pub(crate) fn $name(bytes: &[u8]) -> &[$number] {
            // SAFETY: every bit pattern is a valid number of this type, and `align_to` separates
            // the unaligned part.
            let (before, numbers, _) = unsafe { bytes.align_to::<$number>() };
            if before.is_empty() { numbers } else { &[] }
        }
    };
}

view!(i8s, i8);
view!(u16s, u16);
view!(u32s, u32);
view!(i32s, i32);
view!(f32s, f32);

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(8))]
    struct Aligned([u8; 8]);

    #[test]
    fn reads_little_endian_in_place_and_refuses_what_is_not_aligned() {
        let bytes = Aligned([255, 0, 1, 0, 0, 0, 128, 63]);
        assert_eq!(u16s(&bytes.0), [255, 1, 0, 0x3f80]);
        assert_eq!(i8s(&bytes.0[..2]), [-1, 0]);
        assert_eq!(f32s(&bytes.0[4..]), [1.0]);
        assert_eq!(u32s(&bytes.0), [0x0001_00ff, 0x3f80_0000]);
        assert_eq!(i32s(&bytes.0[1..]), [0_i32; 0]);
    }
}
