//! Prefetches memory that will be read soon. It reads nothing and changes no result.
#![expect(unsafe_code, reason = "a prefetch is an intrinsic")]

/// The size of a cache line, in bytes.
const LINE: usize = 64;

/// Prefetches all lines of a value.
#[inline]
pub(crate) fn ask_for<T: ?Sized>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<i8>();
    for offset in (0..size_of_val(value)).step_by(LINE) {
        ask_for_line(start.wrapping_add(offset));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn ask_for_line(at: *const i8) {
    // SAFETY: SSE is part of x86_64, and a prefetch reads nothing.
    unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at) }
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn ask_for_line(at: *const i8) {
    // SAFETY: a prefetch reads nothing and changes nothing.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{at}]",
            at = in(reg) at,
            options(nostack, readonly, preserves_flags)
        );
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn ask_for_line(_at: *const i8) {}
