//! Values that the compiler must have, and knows nothing about.
//!
//! An empty piece of assembly takes the value in a register and gives it back: that costs no
//! instruction, where `black_box` goes through memory, which takes longer than most of what is measured.
#![allow(unsafe_code)]

/// Can be hidden from the compiler.
pub(crate) trait Opaque: Copy {
    /// The same value, of which the compiler now knows nothing.
    fn opaque(self) -> Self;
}

/// The value, unknown to the compiler from here on.
#[inline(always)]
pub(crate) fn opaque<T: Opaque>(value: T) -> T {
    value.opaque()
}

/// Implements [`Opaque`] by a register of the class `$class`, named by `$text`.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
))]
macro_rules! in_register {
    ($type:ty, $class:ident, $text:literal) => {
        impl Opaque for $type {
            #[inline(always)]
            fn opaque(self) -> Self {
                let mut value = self;
                // SAFETY: no instruction.
                unsafe {
                    std::arch::asm!(
                        concat!("/* ", $text, " */"),
                        inout($class) value,
                        options(nomem, nostack, preserves_flags)
                    );
                }
                value
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod classes {
    use super::Opaque;
    in_register!(i32, reg, "{0:e}");
    in_register!(i64, reg, "{0}");
    in_register!(f32, xmm_reg, "{0}");
    in_register!(f64, xmm_reg, "{0}");
}

#[cfg(target_arch = "aarch64")]
mod classes {
    use super::Opaque;
    in_register!(i32, reg, "{0:w}");
    in_register!(i64, reg, "{0}");
    in_register!(f32, vreg, "{0:s}");
    in_register!(f64, vreg, "{0:d}");
}

#[cfg(target_arch = "riscv64")]
mod classes {
    use super::Opaque;
    in_register!(i32, reg, "{0}");
    in_register!(i64, reg, "{0}");
    in_register!(f32, freg, "{0}");
    in_register!(f64, freg, "{0}");
}

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
)))]
mod classes {
    use super::Opaque;

    macro_rules! through_memory {
        ($($type:ty)*) => {$(
            impl Opaque for $type {
                fn opaque(self) -> Self {
                    std::hint::black_box(self)
                }
            }
        )*};
    }

    through_memory!(i32 i64 f32 f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_it_took() {
        assert_eq!(opaque(-7i32), -7);
        assert_eq!(opaque(i64::MIN), i64::MIN);
        assert_eq!(opaque(1.5f32), 1.5);
        assert_eq!(opaque(-0.1f64), -0.1);
    }
}
