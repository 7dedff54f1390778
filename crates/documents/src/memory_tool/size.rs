//! Formatting of file sizes in directory listings.

/// The units, powers of 1,024, smallest first.
const UNITS: [&str; 4] = ["B", "K", "M", "G"];

/// Formats a size as `0B`, `17B`, `1K` or `1.5K`: in the largest unit that fits, with one decimal
/// unless the number is whole.
#[expect(clippy::cast_precision_loss, reason = "a size that is shown with one decimal")]
pub(super) fn size(bytes: u64) -> String {
    let mut power = 0_u32;
    while power < 3 && bytes >> (10 * (power + 1)) > 0 {
        power += 1;
    }
    let unit = 1_u64 << (10 * power);
    let name = UNITS.get(power as usize).copied().unwrap_or_default();
    if bytes.is_multiple_of(unit) {
        format!("{}{name}", bytes / unit)
    } else {
        format!("{:.1}{name}", bytes as f64 / unit as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let check = |bytes: u64, expect: &str| assert_eq!(size(bytes), expect);
        check(0, "0B");
        check(17, "17B");
        check(1_023, "1023B");
        check(1_024, "1K");
        check(1_280, "1.2K");
        check(1_536, "1.5K");
        check(1_048_575, "1024.0K");
        check(1 << 20, "1M");
        check(5 << 30, "5G");
        check(u64::MAX, "17179869184.0G");
    }
}
